# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Caches the activity of a workload on a netlist of cells.

A gate-level run takes from seconds to minutes. It depends only on the netlist, the library,
the wire-load model, the workload, the clock and this program's simulator. The key contains
all of these, the simulator by its source, so that a second run is read from the cache. Only
runs whose outputs were right are stored.
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
    SIGNERS,
    CoreWorkload,
    Window,
    WorkloadRun,
    chosen,
    operation_of,
    run_workload,
)
from ciphermill.toolchain.cache import kept
from ciphermill.toolchain.cells import CELLS


def run_on_cells(made: CellImplementation, workload: CoreWorkload, period_ps: float) -> WorkloadRun:
    """Run a workload on cells with their delays, or read the result of an earlier run.

    Args:
        made: The cells.
        workload: The workload.
        period_ps: Clock period.

    Raises:
        SimulationError: There is no driver for the module, or its output is wrong.
        ToolError: There is no compiler.
    """
    module = made.module
    key_bits, direction = chosen(module, workload)
    facts = {
        "module": module.model_dump(mode="json", exclude={"name", "description"}),
        "wire": CELLS[made.target].wire_ff_per_fanout,
        "workload": asdict(workload),
        "key_bits": key_bits,
        "direction": operation_of(module, direction),
        "period_ps": period_ps,
        "code": simulator_key(),
    }
    files = [made.mapped.json, made.mapped.liberty]

    def make(_: Path) -> object:
        simulation = GateSimulation(
            made.netlist,
            made.timing,
            period_ps,
            clock=module.clock,
            delays_in_windows=module.protocol == SIGNERS,
        )
        done = run_workload(simulation, module, workload)
        return [asdict(window) for window in done.windows]

    def read(windows: list[dict[str, Any]]) -> WorkloadRun:
        return WorkloadRun(
            workload, key_bits, operation_of(module, direction), tuple(map(_window, windows))
        )

    return kept("activity", files, facts, make, read)


def _window(values: dict[str, Any]) -> Window:
    settled = values.pop("settled")
    return Window(
        **{**values, "activity": Activity(**values["activity"])},
        settled=None if settled is None else Activity(**settled),
    )
