# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Evaluators of a chip: a module on a target, and a whole system in standard cells."""

from __future__ import annotations

from dataclasses import dataclass

from ciphermill.design import Core, Measurement, System, Workload
from ciphermill.evaluate.chip.area import system_area
from ciphermill.evaluate.chip.measures import XC7
from ciphermill.evaluate.chip.system_energy import memory_of, system_energy
from ciphermill.evaluate.chip.targets import TARGETS, Settings, on_target
from ciphermill.evaluate.evaluator import Evaluator, Progress
from ciphermill.toolchain.cells import CellTarget


@dataclass(frozen=True)
class Cells:
    """A platform: standard cells that a whole system is made of."""

    target: CellTarget
    clock_mhz: float = 50.0
    """The system's clock, which every part must meet."""


def _energy(
    system: System, platform: Cells, workload: Workload, progress: Progress
) -> list[Measurement]:
    found = system_energy(
        system,
        workload,
        platform.target,
        clock_mhz=platform.clock_mhz,
        memory=memory_of(platform.target),
        report=progress.report,
    )
    return [found.run.measurement(), *found.measurements()]


def _area(system: System, _: str, workload: Workload, progress: Progress) -> list[Measurement]:
    found = system_area(system, key_bits=workload.key_bits, report=progress.report)
    return found.measurements(system)


def _chip(module: Core, target: str, settings: Settings, progress: Progress) -> list[Measurement]:
    return on_target(module, target, settings, progress.report)


SYSTEM_ENERGY = Evaluator(
    "energy of a system",
    lambda design, platform, workload: (
        isinstance(design, System)
        and isinstance(platform, Cells)
        and isinstance(workload, Workload)
    ),
    _energy,
)
SYSTEM_AREA = Evaluator(
    "area of a system",
    lambda design, platform, workload: (
        isinstance(design, System) and platform == XC7 and isinstance(workload, Workload)
    ),
    _area,
)
CHIP = Evaluator(
    "chip",
    lambda design, platform, workload: (
        isinstance(design, Core) and platform in TARGETS and isinstance(workload, Settings)
    ),
    _chip,
)
