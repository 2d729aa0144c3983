# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A titled table with notes, for terminal and page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ciphermill.report import format as human
from ciphermill.report.table import Table, is_figure

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class Section:
    """A table that compares figures of Ciphermill with published ones."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    """Below the table: sources of the figures and reasons for differences."""

    @property
    def figures(self) -> tuple[bool, ...]:
        """Whether each column holds figures only."""
        return tuple(
            all(is_figure(row[number]) for row in self.rows) for number in range(len(self.columns))
        )


def section_renderables(section: Section) -> Iterator[RenderableType]:
    """Yield a table, its notes, and a line of space for a terminal."""
    from rich.markup import escape
    from rich.padding import Padding

    yield section_table(section)
    for note in section.notes:
        yield Padding(escape(note), (0, 0, 0, 2))
    yield ""


def section_table(section: Section) -> Table:
    """Return a section's table."""
    table = Table(section.title)
    for name, figures in zip(section.columns, section.figures, strict=True):
        table.add_column(name, figures=figures)
    for row in section.rows:
        table.add_row(*row)
    return table


def whole(value: float | None) -> str:
    """A count for a table."""
    return "-" if value is None else human.count(value)


def cells(*values: str | float | None) -> tuple[str, ...]:
    """A row of a table: text as it is, counts whole, other figures to three digits.

    >>> cells("aes", 1234, 0.5, None)
    ('aes', '1,234', '0.500', '-')
    """
    return tuple(
        str(one)
        if isinstance(one, str)
        else human.significant(one)
        if isinstance(one, float)
        else whole(one)
        for one in values
    )
