# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tables of one design's figures: a row for each figure, a column for each target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ciphermill.design import Measurement
from ciphermill.report.physical_figures import (
    CELL_TARGETS,
    FIGURES,
    FPGA_TARGETS,
    SummaryFigure,
    how,
    quantity,
    target_title,
    was_run,
    without_breakdowns,
)

_FAMILIES = (
    ("In standard cells", CELL_TARGETS),
    ("On FPGAs", FPGA_TARGETS),
    ("At register-transfer level, of no technology", ("rtl",)),
)
"""Targets that share a table, since they have the same figures."""


@dataclass(frozen=True)
class SummaryRow:
    """A figure on all targets."""

    name: str
    values: tuple[str, ...]
    """By target; empty where there is none."""
    methods: tuple[str, ...]
    how: str


@dataclass(frozen=True)
class Summary:
    """A table."""

    title: str
    targets: tuple[str, ...]
    """For readers."""
    rows: tuple[SummaryRow, ...]


_Column = dict[str, Measurement | None]
"""The measurements of a target's figures, by ``SummaryFigure.of``."""


def summaries(measurements: Sequence[Measurement]) -> list[Summary]:
    """Return the tables of a design's measurements; rows without a figure are left out.

    If a target has several measurements of a kind the first one counts, which is the
    requested one.
    """
    by_target: dict[str, list[Measurement]] = {}
    for seen in without_breakdowns(measurements):
        if seen.target:
            by_target.setdefault(seen.target, []).append(seen)
    tables = []
    for title, family in _FAMILIES:
        targets = [target for target in family if target in by_target]
        columns = [_column(by_target[target]) for target in targets]
        rows = [_row(one, columns) for one in FIGURES.summary]
        if any(rows):
            titles = tuple(map(target_title, targets))
            tables.append(Summary(title, titles, tuple(row for row in rows if row)))
    return tables


def _column(measurements: Sequence[Measurement]) -> _Column:
    """Choose the netlist for the requested clock, the fastest netlist, and the first runs."""
    static = [seen for seen in measurements if not was_run(seen)]
    made = next(iter(static), None)
    fastest = max(static, key=lambda seen: seen.clock_mhz or 0.0, default=None)
    dynamic = [seen for seen in measurements if was_run(seen)]
    return {
        "made": made,
        "fastest": fastest if fastest is not made else None,
        "energy": next((seen for seen in dynamic if seen.power_mw is not None), None),
        "toggles": next((seen for seen in dynamic if seen.toggles_per_cycle is not None), None),
    }


def _row(row: SummaryFigure, columns: Sequence[_Column]) -> SummaryRow | None:
    one = quantity(row.field)
    chosen = [column[row.of] for column in columns]
    values = tuple(one.text(seen) if seen else "" for seen in chosen)
    if not any(values):
        return None
    having = [seen for seen, value in zip(chosen, values, strict=True) if seen and value]
    return SummaryRow(
        name=row.name or one.name,
        values=values,
        methods=tuple(dict.fromkeys(seen.method.value for seen in having)),
        how="; ".join(dict.fromkeys(how(one, seen) for seen in having)),
    )
