# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Compares the energy figures of the AES and PRESENT paper: toggles, power, energy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from ciphermill.papers.aes_present_coprocessors.experiment import BLOCKS, KEY_BITS
from ciphermill.papers.aes_present_coprocessors.published import TEXTS, Cipher, CoprocessorsPaper
from ciphermill.papers.aes_present_coprocessors.view import CoprocessorsView
from ciphermill.papers.paper import ratio
from ciphermill.papers.texts import each
from ciphermill.report.section import Section, cells
from ciphermill.report.system_energy import memory_note, part_rows
from ciphermill.toolchain.cells import CELLS, CellTarget

Figures = tuple[float, float, float]
"""Static and dynamic power in mW, and nJ a byte."""
OURS = "ours"
PUBLISHED = "published"


def energy_sections(view: CoprocessorsView) -> Iterator[Section]:
    """Yield the tables: toggles, and with a cell library cores, systems and their parts."""
    if view.cores_in_cells or view.powers.wanted:
        yield _toggles(view)
    if view.cores_in_cells:
        yield _standalone(view)
    if view.systems_in_cells:
        yield _system(view)
        yield _parts(view)


def name_of(cipher: Cipher) -> str:
    """A cipher with the size of its key."""
    return f"{cipher.upper()}-{KEY_BITS[cipher]}"


def _ratio_row(on: str, *pairs: tuple[float, float]) -> tuple[str, ...]:
    """A row with the ratio of PRESENT to AES."""
    return ("PRESENT/AES", on, *(ratio(present, aes) for present, aes in pairs))


def _toggles(view: CoprocessorsView) -> Section:
    rows, values = [], {}
    for cipher in Cipher:
        ours, theirs = view.alone[cipher], view.paper.toggles_of(cipher)
        seen = (ours.toggles_per_cycle, ours.toggles_per_op, ours.toggles_per_byte)
        for on, counts in (
            (OURS, tuple(one or 0.0 for one in seen)),
            (PUBLISHED, (theirs.per_cycle, theirs.per_encryption, theirs.per_byte)),
        ):
            values[on, cipher] = counts
            name = name_of(cipher) if on == OURS else ""
            rows.append((name, on, *(f"{one:,.0f}" for one in counts)))
    for on in (OURS, PUBLISHED):
        pairs = zip(values[on, Cipher.PRESENT], values[on, Cipher.AES], strict=True)
        rows.append(_ratio_row(on, *pairs))
    more = {c: ratio(values[PUBLISHED, c][0], values[OURS, c][0]) for c in Cipher}
    notes = []
    if view.missing:
        of = " of the systems" if view.cores_in_cells else ""
        notes.append(TEXTS.sentence("energy_missing", of=of, why=view.missing))
    return TEXTS.table(
        "toggles",
        rows,
        *notes,
        bits=each("{1} in {0}", {c.upper(): view.alone[c].toggles_bits or 0 for c in Cipher}),
        blocks=BLOCKS,
        aes=more[Cipher.AES],
        present=more[Cipher.PRESENT],
    )


def _standalone(view: CoprocessorsView) -> Section:
    found, paper = view.cores_in_cells, view.paper
    target = found[Cipher.AES].whole.target or ""
    ours = {
        cipher: (one.time_us, (one.static_mw, one.dynamic_mw, one.nj_per_byte))
        for cipher, one in found.items()
    }
    gates = [gate for one in found.values() for gate in (f"{one.gates:,.0f}", "-")]
    rows = _energy_rows(paper, "standalone", (target, "XC3S1000"), ours)
    one = paper.energy_of("standalone", Cipher.AES)
    return TEXTS.table(
        "standalone",
        ((*row[:2], gate, *row[2:]) for row, gate in zip(rows, (*gates, "", ""), strict=True)),
        encryptions=one.encryptions,
        clock_mhz=one.clock_mhz,
        library=CELLS[CellTarget(target)].title,
        glitches=each("{0} {1:.0%}", {c.upper(): one.glitches for c, one in found.items()}),
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
        figures = one.quiescent_mw, one.dynamic_mw, one.nj_per_byte
        theirs[cipher] = one.time_us, figures
        sides = (OURS, ours[cipher]), (PUBLISHED, theirs[cipher])
        for (on, (micro_s, seen)), platform in zip(sides, platforms, strict=True):
            yield cells(name_of(cipher) if on == OURS else "", f"{on}, {platform}", micro_s, *seen)
    for on, by in ((OURS, ours), (PUBLISHED, theirs)):
        pairs = zip(by[Cipher.PRESENT][1], by[Cipher.AES][1], strict=True)
        name, side, *over = _ratio_row(on, *pairs)
        yield (name, side, "", *over)


def _system(view: CoprocessorsView) -> Section:
    paper, ours, energies = view.paper, {}, []
    for cipher in Cipher:
        found, theirs = view.systems_in_cells[cipher], paper.energy_of("system", cipher)
        figures = found.static_mw, found.power_mw - found.static_mw, found.nj_per_byte
        ours[cipher] = found.time_us, figures
        energies += [found.power_mw * found.time_us * 1e-3, theirs.power_mw * theirs.time_us * 1e-3]
    some = view.powers.some
    micro_j = (*cells(*energies), "", "")
    rows = _energy_rows(paper, "system", (str(some.soft_core), "MicroBlaze"), ours)
    one = paper.energy_of("system", Cipher.AES)
    return TEXTS.table(
        "system",
        ((*row[:5], one_uj, row[5]) for row, one_uj in zip(rows, micro_j, strict=True)),
        encryptions=one.encryptions,
        clock_mhz=one.clock_mhz,
        library=view.powers.library,
        memory=memory_note(some),
    )


def _parts(view: CoprocessorsView) -> Section:
    rows = []
    for cipher in Cipher:
        found = view.systems_in_cells[cipher]
        for number, row in enumerate(part_rows([found.whole, *found.parts])):
            rows.append(("" if number else name_of(cipher), *row))
    return TEXTS.table("parts", rows)
