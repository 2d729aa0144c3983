# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The HTML page of a paper: what it published beside ours, conclusion by conclusion."""

from __future__ import annotations

from ciphermill._engine import __version__
from ciphermill.design import Method
from ciphermill.papers.paper import PaperReport, Verdict
from ciphermill.report.html_page import environment, origin_lines

CLASSES = {
    Verdict.HOLDS: "yes",
    Verdict.DOES_NOT_HOLD: "no",
    Verdict.FOLLOWS: "open",
    Verdict.UNTESTED: "open",
}
"""How the page marks verdicts."""


def paper_page(report: PaperReport) -> str:
    """Return the page as HTML text, which loads nothing."""
    ours = [seen for seen in report.measurements if seen.method is not Method.PUBLISHED]
    origin = next((seen.provenance for seen in ours if seen.provenance), None)
    return (
        environment()
        .get_template("paper.html.j2")
        .render(
            report=report,
            counts=[(verdict, report.count(verdict)) for verdict in Verdict],
            classes=CLASSES,
            provenance=origin_lines(origin),
            version=__version__,
        )
    )
