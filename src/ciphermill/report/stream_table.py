# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A campaign of streams for a terminal: its longest size, and its micro-benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ciphermill.campaign.streams import Streams
from ciphermill.design import Measurement
from ciphermill.evaluate.stream.bench import BusBench, CipherBench
from ciphermill.evaluate.stream.latency import LatencyPoint, kib_of
from ciphermill.evaluate.stream.series import KIB, Series
from ciphermill.evaluate.stream.sweeps import UNITS, Sweep, SweepPoint
from ciphermill.report import format as human
from ciphermill.report.section import Section, cells


def streams_section(streams: Streams) -> Section:
    """Return a row for each series of a campaign, at its longest size."""
    longest = max((seen.bytes or 0 for seen in streams.measurements), default=0)
    rows = []
    for seen in streams.measurements:
        if seen.bytes != longest or seen.scope:
            continue
        plain = streams.find(replace(Series.of(seen), device="software"), longest // KIB)
        rows.append(
            cells(
                f"{seen.application}, {seen.destination}",
                seen.device or "",
                f"{(seen.mode or '').upper()} {seen.operation}",
                seen.throughput_inside_write_mb_s or 0.0,
                seen.throughput_mb_s or 0.0,
                speedup(seen, plain),
                seen.method,
            )
        )
    at_once = max((seen.messages or 1 for seen in streams.measurements), default=1)
    together = f", {at_once} streams at once" if at_once > 1 else ""
    return Section(
        f"{streams.name}: {longest / 2**20:g} MiB{together}, MB/s",
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
        streams.notes,
    )


def together_section(streams: Streams) -> Section | None:
    """Return the rate of each of several streams at once, and their total, at the longest size."""
    single = [seen for seen in streams.measurements if seen.scope]
    if not single:
        return None
    longest = max(seen.bytes or 0 for seen in single)
    scopes = list(dict.fromkeys(seen.scope for seen in single))
    rows = []
    for total in streams.measurements:
        if total.scope or total.bytes != longest:
            continue
        series = Series.of(total)
        rates = {
            seen.scope: seen.throughput_mb_s
            for seen in single
            if seen.bytes == longest and Series.of(seen) == series
        }
        rows.append(
            cells(
                f"{total.application}, {total.destination}",
                total.device or "",
                f"{(total.mode or '').upper()} {total.operation}",
                *(rates.get(scope) for scope in scopes),
                total.throughput_mb_s or 0.0,
            )
        )
    return Section(
        f"{streams.name}: each of {len(scopes)} streams at once, {longest / 2**20:g} MiB, MB/s "
        "end to end",
        (
            "application, test",
            "device",
            "operation",
            *((scope or "").partition(" of ")[0] for scope in scopes),
            "total",
        ),
        tuple(rows),
    )


def bench_section(name: str, bus: BusBench, ciphers: Sequence[CipherBench]) -> Section:
    """Return the micro-benchmarks of a platform."""
    rows = [
        cells("bus, within a burst", "", bus.wires_mb_s, "", ""),
        cells("bus", "", "", bus.end_to_end_mb_s, ""),
        cells("bus, 1 GiB, inside write", "", "", bus.inside_write_mb_s, ""),
    ]
    for one in ciphers:
        rates = (one.ideal_mb_s, one.memory_to_sink_mb_s, one.memory_to_memory_mb_s)
        rows.append(cells(str(one.operation), f"{one.cycles_per_block:.3g}", *rates))
    return Section(
        f"{name}: micro-benchmarks, without files, MB/s",
        ("what", "cycles a block", "ideal", "memory to sink", "memory to memory"),
        tuple(rows),
        ("Ideal: the rate of the core alone, by its cycles per block of 16 bytes.",),
    )


def sweep_section(name: str, what: Sweep, points: Sequence[SweepPoint]) -> Section:
    """Return a row for each value, with operations combined where they are equal."""
    rows: list[tuple[str, ...]] = []
    for value in dict.fromkeys(point.value for point in points):
        groups: dict[tuple[str, ...], list[str]] = {}
        for point in points:
            if point.value == value:
                rates = cells(
                    point.inside_write_mb_s,
                    point.end_to_end_mb_s,
                    point.memory_to_sink_mb_s,
                    point.memory_to_memory_mb_s,
                )
                groups.setdefault(rates, []).append(point.operation.mode.upper())
        rows += [
            (f"{value:,g}" if not number else "", ", ".join(modes), *rates)
            for number, (rates, modes) in enumerate(groups.items())
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
            "Several at once: the sum of all. Each has threads, DMA buffers and a core of its "
            "own or, with a design of several channels, a channel.",
        )
        if what is Sweep.TOGETHER
        else (),
    )


def latency_section(name: str, device: str, points: Sequence[LatencyPoint]) -> Section:
    """Return the goodput over the latency of the link: a column for each length of a message."""
    lengths = sorted({kib_of(point.measurement) for point in points})
    rows = []
    for mode in dict.fromkeys(point.measurement.mode for point in points):
        for latency in dict.fromkeys(point.latency_ns for point in points):
            here = {
                kib_of(point.measurement): point.measurement
                for point in points
                if (point.measurement.mode, point.latency_ns) == (mode, latency)
            }
            rates = (here[kib].throughput_mb_s if kib in here else None for kib in lengths)
            methods = dict.fromkeys(seen.method.value for seen in here.values())
            rows.append((f"{latency:,g}", (mode or "").upper(), *cells(*rates), ", ".join(methods)))
    return Section(
        f"{name}, {device}: goodput over latency of the link; encryption, memory to memory, MB/s",
        (
            "latency, ns",
            "mode",
            *(f"{kib:,} KiB" if kib < KIB else f"{kib / KIB:,g} MiB" for kib in lengths),
            "method",
        ),
        tuple(rows),
        (
            "End to end, of one message at a time, the throughput application. simulated: the RTL "
            "cycle by cycle, its output compared with OpenSSL's. modelled: a core by its cycle "
            "counts. Host and buffers are those of the platform's file, in virtual time.",
        ),
    )


def speedup(seen: Measurement, plain: Measurement | None) -> str:
    """Speedup end to end over software, for a table."""
    if plain is None or not (seen.time_total_s and plain.time_total_s):
        return "-"
    return human.ratio(plain.time_total_s / seen.time_total_s)
