# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Designs beside each other on each target: area, clock, energy and the papers' measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ciphermill.design import Measurement, Method
from ciphermill.report.html_page import render
from ciphermill.report.physical_bars import BarPart, bar_svg
from ciphermill.report.physical_figures import (
    CELL_TARGETS,
    FIGURES,
    FPGA_TARGETS,
    quantity,
    target_title,
    was_run,
    without_breakdowns,
)

_TOGGLES = "rtl"
_COLUMNS = FIGURES.compared
_AT_HIGHEST = ("clock_", "throughput_", "merit_mb")
"""Fields of a row that are at the highest clock, not at that of the simulation."""
_MORE_IS_BETTER = ("clock_mhz", "throughput_mb_s", "merit_mb", "merit_throughput")
"""For the other fields, less is better."""


@dataclass(frozen=True)
class ComparisonRow:
    """A design on a target, with one workload if it has run any."""

    design: str
    detail: str
    """Direction, clock that it was made for, workload."""
    published: bool
    values: Mapping[str, float]
    """By field; absent where there is none."""
    source: str = ""
    """The source of a published figure."""


def physical_comparison(measurements: Sequence[Measurement], *, moment: datetime) -> str:
    """Return a page that compares designs, as HTML text.

    Args:
        measurements: From the results store, oldest first; of the same thing the
            last counts. Published ones stand beside ours, marked; parts of a design
            and embedded systems are left out.
        moment: When the page is made.

    Raises:
        ValueError: No measurement has a target: there is nothing to compare.
    """
    whole = [
        seen
        for seen in without_breakdowns(measurements)
        if seen.target and seen.partition is None  # an embedded system is no design
    ]
    if not whole:
        raise ValueError("no measurement of area, timing or energy to compare")
    order = (*CELL_TARGETS, *FPGA_TARGETS, _TOGGLES)
    present = {seen.target or "" for seen in whole}
    targets = [t for t in order if t in present] + sorted(present.difference(order))
    sections = [_section(target, [s for s in whole if s.target == target]) for target in targets]
    designs = {seen.design for seen in whole if seen.design}
    commits = sorted({s.provenance.commit for s in whole if s.provenance and s.provenance.commit})
    return render(
        "physical_comparison.html.j2",
        title="Designs compared: area, timing, power, energy",
        subtitle=f"{_several(len(designs), 'design')} on {_several(len(targets), 'target')}, "
        f"{moment:%-d %B %Y, %H:%M %Z}",
        sections=sections,
        wide=True,
        provenance=[("Commits", ", ".join(commits))] if commits else [],
    )


def comparison_rows(measurements: Iterable[Measurement]) -> list[ComparisonRow]:
    """Return the rows of one target: each workload of each design that was made.

    Of measurements of the same thing the last counts. A workload's row takes the
    highest clock from what was made, if the same netlist was measured.
    """
    latest: dict[tuple[object, ...], Measurement] = {}
    made: dict[tuple[object, ...], Measurement] = {}
    for seen in measurements:
        key = (*_made_key(seen), seen.method)
        if was_run(seen):
            key = (*key, seen.workload, seen.key_bits, seen.operation)
        latest.pop(key, None)
        latest[key] = seen
        if seen.method is Method.ESTIMATED:
            made[_netlist_key(seen)] = seen
    ran = {_made_key(seen) for seen in latest.values() if was_run(seen)}
    rows = []
    for seen in latest.values():
        if seen.method is Method.ESTIMATED and _made_key(seen) in ran:
            continue
        published = seen.method is Method.PUBLISHED
        # A published figure's provenance has no command of ours, but its place.
        source = seen.provenance.command if published and seen.provenance else ""
        values = _values(seen, made.get(_netlist_key(seen)))
        name = seen.design or seen.device or ""
        rows.append(ComparisonRow(name, _detail(seen), published, values, source or ""))
    return sorted(rows, key=lambda row: (row.published, row.design, row.detail))


def _made_key(seen: Measurement) -> tuple[object, ...]:
    """Return what was asked for: a design on a target, made for a clock."""
    return seen.design, seen.algorithm, seen.target, seen.clock_asked_mhz


def _netlist_key(seen: Measurement) -> tuple[object, ...]:
    """Return what tells one netlist from another: options of the tools change its area."""
    return *_made_key(seen), seen.area_um2, seen.area_lut


def _detail(seen: Measurement) -> str:
    asked = seen.clock_asked_mhz
    words = [
        seen.operation or "",
        f"for {asked:,.0f} MHz" if asked else "",
        (seen.workload or "") if was_run(seen) else "",
    ]
    return ", ".join(word for word in words if word)


def _values(seen: Measurement, made: Measurement | None) -> dict[str, float]:
    """Return a row's figures.

    Where a workload ran on a netlist that is not known otherwise, its clock and
    throughput are left out: they are those of the simulation.
    """
    found = {}
    for field in {*_COLUMNS.cells, *_COLUMNS.fpga, *_COLUMNS.rtl}:
        source = (made if was_run(seen) else seen) if field.startswith(_AT_HIGHEST) else seen
        value = getattr(source, field) if source else None
        if value is not None:
            found[field] = float(value)
    return found


def _several(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _section(target: str, measurements: Sequence[Measurement]) -> dict[str, object]:
    kind = "cells" if target in CELL_TARGETS else "rtl" if target == _TOGGLES else "fpga"
    fields: dict[str, str] = getattr(_COLUMNS, kind)
    groups: dict[str, list[Measurement]] = {}
    for seen in sorted(measurements, key=lambda seen: (seen.algorithm or "", seen.key_bits or 0)):
        groups.setdefault(_group(seen), []).append(seen)
    rows_of = {name: comparison_rows(group) for name, group in groups.items()}
    rows = [row for found in rows_of.values() for row in found]
    columns = [field for field in fields if any(field in row.values for row in rows)]
    bars = ("energy_pj_per_bit", "area_ge", "area_lut")
    bar = next((field for field in bars if field in columns), "")
    most = max((row.values.get(bar, 0.0) for row in rows), default=0.0)
    return {
        "target": target,
        "title": target_title(target),
        "columns": [fields[field] for field in columns],
        "groups": {
            name: [
                {
                    "row": row,
                    "cells": [(_text(row, one), _is_best(row, found, one)) for one in columns],
                    "bar": _bar(row, bar, most),
                }
                for row in found
            ]
            for name, found in rows_of.items()
        },
        "bar": {"energy_pj_per_bit": "energy", "": ""}.get(bar, "area"),
    }


def _group(seen: Measurement) -> str:
    """Return what measurements have in common that are compared: cipher and key size."""
    cipher = (seen.algorithm or "no cipher").upper()
    return f"{cipher}-{seen.key_bits}" if seen.key_bits else cipher


def _text(row: ComparisonRow, field: str) -> str:
    value = row.values.get(field)
    return "" if value is None else quantity(field).show(value)


def _is_best(row: ComparisonRow, group: Sequence[ComparisonRow], field: str) -> bool:
    """Whether no other design of the group has a better figure, where several have one."""
    value = row.values.get(field)
    values = [other.values[field] for other in group if field in other.values]
    if value is None or min(values) == max(values):
        return False
    return value == (max(values) if field.startswith(_MORE_IS_BETTER) else min(values))


def _bar(row: ComparisonRow, field: str, most: float) -> str:
    value = row.values.get(field)
    if not field or value is None:
        return ""
    if field != "energy_pj_per_bit":
        return bar_svg([BarPart("area", value, 1)], most)
    settled = row.values.get("energy_pj_per_bit_zero_delay", value)
    parts = [BarPart("without glitches", settled, 1), BarPart("glitches", value - settled, 3)]
    return bar_svg(parts, most)
