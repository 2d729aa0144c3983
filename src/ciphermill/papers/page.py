# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The HTML page of a paper: published and measured figures, conclusion by conclusion."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from ciphermill.design import Measurement, Method
from ciphermill.papers import PAPERS
from ciphermill.papers.entry import Entry
from ciphermill.papers.paper import PaperReport, Verdict
from ciphermill.report.html_page import origin_lines, render

CLASSES = {
    Verdict.HOLDS: "yes",
    Verdict.DOES_NOT_HOLD: "no",
    Verdict.FOLLOWS: "open",
    Verdict.UNTESTED: "open",
}
"""How the page marks verdicts."""


def stored_report(measurements: Sequence[Measurement]) -> PaperReport | None:
    """Return the report of a stored run of a paper, made from its measurements alone.

    None if the command of the run was not one of a paper.

    Raises:
        KeyError: They are not all measurements of the run.
    """
    origin = next((seen.provenance for seen in measurements if seen.provenance), None)
    name = paper_of((origin.command if origin else None) or "")
    if name is None:
        return None
    entry: Entry = importlib.import_module(PAPERS[name]).ENTRY
    return entry.report(measurements)


def paper_of(command: str) -> str | None:
    """Return the name of the paper that a command line measured; None if none.

    >>> paper_of("ciphermill paper thesis-zynq-ciphers --no-area"), paper_of("ciphermill weigh x")
    ('thesis-zynq-ciphers', None)
    """
    return next((one for one in PAPERS if f" paper {one}" in command), None)


def paper_page(report: PaperReport) -> str:
    """Return the page as HTML text without external resources."""
    ours = [seen for seen in report.measurements if seen.method is not Method.PUBLISHED]
    origin = next((seen.provenance for seen in ours if seen.provenance), None)
    return render(
        "paper.html.j2",
        head=f"{report.paper.name}, beside ours",
        title=report.paper.title,
        report=report,
        counts=[(verdict, report.count(verdict)) for verdict in Verdict],
        classes=CLASSES,
        provenance=origin_lines(origin),
    )
