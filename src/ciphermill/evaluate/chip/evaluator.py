# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Evaluators for area, clock and energy of a module, and of a system in standard cells."""

from __future__ import annotations

from ciphermill.design import CellLibrary, Core, Fpga, Measurement, Rtl, System, Workload
from ciphermill.evaluate.chip.area import system_area
from ciphermill.evaluate.chip.measures import XC7
from ciphermill.evaluate.chip.system_energy import memory_of, system_energy
from ciphermill.evaluate.chip.targets import (
    DEFAULT_CLOCK_MHZ,
    Settings,
    cell_target,
    on_target,
)
from ciphermill.evaluate.evaluator import Evaluator, Progress, between


def _energy(
    system: System, platform: CellLibrary, workload: Workload, progress: Progress
) -> list[Measurement]:
    found = system_energy(
        system,
        workload,
        cell_target(platform),
        clock_mhz=platform.clock_mhz or DEFAULT_CLOCK_MHZ,
        memory=memory_of(platform),
        report=progress.report,
    )
    return [found.run.measurement(), *found.measurements()]


def _area(system: System, _: Fpga, workload: Workload, progress: Progress) -> list[Measurement]:
    found = system_area(system, key_bits=workload.key_bits, report=progress.report)
    return found.measurements(system)


SYSTEM_ENERGY = Evaluator(
    "energy of a system",
    between(System, CellLibrary, Workload),
    _energy,
)
SYSTEM_AREA = Evaluator(
    "area of a system",
    lambda *asked: between(System, Fpga, Workload)(*asked) and asked[1].family == XC7,
    _area,
)
CHIP = Evaluator(
    "chip",
    between(Core, Rtl | Fpga | CellLibrary, Settings),
    lambda module, platform, settings, told: on_target(module, platform, settings, told.report),
)
