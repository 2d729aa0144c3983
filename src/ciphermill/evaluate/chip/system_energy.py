# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Energy of an embedded system in a workload: processor, bus, memory and accelerator.

The system runs its workload cycle by cycle, and the ports of each part that is to be mapped
to cells are recorded. Then the recorded inputs are applied to the netlist of each part,
whose outputs must equal those recorded. The activity of its nets in the measured region
gives its energy, including leakage over the whole region. The energy of memory is a
formula: a stated energy for each access, and leakage per bit.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ciphermill.design import (
    CellLibrary,
    Measurement,
    Memory,
    SoftCore,
    System,
    Workload,
    load_platform,
)
from ciphermill.evaluate.chip.activity.array_model import ArrayModel
from ciphermill.evaluate.chip.cells.gate_simulation import GateSimulation
from ciphermill.evaluate.chip.cells.netlist import Netlist
from ciphermill.evaluate.chip.cells.power import Energy, estimate_power
from ciphermill.evaluate.chip.cells.timing import Timing, analyse_timing
from ciphermill.evaluate.chip.drivers.bus_recording import Accesses, count_accesses, measured_region
from ciphermill.evaluate.chip.implement import Options, analyse, smallest_cells
from ciphermill.evaluate.chip.memory_energy import array_energy, memory_energy
from ciphermill.evaluate.chip.replay import replay
from ciphermill.evaluate.chip.system_parts import (
    ONLY_COUNTED,
    PROCESSOR_PART,
    Kind,
    SystemPart,
    system_parts,
)
from ciphermill.evaluate.system.errors import WrongOutput
from ciphermill.evaluate.system.run import CosimResult, build, described, run
from ciphermill.toolchain.arrays import MemoryArray, take_arrays_out
from ciphermill.toolchain.cell_synthesis import MappedNetlist
from ciphermill.toolchain.cells import CELLS, CellTarget
from ciphermill.toolchain.errors import ClockMissed, ToolError
from ciphermill.toolchain.model import Report
from ciphermill.toolchain.rtl import RtlSource
from ciphermill.toolchain.soc_recording import Recording, Tap, read_recording

CLOCK = "clk_i"
CACHES = "_caches"
"""Suffix of the name of a part for the memories inside it."""
CACHES_KIND = "caches"
"""Kind of such a part in measurements."""
_INSTEAD: Mapping[SoftCore, SoftCore] = {SoftCore.IBEX: SoftCore.PICORV32}


@dataclass(frozen=True)
class PartEnergy:
    """Energy of a part over the measured region."""

    name: str
    kind: Kind
    energy: Energy
    """Of a part in cells: with glitches. Of memory: ``internal_fj`` is its accesses."""
    settled: Energy | None
    """Without glitches; None for memory."""
    mapped: MappedNetlist | None
    """Its netlist of cells; None for memory."""
    compared_bits: int = 0
    """Bits of outputs that were compared with the system's in every cycle."""


@dataclass(frozen=True)
class SystemEnergy:
    """Energy of a system over the measured region of a workload."""

    run: CosimResult
    target: CellTarget
    clock_mhz: float
    parts: tuple[PartEnergy, ...]
    accesses: Accesses
    memory: Memory | None
    """The figures for memory's energy; None if memory is not included."""

    @property
    def cycles(self) -> int:
        """Cycles of the measured region, by the hardware's counter."""
        return self.run.counters.cycles

    @property
    def time_us(self) -> float:
        """Duration of the measured region."""
        return self.cycles / self.clock_mhz

    def milliwatts(self, energy_fj: float) -> float:
        """Return the mean power of an energy over the region."""
        return energy_fj * 1e-6 / self.time_us

    def measurements(self) -> list[Measurement]:
        """Return measurements of the system, then of its parts.

        A sum that includes memory has the method ``modelled``, since memory's energy is a formula.
        """
        parts = []
        for part in self.parts:
            kind = CACHES_KIND if part.name.endswith(CACHES) else part.kind.value
            own = {"scope": part.name, "breakdown": "parts", "kind": kind}
            parts.append(self._measurement(own, [part]))
        accesses = {
            "memory.fetches": self.accesses.fetches,
            "memory.reads": self.accesses.reads,
            "memory.writes": self.accesses.writes,
        }
        return [self._measurement(accesses, self.parts), *parts]

    def _measurement(self, own: dict[str, Any], parts: Sequence[PartEnergy]) -> Measurement:
        energy = sum((part.energy for part in parts), Energy())
        cells = [part.mapped for part in parts if part.mapped]
        settled = [part.settled.total_fj for part in parts if part.settled]
        operation_pj = energy.total_fj * 1e-3 / self.run.workload.blocks
        byte_pj = operation_pj / self.run.system.block_bytes
        fields: dict[str, Any] = {
            **described(self.run.system, self.run.workload),
            "target": self.target.value,
            "platform": self.memory.name if self.memory and len(cells) < len(parts) else None,
            **own,
            "cycles.total": self.cycles,
            "time.total_s": self.time_us * 1e-6,
            "clock.mhz": self.clock_mhz,
            "power.mw": self.milliwatts(energy.total_fj),
            "power.switching_mw": self.milliwatts(energy.switching_fj),
            "power.internal_mw": self.milliwatts(energy.internal_fj),
            "power.leakage_mw": self.milliwatts(energy.leakage_fj),
            "energy.pj_per_byte": byte_pj,
            "energy.pj_per_bit": byte_pj / 8,
            "energy.uj_per_op": operation_pj * 1e-6,
            "correct": True,
            "method": "simulated" if len(cells) == len(parts) else "modelled",
        }
        if len(settled) == len(parts):
            fields["power.zero_delay_mw"] = self.milliwatts(sum(settled))
        if cells:
            fields["area.um2"] = sum(one.area_um2 for one in cells)
            fields["area.ge"] = sum(one.gate_equivalents for one in cells)
        return Measurement.from_json({k: v for k, v in fields.items() if v is not None})


def system_energy(
    system: System,
    workload: Workload,
    target: CellTarget,
    *,
    clock_mhz: float,
    memory: Memory | None = None,
    report: Report = lambda _: None,
) -> SystemEnergy:
    """Return the energy of a workload on a system.

    Args:
        system: A system that ``system_parts`` supports.
        workload: Its messages; a hundred blocks take minutes.
        target: The cell library.
        clock_mhz: The system's clock, which all parts must meet.
        memory: Energy of a memory access and leakage; without it, memory is not included.
        report: Is given a line before each step that takes long.

    Raises:
        DesignError: The system cannot run the workload, or there is no source tree.
        ToolError: A tool or the library is missing, a part misses the clock, or the outputs
            of its netlist differ from those of its RTL.
        WrongOutput: The output is not the known answer.
        CosimError: The run gave no result.
    """
    parts = system_parts(system, workload)
    made = {part.name: _make(part, target, clock_mhz, report) for part in parts}
    taps = [_tap(part, made[part.name]) for part in parts]
    built = build(system, report=report, recorders=taps)
    with tempfile.TemporaryDirectory(prefix="ciphermill-record-") as name:
        folder = Path(name)
        result = run(system, workload, built=built, recordings=folder)
        if not result.correct:
            raise WrongOutput(
                f"wrong output: {system.label} differs from the known answer at byte "
                f"{result.wrong_byte}; do not trust this system"
            )
        recordings = {
            tap.name: read_recording(tap, folder, _widths(made[tap.name].netlist)) for tap in taps
        }
    first, cycles = measured_region(recordings[PROCESSOR_PART])
    if abs(cycles - result.counters.cycles) > 1:
        raise ToolError(f"{cycles} cycles recorded, {result.counters.cycles} counted")
    found: list[PartEnergy] = []
    for part in parts:
        report(f"power of {part.name}, {cycles} cycles ...")
        recording = recordings[part.name]
        found += _energy(part, made[part.name], recording, first, cycles, memory)
    accesses = count_accesses(
        recordings[PROCESSOR_PART], first, cycles, memory_bytes=system.memory_bytes
    )
    if memory is not None:
        time_us = result.counters.cycles / clock_mhz
        energy = memory_energy(memory, accesses, time_us)
        found.append(PartEnergy("memory", Kind.MEMORY, energy, None, None))
    return SystemEnergy(result, target, clock_mhz, tuple(found), accesses, memory)


@dataclass(frozen=True)
class _Made:
    """A part in cells, and the memories that were removed from it."""

    mapped: MappedNetlist
    netlist: Netlist
    timing: Timing
    period_ps: float
    arrays: tuple[MemoryArray, ...]


def _make(part: SystemPart, target: CellTarget, clock_mhz: float, report: Report) -> _Made:
    source = part.source
    arrays: tuple[MemoryArray, ...] = ()
    if part.has_memories:
        left = take_arrays_out(source, report=report)
        source, arrays = RtlSource(source.top, (left.verilog,), {}), left.arrays
    options = Options(by_module=part.by_module)
    found = smallest_cells(source, target, clock_mhz, options=options, report=report)
    period_ps = 1e6 / clock_mhz
    if found.period_ps > period_ps:
        reached = 1e6 / found.period_ps
        raise ClockMissed(
            f"{source.top} in {target} reaches {reached:.3g} MHz, not {clock_mhz:g}: ask for a "
            "slower clock"
        )
    netlist, timing = analyse(CLOCK, target, found.mapped)
    if CLOCK not in netlist.inputs:
        netlist = _with_clock(netlist)
        wire = CELLS[target].wire_ff_per_fanout
        timing = analyse_timing(netlist, CLOCK, wire_ff_per_fanout=wire)
    return _Made(found.mapped, netlist, timing, period_ps, arrays)


def _with_clock(netlist: Netlist) -> Netlist:
    """Return a combinational netlist with a clock input that is not connected."""
    names = [*netlist.net_names, CLOCK]
    inputs = {**netlist.inputs, CLOCK: [len(names) - 1]}
    return Netlist(netlist.top, netlist.library, netlist.instances, names, inputs, netlist.outputs)


def _widths(netlist: Netlist) -> dict[str, int]:
    return {name: len(nets) for name, nets in {**netlist.inputs, **netlist.outputs}.items()}


def _tap(part: SystemPart, made: _Made) -> Tap:
    inner = {port for array in made.arrays for port in array.ports.values()}
    names = [name for name in _widths(made.netlist) if name != CLOCK and name not in inner]
    signals = part.signals or {}
    ports = tuple((name, signals.get(name, name)) for name in names)
    return Tap(part.name, part.scope or part.source.top, ports)


def _energy(
    part: SystemPart,
    made: _Made,
    recording: Recording,
    first: int,
    cycles: int,
    memory: Memory | None,
) -> list[PartEnergy]:
    """Return the energy of a part, and that of the memories inside it."""
    simulation = GateSimulation(made.netlist, made.timing, made.period_ps, clock=CLOCK)
    arrays = [ArrayModel(array, simulation) for array in made.arrays]
    played = replay(
        simulation,
        recording,
        first,
        cycles,
        ignored=ONLY_COUNTED,
        qualified=part.qualified,
        arrays=arrays,
    )
    cells = PartEnergy(
        part.name,
        part.kind,
        estimate_power(made.netlist, made.timing, played.activity).total,
        estimate_power(made.netlist, made.timing, played.settled).total,
        made.mapped,
        played.compared_bits,
    )
    if memory is None or not arrays:
        return [cells]
    inside = array_energy(memory, arrays, cycles * made.period_ps * 1e-6)
    return [cells, PartEnergy(part.name + CACHES, part.kind, inside, None, None)]


def soft_core_with_energy(soft_core: SoftCore) -> SoftCore:
    """Return a soft core, or the one that replaces it in the energy of a system."""
    return _INSTEAD.get(soft_core, soft_core)


def memory_of(library: CellLibrary) -> Memory | None:
    """Return the platform whose memory is of a library's process, or None.

    Raises:
        DesignError: Its file is missing or malformed.
    """
    return load_platform(library.memory, Memory) if library.memory else None
