# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The plan of a paper's experiment: points to evaluate, and measurements known before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ciphermill.campaign.run import Point, Run
from ciphermill.campaign.store import Store
from ciphermill.design import CellLibrary, Measurement, Provenance, System, Workload
from ciphermill.evaluate.evaluator import Progress
from ciphermill.evaluate.system.run import described
from ciphermill.toolchain.errors import ClockMissed
from ciphermill.toolchain.model import Report


@dataclass(frozen=True)
class Plan:
    """The parts of a paper's experiment."""

    points: Sequence[Point] = ()
    known: Sequence[Measurement] = ()
    """What is stored beside: why something is not evaluated."""


def evaluate_plan(plan: Plan, store: Store | None, origin: Provenance, report: Report) -> Run:
    """Evaluate a plan, and return the run; it continues a run that was killed.

    A system that misses its clock has a measurement that says so, and the others go on.

    Args:
        plan: The plan.
        store: The store for the measurements; None: they are not stored.
        origin: The provenance of every measurement.
        report: Called with a line at each step.

    Raises:
        ToolError: A tool is missing or failed.
        CosimError: A run gave no result.
    """
    progress = Progress(report)
    run = Run(store, origin, plan.points, progress=progress, keep_going=ClockMissed)
    run.go()
    for place, error in run.errors.items():
        point = run.points[place]
        run.keep([not_taken(point.design, point.platform, point.workload, error)], place)
    if plan.known:
        run.keep(plan.known, len(run.points))
    return run


def not_taken(
    system: System, cells: CellLibrary | None, workload: Workload, why: object
) -> Measurement:
    """Return the measurement of a system whose power is not known; its note says why.

    Args:
        system: The system.
        cells: Cells in which it misses its clock; None where there are no cells.
        workload: Its workload.
        why: The reason, in words.
    """
    fields = {**described(system, workload), "method": "estimated", "notes": (str(why),)}
    if cells:
        asked = {"clock.asked_mhz": cells.clock_mhz, "clock.met": False}
        fields |= {"target": cells.library, **asked}
    return Measurement.from_json(fields)
