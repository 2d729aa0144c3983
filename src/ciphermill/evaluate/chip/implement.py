# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Implements a module in standard cells, for a given clock or for the highest one.

Timing is reported by OpenSTA if it is installed, with this project's wire-load model
instead of the library's; otherwise by this project's own analysis, which follows the same
rules. The clock search and the delays of the gate simulation always use the latter.
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
"""Attempts at a clock, the smallest result first: a strategy, and the target for logic as a share
of the period."""
ON_REQUEST = ((Strategy.STRUCTURAL, 1.0), (Strategy.STRUCTURAL, 0.7))
"""Attempts of a strategy that is only tried by name."""
NEAR_MISS = 1.1
"""A period that was missed by less than this ratio is tried with the other strategy too."""


@dataclass(frozen=True)
class Options:
    """How a module is mapped to cells."""

    clock_gates: bool | None = None
    """Replace enables of flip-flops by clock gates; None: if the library has some."""
    by_module: bool = False
    """Keep larger modules separate, for breakdowns."""
    strategy: Strategy | None = None
    """Use only this strategy; otherwise the first that meets the clock."""
    time_limit_s: float | None = None
    """Time limit of each run of a tool."""


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
    """The clock for which it was made."""

    @property
    def period_ps(self) -> float:
        """The shortest clock period; 0 if no path limits it."""
        own = self.timing.clock_period_ps
        return own if self.sta_period_ps is None else self.sta_period_ps

    @property
    def clock_mhz(self) -> float:
        """The highest clock."""
        return 1e6 / self.period_ps if self.period_ps > 0 else float("inf")

    @property
    def meets_clock(self) -> bool:
        """Whether timing is met at the requested clock."""
        return self.clock_mhz >= self.asked_mhz

    @property
    def timing_by(self) -> str:
        """The tool that computed the timing: ``opensta`` or ``ciphermill``."""
        return OWN_ANALYSIS if self.sta_period_ps is None else OPENSTA


@dataclass(frozen=True)
class Attempt:
    """A netlist with its timing by this project's analysis only."""

    mapped: MappedNetlist
    strategy: Strategy
    period_ps: float
    """The shortest period; 0 if no path limits it."""
    overhead_ps: float
    """The flip-flops' part of it; ABC optimises only the logic between them."""
    asked_ps: float
    """The period for which it was made."""


def smallest_cells(
    source: RtlSource,
    target: CellTarget,
    clock_mhz: float,
    *,
    options: Options = Options(),
    report: Report = lambda _: None,
) -> Attempt:
    """Return the first netlist, in the order of attempts, that meets a clock, or else the fastest.

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
    """Map a module to cells, as small as a clock allows.

    Strategies are tried from the smallest to the fastest until one meets the
    clock; if none does, the fastest is returned (``meets_clock`` is false then).

    Raises:
        ToolError: A library or a tool is missing, or a tool failed.
    """
    found = smallest_cells(module_source(module), target, clock_mhz, options=options, report=report)
    made = _finish(module, target, clock_mhz, found)
    return with_sta(made, time_limit_s=options.time_limit_s)


def cell_candidates(
    module: Core,
    target: CellTarget,
    clock_mhz: float,
    *,
    options: Options = Options(),
    report: Report = lambda _: None,
) -> list[CellImplementation]:
    """Return every attempt that meets a clock, or the fastest if none does.

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
    made = _finish(module, target, 1e6 / found.result.asked_ps, found.result)
    made = with_sta(made, time_limit_s=options.time_limit_s)
    return Found(found.period_ps, found.missed_ps, made, found.probes)


def with_sta(made: CellImplementation, *, time_limit_s: float | None = None) -> CellImplementation:
    """Return an implementation with OpenSTA's timing, if OpenSTA is installed.

    Raises:
        ToolError: OpenSTA was stopped, by an interrupt or after ``time_limit_s`` seconds, or its
            log has an error.
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
            time_limit_s=time_limit_s,
        )
    return replace(made, sta_period_ps=longest_path(log, asked_ps)[0])


def analyse(clock: str | None, target: CellTarget, mapped: MappedNetlist) -> tuple[Netlist, Timing]:
    """Return a netlist and its timing; without a port of the clock's name it has no clock."""
    netlist = read_netlist(mapped.json, load_library(mapped.liberty))
    port = clock if clock in netlist.inputs else None
    wire = CELLS[target].wire_ff_per_fanout
    return netlist, analyse_timing(netlist, port, wire_ff_per_fanout=wire)


def _attempts(
    source: RtlSource, target: CellTarget, clock_mhz: float, options: Options, report: Report
) -> Iterator[Attempt]:
    """Yield all attempts, or those of one strategy."""
    named = [one for one in (*LADDER, *ON_REQUEST) if one[0] is options.strategy]
    for strategy, share in named or LADDER:
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
    """Make one netlist, with a share of the period as target for logic, and time it."""
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
