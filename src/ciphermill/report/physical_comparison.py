# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Compares designs on each target: area, clock, energy and the papers' measures."""

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
"""Fields of a row that are at the highest clock instead of that of the simulation."""
_MORE_IS_BETTER = ("clock_mhz", "throughput_mb_s", "merit_mb", "merit_throughput")
"""Fields of which more is better; of others, less is better."""


@dataclass(frozen=True)
class ComparisonRow:
    """A design on a target, with one workload if it has run any."""

    design: str
    detail: str
    """Direction, target clock, workload."""
    published: bool
    values: Mapping[str, float]
    """By field; absent where there is none."""
    source: str = ""
    """The source of a published figure."""


def physical_comparison(measurements: Sequence[Measurement], *, moment: datetime) -> str:
    """Return a page that compares designs, as HTML text.

    Args:
        measurements: From the results store, oldest first; of equal subjects the last one
            counts. Published ones are included and marked; parts of a design and embedded
            systems are not.
        moment: The time of the page.

    Raises:
        ValueError: No measurement has a target.
    """
    whole = [
        seen
        for seen in without_breakdowns(measurements)
        if seen.target and seen.partition is None  # embedded systems are not compared here
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

    Of measurements of the same subject the last one counts. The row of a workload has the
    highest clock of its netlist, if that was measured.
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
        # The provenance of a published figure has its place in the paper instead of a command.
        source = seen.provenance.command if published and seen.provenance else ""
        values = _values(seen, made.get(_netlist_key(seen)))
        name = seen.design or seen.device or ""
        rows.append(ComparisonRow(name, _detail(seen), published, values, source or ""))
    return sorted(rows, key=lambda row: (row.published, row.design, row.detail))


def _made_key(seen: Measurement) -> tuple[object, ...]:
    """Return the key of a netlist: design, target, and target clock."""
    return seen.design, seen.algorithm, seen.target, seen.clock_asked_mhz


def _netlist_key(seen: Measurement) -> tuple[object, ...]:
    """Return the fields that distinguish netlists; options of tools change the area."""
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

    If a workload ran on a netlist without a measurement of its own, clock and throughput
    are left out, since they are those of the simulation.
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
    """Return the properties that compared measurements share: cipher and key size."""
    cipher = (seen.algorithm or "no cipher").upper()
    return f"{cipher}-{seen.key_bits}" if seen.key_bits else cipher


def _text(row: ComparisonRow, field: str) -> str:
    value = row.values.get(field)
    return "" if value is None else quantity(field).show(value)


def _is_best(row: ComparisonRow, group: Sequence[ComparisonRow], field: str) -> bool:
    """Whether no other design of the group has a better figure, if several have one."""
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
