# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Compares the paper on AES on an FPGA and GPUs with our figures: its tables 2 to 8."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ciphermill.design import Measurement
from ciphermill.papers.aes_fpga_vs_gpu.conclusions import CONCLUSIONS
from ciphermill.papers.aes_fpga_vs_gpu.experiment import (
    CLOCKS_MHZ,
    CORE,
    CORES,
    OURS,
    PAPER,
    PIPELINED,
)
from ciphermill.papers.aes_fpga_vs_gpu.published import FPGA, TEXTS, FpgaVsGpuPaper, Rate
from ciphermill.papers.aes_fpga_vs_gpu.view import BLOCK_BITS, WORD_BITS, FpgaView, mbit_s
from ciphermill.papers.paper import Misprint, PaperReport, as_printed, ratio
from ciphermill.report.section import Section, cells

TITLES = {
    PAPER: "the paper's FPGA, built here",
    OURS: "the paper's FPGA with our cores",
    CORE: "one core of the paper's FPGA, built here",
    PIPELINED: "our pipelined core, a block a cycle",
}


def fpga_report(paper: FpgaVsGpuPaper, stored: Sequence[Measurement]) -> PaperReport:
    """Return the comparison of our figures with the paper's."""
    view = FpgaView(paper, stored)
    rates = _rates(view, "with_transfers", paper.with_transfers, True)
    return PaperReport(
        paper.paper,
        (
            _processor(view),
            _cores(view),
            _clocks(view),
            rates,
            _rates(view, "without_transfers", paper.without_transfers, False),
            _memory(view),
            _fpgas(view),
            _gpus(view),
        ),
        tuple(CONCLUSIONS(view, TEXTS)),
        tuple(misprints(paper)),
        (*stored, *published(paper)),
        rates,
    )


def _processor(view: FpgaView) -> Section:
    """Tables 2 and 3."""
    theirs = view.paper.fpga
    one, whole = view.cores(1), view.board(PAPER)
    rows = [
        cells("cycles a block", theirs.cycles_per_block, one.cycles_per_block if one else None),
        cells("one core, Mbit/s", theirs.core_throughput_mbit_s, mbit_s(one)),
        cells("all cores, Mbit/s", theirs.total_throughput_mbit_s, mbit_s(whole)),
        cells("slices of a core", theirs.core_slices, view.slices(CORE)),
        cells("slices in all", theirs.total_slices, view.slices(PAPER)),
        cells("LUTs of a core", None, view.luts(CORE)),
        cells("LUTs in all", None, view.luts(PAPER)),
        cells(
            "highest clock of a core, MHz", 1000 / theirs.longest_path_ns, view.highest_mhz(CORE)
        ),
    ]
    return TEXTS.table("processor", rows, fpga=theirs)


def _cores(view: FpgaView) -> Section:
    """Rates by the number of cores."""
    first = mbit_s(view.cores(CORES[0]))
    rows = [
        cells(cores, mbit_s(seen), ratio(mbit_s(seen), first))
        for cores in CORES
        if (seen := view.cores(cores))
    ]
    return TEXTS.table("cores", rows)


def _clocks(view: FpgaView) -> Section:
    """Rates by the clock of the cores."""
    rows = []
    for mhz in CLOCKS_MHZ:
        seen = view.at_clock(mhz)
        if seen:
            share = (mbit_s(seen) or 0.0) / view.memory_mbit_s(seen)
            rows.append(cells(mhz, mbit_s(seen), f"{share:.0%}", "yes" if seen.correct else "no"))
    return TEXTS.table("clocks", rows)


def _rates(view: FpgaView, name: str, printed: Sequence[Rate], transfers: bool) -> Section:
    """Table 4 or 5."""
    rows = []
    for theirs in printed:
        seen = view.board(PAPER, transfers=transfers) if theirs.platform == FPGA else None
        row = cells(theirs.platform, theirs.clock_mhz, theirs.mbit_s, theirs.mbit_s_per_mhz)
        rows.append((*row, *_ours(seen, mbit_s(seen))))
    ours = view.board(OURS, transfers=transfers)
    if ours:
        rows.append((*cells(TITLES[OURS], ours.clock_mhz, None, None), *_ours(ours, mbit_s(ours))))
    for seen in view.devices:
        rate = mbit_s(seen) if transfers else view.processing_mbit_s(seen)
        if rate:
            row = cells(f"{seen.device}, this machine", seen.clock_mhz, None, None)
            rows.append((*row, *_ours(seen, rate)))
    return TEXTS.table(name, rows, length=view.length, runs=view.paper.runs_averaged)


def _ours(seen: Measurement | None, rate: float | None) -> tuple[str, ...]:
    """Our rate, the same a MHz, and how it was obtained."""
    if seen is None or not rate:
        return (*cells(None, None), "unmeasured")
    return (
        *cells(rate, rate / seen.clock_mhz if seen.clock_mhz else None),
        seen.method.value,
    )


def _memory(view: FpgaView) -> Section:
    """Table 6."""
    rows = [
        cells(one.platform, one.latency_ns, one.bus_bits, one.clock_mhz, one.technology)
        for one in view.paper.memory
    ]
    seen = view.board(PAPER)
    if seen and seen.clock_memory_mhz:
        banks, mhz = view.banks(seen), seen.clock_memory_mhz
        width = f"{banks} x {WORD_BITS}"
        rows.append(cells("our simulated banks", 1000 / mhz, width, mhz, "one cycle an access"))
    return TEXTS.table("memory", rows)


def _fpgas(view: FpgaView) -> Section:
    """Table 7."""
    rows = []
    for one in view.paper.related_fpga:
        area = f"{one.clb:,} CLB" if one.clb else one.slices
        rows.append(cells(one.work, area, one.clock_mhz, one.gbit_s, "published"))
    for design in (PAPER, OURS):
        seen = view.board(design)
        if seen:
            rate = (mbit_s(seen) or 0.0) / 1000
            slices = view.slices(design)
            rows.append(cells(TITLES[design], slices, seen.clock_mhz, rate, seen.method.value))
    core = view.cores(1)
    if core:
        rate = (mbit_s(core) or 0.0) / 1000
        rows.append(cells(TITLES[CORE], view.slices(CORE), core.clock_mhz, rate, core.method.value))
    whole = view.board(PAPER)
    if whole and whole.clock_mhz and (slices := view.slices(PIPELINED)):
        # A block a cycle: its design file says so, and its block tests check it.
        rate = BLOCK_BITS * whole.clock_mhz / 1000
        rows.append(cells(TITLES[PIPELINED], slices, whole.clock_mhz, rate, "estimated"))
    return TEXTS.table("fpgas", rows)


def _gpus(view: FpgaView) -> Section:
    """Table 8."""
    rows = [
        cells(one.work, one.processors, one.clock_mhz, one.gbit_s, "published")
        for one in view.paper.related_gpu
    ]
    for seen in view.gpus:
        rate = mbit_s(seen)
        rows.append(
            cells(
                f"{seen.device}, this machine",
                *(seen.processors, seen.clock_mhz, rate and rate / 1000),
                seen.method.value,
            )
        )
    if not view.gpus:
        rows.append(cells("a GPU of this machine", None, None, None, "unmeasured"))
    return TEXTS.table("gpus", rows)


def misprints(paper: FpgaVsGpuPaper) -> Iterator[Misprint]:
    """The paper's misprints, computed from its own figures."""
    fpga = paper.fpga
    by_cycles = {
        cycles: BLOCK_BITS * fpga.core_clock_mhz / cycles
        for cycles in (fpga.cycles_per_block, fpga.cycles_per_block_section_8)
    }
    yield TEXTS.misprinted(
        "cycles",
        fpga=fpga,
        cycles=fpga.block_latency_us * fpga.core_clock_mhz,
        rate=by_cycles[fpga.cycles_per_block_section_8],
    )
    yield TEXTS.misprinted(
        "rate",
        fpga=fpga,
        by_cycles=by_cycles[fpga.cycles_per_block],
        by_latency=BLOCK_BITS / fpga.block_latency_us,
        cycles=BLOCK_BITS * fpga.core_clock_mhz / fpga.core_throughput_mbit_s,
    )
    own = paper.gpu("the paper's own")
    same = next(one for one in paper.with_transfers if one.clock_mhz == own.clock_mhz)
    alone = paper.without(same.platform)
    yield TEXTS.misprinted("gpu", own=own, same=same, alone=alone)


def published(paper: FpgaVsGpuPaper) -> tuple[Measurement, ...]:
    """Return the printed rates as measurements."""
    tables = {
        "with_transfers": paper.with_transfers,
        "without_transfers": paper.without_transfers,
    }
    return tuple(
        as_printed(
            paper.paper,
            (f"{table}.{one.platform}.mbit_s",),
            algorithm="aes",
            key_bits=128,
            mode="ctr",
            operation="encrypt",
            platform=paper.paper.platform if one.platform == FPGA else one.platform,
            workload=table,
            clock_mhz=one.clock_mhz,
            throughput_mb_s=one.mbit_s / 8,
        )
        for table, rows in tables.items()
        for one in rows
    )
