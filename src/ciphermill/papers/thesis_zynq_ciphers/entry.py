# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The thesis on Zynq ciphers as a command."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermill.design import Measurement, Provenance
from ciphermill.papers.entry import AREA, Entry, Options
from ciphermill.papers.paper import PaperReport
from ciphermill.toolchain.model import Report


def run(asked: Options, origin: Provenance, step: Report) -> PaperReport:
    """Run the experiment."""
    from ciphermill.papers.thesis_zynq_ciphers import experiment, published
    from ciphermill.papers.thesis_zynq_ciphers.report import thesis_report

    paper = published.load()
    results = experiment.run_thesis_paper(
        paper, areas=asked["area"], provenance=origin, report=step
    )
    return thesis_report(paper, results)


def restore(stored: Sequence[Measurement]) -> PaperReport:
    """Return the report of stored measurements."""
    from ciphermill.papers.thesis_zynq_ciphers import published
    from ciphermill.papers.thesis_zynq_ciphers.report import thesis_report
    from ciphermill.papers.thesis_zynq_ciphers.stored import restored

    return thesis_report(published.load(), restored(stored))


ENTRY = Entry(
    "Streams through AES on an embedded board and a workstation, in virtual time.",
    run,
    restore,
    (AREA,),
    ("--no-area --json",),
)
