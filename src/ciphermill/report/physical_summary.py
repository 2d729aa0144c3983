# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The figures of one design in tables: a row a figure, a column a target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from ciphermill.design import Measurement
from ciphermill.report.physical_figures import (
    CELL_TARGETS,
    FPGA_TARGETS,
    Quantity,
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
"""Targets that share a table, since the same figures are of them."""


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


@dataclass(frozen=True)
class _Column:
    """All figures of a target."""

    made: Measurement | None
    """Area and timing of what was made for a clock."""
    fastest: Measurement | None
    """The one with the highest clock, if that is another."""
    energy: Measurement | None
    """The first workload with an energy."""
    toggles: Measurement | None


_Choice = Callable[[_Column], Measurement | None]
_made: _Choice = attrgetter("made")
_fastest: _Choice = attrgetter("fastest")
_energy: _Choice = attrgetter("energy")
_toggles: _Choice = attrgetter("toggles")

_ROWS: tuple[tuple[str, _Choice, str], ...] = (
    ("area_um2", _made, ""),
    ("area_ge", _made, ""),
    ("area_lut", _made, ""),
    ("area_ff", _made, ""),
    ("area_carry", _made, ""),
    ("area_dsp", _made, ""),
    ("area_block_ram", _made, ""),
    ("area_slices_estimated", _made, ""),
    ("clock_asked_mhz", _made, "Made for"),
    ("clock_mhz", _made, "Clock"),
    ("clock_mhz", _fastest, "Highest clock"),
    ("area_ge", _fastest, "Gate equivalents at the highest clock"),
    ("cycles_per_block", _made, ""),
    ("throughput_mb_s", _made, "Throughput"),
    ("throughput_mb_s", _fastest, "Throughput at the highest clock"),
    ("clock_mhz", _energy, "Clock of the simulation"),
    ("energy_pj_per_bit", _energy, ""),
    ("energy_pj_per_bit_zero_delay", _energy, ""),
    ("energy_uj_per_op", _energy, ""),
    ("power_mw", _energy, ""),
    ("power_leakage_mw", _energy, ""),
    ("power_idle_mw", _energy, ""),
    ("energy_relative", _made, ""),
    ("toggles_per_cycle", _toggles, ""),
    ("toggles_per_byte", _toggles, ""),
    ("merit_cycles_x_lut", _made, ""),
    ("merit_mb_s_per_lut", _made, ""),
    ("merit_mb_s_per_mhz_per_slice", _made, ""),
    ("merit_mb_s_per_mhz", _made, ""),
    ("merit_throughput_over_energy", _energy, ""),
)
"""Field, the measurement that it is taken from, and a name other than the field's own."""


def summaries(measurements: Sequence[Measurement]) -> list[Summary]:
    """Return the tables of a design's measurements; rows without a figure are left out.

    Where a target has several of a kind the first counts, so that what was asked for
    comes before what was done besides.
    """
    by_target: dict[str, list[Measurement]] = {}
    for seen in without_breakdowns(measurements):
        if seen.target:
            by_target.setdefault(seen.target, []).append(seen)
    tables = []
    for title, family in _FAMILIES:
        targets = [target for target in family if target in by_target]
        columns = [_column(by_target[target]) for target in targets]
        rows = [_row(quantity(field), choice, name, columns) for field, choice, name in _ROWS]
        if any(rows):
            titles = tuple(map(target_title, targets))
            tables.append(Summary(title, titles, tuple(row for row in rows if row)))
    return tables


def _column(measurements: Sequence[Measurement]) -> _Column:
    static = [seen for seen in measurements if not was_run(seen)]
    made = next(iter(static), None)
    fastest = max(static, key=lambda seen: seen.clock_mhz or 0.0, default=None)
    dynamic = [seen for seen in measurements if was_run(seen)]
    return _Column(
        made=made,
        fastest=fastest if fastest is not made else None,
        energy=next((seen for seen in dynamic if seen.power_mw is not None), None),
        toggles=next((seen for seen in dynamic if seen.toggles_per_cycle is not None), None),
    )


def _row(
    one: Quantity, choice: _Choice, name: str, columns: Sequence[_Column]
) -> SummaryRow | None:
    chosen = [choice(column) for column in columns]
    values = tuple(one.text(seen) if seen else "" for seen in chosen)
    if not any(values):
        return None
    having = [seen for seen, value in zip(chosen, values, strict=True) if seen and value]
    return SummaryRow(
        name=name or one.name,
        values=values,
        methods=tuple(dict.fromkeys(seen.method.value for seen in having)),
        how="; ".join(dict.fromkeys(how(one, seen) for seen in having)),
    )
