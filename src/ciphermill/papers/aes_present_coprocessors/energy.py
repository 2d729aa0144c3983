# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The energy half of the AES and PRESENT paper beside ours: toggles, power, energy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from ciphermill.algorithms import ALGORITHMS
from ciphermill.evaluate.chip.energy import CellEnergy, Phase
from ciphermill.evaluate.chip.system_energy import SystemEnergy
from ciphermill.papers.aes_present_coprocessors.experiment_energy import (
    KEY_BITS,
    CoprocessorsEnergy,
)
from ciphermill.papers.aes_present_coprocessors.published import (
    Cipher,
    CoprocessorsPaper,
    PublishedEnergy,
)
from ciphermill.papers.paper import cells, ratio
from ciphermill.report.section import Section
from ciphermill.report.system_energy import COLUMNS, memory_note, part_rows
from ciphermill.toolchain.cells import CELLS

Figures = tuple[float, float, float]
"""Static and dynamic power in mW, and nJ a byte."""
OURS = "ours"
PUBLISHED = "published"


def published_nj_per_byte(one: PublishedEnergy) -> float:
    """Return the energy of a byte that the paper's power and cycles give, in nanojoules."""
    moved = one.encryptions * ALGORITHMS[one.algorithm].block_bytes
    return published_mw(one) * published_us(one) / moved


def published_us(one: PublishedEnergy) -> float:
    """Return the time that the paper's cycles take, in microseconds."""
    return one.encryptions * one.cycles_per_encryption / one.clock_mhz


def published_mw(one: PublishedEnergy) -> float:
    """Return static and dynamic power together."""
    return one.quiescent_mw + one.dynamic_mw


def standalone_run(energy: CellEnergy) -> Phase:
    """Return the phase in which a core does its encryptions.

    Raises:
        KeyError: It has none.
    """
    run = energy.phase("run")
    if run is None:
        raise KeyError("run")
    return run


def standalone_nj_per_byte(energy: CellEnergy) -> float:
    """Return a core's energy of a byte, glitches and leakage included, in nanojoules."""
    return (energy.pj_per_bit() or 0.0) * 8e-3


def energy_sections(paper: CoprocessorsPaper, energy: CoprocessorsEnergy) -> Iterator[Section]:
    """Yield the tables: toggles, and with a cell library cores, systems and their parts."""
    yield _toggles(paper, energy)
    if energy.standalone:
        yield _standalone(paper, energy)
    if energy.system:
        yield _system(paper, energy)
        yield _parts(energy)


def _name(cipher: Cipher) -> str:
    return f"{cipher.upper()}-{KEY_BITS[cipher]}"


def _ratio_row(on: str, *pairs: tuple[float, float]) -> tuple[str, ...]:
    """A row that puts PRESENT over AES."""
    return ("PRESENT/AES", on, *(ratio(present, aes) for present, aes in pairs))


def _toggles(paper: CoprocessorsPaper, energy: CoprocessorsEnergy) -> Section:
    rows, values = [], {}
    for cipher in Cipher:
        ours, theirs = energy.toggles[cipher], paper.toggles_of(cipher)
        for on, counts in (
            (OURS, (ours.per_cycle, ours.per_block, ours.per_byte)),
            (PUBLISHED, (theirs.per_cycle, theirs.per_encryption, theirs.per_byte)),
        ):
            values[on, cipher] = counts
            name = _name(cipher) if on == OURS else ""
            rows.append((name, on, *(f"{one:,.0f}" for one in counts)))
    for on in (OURS, PUBLISHED):
        pairs = zip(values[on, Cipher.PRESENT], values[on, Cipher.AES], strict=True)
        rows.append(_ratio_row(on, *pairs))
    more = {c: ratio(values[PUBLISHED, c][0], values[OURS, c][0]) for c in Cipher}
    bits = ", ".join(f"{energy.toggles[c].nets:,} in {c.upper()}" for c in Cipher)
    notes = [
        "Simulated: bits of registers and of named signals that change, once a cycle at most "
        f"({bits}), over {energy.toggles[Cipher.AES].blocks} encryptions, each with its own key. "
        "Theirs counts the results of operators too, so only ratios compare.",
        f"Why they differ: theirs toggles {more[Cipher.AES]} as often as ours a clock in AES, "
        f"{more[Cipher.PRESENT]} in PRESENT. What its description computes in steps, such as "
        "the permutation bit by bit, must count step by step.",
    ]
    if energy.missing:
        of = " of the systems" if energy.standalone else ""
        notes.append(f"Power and energy{of} were not taken: {energy.missing}.")
    return Section(
        "Toggles of the cores alone, at register-transfer level",
        ("algorithm", "on", "a clock", "an encryption", "a byte"),
        tuple(rows),
        tuple(notes),
    )


def _standalone(paper: CoprocessorsPaper, energy: CoprocessorsEnergy) -> Section:
    ours, gates = {}, []
    for cipher in Cipher:
        found = energy.standalone[cipher]
        run = standalone_run(found)
        static = run.power.leakage_mw
        figures = static, run.power.power_mw - static, standalone_nj_per_byte(found)
        ours[cipher] = run.cycles / found.clock_mhz, figures
        gates += [f"{found.implementation.mapped.gate_equivalents:,.0f}", "-"]
    platforms = f"{energy.target}", "XC3S1000"
    rows = _energy_rows(paper, "standalone", platforms, ours)
    one = paper.energy_of("standalone", Cipher.AES)
    glitches = {
        cipher: 1 - run.settled.total.dynamic_fj / run.power.total.dynamic_fj
        for cipher, run in ((c, standalone_run(energy.standalone[c])) for c in Cipher)
    }
    return Section(
        f"Energy of the cores alone: {one.encryptions} encryptions at {one.clock_mhz:g} MHz, each "
        "with its own key",
        ("algorithm", "on", "GE", "time us", "static mW", "dynamic mW", "nJ/byte"),
        tuple((*row[:2], gate, *row[2:]) for row, gate in zip(rows, (*gates, "", ""), strict=True)),
        (
            f"Ours: {_library(energy)}; gate-level simulation with the cells' delays, glitches "
            "counted ("
            + ", ".join(f"{c.upper()} {100 * part:.0f}%" for c, part in glitches.items())
            + " of the dynamic energy). Every output is the known answer. Theirs with the units "
            "that its cycles and power give.",
            "Why they differ: an FPGA's static power is that of the whole chip, used or not, so "
            "there the slower core pays for the chip for longer; cells leak by what is there, and "
            "PRESENT's are few.",
        ),
    )


def _energy_rows(
    paper: CoprocessorsPaper,
    what: Literal["standalone", "system"],
    platforms: tuple[str, str],
    ours: Mapping[Cipher, tuple[float, Figures]],
) -> Iterator[tuple[str, ...]]:
    """Yield time and figures of both ciphers on both platforms, then PRESENT over AES."""
    theirs = {}
    for cipher in Cipher:
        one = paper.energy_of(what, cipher)
        figures = one.quiescent_mw, one.dynamic_mw, published_nj_per_byte(one)
        theirs[cipher] = published_us(one), figures
        sides = (OURS, ours[cipher]), (PUBLISHED, theirs[cipher])
        for (on, (micro_s, seen)), platform in zip(sides, platforms, strict=True):
            yield cells(_name(cipher) if on == OURS else "", f"{on}, {platform}", micro_s, *seen)
    for on, by in ((OURS, ours), (PUBLISHED, theirs)):
        pairs = zip(by[Cipher.PRESENT][1], by[Cipher.AES][1], strict=True)
        name, side, *over = _ratio_row(on, *pairs)
        yield (name, side, "", *over)


def _library(energy: CoprocessorsEnergy) -> str:
    return CELLS[energy.target].title if energy.target else ""


def system_figures(system: SystemEnergy) -> Figures:
    """Return a system's static and dynamic power in mW, and nJ a byte."""
    static = system.milliwatts(system.total.leakage_fj)
    return static, system.power_mw - static, system.nj_per_byte


def _system(paper: CoprocessorsPaper, energy: CoprocessorsEnergy) -> Section:
    ours, energies = {}, []
    for cipher in Cipher:
        found, theirs = energy.system[cipher], paper.energy_of("system", cipher)
        ours[cipher] = found.time_us, system_figures(found)
        energies += [
            found.total.total_fj * 1e-9,
            published_mw(theirs) * published_us(theirs) * 1e-3,
        ]
    micro_j = (*cells(*energies), "", "")
    rows = _energy_rows(paper, "system", (f"{energy.soft_core}", "MicroBlaze"), ours)
    one = paper.energy_of("system", Cipher.AES)
    return Section(
        f"Energy of the systems: {one.encryptions} encryptions at {one.clock_mhz:g} MHz, each with "
        "its own key",
        ("algorithm", "on", "time us", "static mW", "dynamic mW", "energy uJ", "nJ/byte"),
        tuple((*row[:5], one_uj, row[5]) for row, one_uj in zip(rows, micro_j, strict=True)),
        (
            f"Ours: {_library(energy)}; each part's cells were given what they had at their "
            "ports in the co-simulation, and put out the same in every cycle. Time is that of "
            "the hardware's counters, leakage over all of it included. "
            + memory_note(energy.system[Cipher.AES].measurements()[0]),
        ),
    )


def _parts(energy: CoprocessorsEnergy) -> Section:
    rows = []
    for cipher in Cipher:
        for number, row in enumerate(part_rows(energy.system[cipher].measurements())):
            rows.append(("" if number else _name(cipher), *row))
    return Section(
        "Where the systems' energy goes",
        ("algorithm", *COLUMNS),
        tuple(rows),
        (
            "The bus is the local bus, the AXI4-Lite bridge and the coprocessor's front. The "
            "system registers (timer, counters, console) are for measuring and left out, as the "
            "paper's timer was.",
        ),
    )
