# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A campaign of streams for a terminal: its longest size, and its micro-benchmarks."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermill.campaign.stream_bench import BusBench, CipherBench
from ciphermill.campaign.stream_sweeps import UNITS, Sweep, SweepPoint
from ciphermill.campaign.stream_wall import UPDATE_BYTES, WallCampaign
from ciphermill.campaign.streams import EXACT_KIB, KIB, PAPER_CORES, Campaign, Series, Streams
from ciphermill.design import Measurement
from ciphermill.report import format as human
from ciphermill.report.section import Section


def campaign_section(campaign: Campaign, sizes_kib: Sequence[int]) -> Section:
    """Return a row a series, at the longest size."""
    return streams_section(campaign, sizes_kib, notes(campaign))


def streams_section(campaign: Streams, sizes_kib: Sequence[int], said: tuple[str, ...]) -> Section:
    """Return a row a series of any campaign, at the longest size, with what is to be said of it."""
    longest = sizes_kib[-1]
    rows = []
    for series in campaign.series():
        seen = campaign.find(series, longest)
        if seen is None:
            continue
        plain = campaign.find(
            Series(series.application, series.destination, series.operation, "software"), longest
        )
        rows.append(
            (
                f"{series.application}, {series.destination}",
                seen.device or "",
                str(series.operation),
                human.significant(seen.throughput_inside_write_mb_s or 0.0),
                human.significant(seen.throughput_mb_s or 0.0),
                speedup(seen, plain),
                seen.method,
            )
        )
    return Section(
        f"{campaign.name}: {longest * KIB / 2**20:g} MiB, MB/s",
        (
            "application, test",
            "device",
            "operation",
            "inside write",
            "end to end",
            "over software, end to end",
            "method",
        ),
        tuple(rows),
        said,
    )


def wall_section(campaign: WallCampaign, sizes_kib: Sequence[int]) -> Section:
    """Return a row a series of a campaign on this machine, at the longest size."""
    said = [
        "Wall time on this machine, the median of several runs up to 64 MiB. Inside write is time "
        "in the calls to the device; end to end ends when the output is on the storage, or taken "
        "by the sink.",
        "openssl: synchronous updates of "
        f"{UPDATE_BYTES >> 20} MiB through the engine, as in the OpenSSL provider; what OpenSSL's "
        "own calls take is not in it.",
        "What a device wrote into files was compared with what software wrote, after every run."
        if campaign.compared()
        else "What a device wrote was compared with nothing.",
        *(f"Left out: {what}: {why}." for what, why in campaign.left_out.items()),
    ]
    if campaign.reused:
        said.append(f"{campaign.reused} measurements are from an earlier run, in the store.")
    return streams_section(campaign, sizes_kib, tuple(said))


def notes(campaign: Campaign) -> tuple[str, ...]:
    """Where the figures come from, and how far off they may be."""
    found = [
        "Inside write is time in the calls that hand data over, of which DMA buffers swallow "
        "what fits; end to end is what a user waits for.",
        "modelled: hardware by clock counts, software at the host's published rates, not ours"
        + ("; the longest sizes by lines." if campaign.line_error else ".")
        + _off("Lines are", campaign.line_error, "on a size not seen"),
    ]
    if campaign.platform.storage.writing_left_out:
        found.append(
            "Files are written at the rate of memory: what the storage itself takes to write is "
            "left out of every figure, end to end too."
        )
    if campaign.cores != PAPER_CORES:
        found.append(
            f"simulated (up to {EXACT_KIB} KiB): the RTL clock by clock, its output compared with "
            "OpenSSL's." + _off("Clock counts are", campaign.counts_error, "there")
        )
    if campaign.reused:
        found.append(
            f"{campaign.reused} measurements are from an earlier run, in the store: how far off "
            "they may be was printed then, and is not among the errors here."
        )
    return tuple(found)


def _off(what: str, error: float, where: str) -> str:
    """An error in words, or nothing where none was measured in this run."""
    return f" {what} off by {100 * error:.2g}% at most {where}." if error else ""


def bench_section(name: str, bus: BusBench, ciphers: Sequence[CipherBench]) -> Section:
    """Return the micro-benchmarks of a platform."""
    rows = [
        ("bus, within a burst", "", human.significant(bus.wires_mb_s), "", ""),
        ("bus", "", "", human.significant(bus.end_to_end_mb_s), ""),
        ("bus, 1 GiB, inside write", "", "", human.significant(bus.inside_write_mb_s), ""),
    ]
    rows += [
        (
            str(one.operation),
            f"{one.clocks_per_block:.3g}",
            human.significant(one.ideal_mb_s),
            human.significant(one.memory_to_sink_mb_s),
            human.significant(one.memory_to_memory_mb_s),
        )
        for one in ciphers
    ]
    return Section(
        f"{name}: micro-benchmarks, without files, MB/s",
        ("what", "clocks a block", "ideal", "memory to sink", "memory to memory"),
        tuple(rows),
        ("Ideal: 16 bytes in so many clocks, and nothing else in the way.",),
    )


def sweep_section(name: str, what: Sweep, points: Sequence[SweepPoint]) -> Section:
    """Return a row a value, with the operations side by side where they are alike."""
    rows: list[tuple[str, ...]] = []
    for value in dict.fromkeys(point.value for point in points):
        groups: dict[tuple[str, ...], list[str]] = {}
        for point in points:
            if point.value == value:
                rates = (
                    point.inside_write_mb_s,
                    point.end_to_end_mb_s,
                    point.memory_to_sink_mb_s,
                    point.memory_to_memory_mb_s,
                )
                cells = tuple("-" if rate is None else human.significant(rate) for rate in rates)
                groups.setdefault(cells, []).append(point.operation.mode.upper())
        rows += [
            (f"{value:,g}" if not number else "", ", ".join(modes), *cells)
            for number, (cells, modes) in enumerate(groups.items())
        ]
    return Section(
        f"{name}: {UNITS[what]} varied; encryption, {points[0].application} application, MB/s",
        (
            UNITS[what],
            "modes",
            "file to sink, inside write",
            "file to sink, end to end",
            "memory to sink",
            "memory to memory",
        ),
        tuple(rows),
        (
            "Of several at once: all together; each has threads, DMA buffers and a core of its "
            "own, or, with a design of several channels, one of them.",
        )
        if what is Sweep.TOGETHER
        else (),
    )


def speedup(seen: Measurement, plain: Measurement | None) -> str:
    """Speedup end to end over software, for a table."""
    if plain is None or not (seen.time_total_s and plain.time_total_s):
        return "-"
    return human.ratio(plain.time_total_s / seen.time_total_s)
