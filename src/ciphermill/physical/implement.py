# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A module in standard cells, made for a clock or for the highest one.

The figure for timing is OpenSTA's where it is installed, with our wire-load model
in place of the library's; else that of our own analysis, which follows the same
rules and which the search and the delays of the gate simulation use in any case.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ciphermill.design import Module
from ciphermill.toolchain.cell_synthesis import MappedNetlist, Strategy, synthesise_cells
from ciphermill.toolchain.cells import CELLS, CellTarget, liberty_file
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.liberty import ClockGate, Library, read_library
from ciphermill.toolchain.modules import module_sources
from ciphermill.toolchain.opensta import PROGRAM, StaTiming, sta_timing

from .clock_search import Found, find_clock
from .netlist import Netlist, read_netlist
from .timing import Timing, analyse_timing
from .verilog import port_bits, to_verilog

Report = Callable[[str], None]

OWN_ANALYSIS, OPENSTA = "ciphermill", "opensta"
LADDER = (
    (Strategy.AREA, 1.0),
    (Strategy.AREA, 0.8),
    (Strategy.BALANCED, 0.9),
    (Strategy.BALANCED, 0.7),
    (Strategy.SPEED, 0.7),
)
"""Attempts at a clock, the smallest result first: a strategy, and the share of the
period that logic is asked to take."""
NEAR_MISS = 1.1
"""A period missed by less than this ratio is tried with the other strategy too."""


@dataclass(frozen=True)
class Options:
    """How a module is put into cells."""

    clock_gates: bool | None = None
    """Serve flip-flops with an enable by clock gates; None where the library has some."""
    by_module: bool = False
    """Keep larger modules apart, for breakdowns."""
    strategy: Strategy | None = None
    """Only this one; else whatever meets the clock."""
    time_limit_s: float | None = None
    """For each run of a tool."""


@dataclass(frozen=True)
class CellImplementation:
    """A module in standard cells, with its timing."""

    module: Module
    target: CellTarget
    mapped: MappedNetlist
    netlist: Netlist
    timing: Timing
    sta: StaTiming | None
    """What OpenSTA says; None where it is not installed or was not asked."""
    strategy: Strategy
    asked_mhz: float
    """The clock that it was made for."""

    @property
    def period_ps(self) -> float:
        """The shortest clock period; 0 where no path bounds it."""
        return self.sta.clock_period_ps if self.sta else self.timing.clock_period_ps

    @property
    def clock_mhz(self) -> float:
        """The highest clock."""
        return 1e6 / self.period_ps if self.period_ps > 0 else float("inf")

    @property
    def meets_clock(self) -> bool:
        """Whether timing is met at the clock that was asked for."""
        return self.clock_mhz >= self.asked_mhz

    @property
    def timing_by(self) -> str:
        """Who says so: ``opensta`` or ``ciphermill``."""
        return OPENSTA if self.sta else OWN_ANALYSIS


def implement_cells(
    module: Module,
    target: CellTarget,
    clock_mhz: float,
    *,
    options: Options = Options(),
    report: Report = lambda _: None,
) -> CellImplementation:
    """Put a module into cells, as small as a clock allows.

    Strategies are tried from the smallest to the fastest until one meets the
    clock; if none does, the fastest is returned (``meets_clock`` is false then).

    Raises:
        ToolError: A library or a tool is missing, or a tool failed.
    """
    best: CellImplementation | None = None
    ladder = [(strategy, share) for strategy, share in LADDER if _allowed(strategy, options)]
    for strategy, share in ladder:
        made = _implement(module, target, clock_mhz, share, strategy, options, report)
        if best is None or made.period_ps < best.period_ps:
            best = made
        if made.meets_clock:
            best = made
            break
    assert best is not None  # noqa: S101 (there is an attempt of each strategy)
    return with_sta(best)


def cell_candidates(
    module: Module,
    target: CellTarget,
    clock_mhz: float,
    *,
    options: Options = Options(),
    report: Report = lambda _: None,
) -> list[CellImplementation]:
    """Return every attempt at a clock that meets it, or the fastest where none does.

    Raises:
        ToolError: As ``implement_cells``.
    """
    made = [
        _implement(module, target, clock_mhz, share, strategy, options, report)
        for strategy, share in LADDER
        if _allowed(strategy, options)
    ]
    met = [one for one in made if one.meets_clock]
    return met or [min(made, key=lambda one: one.period_ps)]


def fastest_cells(
    slow: CellImplementation,
    *,
    options: Options = Options(),
    report: Report = lambda _: None,
) -> Found[CellImplementation]:
    """Search for the highest clock of a module, from an implementation of it.

    Raises:
        ToolError: As ``implement_cells``, or no path bounds the clock.
    """
    if not slow.period_ps > 0:
        raise ToolError(f"{slow.module.name}: no path bounds its clock")
    overhead = slow.timing.setup_ps
    if slow.timing.longest_path:
        # What the flip-flops take; ABC sees the logic between them alone.
        overhead += slow.timing.longest_path[0].delay_ps

    def synthesise(period_ps: float) -> CellImplementation:
        share = max(period_ps - overhead, 0.3 * period_ps) / period_ps
        made: CellImplementation | None = None
        for strategy in (Strategy.BALANCED, Strategy.SPEED):
            if not _allowed(strategy, options):
                continue
            mhz = 1e6 / period_ps
            tried = _implement(slow.module, slow.target, mhz, share, strategy, options, report)
            if made is None or tried.period_ps < made.period_ps:
                made = tried
            if not period_ps < made.period_ps < NEAR_MISS * period_ps:
                break
        if made is None:
            mhz = 1e6 / period_ps
            made = _implement(slow.module, slow.target, mhz, share, Strategy.AREA, options, report)
        return made

    first = replace(slow, sta=None)
    found = find_clock(first, synthesise, lambda made: made.period_ps)
    return replace(found, result=with_sta(found.result))


def with_sta(made: CellImplementation) -> CellImplementation:
    """Return an implementation with OpenSTA's timing, where OpenSTA is installed.

    Raises:
        ToolError: OpenSTA's log has an error.
    """
    if made.sta is not None or shutil.which(PROGRAM) is None:
        return made
    if made.module.clock not in made.netlist.inputs:
        return made
    clock = port_bits(made.netlist)[made.module.clock, 0]
    with tempfile.TemporaryDirectory() as folder:
        verilog = Path(folder) / "netlist.v"
        verilog.write_text(to_verilog(made.netlist), encoding="utf-8")
        sta = sta_timing(
            made.mapped.liberty,
            verilog,
            "top",
            clock,
            wire_ff_per_fanout=CELLS[made.target].wire_ff_per_fanout,
            period_ps=1e6 / made.asked_mhz,
        )
    return replace(made, sta=sta)


def _implement(
    module: Module,
    target: CellTarget,
    clock_mhz: float,
    share: float,
    strategy: Strategy,
    options: Options,
    report: Report,
) -> CellImplementation:
    """Make one netlist and analyse it."""
    liberty = liberty_file(target)
    library = _library(liberty)
    gates = options.clock_gates
    if gates is None:
        gates = any(isinstance(cell.sequential, ClockGate) for cell in library.cells.values())
    mapped = synthesise_cells(
        module_sources(module),
        module.top,
        module.parameters,
        liberty,
        clock_mhz=clock_mhz / share,
        by_module=options.by_module,
        strategy=strategy,
        clock_gates=gates,
        time_limit_s=options.time_limit_s,
        report=report,
    )
    netlist = read_netlist(mapped.json, library)
    clock = module.clock if module.clock in netlist.inputs else None
    wire = CELLS[target].wire_ff_per_fanout
    timing = analyse_timing(netlist, clock, wire_ff_per_fanout=wire)
    return CellImplementation(module, target, mapped, netlist, timing, None, strategy, clock_mhz)


def _allowed(strategy: Strategy, options: Options) -> bool:
    return options.strategy in (None, strategy)


@cache
def _library(liberty: Path) -> Library:
    return read_library(liberty)
