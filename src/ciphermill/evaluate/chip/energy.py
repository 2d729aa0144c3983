# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Energy of a module in standard cells while it runs a workload.

The main figure is of a simulation with the cells' delays, which includes every glitch. A
second figure is of the same cycles without delays. Both are over the same window of the
same netlist. The activity of the nets is cached (``recorded``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ciphermill.evaluate.chip.activity.activity import write_saif
from ciphermill.evaluate.chip.cells.power import Power, estimate_power
from ciphermill.evaluate.chip.implement import CellImplementation
from ciphermill.evaluate.chip.recorded import run_on_cells
from ciphermill.evaluate.chip.workloads import CoreWorkload


@dataclass(frozen=True)
class Phase:
    """A window of a workload."""

    name: str
    cycles: int
    blocks: int
    power: Power
    """With glitches."""
    settled: Power
    """Without glitches."""


@dataclass(frozen=True)
class CellEnergy:
    """The energy of a workload."""

    implementation: CellImplementation
    workload: CoreWorkload
    key_bits: int
    """0 if there is no key."""
    operation: str
    """``encrypt``, ``decrypt``, ``digest`` or ``sign``."""
    clock_mhz: float
    """The clock at which it ran."""
    phases: tuple[Phase, ...]

    def phase(self, name: str) -> Phase | None:
        """Return a phase by name; None if the workload does not have it."""
        return next((phase for phase in self.phases if phase.name == name), None)

    @property
    def shown(self) -> Phase | None:
        """The phase whose power is the main figure: ``run``, or ``idle`` if nothing runs."""
        return self.phase("run") or self.phase("idle")

    @property
    def block_bits(self) -> int:
        """Bits of a block."""
        return self.implementation.module.block_bits or 0

    def pj_per_bit(self, *, glitches: bool = True) -> float | None:
        """Return the energy per bit of data in ``run``; None if there are no blocks."""
        block = self.pj_per_block(glitches=glitches)
        return None if block is None or not self.block_bits else block / self.block_bits

    def pj_per_block(self, *, glitches: bool = True) -> float | None:
        """Return the energy per block; None if there are no blocks."""
        run = self.phase("run")
        if run is None or not run.blocks:
            return None
        power = run.power if glitches else run.settled
        return power.energy_pj / run.blocks


def measure_energy(
    made: CellImplementation, workload: CoreWorkload, *, saif: Path | None = None
) -> CellEnergy:
    """Run a workload on a netlist of cells and return its energy by part.

    The clock is the workload's own, or else the one for which the netlist was made; if the
    netlist misses that, it is the highest clock that it reaches.

    Args:
        made: The cells.
        workload: What they do.
        saif: Where to write the activity of the phase ``shown``.

    Raises:
        SimulationError: There is no driver for the module, or its output is wrong.
        ToolError: There is no compiler.
        OSError: The SAIF file cannot be written.
    """
    clock_mhz = min(workload.clock_mhz or made.asked_mhz, made.clock_mhz)
    # OpenSTA's period may be shorter by rounding, so that a path would fail.
    period_ps = max(1e6 / clock_mhz, made.timing.clock_period_ps)
    done = run_on_cells(made, workload, period_ps)
    phases = []
    for window in done.windows:
        with_glitches = estimate_power(made.netlist, made.timing, window.activity)
        settled = estimate_power(made.netlist, made.timing, window.settled or window.activity)
        phases.append(Phase(window.name, window.cycles, window.blocks, with_glitches, settled))
    clock_mhz = 1e6 / period_ps
    energy = CellEnergy(made, workload, done.key_bits, done.operation, clock_mhz, tuple(phases))
    if saif is not None and energy.shown is not None:
        activity = done.window(energy.shown.name).activity
        write_saif(saif, activity, made.netlist.net_names, top=made.module.top)
    return energy


def quietest(
    candidates: Iterable[CellImplementation], workload: CoreWorkload
) -> CellImplementation:
    """Return the implementation with the least energy, including glitches.

    A tenth of the workload is used for the comparison. Netlists of the same function differ
    in their glitches much more than in area.

    Raises:
        ValueError: There are no candidates.
        SimulationError: As ``measure_energy``.
    """
    idle_cycles = 0 if workload.blocks else math.ceil(workload.idle_cycles / 10)
    sample = replace(workload, blocks=math.ceil(workload.blocks / 10), idle_cycles=idle_cycles)

    def energy_pj(made: CellImplementation) -> float:
        shown = measure_energy(made, sample).shown
        return shown.power.energy_pj if shown else 0.0

    return min(candidates, key=energy_pj)
