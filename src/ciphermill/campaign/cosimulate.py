# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Workloads on embedded systems: many runs, some side by side."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from ciphermill.design import Run, System, check_run
from ciphermill.evaluate.system.errors import CosimError
from ciphermill.evaluate.system.model import Window
from ciphermill.evaluate.system.run import Built, CosimResult, build, run
from ciphermill.toolchain.model import Report, say


def cosimulate(
    runs: Sequence[Run],
    *,
    max_cycles: int | None = None,
    trace: Window | None = None,
    stuck_bit: int | None = None,
    report: Report = say,
) -> list[CosimResult]:
    """Run every workload on its system; results in the order of ``runs``.

    What can be found wrong without running is found before anything is built.
    Models are built one after another, then the runs go side by side.

    Args:
        runs: What to run.
        max_cycles: Simulated clocks after which firmware counts as hung.
        trace: Clocks to trace; for a single run.
        stuck_bit: An output bit of the coprocessors to break.
        report: Is given a line before and after a build.

    Raises:
        DesignError: A workload is not one for its system.
        ToolError: A tool is missing or failed.
        CosimError: A run gave no result; the message names the system.
    """
    for one in runs:
        check_run(one.system, one.workload)
    built: dict[System, Built] = {}
    for one in runs:
        if one.system not in built:
            built[one.system] = build(one.system, trace=trace is not None, report=report)

    def do(one: Run) -> CosimResult:
        try:
            return run(
                one.system,
                one.workload,
                built=built[one.system],
                max_cycles=max_cycles,
                trace=trace,
                stuck_bit=stuck_bit,
            )
        except CosimError as error:
            raise type(error)(f"{one.system.label}: {error}") from error

    with ThreadPoolExecutor(max(1, min(len(runs), os.cpu_count() or 1))) as pool:
        futures = [pool.submit(do, one) for one in runs]
        try:
            return [future.result() for future in futures]
        finally:
            for future in futures:
                future.cancel()


def estimate_runs(
    runs: Sequence[Run],
    processor: str,
    *,
    max_cycles: int | None = None,
    report: Report = say,
) -> list[CosimResult]:
    """Estimate every workload in an instruction-set simulator; results in order.

    Args:
        runs: What to run.
        processor: Whose instructions and cycle table: a soft core, or ``sa1110``.
        max_cycles: Estimated clocks after which firmware counts as hung.
        report: Is given a line before a build.

    Raises:
        DesignError: A workload is not one for its system.
        ToolError: A tool is missing or failed.
        CosimError: A run cannot be estimated, or gave no result.
    """
    from ciphermill.evaluate.system.instruction_set import estimate

    return [
        estimate(
            one.system, one.workload, processor=processor, max_cycles=max_cycles, report=report
        )
        for one in runs
    ]
