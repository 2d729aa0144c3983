# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a benchmark shows: a figure, what it is compared with, and the target."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from ciphermill.design import Measurement


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    """What was measured."""
    seen: str
    """Ours, with its unit."""
    beside: str
    """What it is compared with, with its unit; empty where it stands alone."""
    value: float | None
    """What the target is about: a ratio or a figure; none where it is unmeasured."""
    target: float | None
    """The value to reach; none where nothing sets one."""
    unit: str
    """Unit of value and target; empty for a ratio."""
    measurements: tuple[Measurement, ...]
    """All of it, for programs."""
    at_most: bool = False
    """Whether the target is an upper bound."""
    note: str = ""
    """Why a target cannot be met here, or why it is unmeasured, where that is known."""

    @property
    def met(self) -> bool:
        """Whether the target was reached, where there is one."""
        if self.value is None or self.target is None:
            return False
        return self.value <= self.target if self.at_most else self.value >= self.target

    @property
    def verdict(self) -> str:
        """The last column, in words."""
        if self.value is None:
            return "unmeasured"
        if self.target is None:
            return "no target"
        return "met" if self.met else "missed"


def unmeasured(what: str, target: float | None, why: str, unit: str = "") -> Row:
    """Return a row without a figure, and print why."""
    print(f"bench: {what}: {why}", file=sys.stderr)
    note = f"unmeasured: {why}"
    return Row(what, "unmeasured", "", None, target, unit, measurements=(), note=note)


def table(rows: list[Row]) -> str:
    """Rows as text, notes below."""
    grid = Table(box=None, pad_edge=False)
    for heading in ("what", "seen", "beside", "value", "target", ""):
        grid.add_column(heading, justify="right" if heading in ("value", "target") else "left")
    for row in rows:
        bound = "≤" if row.at_most else "≥"
        target = "" if row.target is None else f"{bound} {row.target:g} {row.unit}".strip()
        grid.add_row(
            row.what,
            row.seen,
            row.beside,
            "" if row.value is None else f"{row.value:.2f} {row.unit}".strip(),
            target,
            row.verdict,
        )
    console = Console(width=120, highlight=False)
    with console.capture() as captured:
        console.print(grid)
        for row in rows:
            if row.note and not row.met:
                console.print(f"{row.what}: {row.note}", soft_wrap=True)
    return captured.get()
