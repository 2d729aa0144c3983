# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The tables of the paper on AES on an FPGA and GPUs beside ours, figure by figure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ciphermill.design import Board, Measurement, Method, load_platform
from ciphermill.design.streaming_platform import Input
from ciphermill.papers.aes_fpga_vs_gpu.experiment import BOARD, CORE, PAPER
from ciphermill.papers.aes_fpga_vs_gpu.published import (
    FPGA,
    NAME,
    FpgaVsGpuPaper,
    Rate,
    load,
)
from ciphermill.papers.aes_fpga_vs_gpu.view import FpgaView, mbit_s
from ciphermill.papers.compared import Better, Comparison, Figure, Ours, PrintedTable, printed_input

Shown = Figure[FpgaView]
_CYCLES = printed_input(NAME, "fpga.cycles_per_block")
"""The core of the paper's FPGA is built with its cycles a block."""
_OF_A_CORE = _CYCLES.figures
"""What the rate of one core states too: the FIFOs and the memory do not hold it up."""


def tables(paper: FpgaVsGpuPaper) -> Sequence[PrintedTable[FpgaView]]:
    """Return the paper's tables."""
    return (
        PrintedTable(
            "Tables 2 and 3: the FPGA",
            tuple(_fpga()),
            "Theirs: a Virtex 2000-E. Ours: an FPGA with the paper's parameters, simulated clock "
            "by clock at both clocks of its board.",
        ),
        PrintedTable(
            "Table 4: rates with transfers",
            tuple(_rates("with_transfers", paper.with_transfers, transfers=True)),
            "Ours of the FPGA: simulated, and the link by a formula whose rate was fitted to this "
            "table and to table 5.",
        ),
        PrintedTable(
            "Table 5: rates without transfers",
            tuple(_rates("without_transfers", paper.without_transfers, transfers=False)),
        ),
        PrintedTable("Table 7: FPGAs of other work", tuple(_core())),
        PrintedTable("Sections 2 and 7: speedups", tuple(_speedups(paper))),
    )


def _fpga() -> Iterator[Shown]:
    def simulated(
        value: float | None, seen: Measurement | None, same: tuple[str, ...] = _OF_A_CORE
    ) -> Ours | None:
        if seen is None or value is None:
            return None
        return Ours(value, seen.method, "the paper's FPGA, built here", (_CYCLES,), same)

    def slices(design: str) -> Callable[[FpgaView], Ours | None]:
        def ours(view: FpgaView) -> Ours | None:
            found = view.slices(design)
            if found is None:
                return None
            return Ours(found, Method.ESTIMATED, f"{design}, xc7", unit="7-series slices")

        return ours

    def core(view: FpgaView) -> Measurement | None:
        return _at_its_clock(view, view.cores(1))

    def cycles(view: FpgaView) -> Ours | None:
        seen = core(view)
        return simulated(seen.cycles_per_block if seen else None, seen)

    def latency(view: FpgaView) -> Ours | None:
        seen = core(view)
        micro_s = (seen.cycles_per_block or 0.0) / (seen.clock_mhz or 1.0) if seen else None
        return simulated(micro_s, seen)

    def rate(view: FpgaView) -> Ours | None:
        return simulated(mbit_s(core(view)), core(view))

    def total(view: FpgaView) -> Ours | None:
        seen = _at_its_clock(view, view.board(PAPER))
        return simulated(mbit_s(seen), seen, same=())

    def path(view: FpgaView) -> Ours | None:
        mhz = view.highest_mhz(CORE)
        return Ours(1000 / mhz, Method.ESTIMATED, f"{CORE}, ECP5") if mhz else None

    less, more = Better.LESS, Better.MORE
    yield Figure("fpga.cycles_per_block", "cycles a block of a core", "cycles", less, cycles)
    yield Figure("fpga.block_latency_us", "time of a block in a core", "us", less, latency)
    yield Figure("fpga.core_throughput_mbit_s", "rate of a core", "Mbit/s", more, rate)
    yield Figure("fpga.total_throughput_mbit_s", "rate of all cores", "Mbit/s", more, total)
    yield Figure("fpga.core_slices", "slices of a core", "slices", less, slices(CORE))
    yield Figure("fpga.total_slices", "slices in all", "slices", less, slices(PAPER))
    yield Figure("fpga.longest_path_ns", "longest path of a core", "ns", less, path)


def _at_its_clock(view: FpgaView, seen: Measurement | None) -> Measurement | None:
    """Return a run on the board, unless another clock than the paper's was asked for."""
    if seen is None or seen.clock_mhz != view.paper.fpga.core_clock_mhz:
        return None
    return seen if seen.clock_memory_mhz == view.paper.fpga.memory_clock_mhz else None


def _on_board(view: FpgaView, *, transfers: bool) -> tuple[Measurement | None, tuple[Input, ...]]:
    seen = _at_its_clock(view, view.board(PAPER, transfers=transfers))
    link = (load_platform(BOARD, Board).link_input,) if transfers else ()
    return seen, (_CYCLES, *link)


def _rates(table: str, printed: Sequence[Rate], *, transfers: bool) -> Iterator[Shown]:
    for one in printed:

        def ours(view: FpgaView, theirs: Rate = one, per_mhz: bool = False) -> Ours | None:
            if theirs.platform == FPGA:
                seen, inputs = _on_board(view, transfers=transfers)
                what = "the paper's FPGA, built here"
            elif "Intel" in theirs.platform:
                seen = max(view.processors, key=lambda seen: mbit_s(seen) or 0.0, default=None)
                inputs, what = (), "the processor of this machine"
            else:
                return None
            rate = mbit_s(seen)
            if seen is None or not rate or (per_mhz and not seen.clock_mhz):
                return None
            value = rate / (seen.clock_mhz or 1.0) if per_mhz else rate
            same = (f"{NAME}#{table}.{theirs.platform}",)
            return Ours(value, seen.method, what, inputs, same if inputs else ())

        place = f"{table}.{one.platform}"
        yield Figure(f"{place}.mbit_s", one.platform, "Mbit/s", Better.MORE, ours)

        def each(view: FpgaView, find: Callable[..., Ours | None] = ours) -> Ours | None:
            return find(view, per_mhz=True)

        what = f"{one.platform}, a MHz"
        yield Figure(f"{place}.mbit_s_per_mhz", what, "Mbit/s/MHz", Better.MORE, each)


def _core() -> Iterator[Shown]:
    """The row of table 7 with the paper's own core."""

    def ours(view: FpgaView) -> Ours | None:
        seen = _at_its_clock(view, view.cores(1))
        rate = mbit_s(seen)
        if seen is None or not rate:
            return None
        of_ = "one core of it, built here"
        return Ours(rate / 1000, seen.method, of_, (_CYCLES,), _OF_A_CORE)

    what = "the paper's own, one core"
    place = "related_fpga.the paper's own (one core).gbit_s"
    yield Figure(place, what, "Gbit/s", Better.MORE, ours)


def _speedups(paper: FpgaVsGpuPaper) -> Iterator[Shown]:
    earlier = f"related_fpga.{paper.earlier.work.replace('.', '')}.gbit_s"
    fastest = max(paper.without_transfers, key=lambda one: one.mbit_s)

    def over_earlier(view: FpgaView) -> Ours | None:
        seen, inputs = _on_board(view, transfers=False)
        rate = mbit_s(seen)
        if not rate:
            return None
        value = rate / (1000 * paper.earlier.gbit_s)
        of_ = "ours over the published rate of the earlier one"
        return Ours(value, Method.MODELLED, of_, (*inputs, printed_input(NAME, earlier)))

    def per_clock(view: FpgaView) -> Ours | None:
        seen, inputs = _on_board(view, transfers=False)
        rate = mbit_s(seen)
        if seen is None or not rate or not seen.clock_mhz:
            return None
        value = rate / seen.clock_mhz / fastest.mbit_s_per_mhz
        place = f"without_transfers.{fastest.platform}.mbit_s_per_mhz"
        of_ = f"ours over the published rate of the {fastest.platform}, each a MHz"
        return Ours(value, Method.MODELLED, of_, (*inputs, printed_input(NAME, place)))

    more = Better.MORE
    yield Figure("speedup_over_earlier", "FPGA over an earlier FPGA", "x", more, over_earlier)
    yield Figure("speedup_per_clock", "FPGA over the fastest GPU, a MHz", "x", more, per_clock)


COMPARISON = Comparison(lambda: tables(load()), lambda stored: FpgaView(load(), stored))
