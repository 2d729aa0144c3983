# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A paper's figures beside ours: tables, and its conclusions checked one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ciphermill.design import Measurement
from ciphermill.design.published import Paper
from ciphermill.report import format as human
from ciphermill.report.table import Table, is_figure

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class Section:
    """A table of ours beside theirs."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    """Below the table: where the figures come from, why they differ."""


@dataclass(frozen=True)
class Conclusion:
    """Something that the paper concludes, and what our figures say to it."""

    statement: str
    source: str
    """Where the paper says it."""
    holds: bool | None
    """None: what would tell was not run, such as on this soft core."""
    figures: str
    """Ours, and theirs where they bear on it."""
    reason: str
    """Why it holds here, or does not."""

    @property
    def verdict(self) -> str:
        """The finding in words."""
        return {True: "holds", False: "does not hold", None: "not tried"}[self.holds]


@dataclass(frozen=True)
class Misprint:
    """Something printed that cannot be right."""

    source: str
    printed: str
    computed: str
    """What the paper's own figures give, and how."""
    verdict: str
    """What it must be."""


@dataclass(frozen=True)
class PaperReport:
    """Everything that is said of a paper."""

    paper: Paper
    sections: tuple[Section, ...]
    conclusions: tuple[Conclusion, ...]
    misprints: tuple[Misprint, ...]
    measurements: tuple[Measurement, ...] = field(repr=False)
    """Ours, then the paper's (method ``published``)."""

    def to_json(self) -> dict[str, Any]:
        """Return the report as an object; the measurements are in the vocabulary's words."""
        return {
            "paper": self.paper.name,
            "citation": self.paper.citation,
            "measurements": [seen.to_json() for seen in self.measurements],
            "conclusions": [
                {
                    "statement": one.statement,
                    "source": one.source,
                    "verdict": one.verdict,
                    "figures": one.figures,
                    "reason": one.reason,
                }
                for one in self.conclusions
            ],
            "misprints": [
                {
                    "source": one.source,
                    "printed": one.printed,
                    "computed": one.computed,
                    "verdict": one.verdict,
                }
                for one in self.misprints
            ],
        }

    def renderables(self) -> Iterator[RenderableType]:
        """Yield the report for a terminal, part by part."""
        from rich.markup import escape
        from rich.padding import Padding

        yield f"[bold]{escape(self.paper.citation)}[/]\n"
        for section in self.sections:
            yield from section_renderables(section)
        yield "[bold]Its conclusions[/]"
        for number, one in enumerate(self.conclusions, 1):
            style = {True: "green", False: "red", None: "yellow"}[one.holds]
            yield (
                f"{number:2}. {escape(one.statement)} ({escape(one.source)})\n"
                f"    [{style}]{one.verdict}[/]: {escape(one.figures)}"
            )
            if one.reason:
                yield Padding(escape(one.reason), (0, 0, 0, 4))
        if self.misprints:
            yield "\n[bold]What is printed and cannot be right[/]"
        for misprint in self.misprints:
            yield (
                f"  - {escape(misprint.printed)} ({escape(misprint.source)}): "
                f"{escape(misprint.computed)}; {escape(misprint.verdict)}"
            )


def section_renderables(section: Section) -> Iterator[RenderableType]:
    """Yield a table, its notes, and a line of space for a terminal."""
    from rich.markup import escape
    from rich.padding import Padding

    yield section_table(section)
    for note in section.notes:
        yield Padding(escape(note), (0, 0, 0, 2))
    yield ""


def ratio(ours: float | None, theirs: float | None) -> str:
    """Ours over theirs, for a table."""
    return "-" if not ours or not theirs else human.ratio(ours / theirs)


def whole(value: float | None) -> str:
    """A count for a table."""
    return "-" if value is None else human.count(value)


def section_table(section: Section) -> Table:
    """Return a section's table; a column is of figures where each of its cells is one."""
    table = Table(section.title)
    for number, name in enumerate(section.columns):
        table.add_column(name, figures=all(is_figure(row[number]) for row in section.rows))
    for row in section.rows:
        table.add_row(*row)
    return table
