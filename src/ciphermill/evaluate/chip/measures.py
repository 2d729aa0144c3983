# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Areas, cycles and energies as measurements, and the papers' measures from them."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from ciphermill.design import Core, Measurement, Method, Provenance
from ciphermill.evaluate.chip.cells.power import Energy, Power
from ciphermill.evaluate.chip.energy import CellEnergy
from ciphermill.evaluate.chip.implement import CellImplementation
from ciphermill.evaluate.chip.toggles import ToggleCount
from ciphermill.toolchain.nextpnr import Family, Routed
from ciphermill.toolchain.opensta import opensta_version
from ciphermill.toolchain.yosys import AreaXc7

RTL, XC7 = "rtl", "xc7"
"""Names of targets: no technology, and Xilinx 7-series after synthesis."""
MODULES, PHASES = "modules", "phases"
"""Kinds of breakdown for figures of standard cells."""
ZERO_DELAY = "zero-delay"
"""Kind of the row of a phase without glitches."""


def describe(module: Core, **fields: object) -> Measurement:
    """Return a measurement with the fields that identify the design, and some others."""
    about: dict[str, Any] = {
        "design": module.name,
        "algorithm": module.algorithm,
        "key_bits": max(module.key_sizes, default=None),
        "architecture": module.architecture,
        "operation": module.directions[0].value if len(module.directions) == 1 else None,
        "cycles_per_block": module.cycles_per_block,
        "method": Method.ESTIMATED,
    }
    return Measurement(**{**about, **fields})


def areas_xc7(area: AreaXc7) -> dict[str, int]:
    """Return an area by the fields of a measurement."""
    return {f"area_{name}": value for name, value in asdict(area).items()}


def slices_xc7(area: AreaXc7) -> int:
    """Return the least number of 7-series slices that can hold an area.

    A slice has 4 LUTs, 8 flip-flops, 2 MUXF7, 1 MUXF8 and a carry chain of 4 bits
    (Xilinx UG474, table 2-1); placed designs take more, since not every slice fills.
    """
    shares = (area.lut / 4, area.ff / 8, area.muxf7 / 2, area.muxf8, area.carry)
    return math.ceil(max(shares))


def of_xc7(module: Core, area: AreaXc7) -> Measurement:
    """Return the measurement of an area on Xilinx 7-series."""
    slices = slices_xc7(area)
    seen = describe(module, target=XC7, area_slices_estimated=slices, **areas_xc7(area))
    return with_merit(seen, module)


def of_routed(module: Core, family: Family, routed: Routed) -> Measurement:
    """Return the measurement of a placed and routed core."""
    fields = {
        "target": family.value,
        "area_lut": routed.lut,
        "area_ff": routed.ff,
        "area_dsp": routed.dsp,
        "area_block_ram": routed.block_ram,
        "clock_mhz": routed.clock_mhz,
        "timing_by": "nextpnr",
    }
    return with_merit(describe(module, **fields), module)


def _made(made: CellImplementation) -> dict[str, object]:
    """Return the fields that every measurement of a netlist has."""
    return {
        "target": made.target.value,
        "strategy": made.strategy.value,
        "clock_gates": made.mapped.clock_gates,
        "area_um2": made.mapped.area_um2,
        "area_ge": made.mapped.gate_equivalents,
        "clock_asked_mhz": made.asked_mhz,
        "clock_met": made.meets_clock,
    }


def of_cells(made: CellImplementation) -> Measurement:
    """Return the measurement of a module in standard cells."""
    fields: dict[str, object] = {
        **_made(made),
        "area_sequential_um2": made.mapped.sequential_um2,
        "timing_by": made.timing_by,
        "delay_steps": made.timing.longest_path or None,
    }
    if made.sta_period_ps is not None:
        fields["provenance"] = Provenance(tools={"opensta": opensta_version()})
    if made.period_ps > 0:
        fields |= {
            "clock_mhz": made.clock_mhz,
            "delay_longest_path_ps": made.period_ps,
            "delay_setup_ps": made.timing.setup_ps,
            "delay_own_path_ps": made.timing.clock_period_ps,
        }
    return with_merit(describe(made.module, **fields), made.module)


def _ran(energy: CellEnergy) -> dict[str, object]:
    """Return the fields of a workload that ran on cells."""
    return {
        "workload": energy.workload.name,
        "key_bits": energy.key_bits or None,
        "operation": energy.operation,
        "clock_mhz": energy.clock_mhz,
        "method": Method.SIMULATED,
    }


def of_energy(energy: CellEnergy) -> Measurement:
    """Return the measurement of a workload on standard cells."""
    made = energy.implementation
    run, idle, shown = energy.phase("run"), energy.phase("idle"), energy.shown
    fields = {**_made(made), **_ran(energy), "correct": True}
    if shown is not None:
        fields |= _powers(shown.power, shown.power.total)
        fields["power_zero_delay_mw"] = shown.settled.power_mw
    if idle is not None:
        fields["power_idle_mw"] = idle.power.power_mw
    bit, block = energy.pj_per_bit(), energy.pj_per_block()
    if block is not None:
        fields["energy_uj_per_op"] = block * 1e-6
    if bit is not None:
        fields |= {
            "energy_pj_per_bit": bit,
            "energy_pj_per_bit_zero_delay": energy.pj_per_bit(glitches=False),
            "energy_pj_per_byte": 8 * bit,
        }
    fields["cycles_per_block"] = _back_to_back(energy)
    seen = with_merit(describe(made.module, **fields), made.module)
    taken = run.cycles / run.blocks if run is not None and run.blocks else seen.cycles_per_block
    return seen.model_copy(update={"cycles_per_block": taken})


def _back_to_back(energy: CellEnergy) -> float | None:
    """Return the cycles from block to block, back to back; None if unknown.

    The module's own figure is for text and its largest key. For another key, other data, or
    without such a figure, they come from a workload that has no gaps between blocks and one
    key.
    """
    module, workload, run = energy.implementation.module, energy.workload, energy.phase("run")
    largest = energy.key_bits == max(module.key_sizes, default=0)
    if module.cycles_per_block and largest and workload.fills == "text":
        return module.cycles_per_block
    if run is None or not run.blocks or workload.fresh_keys or workload.period_cycles:
        return None
    return run.cycles / run.blocks


def of_parts(made: CellImplementation, energy: CellEnergy | None) -> list[Measurement]:
    """Return a measurement for each module instance of a netlist with separate modules.

    Area and power of a run are of the instance without its submodules.
    """
    run = energy.shown if energy else None
    rows = []
    for path, area in sorted(made.netlist.area_by_module.items()):
        fields: dict[str, object] = {
            "target": made.target.value,
            "scope": f"{made.module.top}.{path}".rstrip("."),
            "breakdown": MODULES,
            "area_um2": area,
            "cycles_per_block": None,
        }
        part = run.power.by_module.get(path) if run else None
        if energy is not None and run is not None and part is not None:
            fields |= {**_ran(energy), "power_mw": run.power.milliwatts(part.total_fj)}
        rows.append(describe(made.module, **fields))
    return rows


def of_phases(energy: CellEnergy) -> list[Measurement]:
    """Return three kinds of row for each phase of a workload on standard cells.

    One row is of all cells with glitches, one of all cells without glitches, and one of
    each kind of cells with glitches.
    """
    made = energy.implementation
    about = describe(
        made.module,
        **{"target": made.target.value, "breakdown": PHASES, "cycles_per_block": None},
        **_ran(energy),
    )
    rows = []
    for phase in energy.phases:
        update: dict[str, object] = {"scope": phase.name, "cycles_total": phase.cycles}
        if phase.blocks:
            update["operations"] = phase.blocks
        if phase.blocks and energy.block_bits:
            update["bytes"] = phase.blocks * energy.block_bits // 8
        shares = {None: phase.power.total, ZERO_DELAY: phase.settled.total}
        shares |= {str(kind): share for kind, share in phase.power.by_kind.items()}
        for kind, share in shares.items():
            power = phase.settled if kind == ZERO_DELAY else phase.power
            rows.append(about.model_copy(update={**update, "kind": kind, **_powers(power, share)}))
    return rows


def _powers(power: Power, share: Energy) -> dict[str, object]:
    return {
        "power_mw": power.milliwatts(share.total_fj),
        "power_switching_mw": power.milliwatts(share.switching_fj),
        "power_internal_mw": power.milliwatts(share.internal_fj),
        "power_leakage_mw": power.milliwatts(share.leakage_fj),
    }


def of_toggles(module: Core, workload: str, count: ToggleCount) -> Measurement:
    """Return the measurement of toggles at register-transfer level."""
    fields = {
        "target": RTL,
        "workload": workload,
        "key_bits": count.key_bits or None,
        "operation": count.operation,
        "cycles_per_block": count.cycles / count.blocks,
        "toggles_bits": count.nets,
        "toggles_per_cycle": count.per_cycle,
        "toggles_per_byte": count.per_byte,
        "toggles_per_op": count.per_block,
        "correct": True,
        "method": Method.SIMULATED,
    }
    return describe(module, **fields)


def with_merit(seen: Measurement, module: Core) -> Measurement:
    """Return a measurement with its throughput and the papers' measures, if they apply.

    The throughput is that of ``cycles_per_block``, blocks back to back, at ``clock.mhz``.
    """
    update: dict[str, float] = {}
    cycles, lut = seen.cycles_per_block, seen.area_lut
    if cycles and lut:
        update["merit_cycles_x_lut"] = cycles * lut
    if cycles and module.block_bits:
        bytes_per_cycle = module.block_bits / 8 / cycles
        update["merit_mb_s_per_mhz"] = bytes_per_cycle
        if seen.area_slices_estimated:
            # Slices are known only without placement, and the clock only with it.
            update["merit_mb_s_per_mhz_per_slice"] = bytes_per_cycle / seen.area_slices_estimated
        if seen.clock_mhz:
            rate = bytes_per_cycle * seen.clock_mhz
            update["throughput_mb_s"] = rate
            if lut:
                update["merit_mb_s_per_lut"] = rate / lut
            if seen.energy_pj_per_bit:
                # Mbit/s over mJ a Mbit; 1 pJ a bit is 0.001 mJ a Mbit.
                update["merit_throughput_over_energy"] = 8 * rate / (seen.energy_pj_per_bit * 1e-3)
    return seen.model_copy(update=update)


def relative_energy(
    own: Routed, own_toggles: ToggleCount, other: Routed, other_toggles: ToggleCount
) -> float:
    """Return the dynamic energy a byte on an FPGA as a multiple of another design's.

    No open tool has the capacitances of an FPGA. So the toggles of RTL bits per byte are
    compared, multiplied by the routed cells (LUTs and flip-flops) per RTL bit, as if all
    nets of a family had the same capacitance. The result is a ratio of two designs on one
    family for one workload, never watts.
    """

    def weight(routed: Routed, count: ToggleCount) -> float:
        return count.per_byte * (routed.lut + routed.ff) / count.nets

    return weight(own, own_toggles) / weight(other, other_toggles)
