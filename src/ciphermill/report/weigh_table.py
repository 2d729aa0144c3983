# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A weighing as a table on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from ciphermill.design import Measurement
from ciphermill.report import format as human
from ciphermill.report.comparison import BASELINE, BEST_SOFTWARE, Comparison, Row
from ciphermill.report.table import Table


def weigh_parts(measurements: Sequence[Measurement]) -> list[RenderableType]:
    """Return the table for a terminal, and the lines below it."""
    shown: list[RenderableType] = [weigh_table(measurements), ""]
    if all(seen.correct for seen in measurements):
        shown.append("All outputs agree byte for byte.")
    streams = {seen.interface for seen in measurements if seen.interface}
    widths = sorted({int(interface.rpartition("-")[2]) for interface in streams})
    if widths:
        bits = " and ".join(str(width) for width in widths)
        shown.append(f"Simulated accelerators have data streams of {bits} bits.")
    return shown


def weigh_table(measurements: Iterable[Measurement]) -> Table:
    """A row a measurement, grouped by operation.

    Speedup is over OpenSSL without AES instructions; ``over cpu`` is over the best
    software. Each column stands there where that device was weighed. The column
    ``time is`` marks times that are a model's: ``simulated``. A column that names wrong
    outputs appears only where there are any.
    """
    comparison = Comparison.of(measurements)
    table = Table()
    table.add_column("device")
    columns = {BASELINE: "speedup", BEST_SOFTWARE: f"over\n{BEST_SOFTWARE}"}
    over = [columns[device] for device in comparison.references]
    for name in ("time", "throughput", "cycles/\nblock", *over):
        table.add_column(name, figures=True)
    table.add_column("time is")
    if not comparison.correct:
        table.add_column("output")
    for operation, rows in comparison.groups.items():
        table.add_group(str(operation) if operation.mode else f"{comparison.title} {operation}")
        for row in rows:
            table.add_row(*_cells(row, comparison))
    return table


def _cells(row: Row, comparison: Comparison) -> Iterator[str | Text]:
    seen = row.seen
    yield row.device
    yield human.duration(seen.time_total_s) if seen.time_total_s is not None else "-"
    yield human.throughput(seen.throughput_mb_s) if seen.throughput_mb_s is not None else "-"
    yield human.significant(seen.cycles_per_block) if seen.cycles_per_block is not None else "-"
    ratios = {BASELINE: row.speedup, BEST_SOFTWARE: row.over_best}
    for ratio in (ratios[device] for device in comparison.references):
        yield human.ratio(ratio) if ratio is not None else "-"
    yield Text("simulated", "italic") if row.simulated else seen.method.value
    if not comparison.correct:
        agreed = {True: Text("agrees"), False: Text("differs", "bold red"), None: Text("unchecked")}
        yield agreed[seen.correct]
