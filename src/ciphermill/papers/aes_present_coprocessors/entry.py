# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES and PRESENT paper as a command."""

from __future__ import annotations

from ciphermill.papers.aes_present_coprocessors.comparison import COMPARISON
from ciphermill.papers.aes_present_coprocessors.experiment import plan
from ciphermill.papers.aes_present_coprocessors.published import load
from ciphermill.papers.aes_present_coprocessors.report import coprocessors_report
from ciphermill.papers.entry import ON_SYSTEMS, Entry
from ciphermill.papers.systems import Wanted

ENTRY = Entry(
    "AES and PRESENT behind a coprocessor shell: cycles, area, toggles and energy.",
    lambda asked: plan(load(), Wanted.of(asked)),
    lambda stored: coprocessors_report(load(), stored),
    COMPARISON,
    ON_SYSTEMS,
    ("--json", "--no-area --energy --cells nangate45"),
)
