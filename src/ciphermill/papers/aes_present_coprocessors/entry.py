# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES and PRESENT paper as a command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ciphermill.design import Measurement
from ciphermill.papers.entry import ON_SYSTEMS, Entry, Options
from ciphermill.papers.paper import PaperReport

if TYPE_CHECKING:
    from ciphermill.papers.plan import Plan


def plan(asked: Options) -> Plan:
    """Plan the experiment."""
    from ciphermill.papers.aes_present_coprocessors import experiment, published
    from ciphermill.papers.systems import Wanted

    return experiment.plan(published.load(), Wanted.of(asked))


def report(stored: Sequence[Measurement]) -> PaperReport:
    """Return the report of stored measurements."""
    from ciphermill.papers.aes_present_coprocessors import published
    from ciphermill.papers.aes_present_coprocessors.report import coprocessors_report

    return coprocessors_report(published.load(), stored)


ENTRY = Entry(
    "AES and PRESENT behind a coprocessor shell: cycles, area, toggles and energy.",
    plan,
    report,
    ON_SYSTEMS,
    ("--json", "--no-area --energy --cells nangate45"),
)
