# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A design's page of area, timing, power and energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ciphermill.design import Measurement
from ciphermill.design.measurement import PathStep
from ciphermill.evaluate.chip.measures import MODULES, PHASES, ZERO_DELAY
from ciphermill.evaluate.chip.workloads import WORKLOADS
from ciphermill.report import format as human
from ciphermill.report.html_page import moment, origin_lines, render
from ciphermill.report.physical_bars import BarPart, bar_svg
from ciphermill.report.physical_figures import (
    CELL_TARGETS,
    figures,
    heading,
    target_title,
    was_run,
    without_breakdowns,
)
from ciphermill.report.physical_summary import summaries
from ciphermill.report.treemap import branch_colours, module_tree, percent, treemap_svg, walk
from ciphermill.toolchain.cells import CELLS, CellTarget

_PHASES = {
    "load": "Load a key",
    "run": "Run",
    "idle": "Idle",
}
_KINDS = {
    "sequential": "Flip-flops and latches",
    "combinational": "Logic",
    "clock": "Clock network",
}
_LONG_PATH = 24
"""The number of steps from which a path is collapsed."""
Values = dict[str, object]
"""The values of the template."""


def physical_page(measurements: Sequence[Measurement], started: str) -> str:
    """Return the page of a design as HTML text.

    Args:
        measurements: Measurements of one design, on any targets.
        started: The time of the first one, ISO 8601.
    """
    whole = without_breakdowns(measurements)
    first = whole[0]
    name = first.design or "A design"
    described = (first.design_fields or {}).get("description")
    return render(
        "physical.html.j2",
        title=f"{name}: area, timing, power, energy",
        subtitle=", ".join(part for part in (described, moment(started)) if part),
        summaries=summaries(whole),
        groups=[(heading(seen), shown) for seen in whole if (shown := figures(seen))],
        cells=[
            _cell_section(target, rows)
            for target in CELL_TARGETS
            if (rows := [seen for seen in measurements if seen.target == target])
        ],
        notes=[note for seen in whole for note in seen.notes or ()],
        provenance=[*_about(first), ("Taken", moment(started)), *origin_lines(first.provenance)],
    )


def _cell_section(target: str, rows: Sequence[Measurement]) -> Values:
    """Return the template's values for one library."""
    whole = without_breakdowns(rows)
    static = [seen for seen in whole if not was_run(seen)]
    made = static[0] if static else whole[0]
    fastest = max(static[1:], key=lambda seen: seen.clock_mhz or 0.0, default=None)
    library = CELLS[CellTarget(target)]
    phases = [seen for seen in rows if seen.breakdown == PHASES]
    return {
        "id": target,
        "title": target_title(target),
        "library": library.title,
        "wire_ff": library.wire_ff_per_fanout,
        "made": made,
        # Measurements of earlier versions have a scope without the kind of scope.
        "modules": _modules(
            made, [seen for seen in rows if seen.scope and seen.breakdown in (None, MODULES)]
        ),
        "paths": [
            _path(title, seen, seen.delay_steps)
            for title, seen in (
                ("Longest path", made),
                ("Longest path at the highest clock", fastest),
            )
            if seen and seen.delay_steps
        ],
        "energy": _energy_section(phases) if phases else None,
    }


def _modules(made: Measurement, rows: Sequence[Measurement]) -> Values | None:
    """Return treemaps and table of modules; None without a breakdown by module."""
    if len(rows) < 2:
        return None
    top = min((seen.scope or "" for seen in rows), key=len)
    paths = {(seen.scope or "").removeprefix(top).removeprefix("."): seen for seen in rows}
    areas = {path: seen.area_um2 or 0.0 for path, seen in paths.items()}
    powers = {path: seen.power_mw for path, seen in paths.items() if seen.power_mw is not None}
    tree = module_tree(areas)
    colours = branch_colours(tree)
    area = sum(areas.values())
    return {
        "area": treemap_svg(tree, what="area", unit="µm²", top=top, colours=colours),
        "power": treemap_svg(module_tree(powers), what="power", unit="mW", top=top, colours=colours)
        if powers
        else None,
        "workload": next((seen.workload for seen in rows if seen.workload), ""),
        "rows": _module_rows(areas, powers, top),
        "area_um2": area,
        "power_mw": sum(powers.values()),
        "extra": percent(max(area / made.area_um2 - 1, 0.0)) if made.area_um2 else "0 %",
    }


def _module_rows(areas: Mapping[str, float], powers: Mapping[str, float], top: str) -> list[Values]:
    area, power = sum(areas.values()), sum(powers.values())
    return [
        {
            "path": node.path or top,
            "area_um2": node.own,
            "area_share": percent(node.own / area),
            "power_mw": powers.get(node.path),
            "power_share": percent(powers.get(node.path, 0.0) / power) if power else "",
        }
        for node in sorted(walk(module_tree(areas)), key=lambda node: -node.own)
        if node.own > 0
    ]


def _path(title: str, seen: Measurement, steps: Sequence[PathStep]) -> Values:
    longest = max(step.delay_ps for step in steps)
    period = seen.delay_own_path_ps or 0.0
    return {
        "title": title,
        "asked_mhz": seen.clock_asked_mhz or 0.0,
        "long": len(steps) > _LONG_PATH,
        "steps": [
            {
                **step.model_dump(),
                "bar": bar_svg([BarPart("delay", step.delay_ps, 1)], longest),
            }
            for step in steps
        ],
        "cells": sum(1 for step in steps if step.cell and step.delay_ps),
        "setup": seen.delay_setup_ps or 0.0,
        "period": period,
        "clock_mhz": 1e6 / period if period else 0.0,
        "sta_ps": seen.delay_longest_path_ps if seen.timing_by == "opensta" else None,
    }


def _energy_section(rows: Sequence[Measurement]) -> Values:
    phases = [seen for seen in rows if seen.kind is None]
    settled = {seen.scope: seen for seen in rows if seen.kind == ZERO_DELAY}
    most = max(seen.power_mw or 0.0 for seen in phases)
    by_name = {seen.scope: seen for seen in phases}
    shown = by_name.get("run") or by_name.get("idle") or phases[0]
    bits = 8 * (shown.bytes or 0)
    workload = WORKLOADS.get(shown.workload or "")
    return {
        "workload": shown.workload,
        "description": workload.description if workload else shown.workload,
        "operation": f"{(shown.algorithm or '').upper()}-{shown.key_bits} {shown.operation}",
        "clock_mhz": shown.clock_mhz,
        "phases": [_phase_row(seen, settled[seen.scope], most) for seen in phases],
        "kinds": _kind_rows(shown, [one for one in rows if one.scope == shown.scope], bits),
        "unit": "pJ a bit" if bits else "pJ a cycle",
        "glitches": _glitches(shown, settled[shown.scope], bits),
    }


def picojoules(seen: Measurement, power_mw: float | None) -> float:
    """Return the energy of a power over the cycles of a measurement."""
    return 1e3 * (power_mw or 0.0) * (seen.cycles_total or 0) / (seen.clock_mhz or 1.0)


def _parts(seen: Measurement, glitches_mw: float = 0.0) -> list[BarPart]:
    """Return the parts of a power; glitches are separate from other dynamic power."""
    return [
        BarPart("switching", seen.power_switching_mw or 0.0, 1),
        BarPart("internal", seen.power_internal_mw or 0.0, 2),
        BarPart("leakage", seen.power_leakage_mw or 0.0, 4),
        BarPart("glitches", glitches_mw, 3),
    ]


def _phase_row(seen: Measurement, settled: Measurement, most_mw: float) -> Values:
    power, cycles = seen.power_mw or 0.0, seen.cycles_total or 0
    glitch = max(power - (settled.power_mw or 0.0), 0.0)
    energy = picojoules(seen, power)
    return {
        "name": _PHASES.get(seen.scope or "", seen.scope or ""),
        "cycles": cycles,
        "blocks": seen.operations or 0,
        "power_mw": power,
        "pj_per_cycle": energy / cycles,
        "pj_per_block": energy / seen.operations if seen.operations else None,
        "pj_per_bit": energy / (8 * seen.bytes) if seen.bytes else None,
        "glitches": percent(glitch / power) if power else "",
        "leakage": percent((seen.power_leakage_mw or 0.0) / power) if power else "",
        "bar": bar_svg(_parts(settled, glitch), most_mw),
    }


def _kind_rows(whole: Measurement, rows: Sequence[Measurement], bits: int) -> list[Values]:
    """Return energy by kind of cell and by cause, per bit or else per cycle."""
    of = bits or whole.cycles_total or 1
    kinds = [(name, one) for kind, name in _KINDS.items() for one in rows if one.kind == kind]
    most = max((one.power_mw or 0.0 for _, one in kinds), default=0.0)
    return [
        {
            "name": name,
            "switching": picojoules(whole, one.power_switching_mw) / of,
            "internal": picojoules(whole, one.power_internal_mw) / of,
            "leakage": picojoules(whole, one.power_leakage_mw) / of,
            "total": picojoules(whole, one.power_mw) / of,
            "share": percent((one.power_mw or 0.0) / whole.power_mw) if whole.power_mw else "",
            "bar": "" if one is whole else bar_svg(_parts(one), most),
        }
        for name, one in [*kinds, ("All", whole)]
    ]


def _glitches(seen: Measurement, settled: Measurement, bits: int) -> Values:
    of = bits or seen.cycles_total or 1
    counted, zero = seen.power_mw or 0.0, settled.power_mw or 0.0
    return {
        "counted": picojoules(seen, counted) / of,
        "settled": picojoules(seen, zero) / of,
        "share": percent(max(counted - zero, 0.0) / counted) if counted else "0 %",
        "factor": human.ratio(counted / zero) if zero else "",
        "bars": (
            bar_svg(_parts(settled, counted - zero), counted),
            bar_svg(_parts(settled), counted),
        ),
    }


def _about(seen: Measurement) -> list[tuple[str, str]]:
    """Return the design's own fields; measurements of earlier versions have none."""
    own = seen.design_fields
    if not own:
        return []
    parameters = ", ".join(f"{n} = {v}" for n, v in (own.get("parameters") or {}).items())
    return [("Top module", own.get("top", "")), ("Parameters", parameters or "none")]
