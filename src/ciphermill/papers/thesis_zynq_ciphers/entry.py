# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The thesis on Zynq ciphers as a command."""

from __future__ import annotations

from ciphermill.design import Provenance
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


ENTRY = Entry(
    "Streams through AES on an embedded board and a workstation, in virtual time.",
    run,
    (AREA,),
    ("--no-area --json",),
)
