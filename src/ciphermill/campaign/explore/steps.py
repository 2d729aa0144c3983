# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The steps of an exploration: which point an evaluator gets for a candidate.

A step's kind turns the design, platform and workload of a candidate into a point, or into
None if the step has nothing to measure there: an estimate of a partition that cannot be
estimated, say. Such a candidate goes on without the step's figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ciphermill.campaign.run import Point
from ciphermill.design import (
    Accelerator,
    Core,
    Design,
    Partition,
    Platform,
    Processor,
    SoftCore,
    System,
    Workload,
    load_platform,
)
from ciphermill.evaluate.chip.targets import Settings
from ciphermill.evaluate.system.errors import CosimError
from ciphermill.evaluate.system.evaluator import InstructionSet, Simulator
from ciphermill.evaluate.system.instruction_set import check_estimate
from ciphermill.toolchain.modules import core_of

Options = Mapping[str, Any]


@dataclass(frozen=True)
class StepKind:
    """A kind of measurement."""

    about: str
    """What it measures, for messages and docs."""
    point: Callable[[Design, Platform | None, Workload | None, Options], Point | None]
    """Returns the point of a candidate, or None if there is nothing to measure.

    The platform is the step's own if the space's file names one, else the candidate's. Fields
    of a workload among the step's fields, such as ``bytes``, have replaced the candidate's.
    """
    options: tuple[str, ...] = ()
    """Fields that a step of this kind may have, beside those of every step and of a workload."""


def _estimate(
    design: Design, _: Platform | None, workload: Workload | None, __: Options
) -> Point | None:
    if not isinstance(design, System) or design.soft_core is SoftCore.CVA6:
        return None
    host = load_platform(design.soft_core.value, Processor)
    try:
        check_estimate(design, host.processor)
    except CosimError:
        return None
    return Point(design, InstructionSet(host), workload)


def _cycles(
    design: Design, _: Platform | None, workload: Workload | None, __: Options
) -> Point | None:
    return Point(design, Simulator(), workload) if isinstance(design, System) else None


def _area(
    design: Design, platform: Platform | None, workload: Workload | None, _: Options
) -> Point | None:
    where = platform or load_platform("xc7")
    if isinstance(design, System):
        mapped = design.partition is Partition.SOFTWARE or design.split.coprocessor is not None
        return Point(design, where, workload) if mapped else None
    if isinstance(design, Accelerator | Core):
        core = core_of(design) if isinstance(design, Accelerator) else design
        return Point(core, where, Settings(search=False, power=False))
    return None


STEPS: Mapping[str, StepKind] = {
    "estimate": StepKind("cycles in an instruction-set simulator, by a cycle table", _estimate),
    "area": StepKind("area after synthesis; on an ECP5 or iCE40 also the routed clock", _area),
    "cycles": StepKind("cycles of the verilated system", _cycles),
}
"""All kinds of steps, by the name that a space's file uses."""
