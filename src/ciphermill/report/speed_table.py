# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Repeated operations as tables: the rate by length, and the figures of the longest message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from ciphermill.design import Measurement, Method
from ciphermill.evaluate.speed.operations import OPERATIONS
from ciphermill.report import format as human
from ciphermill.report.section import Section, cells, section_renderables


def is_speed(seen: Measurement) -> bool:
    """Whether a measurement is of an operation that was repeated for a fixed time."""
    return seen.threads is not None


def by_operation(measurements: Sequence[Measurement]) -> dict[str, list[Measurement]]:
    """Return the measurements of each operation, by its name."""
    found: dict[str, list[Measurement]] = {}
    for seen in measurements:
        found.setdefault(seen.workload or "", []).append(seen)
    return found


def title(operation: str) -> str:
    """Return an operation's title; its name, if this version does not have it."""
    return OPERATIONS[operation].title if operation in OPERATIONS else operation


def longest(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Return the measurements of the longest message, of one operation."""
    most = max(seen.bytes or 0 for seen in measurements)
    return [seen for seen in measurements if (seen.bytes or 0) == most]


def party(seen: Measurement) -> str:
    """Return the name of what did the operation."""
    marked = " (simulated)" if seen.method is Method.SIMULATED else ""
    return f"{seen.device}{marked}"


def rate(seen: Measurement) -> float:
    """Return MB/s; of an operation without bytes, operations a second."""
    if seen.throughput_mb_s is not None:
        return seen.throughput_mb_s
    return (seen.messages or 0) / (seen.time_total_s or 1.0)


def mean_s(seen: Measurement) -> float:
    """Return the mean time of an operation, of which each thread does one after the other."""
    return (seen.threads or 1) * (seen.time_total_s or 0.0) / (seen.messages or 1)


def unit(seen: Measurement) -> str:
    """Return the unit of the rate."""
    return "MB/s" if seen.bytes is not None else "operations/s"


def dynamic_mw(seen: Measurement) -> float | None:
    """Return the power that the work adds to that of the idle machine; None if not positive."""
    if seen.power_mw is None or seen.power_idle_mw is None:
        return None
    added = seen.power_mw - seen.power_idle_mw
    return added if added > 0 else None


def speed_sections(measurements: Sequence[Measurement]) -> Iterator[Section]:
    """Yield the tables of each operation."""
    for operation, found in by_operation(measurements).items():
        sizes = sorted({seen.bytes for seen in found if seen.bytes is not None})
        if len(sizes) > 1:
            yield _rates(operation, found, sizes)
        yield _details(operation, found)


def speed_notes(measurements: Sequence[Measurement]) -> list[str]:
    """Return what a reader must know, each sentence once."""
    return list(dict.fromkeys(note for seen in measurements for note in seen.notes or ()))


def speed_parts(measurements: Sequence[Measurement]) -> list[RenderableType]:
    """Return the tables for a terminal, and the notes."""
    shown = [part for one in speed_sections(measurements) for part in section_renderables(one)]
    return [*shown, *speed_notes(measurements)]


def _rates(operation: str, found: Sequence[Measurement], sizes: Sequence[int]) -> Section:
    rates = {(party(seen), seen.threads or 1, seen.bytes): rate(seen) for seen in found}
    rows = dict.fromkeys((name, threads) for name, threads, _ in rates)
    return Section(
        f"{title(operation)}: MB/s by the bytes of a message",
        ("device", "threads", *map(human.count, sizes)),
        tuple(
            cells(name, threads, *(rates.get((name, threads, size)) for size in sizes))
            for name, threads in rows
        ),
    )


def _details(operation: str, found: Sequence[Measurement]) -> Section:
    shown = longest(found)
    first = shown[0]
    alone = {party(seen): rate(seen) for seen in shown if seen.threads == 1}
    powered = any(seen.power_mw is not None for seen in shown)
    length = "" if first.bytes is None else f", messages of {human.count(first.bytes)} bytes"
    per_bit = first.bytes is not None
    columns = [
        "device",
        "threads",
        "operations",
        "s",
        unit(first),
        "over 1 thread",
        "mean",
        "worst",
    ]
    if powered:
        columns += ["added W", "pJ a bit" if per_bit else "µJ an operation"]
    return Section(
        f"{title(operation)}{length}",
        tuple(columns),
        tuple(_detail(seen, alone.get(party(seen)), powered) for seen in shown),
    )


def _detail(seen: Measurement, alone: float | None, powered: bool) -> tuple[str, ...]:
    row = cells(
        party(seen),
        seen.threads,
        seen.messages,
        seen.time_total_s,
        rate(seen),
        human.ratio(rate(seen) / alone) if alone else "-",
        human.duration(mean_s(seen)),
        human.duration(seen.time_worst_message_s or 0.0),
    )
    if not powered:
        return row
    added = dynamic_mw(seen)
    energy = seen.energy_pj_per_bit or seen.energy_uj_per_op
    return (*row, *cells(added / 1e3 if added else None, energy))
