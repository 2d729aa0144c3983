# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The page of all papers: every printed figure beside ours, from stored measurements alone."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ciphermill.campaign.store import Store
from ciphermill.design import Measurement
from ciphermill.papers import PAPERS
from ciphermill.papers.compared import MEANINGS, Compared, Standing, compared
from ciphermill.papers.entry import Entry
from ciphermill.papers.page import paper_of
from ciphermill.papers.published import Paper, bibliography
from ciphermill.report import format as human
from ciphermill.report.html_page import render
from ciphermill.report.table import Table

CLASSES = {
    Standing.REPRODUCED: "yes",
    Standing.BEATEN: "yes",
    Standing.MISSED: "no",
}
"""How the page marks verdicts; the others are grey."""
WITHOUT_TABLE = "Printed figures without a counterpart"


@dataclass(frozen=True)
class ComparedTable:
    """A table of a paper, row by row."""

    title: str
    about: str
    rows: tuple[Compared, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """The reasons of its rows, each once."""
        return tuple(dict.fromkeys(f"{row.standing}: {row.why}" for row in self.rows if row.why))

    def note(self, row: Compared) -> str:
        """Return the number of a row's reason, where there are several."""
        several = len(self.notes) > 1 and row.why
        return f"{self.notes.index(f'{row.standing}: {row.why}') + 1}" if several else ""


@dataclass(frozen=True)
class ComparedPaper:
    """A paper with every printed figure beside ours."""

    paper: Paper
    tolerance: float
    """How near ours is the same, as a part of the printed figure."""
    command: str
    """What measures ours."""
    tables: tuple[ComparedTable, ...]

    @property
    def rows(self) -> Iterator[Compared]:
        """Every printed figure once."""
        return (row for table in self.tables for row in table.rows)

    @property
    def count(self) -> int:
        """The number of printed figures."""
        return sum(1 for _ in self.rows)

    @property
    def printed_tables(self) -> int:
        """The number of tables that stand beside ours."""
        return sum(table.title != WITHOUT_TABLE for table in self.tables)

    @property
    def runs(self) -> tuple[int, ...]:
        """The stored runs that ours are from."""
        return tuple(sorted({row.run for row in self.rows if row.run is not None}))

    def with_(self, standing: Standing) -> list[Compared]:
        """Return the figures with a verdict."""
        return [row for row in self.rows if row.standing is standing]

    def told(self, standing: Standing) -> str:
        """Return how many figures have a verdict, and the range of their factors."""
        found = self.with_(standing)
        factors = [row.factor for row in found if row.factor]
        if not factors:
            return str(len(found))
        ends = dict.fromkeys(map(human.ratio, (min(factors), max(factors))))
        return f"{len(found)} ({' to '.join(ends)})"


@dataclass(frozen=True)
class Overview:
    """All papers."""

    papers: tuple[ComparedPaper, ...]

    def count(self, standing: Standing) -> int:
        """Return how many figures of all papers have a verdict."""
        return sum(len(one.with_(standing)) for one in self.papers)

    def to_json(self) -> list[dict[str, Any]]:
        """Return an object for each printed figure."""
        return [row.to_json() for one in self.papers for row in one.rows]

    def summary(self) -> Table:
        """Return the summary for a terminal."""
        table = Table("Printed figures beside ours")
        table.add_column("paper")
        for name in ("tables", "figures", *Standing):
            table.add_column(name, figures=True)
        for one in self.papers:
            numbers = str(one.printed_tables), str(one.count)
            table.add_row(one.paper.name, *numbers, *map(one.told, Standing))
        return table


def overview(store: Store | None) -> Overview:
    """Return every printed figure of every paper beside ours.

    Args:
        store: Where measurements are; None: there are none yet.

    Raises:
        StoreError: It could not be read.
        DesignError: A file of a paper is malformed.
    """
    runs: dict[str, list[int]] = {}
    for run, command in store.commands().items() if store else ():
        if name := paper_of(command):
            runs.setdefault(name, []).append(run)
    return Overview(
        tuple(
            of_paper(name, _measurements(store, runs.get(name, ())) if store else ())
            for name in PAPERS
        )
    )


def _measurements(store: Store, runs: Sequence[int]) -> Iterator[tuple[int, Sequence[Measurement]]]:
    for run in sorted(runs, reverse=True):
        yield run, [record.measurement for record in store.records(run=run)]


def of_paper(
    name: str, runs: Iterator[tuple[int, Sequence[Measurement]]] | Sequence[Any]
) -> ComparedPaper:
    """Return a paper with every printed figure beside ours.

    Args:
        name: The paper's name.
        runs: Runs of its command by number, the newest first. Runs that are not complete are
        left out, and so are measurements with a wrong output.
    """
    entry: Entry = importlib.import_module(PAPERS[name]).ENTRY
    views = []
    for run, stored in runs:
        try:
            right = [seen for seen in stored if seen.correct is not False]
            views.append((run, entry.comparison.view(right)))
        except LookupError:
            continue
    command = f"ciphermill paper {name}"
    tables = entry.comparison.tables()
    rows = compared(name, tables, views, entry.comparison.tolerance, command)
    about: Mapping[str, str] = {table.title: table.about for table in tables}
    grouped = (
        ComparedTable(title or WITHOUT_TABLE, about.get(title, ""), tuple(those))
        for title, those in itertools.groupby(rows, lambda row: row.table)
    )
    return ComparedPaper(bibliography(name), entry.comparison.tolerance, command, tuple(grouped))


def overview_page(found: Overview) -> str:
    """Return the page as HTML text without external resources."""
    return render(
        "overview.html.j2",
        title="The papers, figure by figure",
        found=found,
        standings=list(Standing),
        meanings=MEANINGS,
        classes=CLASSES,
        printed=printed_text,
        figure=figure_text,
        wide=True,
    )


def printed_text(values: Sequence[float]) -> str:
    """Return a printed figure as it was printed, but for separators.

    >>> printed_text((92993825,)), printed_text((0.00656,)), printed_text((450, 500))
    ('92,993,825', '0.00656', '450 to 500')
    """
    return " to ".join(f"{value:,.12g}" for value in values)


def figure_text(value: float) -> str:
    """Return a figure of ours: a count whole, another to three digits.

    >>> figure_text(12345), figure_text(0.012345)
    ('12,345', '0.0123')
    """
    return human.count(value) if float(value).is_integer() else human.significant(value)
