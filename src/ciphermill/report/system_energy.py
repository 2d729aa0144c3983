# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The energy of an embedded system by part, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermill.design import DesignError, Measurement, Memory, load_platform
from ciphermill.report import format as human
from ciphermill.report.cosim_table import blocks, system_label
from ciphermill.report.section import Section, section_table
from ciphermill.report.table import Table
from ciphermill.toolchain.cells import CELLS, CellTarget

COLUMNS = ("part", "GE", "dynamic nJ", "static nJ", "mW", "share")


def systems(measurements: Sequence[Measurement]) -> list[list[Measurement]]:
    """Return each system whose energy is known: itself, then its parts."""
    found: list[list[Measurement]] = []
    for seen in measurements:
        if None in (seen.partition, seen.target, seen.power_mw):
            continue
        if seen.scope is None:
            found.append([seen])
        elif found:
            found[-1].append(seen)
    return found


def part_rows(system: Sequence[Measurement]) -> list[tuple[str, ...]]:
    """Return a row for each kind of part, with caches separate, and one for the whole.

    Args:
        system: The measurement of the whole, then those of its parts.
    """
    whole, *parts = system
    groups: dict[str, list[Measurement]] = {}
    for part in parts:
        groups.setdefault(part.kind or part.scope or "", []).append(part)
    rows = [_row(whole, label, found) for label, found in groups.items()]
    return [*rows, _row(whole, "all", parts)]


def _row(whole: Measurement, label: str, parts: Sequence[Measurement]) -> tuple[str, ...]:
    power = sum(part.power_mw or 0.0 for part in parts)
    static = sum(part.power_leakage_mw or 0.0 for part in parts)
    gates = sum(part.area_ge or 0.0 for part in parts)
    microseconds = 1e6 * (whole.time_total_s or 0.0)
    return (
        label,
        human.count(gates) if gates else "-",
        human.significant((power - static) * microseconds),
        human.significant(static * microseconds),
        human.significant(power),
        f"{100 * power / (whole.power_mw or 1.0):.1f}%",
    )


def energy_title(whole: Measurement) -> str:
    """Return a title with the system and the duration."""
    return (
        f"Energy of {system_label(whole)}:\n{whole.cycles_total or 0:,} cycles at "
        f"{whole.clock_mhz:g} MHz, {human.duration(whole.time_total_s or 0.0)}"
    )


def energy_table(system: Sequence[Measurement]) -> Table:
    """Return the table of one system."""
    return section_table(Section(energy_title(system[0]), COLUMNS, tuple(part_rows(system))))


def energy_lines(whole: Measurement) -> list[str]:
    """Return the notes below the table."""
    nanojoules = 1e6 * (whole.power_mw or 0.0) * (whole.time_total_s or 0.0) / blocks(whole)
    static = (whole.power_leakage_mw or 0.0) / (whole.power_mw or 1.0)
    block_bytes = (whole.bytes or 0) * (whole.messages or 1) / blocks(whole)
    library = CELLS[CellTarget(whole.target or "")].title
    return [
        f"{human.significant(nanojoules)} nJ a block, "
        f"{human.significant(nanojoules / block_bytes)} nJ a byte; "
        f"{100 * static:.0f}% of it static. {library}; the "
        "outputs of every part equalled those in the system in every cycle.",
        memory_note(whole),
    ]


def memory_note(whole: Measurement) -> str:
    """Return a note on the source of memory's figures."""
    try:
        figures = load_platform(whole.platform, Memory).memory_energy if whole.platform else None
    except DesignError:
        return f"Memory is modelled by the platform {whole.platform}."
    if figures is None:
        return "Memory is not included, since there are no figures for a memory in this process."
    return (
        f"Memory is modelled: {figures.bytes // 1024} KiB, {figures.read_pj:g} pJ an access and "
        f"{figures.leakage_nw_per_bit:g} nW a bit; {whole.memory_fetches or 0:,} fetches, "
        f"{whole.memory_reads or 0:,} reads and {whole.memory_writes or 0:,} writes "
        f"({figures.source})."
    )
