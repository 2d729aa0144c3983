# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Technology-independent toggle counts at register-transfer level.

The measure is that of GEZEL (P. Schaumont, I. Verbauwhede: "The exploding world of
GEZEL"; used by Guo, Chen and Schaumont, SAMOS 2008, table 2): how many bits of the
description change, summed over all cycles, whatever they will be made of. Counted
here is each bit of each register and each named net of the module and all that is
in it, once a cycle at most: its values at the ends of cycles are compared, so
there are no glitches. A net with several names, such as a port and what it is
connected to, counts once. The clock and constants do not count. What has no name
of its own, such as the inside of an expression or of a function, does not count
either; so figures of descriptions in another style, and of GEZEL's, which counts
the results of operators too, are to be compared as ratios only.
"""

from __future__ import annotations

from dataclasses import dataclass

from ciphermill.design import Core, Direction
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
    direction: Direction
    nets: int
    """Bits that were counted, whether they changed or not."""

    @property
    def per_cycle(self) -> float:
        """Toggles a cycle."""
        return self.toggles / self.cycles

    @property
    def per_block(self) -> float:
        """Toggles for each block, that is for each operation."""
        return self.toggles / self.blocks

    @property
    def per_byte(self) -> float:
        """Toggles for each byte."""
        return self.per_block / self.block_bytes


def count_toggles(module: Core, workload: CoreWorkload) -> ToggleCount:
    """Count a module's toggles while a workload runs (its window ``run``).

    Args:
        module: A module that a driver knows.
        workload: What it does; it must have blocks.

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
        direction=result.direction,
        nets=len(toggles),
    )
