# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The energy half of the AES and PRESENT paper beside ours: toggles, power, energy."""

from __future__ import annotations

from collections.abc import Iterator

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
from ciphermill.papers.paper import ratio
from ciphermill.report import format as human
from ciphermill.report.section import Section
from ciphermill.report.system_energy import COLUMNS, memory_note, part_rows
from ciphermill.toolchain.cells import CELLS

OURS = "ours"
PUBLISHED = "published"


def published_nj_per_byte(one: PublishedEnergy) -> float:
    """Return the energy of a byte that the paper's power and clocks give, in nanojoules."""
    micro_s = one.encryptions * one.clocks_per_encryption / one.clock_mhz
    milliwatt = one.quiescent_mw + one.dynamic_mw
    return milliwatt * micro_s / (one.encryptions * ALGORITHMS[one.cipher].block_bytes)


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
            (OURS, (ours.per_clock, ours.per_block, ours.per_byte)),
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
        "Simulated: bits of registers and of named signals that change, once a clock at most "
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
        ("cipher", "on", "a clock", "an encryption", "a byte"),
        tuple(rows),
        tuple(notes),
    )


def _standalone(paper: CoprocessorsPaper, energy: CoprocessorsEnergy) -> Section:
    rows = []
    ours_by, theirs_by = {}, {}
    for cipher in Cipher:
        ours, theirs = energy.standalone[cipher], paper.energy_of("standalone", cipher)
        run = standalone_run(ours)
        static = run.power.leakage_mw
        mine = (static, run.power.power_mw - static, standalone_nj_per_byte(ours))
        printed = (theirs.quiescent_mw, theirs.dynamic_mw, published_nj_per_byte(theirs))
        ours_by[cipher], theirs_by[cipher] = mine, printed
        micro_s = run.clocks / ours.clock_mhz
        gates = f"{ours.implementation.mapped.gate_equivalents:,.0f}"
        their_us = theirs.encryptions * theirs.clocks_per_encryption / theirs.clock_mhz
        rows.append(_power_row(_name(cipher), f"{OURS}, {energy.target}", gates, micro_s, mine))
        rows.append(_power_row("", f"{PUBLISHED}, XC3S1000", "-", their_us, printed))
    for on, by in ((OURS, ours_by), (PUBLISHED, theirs_by)):
        leaks, works, each = zip(by[Cipher.PRESENT], by[Cipher.AES], strict=True)
        rows.append(("PRESENT/AES", on, "", "", ratio(*leaks), ratio(*works), ratio(*each)))
    one = paper.energy_of("standalone", Cipher.AES)
    glitches = {
        cipher: 1 - run.settled.total.dynamic_fj / run.power.total.dynamic_fj
        for cipher, run in ((c, standalone_run(energy.standalone[c])) for c in Cipher)
    }
    return Section(
        f"Energy of the cores alone: {one.encryptions} encryptions at {one.clock_mhz:g} MHz, each "
        "with its own key",
        ("cipher", "on", "GE", "time us", "static mW", "dynamic mW", "nJ/byte"),
        tuple(rows),
        (
            f"Ours: {_library(energy)}; gate-level simulation with the cells' delays, glitches "
            "counted ("
            + ", ".join(f"{c.upper()} {100 * part:.0f}%" for c, part in glitches.items())
            + " of the dynamic energy). Every output is the known answer. Theirs with the units "
            "that its clocks and power give.",
            "Why they differ: an FPGA's static power is that of the whole chip, used or not, so "
            "there the slower core pays for the chip for longer; cells leak by what is there, and "
            "PRESENT's are few.",
        ),
    )


def _power_row(
    name: str, on: str, gates: str, micro_s: float, figures: tuple[float, float, float]
) -> tuple[str, ...]:
    static, dynamic, byte = figures
    return (
        name,
        on,
        gates,
        human.significant(micro_s),
        human.significant(static),
        human.significant(dynamic),
        human.significant(byte),
    )


def _library(energy: CoprocessorsEnergy) -> str:
    return CELLS[energy.target].title if energy.target else ""


def system_figures(system: SystemEnergy) -> tuple[float, float, float]:
    """Return a system's static and dynamic power in mW, and nJ a byte."""
    static = system.milliwatts(system.total.leakage_fj)
    return static, system.power_mw - static, system.nj_per_byte


def _system(paper: CoprocessorsPaper, energy: CoprocessorsEnergy) -> Section:
    rows = []
    ours_by, theirs_by = {}, {}
    for cipher in Cipher:
        ours, theirs = energy.system[cipher], paper.energy_of("system", cipher)
        ours_by[cipher] = mine = system_figures(ours)
        theirs_by[cipher] = printed = (
            theirs.quiescent_mw,
            theirs.dynamic_mw,
            published_nj_per_byte(theirs),
        )
        their_us = theirs.encryptions * theirs.clocks_per_encryption / theirs.clock_mhz
        their_uj = (theirs.quiescent_mw + theirs.dynamic_mw) * their_us * 1e-3
        our_uj = ours.total.total_fj * 1e-9
        rows.append(
            _system_row(_name(cipher), f"{OURS}, {energy.soft_core}", ours.time_us, our_uj, mine)
        )
        rows.append(_system_row("", f"{PUBLISHED}, MicroBlaze", their_us, their_uj, printed))
    for on, by in ((OURS, ours_by), (PUBLISHED, theirs_by)):
        leaks, works, each = zip(by[Cipher.PRESENT], by[Cipher.AES], strict=True)
        rows.append(("PRESENT/AES", on, "", ratio(*leaks), ratio(*works), "", ratio(*each)))
    one = paper.energy_of("system", Cipher.AES)
    return Section(
        f"Energy of the systems: {one.encryptions} encryptions at {one.clock_mhz:g} MHz, each with "
        "its own key",
        ("cipher", "on", "time us", "static mW", "dynamic mW", "energy uJ", "nJ/byte"),
        tuple(rows),
        (
            f"Ours: {_library(energy)}; each part's cells were given what they had at their "
            "ports in the co-simulation, and put out the same in every clock. Time is that of "
            "the hardware's counters, leakage over all of it included. "
            + memory_note(energy.system[Cipher.AES].measurements()[0]),
        ),
    )


def _system_row(
    name: str, on: str, micro_s: float, micro_j: float, figures: tuple[float, float, float]
) -> tuple[str, ...]:
    static, dynamic, byte = figures
    return (
        name,
        on,
        human.significant(micro_s),
        human.significant(static),
        human.significant(dynamic),
        human.significant(micro_j),
        human.significant(byte),
    )


def _parts(energy: CoprocessorsEnergy) -> Section:
    rows = []
    for cipher in Cipher:
        for number, row in enumerate(part_rows(energy.system[cipher].measurements())):
            rows.append(("" if number else _name(cipher), *row))
    return Section(
        "Where the systems' energy goes",
        ("cipher", *COLUMNS),
        tuple(rows),
        (
            "The bus is the local bus, the AXI4-Lite bridge and the coprocessor's front. The "
            "system registers (timer, counters, console) are for measuring and left out, as the "
            "paper's timer was.",
        ),
    )
