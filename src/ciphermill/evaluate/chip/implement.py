# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A module in standard cells, made for a clock or for the highest one.

The figure for timing is OpenSTA's where it is installed, with our wire-load model
in place of the library's; else that of our own analysis, which follows the same
rules and which the search and the delays of the gate simulation use in any case.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ciphermill import environment
from ciphermill.design import Core
from ciphermill.evaluate.chip.cells.netlist import Netlist, read_netlist
from ciphermill.evaluate.chip.cells.timing import Timing, analyse_timing
from ciphermill.evaluate.chip.cells.verilog import port_bits, to_verilog
from ciphermill.evaluate.chip.clock_search import Found, find_clock
from ciphermill.evaluate.chip.sources import analysis_key
from ciphermill.toolchain.cache import code_key, kept
from ciphermill.toolchain.cell_synthesis import MappedNetlist, Strategy, synthesise_cells
from ciphermill.toolchain.cells import CELLS, CellTarget, liberty_file
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.liberty import load_library
from ciphermill.toolchain.model import Report
from ciphermill.toolchain.modules import module_source
from ciphermill.toolchain.opensta import PROGRAM, longest_path, path_log
from ciphermill.toolchain.rtl import RtlSource

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
    """How a module is mapped to cells."""

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

    module: Core
    target: CellTarget
    mapped: MappedNetlist
    netlist: Netlist
    timing: Timing
    sta_period_ps: float | None
    """The shortest period by OpenSTA; None where it is not installed or was not asked."""
    strategy: Strategy
    asked_mhz: float
    """The clock that it was made for."""

    @property
    def period_ps(self) -> float:
        """The shortest clock period; 0 where no path bounds it."""
        own = self.timing.clock_period_ps
        return own if self.sta_period_ps is None else self.sta_period_ps

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
        return OWN_ANALYSIS if self.sta_period_ps is None else OPENSTA


@dataclass(frozen=True)
class Attempt:
    """A netlist that was timed only: its shortest period."""

    mapped: MappedNetlist
    strategy: Strategy
    period_ps: float
    """Of our own analysis; 0 where no path bounds it."""
    overhead_ps: float
    """What the flip-flops take of it; ABC sees the logic between them alone."""
    asked_ps: float
    """The period that it was made for."""


def smallest_cells(
    source: RtlSource,
    target: CellTarget,
    clock_mhz: float,
    *,
    options: Options = Options(),
    report: Report = lambda _: None,
) -> Attempt:
    """Return the first netlist of the ladder that meets a clock, or else the fastest.

    Raises:
        ToolError: A library or a tool is missing, or a tool failed.
    """
    attempts = []
    for attempt in _attempts(source, target, clock_mhz, options, report):
        attempts.append(attempt)
        if attempt.period_ps * clock_mhz <= 1e6:
            return attempt
    return min(attempts, key=lambda attempt: attempt.period_ps)


def implement_cells(
    module: Core,
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
    found = smallest_cells(module_source(module), target, clock_mhz, options=options, report=report)
    return with_sta(_finish(module, target, clock_mhz, found))


def cell_candidates(
    module: Core,
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
    attempts = list(_attempts(module_source(module), target, clock_mhz, options, report))
    met = [attempt for attempt in attempts if attempt.period_ps * clock_mhz <= 1e6]
    met = met or [min(attempts, key=lambda attempt: attempt.period_ps)]
    return [_finish(module, target, clock_mhz, attempt) for attempt in met]


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
    module, target, timing = slow.module, slow.target, slow.timing
    if not timing.clock_period_ps > 0:
        raise ToolError(f"{module.name}: no path bounds its clock")
    source = module_source(module)
    first = Attempt(
        slow.mapped,
        slow.strategy,
        timing.clock_period_ps,
        _overhead(timing),
        1e6 / slow.asked_mhz,
    )
    strategies = [options.strategy] if options.strategy else [Strategy.BALANCED, Strategy.SPEED]

    def synthesise(period_ps: float) -> Attempt:
        share = max(period_ps - first.overhead_ps, 0.3 * period_ps) / period_ps
        best: Attempt | None = None
        for strategy in strategies:
            tried = _attempt(source, target, period_ps, share, strategy, options, report)
            if best is None or tried.period_ps < best.period_ps:
                best = tried
            if not period_ps < best.period_ps < NEAR_MISS * period_ps:
                break
        assert best is not None  # noqa: S101 (there is a strategy)
        return best

    found = find_clock(first, synthesise, lambda attempt: attempt.period_ps)
    if found.result is first:
        return Found(found.period_ps, found.missed_ps, slow, found.probes)
    made = with_sta(_finish(module, target, 1e6 / found.result.asked_ps, found.result))
    return Found(found.period_ps, found.missed_ps, made, found.probes)


def with_sta(made: CellImplementation) -> CellImplementation:
    """Return an implementation with OpenSTA's timing, where OpenSTA is installed.

    Raises:
        ToolError: OpenSTA's log has an error.
    """
    if made.sta_period_ps is not None or environment.find_program(PROGRAM) is None:
        return made
    if made.module.clock not in made.netlist.inputs:
        return made
    clock, asked_ps = port_bits(made.netlist)[made.module.clock, 0], 1e6 / made.asked_mhz
    with tempfile.TemporaryDirectory() as folder:
        verilog = Path(folder) / "netlist.v"
        verilog.write_text(to_verilog(made.netlist), encoding="utf-8")
        log = path_log(
            made.mapped.liberty,
            verilog,
            "top",
            clock,
            wire_ff_per_fanout=CELLS[made.target].wire_ff_per_fanout,
            period_ps=asked_ps,
        )
    return replace(made, sta_period_ps=longest_path(log, asked_ps)[0])


def analyse(clock: str | None, target: CellTarget, mapped: MappedNetlist) -> tuple[Netlist, Timing]:
    """Return a netlist and its timing; without a port of the clock's name it has none."""
    netlist = read_netlist(mapped.json, load_library(mapped.liberty))
    port = clock if clock in netlist.inputs else None
    wire = CELLS[target].wire_ff_per_fanout
    return netlist, analyse_timing(netlist, port, wire_ff_per_fanout=wire)


def _attempts(
    source: RtlSource, target: CellTarget, clock_mhz: float, options: Options, report: Report
) -> Iterator[Attempt]:
    """Yield the attempts of the ladder, or those of one strategy."""
    for strategy, share in LADDER:
        if options.strategy in (None, strategy):
            yield _attempt(source, target, 1e6 / clock_mhz, share, strategy, options, report)


def _attempt(
    source: RtlSource,
    target: CellTarget,
    period_ps: float,
    share: float,
    strategy: Strategy,
    options: Options,
    report: Report,
) -> Attempt:
    """Make one netlist, logic being asked to take a share of the period; time it."""
    liberty = liberty_file(target)
    gates = options.clock_gates
    if gates is None:
        gates = load_library(liberty).has_clock_gates
    mapped = synthesise_cells(
        source,
        liberty,
        clock_mhz=1e6 / (period_ps * share),
        by_module=options.by_module,
        strategy=strategy,
        clock_gates=gates,
        time_limit_s=options.time_limit_s,
        report=report,
    )
    wire = CELLS[target].wire_ff_per_fanout
    facts = {"clock": source.clock, "wire": wire, "code": analysis_key() + code_key(Path(__file__))}

    def make(_: Path) -> object:
        timing = analyse(source.clock, target, mapped)[1]
        return {"period_ps": timing.clock_period_ps, "overhead_ps": _overhead(timing)}

    def read(found: dict[str, float]) -> Attempt:
        return Attempt(mapped, strategy, found["period_ps"], found["overhead_ps"], period_ps)

    return kept("timing", [mapped.json, liberty], facts, make, read)


def _finish(
    module: Core, target: CellTarget, clock_mhz: float, attempt: Attempt
) -> CellImplementation:
    netlist, timing = analyse(module.clock, target, attempt.mapped)
    return CellImplementation(
        module, target, attempt.mapped, netlist, timing, None, attempt.strategy, clock_mhz
    )


def _overhead(timing: Timing) -> float:
    launch = timing.longest_path[0].delay_ps if timing.longest_path else 0.0
    return launch + timing.setup_ps
