# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The thesis on Zynq ciphers as a command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ciphermill.design import Measurement, Provenance
from ciphermill.papers.entry import AREA, Entry, Options
from ciphermill.papers.paper import PaperReport
from ciphermill.toolchain.model import Report

if TYPE_CHECKING:
    from ciphermill.papers.plan import Plan


def plan(asked: Options) -> Plan:
    """Plan the experiment."""
    from ciphermill.papers.plan import Plan
    from ciphermill.papers.thesis_zynq_ciphers import experiment, published, stored

    def beside(origin: Provenance, step: Report) -> list[Measurement]:
        results = experiment.run_thesis_paper(
            published.load(), areas=asked["area"], provenance=origin, report=step
        )
        return list(stored.measurements(results))

    return Plan(beside=beside)


def report(measurements: Sequence[Measurement]) -> PaperReport:
    """Return the report of stored measurements."""
    from ciphermill.papers.thesis_zynq_ciphers import published
    from ciphermill.papers.thesis_zynq_ciphers.report import thesis_report
    from ciphermill.papers.thesis_zynq_ciphers.stored import restored

    return thesis_report(published.load(), restored(measurements))


ENTRY = Entry(
    "Streams through AES on an embedded board and a workstation, in virtual time.",
    plan,
    report,
    (AREA,),
    ("--no-area --json",),
)
