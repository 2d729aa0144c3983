# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Technology-independent toggle counts at register-transfer level.

The measure is that of GEZEL (P. Schaumont, I. Verbauwhede: "The exploding world of
GEZEL"; used by Guo, Chen and Schaumont, SAMOS 2008, table 2): the number of bits of the
description that change, summed over all cycles, independent of the technology. Every bit of
every register and named net of the module and its submodules counts, at most once a cycle:
values at the ends of cycles are compared, so there are no glitches. A net with several
names, such as a port and the net connected to it, counts once. The clock, constants, and
values without a name, such as those inside an expression or a function, do not count. So
figures of descriptions in another style, and GEZEL's, which also counts the results of
operators, can be compared only as ratios.
"""

from __future__ import annotations

from dataclasses import dataclass

from ciphermill.design import Core
from ciphermill.evaluate.chip.activity.activity import DIVIDER
from ciphermill.evaluate.chip.activity.rtl_simulation import RtlSimulation
from ciphermill.evaluate.chip.activity.simulation import SimulationError
from ciphermill.evaluate.chip.workloads import CoreWorkload, run_workload


@dataclass(frozen=True)
class ToggleCount:
    """Toggles of a module in a workload."""

    toggles: int
    cycles: int
    blocks: int
    block_bytes: int
    key_bits: int
    """0 if there is no key."""
    operation: str
    """``encrypt`` or ``decrypt``; ``digest`` for a hash."""
    nets: int
    """The number of bits that were observed."""

    @property
    def per_cycle(self) -> float:
        """Toggles a cycle."""
        return self.toggles / self.cycles

    @property
    def per_block(self) -> float:
        """Toggles per block, that is per operation."""
        return self.toggles / self.blocks

    @property
    def per_byte(self) -> float:
        """Toggles per byte."""
        return self.per_block / self.block_bytes


def count_toggles(module: Core, workload: CoreWorkload) -> ToggleCount:
    """Count a module's toggles while a workload runs (its window ``run``).

    Args:
        module: A module that a driver knows.
        workload: The workload; it must have blocks.

    Raises:
        SimulationError: The workload has no blocks, or as ``run_workload``.
        ToolError: A tool is missing or failed.
    """
    if not workload.blocks:
        raise SimulationError(f"workload {workload.name} has no blocks to count toggles of")
    simulation = RtlSimulation(module)
    result = run_workload(simulation, module, workload)
    window = result.window("run")
    clock = f"{module.top}{DIVIDER}{module.clock}"
    counted = zip(simulation.net_names, window.activity.toggles, strict=True)
    toggles = [count for name, count in counted if name != clock]
    return ToggleCount(
        toggles=sum(toggles),
        cycles=window.cycles,
        blocks=window.blocks,
        block_bytes=(module.block_bits or 8) // 8,
        key_bits=result.key_bits,
        operation=result.operation,
        nets=len(toggles),
    )
