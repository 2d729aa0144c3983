# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The table that every command prints.

A table never truncates a figure. If the terminal is too narrow for a row, words wrap; if
that is not enough, each row becomes a block with one line for each column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rich.console import Console, ConsoleOptions
from rich.text import Text

READABLE_COLUMNS = 16
"""The least width of a column of words, if its words need that much."""
_FIGURE = re.compile(r"[-~<>≤≥+±]*[0-9][0-9.,]*\S*( \S{1,10}){0,2}|-?")
_BETWEEN = "  "
_INDENT = "  "


@dataclass
class Column:
    """A column of a table: its heading, and its cells from the top."""

    heading: Text
    figures: bool
    cells: list[Text] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The heading in one line, without hyphenation."""
        joined = self.heading.plain.replace("-\n", "").replace("/\n", "/")
        return " ".join(joined.split())

    @property
    def widest(self) -> int:
        """Width of its longest line."""
        return max(_longest_line(text) for text in (self.heading, *self.cells))

    @property
    def narrowest(self) -> int:
        """The least readable width, since figures do not wrap."""
        if self.figures:
            return self.widest
        words = max(_longest_word(text) for text in (self.heading, *self.cells))
        return max(words, min(self.widest, READABLE_COLUMNS))


class Table:
    """Rows under headings, for a terminal of any width.

    Cells are plain text, or ``rich.text.Text`` where they have a style; nothing in
    them is markup. An empty first cell stands for the one above it.
    """

    def __init__(self, title: str = "", *, caption: str = "") -> None:
        self.title = title
        self.caption = caption
        self.columns: list[Column] = []
        self._groups: dict[int, str] = {}
        """Headings of groups, by the number of the row below."""

    def add_column(self, heading: str, *, figures: bool = False) -> None:
        """Append a column; one of figures is aligned on the right and never wraps."""
        self.columns.append(Column(Text(heading, style="bold"), figures))

    def add_group(self, heading: str) -> None:
        """Put a heading over the rows that follow."""
        self._groups[self.row_count] = heading

    def add_row(self, *cells: str | Text) -> None:
        """Append a row with a cell for each column.

        Raises:
            ValueError: There are more or fewer cells than columns.
        """
        for column, cell in zip(self.columns, cells, strict=True):
            column.cells.append(cell if isinstance(cell, Text) else Text(cell))

    @property
    def row_count(self) -> int:
        """Number of rows, without headings."""
        return len(self.columns[0].cells) if self.columns else 0

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """Yield the lines: a table where that fits, else a block of lines for each row."""
        if self.title:
            yield Text(self.title, style="bold")
        widths = self._widths(options.max_width)
        yield from (
            self._rows(console, widths) if widths else self._blocks(console, options.max_width)
        )
        if self.caption:
            yield Text(self.caption, style="italic")

    def _widths(self, width: int) -> list[int] | None:
        """Width of each column; None if they do not fit beside each other."""
        found = [column.narrowest for column in self.columns]
        left = width - sum(found) - len(_BETWEEN) * (len(found) - 1)
        if left < 0:
            return None
        widest = [column.widest for column in self.columns]
        for _ in range(left):
            lacking = [most - width for most, width in zip(widest, found, strict=True)]
            if not any(lacking):
                break
            found[lacking.index(max(lacking))] += 1
        return found

    def _rows(self, console: Console, widths: list[int]) -> Iterator[Text]:
        headings = [column.heading for column in self.columns]
        yield from self._beside(console, headings, widths, bottom=True)
        yield Text("─" * (sum(widths) + len(_BETWEEN) * (len(widths) - 1)))
        for number in range(self.row_count):
            yield from self._group(number)
            cells = [column.cells[number] for column in self.columns]
            yield from self._beside(console, cells, widths)

    def _beside(
        self, console: Console, cells: list[Text], widths: list[int], *, bottom: bool = False
    ) -> Iterator[Text]:
        """Lines of cells beside each other."""
        wrapped = [
            list(cell.wrap(console, width)) for cell, width in zip(cells, widths, strict=True)
        ]
        height = max(map(len, wrapped))
        for line in range(height):
            parts = []
            for column, lines, width in zip(self.columns, wrapped, widths, strict=True):
                at = line - (height - len(lines) if bottom else 0)
                part = lines[at].copy() if 0 <= at < len(lines) else Text()
                part.rstrip()
                part.align("right" if column.figures else "left", width)
                parts.append(part)
            whole = Text(_BETWEEN).join(parts)
            whole.rstrip()
            yield whole

    def _blocks(self, console: Console, width: int) -> Iterator[Text]:
        titles = self._title_columns()
        first, others = self.columns[0], self.columns[titles:]
        longest = max((len(column.name) for column in others), default=0)
        above = Text()
        for number in range(self.row_count):
            yield from self._group(number)
            if number and number not in self._groups:
                yield Text()
            above = first.cells[number] if first.cells[number].plain else above
            more = (column.cells[number] for column in self.columns[1:titles])
            name = Text(f"{first.name} " if first.figures else "")
            parts = [part for part in (above, *more) if part.plain]
            title = Text.assemble(name, Text(" · ").join(parts), style="bold")
            for line in title.wrap(console, width):
                line.rstrip()
                yield line
            for column in others:
                if column.cells[number].plain:
                    yield from _named(console, column, number, longest, width)

    def _title_columns(self) -> int:
        """Number of columns in the heading of a block: the words before the first figure."""
        figures = (number for number, column in enumerate(self.columns) if column.figures)
        return max(next(figures, 1), 1)

    def _group(self, number: int) -> Iterator[Text]:
        if number in self._groups:
            if number:
                yield Text()
            yield Text(self._groups[number], style="bold")


def is_figure(text: str) -> bool:
    """Whether a cell is a number with an optional unit, or a placeholder for a missing number.

    >>> [is_figure(text) for text in ("2,644", "~1.5 ms", "2 x 1,600 bytes", "-", "")]
    [True, True, False, True, True]
    >>> [is_figure(text) for text in ("ECB", "none of these", "3 of 4 were not run here")]
    [False, False, False]
    """
    return _FIGURE.fullmatch(text) is not None


def _named(
    console: Console, column: Column, number: int, longest: int, width: int
) -> Iterator[Text]:
    """Lines of a name and a cell, beside each other or, if that is too wide, below each other."""
    cell = column.cells[number]
    label = Text(f"{_INDENT}{column.name:{longest}}{_BETWEEN}", style="dim")
    wanted = _longest_line(cell)
    if not column.figures:
        wanted = max(_longest_word(cell), min(wanted, READABLE_COLUMNS))
    beside = wanted <= width - len(label)
    indent = len(label) if beside else 2 * len(_INDENT)
    lines = list(cell.wrap(console, max(width - indent, 1), overflow="fold"))
    if not beside:
        label.rstrip()
        yield label
    for line in lines:
        line.rstrip()
        yield Text.assemble(label if beside else " " * indent, line)
        label = Text(" " * indent)


def _longest_line(text: Text) -> int:
    return max((line.cell_len for line in text.split(allow_blank=True)), default=0)


def _longest_word(text: Text) -> int:
    return max((Text(word).cell_len for word in text.plain.split()), default=0)
