# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES and PRESENT paper as a command."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermill.design import Measurement, Provenance
from ciphermill.papers.entry import ON_SYSTEMS, Entry, Options, on_systems
from ciphermill.papers.paper import PaperReport
from ciphermill.toolchain.model import Report


def run(asked: Options, origin: Provenance, step: Report) -> PaperReport:
    """Run the experiment."""
    from ciphermill.papers.aes_present_coprocessors import experiment, published
    from ciphermill.papers.aes_present_coprocessors.report import coprocessors_report

    paper = published.load()
    arguments = on_systems(asked)
    results = experiment.run_coprocessors_paper(paper, **arguments, provenance=origin, report=step)
    return coprocessors_report(paper, results)


def restore(stored: Sequence[Measurement]) -> PaperReport:
    """Return the report of stored measurements."""
    from ciphermill.papers.aes_present_coprocessors import experiment, published
    from ciphermill.papers.aes_present_coprocessors.report import coprocessors_report

    return coprocessors_report(published.load(), experiment.restored(stored))


ENTRY = Entry(
    "AES and PRESENT behind a coprocessor shell: cycles, area, toggles and energy.",
    run,
    restore,
    ON_SYSTEMS,
    ("--json", "--no-area --energy --cells nangate45"),
)
