# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Measurements as a table on a terminal, and how all tables look."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ciphermill.design import Measurement
from ciphermill.report import format as human
from ciphermill.report.comparison import Comparison, Row

if TYPE_CHECKING:
    from rich.table import Table


def titled_table(title: str) -> Table:
    """Return an empty table with a title, which is no markup."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    return Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        title=escape(title),
        title_justify="left",
        title_style="bold",
    )


def weigh_table(measurements: Iterable[Measurement]) -> Table:
    """A row a measurement, grouped by mode and direction.

    The column ``time is`` marks times that are a model's: ``simulated``. A column
    that names wrong outputs appears only where there are any.
    """
    from rich import box
    from rich.table import Table

    comparison = Comparison.of(measurements)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("device", no_wrap=True)
    for name in ("time", "throughput", "clocks/block", "speedup"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("time is", no_wrap=True)
    if not comparison.correct:
        table.add_column("output", no_wrap=True)
    for mode in comparison.modes:
        for direction in ("encrypt", "decrypt"):
            found = (comparison.find(device, mode, direction) for device in comparison.devices)
            if rows := [row for row in found if row]:
                table.add_row(f"[bold]{rows[0].operation}[/]")
                for row in rows:
                    cells = _cells(row)
                    table.add_row(*cells if not comparison.correct else cells[:-1])
                table.add_section()
    return table


def _cells(row: Row) -> list[str]:
    seen = row.seen
    agreed = {True: "agrees", False: "[bold red]differs[/]", None: "unchecked"}[seen.correct]
    return [
        row.device,
        human.duration(seen.time_total_s) if seen.time_total_s is not None else "-",
        human.throughput(seen.throughput_mb_s) if seen.throughput_mb_s is not None else "-",
        human.significant(seen.cycles_per_block) if seen.cycles_per_block is not None else "-",
        human.ratio(row.speedup) if row.speedup is not None else "-",
        "[italic]simulated[/]" if row.simulated else seen.method.value,
        agreed,
    ]
