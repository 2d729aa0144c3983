# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a workload did on a netlist of cells, kept by content.

A gate-level run takes from seconds to minutes, and it depends on nothing but the
netlist, the library, the wire-load model, the workload, the clock and this program's
simulator. All of these are in the key, the simulator by its source; so a second run
of the same is read from the cache. What is in there passed the workload's check of its outputs.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from ciphermill.evaluate.chip.activity.activity import Activity
from ciphermill.evaluate.chip.cells.gate_simulation import GateSimulation
from ciphermill.evaluate.chip.implement import CellImplementation
from ciphermill.evaluate.chip.sources import simulator_key
from ciphermill.evaluate.chip.workloads import (
    CoreWorkload,
    Window,
    WorkloadRun,
    chosen,
    run_workload,
)
from ciphermill.toolchain.cache import kept
from ciphermill.toolchain.cells import CELLS


def run_on_cells(made: CellImplementation, workload: CoreWorkload, period_ps: float) -> WorkloadRun:
    """Run a workload on cells with their delays, or read what it did when it last ran.

    Args:
        made: The cells.
        workload: What they do.
        period_ps: Clock period.

    Raises:
        SimulationError: There is no driver for the module, or it puts out a wrong block.
        ToolError: There is no compiler.
    """
    module = made.module
    key_bits, direction = chosen(module, workload)
    facts = {
        "module": module.model_dump(mode="json", exclude={"name", "description"}),
        "wire": CELLS[made.target].wire_ff_per_fanout,
        "workload": asdict(workload),
        "key_bits": key_bits,
        "direction": direction.value,
        "period_ps": period_ps,
        "code": simulator_key(),
    }
    files = [made.mapped.json, made.mapped.liberty]

    def make(_: Path) -> object:
        simulation = GateSimulation(made.netlist, made.timing, period_ps, clock=module.clock)
        done = run_workload(simulation, module, workload)
        return [asdict(window) for window in done.windows]

    def read(windows: list[dict[str, Any]]) -> WorkloadRun:
        return WorkloadRun(workload, key_bits, direction, tuple(map(_window, windows)))

    return kept("activity", files, facts, make, read)


def _window(values: dict[str, Any]) -> Window:
    settled = values.pop("settled")
    return Window(
        **{**values, "activity": Activity(**values["activity"])},
        settled=None if settled is None else Activity(**settled),
    )
