# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Where the energy of an embedded system goes, as a table."""

from __future__ import annotations

from ciphermill.evaluate.chip.cells.power import Energy
from ciphermill.evaluate.chip.system_energy import CACHES, PartEnergy, SystemEnergy
from ciphermill.report import format as human
from ciphermill.report.cosim_table import system_label
from ciphermill.report.table import Table
from ciphermill.toolchain.cells import CELLS

COLUMNS = ("part", "GE", "dynamic nJ", "static nJ", "mW", "share")
FJ_PER_NJ = 1e6


def part_rows(system: SystemEnergy) -> list[tuple[str, ...]]:
    """Return a row for each kind of part, caches by themselves, and one for all."""
    groups: dict[str, list[PartEnergy]] = {}
    for part in system.parts:
        label = "caches" if part.name.endswith(CACHES) else str(part.kind)
        groups.setdefault(label, []).append(part)
    rows = [_row(system, label, parts) for label, parts in groups.items()]
    return [*rows, _row(system, "all", system.parts)]


def _row(
    system: SystemEnergy, label: str, parts: list[PartEnergy] | tuple[PartEnergy, ...]
) -> tuple[str, ...]:
    energy = sum((part.energy for part in parts), Energy())
    gates = sum(part.mapped.gate_equivalents for part in parts if part.mapped)
    return (
        label,
        human.count(gates) if gates else "-",
        human.significant(energy.dynamic_fj / FJ_PER_NJ),
        human.significant(energy.leakage_fj / FJ_PER_NJ),
        human.significant(system.milliwatts(energy.total_fj)),
        f"{100 * energy.total_fj / system.total.total_fj:.1f}%",
    )


def energy_table(system: SystemEnergy) -> Table:
    """Return the table of one system."""
    label = system_label(system.run.measurement())
    table = Table(
        f"Energy of {label}:\n{system.clocks:,} clocks at {system.clock_mhz:g} MHz, "
        f"{human.duration(system.time_us * 1e-6)}"
    )
    for number, name in enumerate(COLUMNS):
        table.add_column(name, figures=number > 0)
    for row in part_rows(system):
        table.add_row(*row)
    return table


def energy_lines(system: SystemEnergy) -> list[str]:
    """Return what is said below the table."""
    return [
        f"{human.significant(system.nj_per_operation)} nJ a block, "
        f"{human.significant(system.nj_per_byte)} nJ a byte; "
        f"{100 * system.static_share:.0f}% of it static. {CELLS[system.target].title}; every "
        "part put out what it did in the system, in every clock.",
        memory_note(system),
    ]


def memory_note(system: SystemEnergy) -> str:
    """Say where memory's figures are from."""
    figures = system.memory.memory_energy if system.memory else None
    if figures is None:
        return "Memory is left out: there are no figures for one of this process."
    seen = system.accesses
    return (
        f"Memory is modelled: {figures.bytes // 1024} KiB, {figures.read_pj:g} pJ an access and "
        f"{figures.leakage_nw_per_bit:g} nW a bit; {seen.fetches:,} fetches, {seen.reads:,} reads "
        f"and {seen.writes:,} writes ({figures.source})."
    )
