# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Physical results as tables on a terminal: areas, cycles, energy, path, breakdown."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermill.design import Measurement
from ciphermill.evaluate.chip.measures import MODULES
from ciphermill.report import format as human
from ciphermill.report.physical_figures import FIGURES, Columns, quantity
from ciphermill.report.section import Section, section_table
from ciphermill.report.table import Table

_LEFT = ("target", "workload", "strategy", "timing_by")
"""Fields that are words."""
_WITH_UNIT = ("power_leakage_mw", "energy_uj_per_op")
"""Small figures, each with a suitable unit."""


def physical_tables(measurements: Sequence[Measurement]) -> list[Table]:
    """A table for each kind of figure, with a row for each measurement."""
    measurements = [seen for seen in measurements if seen.scope is None]
    columns = FIGURES.terminal
    kinds = (
        ("On FPGAs", columns.fpga, lambda seen: seen.area_lut is not None),
        (
            "In standard cells",
            columns.cells,
            lambda seen: seen.area_um2 is not None and not seen.workload,
        ),
        (
            "Power and energy, glitches counted (beside them, zero delays: no glitches)",
            columns.energy,
            lambda seen: seen.power_mw is not None,
        ),
        (
            "Toggles at register-transfer level, of no technology",
            columns.toggles,
            lambda seen: seen.toggles_per_op is not None,
        ),
    )
    found = [(title, shown, list(filter(kind, measurements))) for title, shown, kind in kinds]
    return [_table(title, shown, rows) for title, shown, rows in found if rows]


def path_tables(measurements: Sequence[Measurement]) -> list[Table]:
    """The longest paths by Ciphermill's own analysis, with a row for each cell."""
    found = []
    for seen in measurements:
        if not seen.delay_steps:
            continue
        rows = [
            (
                step.cell or "port",
                step.net,
                step.edge,
                f"{step.load_ff:.1f}",
                f"{step.delay_ps:.0f}",
                f"{step.arrival_ps:.0f}",
            )
            for step in seen.delay_steps
        ]
        rows.append(("set-up time", "", "", "", f"{seen.delay_setup_ps or 0:.0f}", ""))
        title = (
            f"Longest path in {seen.target}, {seen.delay_own_path_ps or 0:.0f} ps, made for "
            f"{human.significant(seen.clock_asked_mhz or 0)} MHz"
        )
        columns = ("cell", "net", "edge", "load fF", "delay ps", "arrives ps")
        found.append(section_table(Section(title, columns, tuple(rows))))
    return found


def breakdown_tables(measurements: Sequence[Measurement]) -> list[Table]:
    """Area, and the power of a run, by module, for each target with a breakdown."""
    by_target: dict[str, list[Measurement]] = {}
    for seen in measurements:
        if seen.scope and seen.breakdown in (None, MODULES):
            by_target.setdefault(seen.target or "", []).append(seen)
    return [_breakdown(target, rows) for target, rows in by_target.items()]


def _breakdown(target: str, rows: Sequence[Measurement]) -> Table:
    whole = sum(seen.area_um2 or 0.0 for seen in rows) or 1.0
    power = sum(seen.power_mw or 0.0 for seen in rows)
    top = min((seen.scope or "" for seen in rows), key=len)
    modules = []
    for seen in sorted(rows, key=lambda seen: -(seen.area_um2 or 0.0)):
        area, own = seen.area_um2 or 0.0, seen.power_mw or 0.0
        path = (seen.scope or "").removeprefix(top).removeprefix(".")
        shares = (human.significant(own), f"{own / power:.1%}") if power else ()
        modules.append((path or "(top)", human.count(area), f"{area / whole:.1%}", *shares))
    columns = ("module", "area µm²", "share", *(("power mW", "share") if power else ()))
    title = f"By module in {target}, mapped one by one"
    return section_table(Section(title, columns, tuple(modules)))


def _table(title: str, columns: Columns, rows: Sequence[Measurement]) -> Table:
    """Return a table without empty columns."""
    cells = {field: [_cell(field, seen) for seen in rows] for field in columns}
    cells = {field: column for field, column in cells.items() if any(c != "-" for c in column)}
    headings = tuple(columns[field] for field in cells)
    return section_table(Section(title, headings, tuple(zip(*cells.values(), strict=True))))


def _cell(field: str, seen: Measurement) -> str:
    if field == "workload":
        return _operation(seen)
    if field in _LEFT:
        return getattr(seen, field) or "-"
    figure = quantity(field)
    value = figure.value(seen)
    if value is None:
        return "-"
    return figure.text(seen) if field in _WITH_UNIT else figure.show(value)


def _operation(seen: Measurement) -> str:
    key = f", {seen.key_bits} bits" if seen.key_bits else ""
    return f"{seen.workload}{key}{f', {seen.operation}' if seen.operation else ''}"
