# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A design's page of area, timing, power and energy: HTML that loads nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ciphermill.design import Measurement, Module
from ciphermill.evaluate.chip.cells.power import Energy, Kind, Power
from ciphermill.evaluate.chip.energy import CellEnergy, Phase
from ciphermill.evaluate.chip.implement import CellImplementation
from ciphermill.report import format as human
from ciphermill.report.html_page import environment, origin_lines
from ciphermill.report.physical_bars import BarPart, bar_svg
from ciphermill.report.physical_figures import (
    Figure,
    figures,
    heading,
    target_title,
    without_breakdowns,
)
from ciphermill.report.physical_summary import summaries
from ciphermill.report.treemap import branch_colours, module_tree, percent, treemap_svg, walk
from ciphermill.toolchain.cells import CELLS

_PHASES = {
    "load": "Load a key",
    "run": "Run",
    "idle": "Idle",
}
_LONG_PATH = 24
"""Steps above which a path is folded up."""


@dataclass(frozen=True)
class CellResult:
    """What there is of a design on one cell library."""

    made: CellImplementation
    """The netlist of the headline figures, whose longest path is shown."""
    energy: CellEnergy | None = None
    """A workload on that netlist; None where no driver knows the design."""
    parts: CellImplementation | None = None
    """A netlist in which modules were kept apart."""
    parts_energy: CellEnergy | None = None
    """The workload on it."""
    fastest: CellImplementation | None = None
    """The netlist of the highest clock."""


@dataclass(frozen=True)
class PhysicalResult:
    """What a page is made of; nothing is run for it."""

    module: Module
    measurements: Sequence[Measurement]
    """Every figure of the summary; measurements of parts (``scope``) are left out of it."""
    cells: tuple[CellResult, ...]
    moment: datetime
    version: str
    """Of this program."""


@dataclass(frozen=True)
class _Group:
    heading: str
    rows: list[Figure]


@dataclass(frozen=True)
class _ModuleRow:
    path: str
    area_um2: float
    area_share: str
    power_mw: float | None
    power_share: str


@dataclass(frozen=True)
class _PhaseRow:
    name: str
    clocks: int
    blocks: int
    power_mw: float
    pj_per_clock: float
    pj_per_block: float | None
    pj_per_bit: float | None
    glitches: str
    leakage: str
    bar: str


@dataclass(frozen=True)
class _EnergyRow:
    name: str
    switching: float
    internal: float
    leakage: float
    total: float
    share: str
    bar: str


def physical_page(result: PhysicalResult) -> str:
    """Return the page of a design as HTML text."""
    module = result.module
    whole = without_breakdowns(result.measurements)
    return (
        environment()
        .get_template("physical.html.j2")
        .render(
            title=module.name,
            subtitle=f"{module.description or module.top}, {result.moment:%-d %B %Y, %H:%M %Z}",
            summaries=summaries(whole),
            groups=[_Group(heading(seen), rows) for seen in whole if (rows := figures(seen))],
            cells=[_cell_section(cell) for cell in result.cells],
            provenance=_provenance(result),
            version=result.version,
        )
    )


def _cell_section(cell: CellResult) -> dict[str, object]:
    """Return what the template shows of one library."""
    made = cell.made
    return {
        "id": made.target.value,
        "title": target_title(made.target.value),
        "library": CELLS[made.target].title,
        "wire_ff": CELLS[made.target].wire_ff_per_fanout,
        "made": made,
        "modules": _modules(cell),
        "paths": [
            path
            for title, netlist in (
                ("Longest path", made),
                ("Longest path at the highest clock", cell.fastest),
            )
            if netlist and (path := _path(title, netlist))
        ],
        "energy": _energy_section(cell.energy) if cell.energy else None,
    }


def _modules(cell: CellResult) -> dict[str, object] | None:
    """Return treemaps and table of modules; None where the netlist has no parts."""
    made, energy = cell.parts, cell.parts_energy
    if made is None:
        return None
    areas = made.netlist.area_by_module
    if len(areas) < 2:
        return None
    top = made.module.top
    tree = module_tree(areas)
    colours = branch_colours(tree)
    phase = energy.shown if energy else None
    powers = _milliwatts(phase.power) if phase else {}
    return {
        "area": treemap_svg(tree, what="area", unit="µm²", top=top, colours=colours),
        "power": treemap_svg(module_tree(powers), what="power", unit="mW", top=top, colours=colours)
        if powers
        else None,
        "phase": _PHASES.get(phase.name, phase.name).lower() if phase else "",
        "workload": energy.workload.description if energy else "",
        "rows": _module_rows(areas, powers, top),
        "area_um2": sum(areas.values()),
        "power_mw": sum(powers.values()),
        "extra": percent(max(sum(areas.values()) / cell.made.mapped.area_um2 - 1, 0.0)),
    }


def _milliwatts(power: Power) -> dict[str, float]:
    return {path: power.milliwatts(energy.total_fj) for path, energy in power.by_module.items()}


def _module_rows(
    areas: Mapping[str, float], powers: Mapping[str, float], top: str
) -> list[_ModuleRow]:
    area, power = sum(areas.values()), sum(powers.values())
    return [
        _ModuleRow(
            node.path or top,
            node.own,
            percent(node.own / area),
            powers.get(node.path) if powers else None,
            percent(powers.get(node.path, 0.0) / power) if power else "",
        )
        for node in sorted(walk(module_tree(areas)), key=lambda node: -node.own)
        if node.own > 0
    ]


def _path(title: str, made: CellImplementation) -> dict[str, object] | None:
    """Return the longest path; None where no path bounds the clock."""
    timing = made.timing
    if not timing.longest_path:
        return None
    longest = max(step.delay_ps for step in timing.longest_path)
    return {
        "title": title,
        "asked_mhz": made.asked_mhz,
        "long": len(timing.longest_path) > _LONG_PATH,
        "steps": [
            {
                "cell": step.cell,
                "pin": f"{step.instance}/{step.pin}" if step.instance else step.pin,
                "net": step.net,
                "edge": step.edge,
                "load": step.load_ff,
                "delay": step.delay_ps,
                "arrival": step.arrival_ps,
                "bar": bar_svg([BarPart("delay", step.delay_ps, 1)], longest),
            }
            for step in timing.longest_path
        ],
        "cells": sum(1 for step in timing.longest_path if step.cell and step.delay_ps),
        "setup": timing.setup_ps,
        "period": timing.clock_period_ps,
        "clock_mhz": timing.clock_mhz,
        "sta_ps": made.sta.clock_period_ps if made.sta else None,
    }


def _energy_section(energy: CellEnergy) -> dict[str, object]:
    most = max(phase.power.energy_pj / phase.clocks for phase in energy.phases)
    run = energy.shown
    bits = (run.blocks * energy.block_bits) if run else 0
    return {
        "workload": energy.workload,
        "operation": f"{(energy.implementation.module.cipher or '').upper()}-{energy.key_bits} "
        f"{energy.direction}",
        "clock_mhz": energy.clock_mhz,
        "phases": [_phase_row(phase, energy.block_bits, most) for phase in energy.phases],
        "kinds": _kind_rows(run, bits) if run else [],
        "unit": "pJ a bit" if bits else "pJ a clock",
        "glitches": _glitches(run, bits) if run else None,
    }


def _parts(energy: Energy, glitches_fj: float = 0.0) -> list[BarPart]:
    """Return the parts of an energy; glitches are drawn apart from what else is dynamic."""
    parts = [
        BarPart("switching", energy.switching_fj, 1),
        BarPart("internal", energy.internal_fj, 2),
        BarPart("leakage", energy.leakage_fj, 4),
    ]
    return [*parts, BarPart("glitches", glitches_fj, 3)]


def _phase_row(phase: Phase, block_bits: int, most_pj: float) -> _PhaseRow:
    pj = phase.power.energy_pj
    glitch = max(pj - phase.settled.energy_pj, 0.0)
    block = pj / phase.blocks if phase.blocks else None
    return _PhaseRow(
        name=_PHASES.get(phase.name, phase.name),
        clocks=phase.clocks,
        blocks=phase.blocks,
        power_mw=phase.power.power_mw,
        pj_per_clock=pj / phase.clocks,
        pj_per_block=block,
        pj_per_bit=block / block_bits if block is not None and block_bits else None,
        glitches=percent(glitch / pj) if pj else "",
        leakage=percent(phase.power.total.leakage_fj / phase.power.total.total_fj) if pj else "",
        bar=bar_svg(_parts(phase.settled.total, 1e3 * glitch), 1e3 * most_pj * phase.clocks),
    )


def _kind_rows(phase: Phase, bits: int) -> list[_EnergyRow]:
    """Return energy by kind of cell and by where it goes; of a bit, or else of a clock."""
    scale = 1e-3 / (bits or phase.clocks)
    total = phase.power.total.total_fj
    most = max(energy.total_fj for energy in phase.power.by_kind.values())
    names = {
        Kind.SEQUENTIAL: "Flip-flops and latches",
        Kind.COMBINATIONAL: "Logic",
        Kind.CLOCK: "Clock network",
    }
    rows = [
        (names[kind], phase.power.by_kind[kind], bar_svg(_parts(phase.power.by_kind[kind]), most))
        for kind in Kind
    ]
    rows.append(("All", phase.power.total, ""))
    return [
        _EnergyRow(
            name,
            energy.switching_fj * scale,
            energy.internal_fj * scale,
            energy.leakage_fj * scale,
            energy.total_fj * scale,
            percent(energy.total_fj / total),
            bar,
        )
        for name, energy, bar in rows
    ]


def _glitches(phase: Phase, bits: int) -> dict[str, object]:
    scale = 1.0 / (bits or phase.clocks)
    counted, settled = phase.power.energy_pj, phase.settled.energy_pj
    return {
        "counted": counted * scale,
        "settled": settled * scale,
        "share": percent(max(counted - settled, 0.0) / counted) if counted else "0 %",
        "factor": human.ratio(counted / settled) if settled else "",
        "bars": (
            bar_svg(_parts(phase.settled.total, 1e3 * (counted - settled)), 1e3 * counted),
            bar_svg(_parts(phase.settled.total), 1e3 * counted),
        ),
    }


def _provenance(result: PhysicalResult) -> list[tuple[str, str]]:
    module = result.module
    parameters = ", ".join(f"{name} = {value}" for name, value in module.parameters.items())
    lines = [
        ("Top module", module.top),
        ("Parameters", parameters or "none"),
        ("Taken", f"{result.moment:%Y-%m-%d %H:%M:%S %Z}"),
    ]
    origins = [seen.provenance for seen in result.measurements if seen.provenance]
    return [*lines, *origin_lines(next(iter(origins), None))]
