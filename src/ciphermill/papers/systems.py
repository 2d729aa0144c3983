# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Papers that compare embedded systems: plans, and figures from measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import click

from ciphermill.campaign.run import Point
from ciphermill.design import CellLibrary, Fpga, Measurement, Method, Run, SoftCore, load_platform
from ciphermill.evaluate.chip.area import SystemArea
from ciphermill.evaluate.chip.system_energy import soft_core_with_energy
from ciphermill.evaluate.chip.system_parts import Kind
from ciphermill.evaluate.system.run import described
from ciphermill.papers.entry import Options
from ciphermill.papers.plan import Plan, not_taken
from ciphermill.report.system_energy import systems
from ciphermill.toolchain import cells as libraries
from ciphermill.toolchain.cells import CELLS, CellTarget
from ciphermill.toolchain.errors import ToolError

Name = TypeVar("Name")


@dataclass(frozen=True)
class Wanted:
    """The values of the options ``ON_SYSTEMS``."""

    soft_core: SoftCore
    areas: bool = True
    energy: bool = False
    target: CellTarget | None = None
    """The cell library of the energy; None where there is none, or none is wanted."""
    no_cells: str = ""
    """Why there is no cell library."""

    @classmethod
    def of(cls, asked: Options) -> Wanted:
        """Read the options; check before any run that the library exists.

        Raises:
            click.UsageError: A cell library was named, and no energy is wanted.
            ToolError: The named cell library was not found.
        """
        energy = asked["area"] if asked["energy"] is None else asked["energy"]
        target = CellTarget(asked["cells"]) if asked["cells"] else None
        why = ""
        if target and not energy:
            raise click.UsageError("--cells goes with --energy")
        if target:
            libraries.find_library(target)
        elif energy:
            try:
                target = libraries.first_library()
            except ToolError as error:
                why = str(error)
        return cls(SoftCore(asked["soft_core"]), asked["area"], energy, target, why)

    @property
    def soft_core_in_cells(self) -> SoftCore:
        """The soft core of systems whose energy is computed."""
        return soft_core_with_energy(self.soft_core)

    def plan(
        self,
        points: Iterable[Point],
        areas: Iterable[Run],
        energies: Iterable[tuple[Run, float]],
    ) -> Plan:
        """Return the plan of an experiment.

        Args:
            points: What is simulated.
            areas: Systems to synthesise, if areas are requested.
            energies: Systems in cells and their clocks in MHz, if energy is requested.
        """
        planned, known = list(points), []
        if self.areas:
            planned += [
                Point(one.system, load_platform("xc7", Fpga), one.workload) for one in areas
            ]
        for one, clock_mhz in energies if self.energy else ():
            if self.target:
                cells = cells_at(self.target, clock_mhz)
                planned.append(Point(one.system, cells, one.workload))
            else:
                known.append(not_taken(one.system, None, one.workload, self.no_cells))
        return Plan(planned, known)


def cells_at(target: CellTarget, clock_mhz: float) -> CellLibrary:
    """Return the platform of a cell library, at a clock."""
    return load_platform(target.value, CellLibrary).model_copy(update={"clock_mhz": clock_mhz})


def soft_core_of(stored: Iterable[Measurement]) -> SoftCore:
    """Return the soft core that an experiment ran on.

    Raises:
        KeyError: There is no run of a system.
    """
    for seen in stored:
        if seen.method is Method.SIMULATED and seen.soft_core:
            return SoftCore(seen.soft_core)
    raise KeyError("no run of a system")


def measured(stored: Iterable[Measurement], runs: Sequence[Run]) -> tuple[Measurement, ...]:
    """Return the simulated measurement of each run, in the order of the runs.

    Raises:
        KeyError: A measurement is missing.
    """
    found: dict[tuple[Any, ...], Measurement] = {}
    for seen in stored:
        whole = (seen.workload, seen.power_mw, seen.scope) == (None, None, None)
        if whole and seen.method is Method.SIMULATED and seen.cycles_total is not None:
            found.setdefault(_identity(seen), seen)
    fields = [described(one.system, one.workload) for one in runs]
    return tuple(
        found[_identity(Measurement.from_json({**one, "method": "simulated"}))] for one in fields
    )


def _identity(seen: Measurement) -> tuple[Any, ...]:
    """The fields that distinguish the runs of a paper."""
    return (
        *(seen.algorithm, seen.key_bits, seen.operation, seen.partition, seen.variant),
        *(seen.interface, seen.soft_core, seen.blocks_in_flight, seen.key_caching),
        *(seen.fresh_key, seen.memory_read_wait, seen.memory_write_wait),
        *(seen.bytes, seen.messages),
    )


def areas_of(
    stored: Iterable[Measurement], name: Callable[[Measurement], Name]
) -> dict[Name, SystemArea]:
    """Return the areas of systems among measurements, by the names that these give.

    Raises:
        KeyError: A system has no soft core.
    """
    parts: dict[Name, list[Measurement]] = {}
    for seen in stored:
        if seen.partition and seen.scope and seen.area_lut is not None:
            parts.setdefault(name(seen), []).append(seen)
    return {one: SystemArea.of(rows) for one, rows in parts.items()}


@dataclass(frozen=True)
class SystemPower:
    """Power and energy of a system in cells, from its measurements."""

    whole: Measurement
    parts: tuple[Measurement, ...]

    @property
    def power_mw(self) -> float:
        """Mean power."""
        return self.whole.power_mw or 0.0

    @property
    def static_mw(self) -> float:
        """The leakage power."""
        return self.whole.power_leakage_mw or 0.0

    @property
    def time_us(self) -> float:
        """Duration of the run."""
        return (self.whole.time_total_s or 0.0) * 1e6

    @property
    def nj_per_byte(self) -> float:
        """Energy per byte."""
        return (self.whole.energy_pj_per_byte or 0.0) * 1e-3

    @property
    def accelerator_share(self) -> float:
        """The part of the power that the coprocessor takes."""
        found = (part.power_mw or 0.0 for part in self.parts if part.kind == Kind.ACCELERATOR)
        return sum(found) / self.power_mw

    @property
    def modelled_share_of_leakage(self) -> float:
        """The part of the leakage that is memory's, which is a formula."""
        modelled = (p.power_leakage_mw or 0.0 for p in self.parts if p.method is Method.MODELLED)
        return sum(modelled) / self.static_mw


class Powers(Generic[Name]):
    """Power of the systems of a paper, by the names that it gives them."""

    def __init__(self, stored: Sequence[Measurement], name: Callable[[Measurement], Name]) -> None:
        """Take the measurements of a run."""
        self.systems: Mapping[Name, SystemPower] = {
            name(whole): SystemPower(whole, tuple(parts)) for whole, *parts in systems(stored)
        }
        self.missing: Mapping[Name, str] = {
            name(seen): seen.notes[0]
            for seen in stored
            if seen.partition and seen.notes and seen.method is Method.ESTIMATED
        }
        """Why the power of the others is not known."""

    @property
    def wanted(self) -> bool:
        """Whether power was requested."""
        return bool(self.systems or self.missing)

    @cached_property
    def some(self) -> Measurement:
        """Any system: target, soft core, clock and memory are those of all."""
        return next(iter(self.systems.values())).whole

    @property
    def library(self) -> str:
        """The cell library."""
        return CELLS[CellTarget(self.some.target or "")].title
