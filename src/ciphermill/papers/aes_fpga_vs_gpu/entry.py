# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The paper on AES on an FPGA and GPUs as a command."""

from __future__ import annotations

import click

from ciphermill.papers.aes_fpga_vs_gpu.comparison import COMPARISON
from ciphermill.papers.aes_fpga_vs_gpu.experiment import plan
from ciphermill.papers.aes_fpga_vs_gpu.published import load
from ciphermill.papers.aes_fpga_vs_gpu.report import fpga_report
from ciphermill.papers.entry import AREA, Entry

_MHZ = click.FloatRange(0.1, 10_000)

ENTRY = Entry(
    "AES-128-CTR on a simulated FPGA board, beside its published GPUs and devices of this machine.",
    plan,
    lambda stored: fpga_report(load(), stored),
    COMPARISON,
    (
        click.Option(
            ["--device", "devices"],
            multiple=True,
            default=("cpu", "software"),
            show_default=True,
            help="A device of the engine to measure; may be repeated.",
        ),
        click.Option(
            ["--core-mhz"],
            type=_MHZ,
            help="Clock of the FPGA's cores.  [default: the board's, 70]",
        ),
        click.Option(
            ["--memory-mhz"],
            type=_MHZ,
            help="Clock of the board's memory.  [default: the board's, 33]",
        ),
        click.Option(
            ["--kib"],
            type=click.IntRange(1, 8192),
            default=8192,
            show_default=True,
            help="Length of the message, at most the board's memory.",
        ),
        AREA,
    ),
    ("--no-area --kib 256", "--device cpu --core-mhz 100 --memory-mhz 66"),
)
