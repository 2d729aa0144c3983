# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The crypto-suite paper as a command."""

from __future__ import annotations

import click

from ciphermill.papers.crypto_suite_sw_vs_hw.comparison import COMPARISON
from ciphermill.papers.crypto_suite_sw_vs_hw.experiment import plan
from ciphermill.papers.crypto_suite_sw_vs_hw.published import load
from ciphermill.papers.crypto_suite_sw_vs_hw.report import suite_report
from ciphermill.papers.entry import AREA, SOFT_CORE, Entry

ENTRY = Entry(
    "AES, SHA-2 and ECDSA in software on this machine and in hardware behind DMA.",
    lambda asked: plan(load(), asked),
    lambda stored: suite_report(load(), stored),
    COMPARISON,
    (
        click.Option(
            ["--seconds"],
            type=click.FloatRange(0.001, 3600),
            default=3.0,
            show_default=True,
            help="Time for which software repeats an operation.",
        ),
        SOFT_CORE,
        AREA,
    ),
    ("--seconds 10", "--no-area"),
)
