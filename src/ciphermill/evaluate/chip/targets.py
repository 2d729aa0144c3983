# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Evaluates a module on a target: area, clock, toggles and energy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import (
    CellLibrary,
    Core,
    Direction,
    Fpga,
    Measurement,
    Rtl,
    UnknownNameError,
)
from ciphermill.design.measurement import digest
from ciphermill.evaluate.chip.cells.verilog import to_verilog
from ciphermill.evaluate.chip.energy import CellEnergy, measure_energy, quietest
from ciphermill.evaluate.chip.implement import (
    CellImplementation,
    Options,
    cell_candidates,
    fastest_cells,
    implement_cells,
    with_sta,
)
from ciphermill.evaluate.chip.measures import (
    XC7,
    of_cells,
    of_energy,
    of_parts,
    of_phases,
    of_routed,
    of_toggles,
    of_xc7,
    relative_energy,
)
from ciphermill.evaluate.chip.toggles import ToggleCount, count_toggles
from ciphermill.evaluate.chip.workloads import WORKLOADS, CoreWorkload, has_driver
from ciphermill.toolchain.cells import CellTarget
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.model import Report
from ciphermill.toolchain.modules import module_source
from ciphermill.toolchain.nextpnr import Family, Routed, place_and_route
from ciphermill.toolchain.yosys import synthesise_xc7

Target = Rtl | Fpga | CellLibrary
"""Kinds of targets for a module."""
APART = sorted(
    {name for one in ALGORITHMS.values() if one.rtl for name in (one.rtl.top, *one.rtl.repeated)}
)
"""Modules that are synthesised by themselves where cores are apart."""
CORE_APART = (
    f"{XC7}: the core, and each round of a pipeline, is synthesised by itself and added; "
    "optimisation across their ports is left out"
)
DEFAULT_CLOCK_MHZ = 100.0
"""The clock for cells whose platform states none."""


@dataclass(frozen=True)
class Settings:
    """Options of a target: how a module is synthesised, and which workload it runs."""

    search: bool = True
    """Also search for the highest clock of cells."""
    power: bool = True
    """Run the workload on cells, for power and energy. (Toggles of the RTL are a target of their
    own.)"""
    workload: str = "stream"
    """One of ``evaluate.chip.workloads.WORKLOADS``."""
    key_bits: int | None = None
    direction: Direction | None = None
    reference: Core | None = None
    """The reference design for relative dynamic energy on an FPGA."""
    quietest: bool = False
    """Whether to choose the netlist of least energy instead of least area among those that meet
    the clock."""
    parts: bool = False
    """Map cells once more with larger modules separate, for a breakdown."""
    core_apart: bool = False
    """On Xilinx 7-series: synthesise the cores inside an accelerator, and each round of a pipeline,
    by themselves, once for all accelerators that contain them, and add them to the rest."""
    cells: Options = field(default_factory=Options)
    keep: Path | None = None
    """Folder for netlists of cells, and their activity."""

    @property
    def asked(self) -> CoreWorkload:
        """The workload, with the key size and direction."""
        named = WORKLOADS[self.workload]
        return replace(named, key_bits=self.key_bits, direction=self.direction)


def cell_target(platform: CellLibrary) -> CellTarget:
    """Return the library of a platform.

    Raises:
        DesignError: There is no such library.
    """
    if platform.library in tuple(CellTarget):
        return CellTarget(platform.library)
    raise UnknownNameError("cell library", platform.library, list(CellTarget))


def on_target(
    module: Core, platform: Target, settings: Settings, report: Report
) -> list[Measurement]:
    """Evaluate a module on a target, and run the workload on it if requested.

    For cells, the first measurement is of the netlist for the platform's clock.

    Raises:
        DesignError: The platform names an FPGA family or a library that is not known.
        ToolError: A tool or a library is missing, or a tool failed.
    """
    if isinstance(platform, Rtl):
        return [of_toggles(module, settings.workload, _toggles(module, settings, report))]
    if isinstance(platform, CellLibrary):
        clock_mhz = platform.clock_mhz or DEFAULT_CLOCK_MHZ
        return _cells(module, cell_target(platform), clock_mhz, settings, report)
    if platform.family == XC7:
        report(f"synthesis of {module.name} for {XC7} ...")
        area = synthesise_xc7(
            module_source(module),
            apart=APART if settings.core_apart else (),
            time_limit_s=settings.cells.time_limit_s,
        )
        notes = [CORE_APART] if settings.core_apart else []
        return [_noted(of_xc7(module, area), notes)]
    if platform.family not in tuple(Family):
        raise UnknownNameError("FPGA family", platform.family, [XC7, *Family])
    return [_routed(module, Family(platform.family), settings, report)]


_counting = Lock()
_counted: dict[str, ToggleCount | ToolError] = {}


def _toggles(module: Core, settings: Settings, report: Report) -> ToggleCount:
    """Return toggles at register-transfer level, which are counted once for all targets."""
    key = digest(module, settings.asked)
    with _counting:
        if key not in _counted:
            report(f"toggles of {module.name} ...")
            try:
                _counted[key] = count_toggles(module, settings.asked)
            except ToolError as error:
                _counted[key] = error
        found = _counted[key]
    if isinstance(found, ToolError):
        raise found
    return found


def _noted(seen: Measurement, notes: Iterable[str]) -> Measurement:
    return seen.model_copy(update={"notes": tuple(notes) or None})


def _routed(module: Core, family: Family, settings: Settings, report: Report) -> Measurement:
    routed = _place(module, family, settings, report)
    seen = of_routed(module, family, routed)
    other = settings.reference
    if other is None:
        return seen
    against = _place(other, family, settings, report)
    own = _toggles(module, settings, report)
    seen = seen.model_copy(
        update={
            "key_bits": own.key_bits or None,
            "operation": own.operation,
            "energy_relative": relative_energy(
                routed, own, against, _toggles(other, settings, report)
            ),
            "energy_reference": other.name,
            "workload": settings.workload,
        }
    )
    return _noted(
        seen,
        [
            f"{family}: dynamic energy a byte is relative to {other.name}, from toggles of the "
            "RTL and routed cells; nothing measures its watts"
        ],
    )


def _place(module: Core, family: Family, settings: Settings, report: Report) -> Routed:
    limit = settings.cells.time_limit_s
    return place_and_route(module_source(module), family, time_limit_s=limit, report=report)


def _cells(
    module: Core, target: CellTarget, clock_mhz: float, settings: Settings, report: Report
) -> list[Measurement]:
    if settings.quietest and has_driver(module):
        attempts = cell_candidates(module, target, clock_mhz, options=settings.cells, report=report)
        report(f"which of {len(attempts)} netlists of {module.name} in {target} takes least ...")
        made = quietest(attempts, settings.asked)
        made = with_sta(made, time_limit_s=settings.cells.time_limit_s)
    else:
        made = implement_cells(module, target, clock_mhz, options=settings.cells, report=report)
    if settings.keep is not None:
        text = to_verilog(made.netlist, own_names=True)
        (settings.keep / f"{module.name}-{target}.v").write_text(text, encoding="utf-8")
    notes = []
    if not made.meets_clock:
        notes.append(
            f"{target}: timing is not met at {clock_mhz:g} MHz; the fastest of all attempts "
            f"reaches {made.clock_mhz:.0f} MHz"
        )
    seen = [_noted(of_cells(made), notes)]
    if settings.search and made.period_ps > 0:
        found = fastest_cells(made, options=settings.cells, report=report)
        fastest, notes = found.result, []
        if found.missed_ps:
            notes.append(
                f"{target}: highest clock {fastest.clock_mhz:.0f} MHz after {found.probes} "
                f"syntheses; {1e6 / found.missed_ps:.0f} MHz was not met"
            )
        seen.append(_noted(of_cells(fastest), notes))
    if settings.power and has_driver(module):
        energy, notes = _energy(made, settings, report)
        seen += [_noted(of_energy(energy), notes), *of_phases(energy)]
    if settings.parts:
        seen += of_parts(*_parts(made, settings, report))
    return seen


def _parts(
    made: CellImplementation, settings: Settings, report: Report
) -> tuple[CellImplementation, CellEnergy | None]:
    """Map a module once more with its parts separate, and run the workload on it."""
    apart = replace(settings.cells, by_module=True, strategy=made.strategy)
    parts = implement_cells(made.module, made.target, made.asked_mhz, options=apart, report=report)
    if not (settings.power and has_driver(made.module)):
        return parts, None
    energy, _ = _energy(parts, replace(settings, keep=None), report)
    return parts, energy


def _energy(
    made: CellImplementation, settings: Settings, report: Report
) -> tuple[CellEnergy, list[str]]:
    workload = settings.asked
    name, target = made.module.name, made.target
    report(f"{workload.name} on {name} in {target} ...")
    saif = None
    if settings.keep is not None:
        saif = settings.keep / f"{name}-{target}-{workload.name}.saif"
    energy = measure_energy(made, workload, saif=saif)
    wanted = workload.clock_mhz or made.asked_mhz
    if energy.clock_mhz < 0.999 * wanted:
        note = f"{target}: the workload ran at {energy.clock_mhz:.0f} MHz, not {wanted:g} MHz"
        return energy, [note]
    return energy, []
