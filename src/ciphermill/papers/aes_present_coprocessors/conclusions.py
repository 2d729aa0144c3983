# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES and PRESENT paper's conclusions, each checked with measured figures.

Their statements, rules and limits are rows of ``report.toml``; every figure that a rule uses is
evidence. Without a cell library, toggles replace the power of the cores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Partition, Variant
from ciphermill.design.streaming_platform import Input
from ciphermill.papers.aes_present_coprocessors.experiment import COMPARED
from ciphermill.papers.aes_present_coprocessors.published import TEXTS, Cipher
from ciphermill.papers.aes_present_coprocessors.view import (
    CoprocessorsView,
    their_overhead,
    total,
)
from ciphermill.papers.paper import Evidence, ratio
from ciphermill.papers.texts import Finding, Judges, each, found
from ciphermill.report import format as human
from ciphermill.report.cosim_table import blocks

AES, PRESENT = Cipher.AES, Cipher.PRESENT
Figures = Mapping[Cipher, float]


def _both(what: str, values: Figures) -> dict[str, float]:
    """A figure of both ciphers, as evidence."""
    return {f"{c.upper()}, {what}": values[c] for c in Cipher}


def _rows(*figures: Figures) -> list[tuple[str | float, ...]]:
    """The ciphers' names and figures, for ``each``."""
    return [(c.upper(), *(one[c] for one in figures)) for c in Cipher]


def _why(limited: list[str], free: list[str]) -> str:
    """The reason why some ciphers wait for the interface and others do not."""
    rows = (("interface_bound", limited), ("core_bound", free))
    return " ".join(TEXTS.sentence(n, ciphers=human.listed(names)) for n, names in rows if names)


def _bottleneck(view: CoprocessorsView, limit: float) -> Finding:
    idle = {c: 1 - view.hardware(c) / total(view.shell(c)) for c in Cipher}
    limited = [c.upper() for c in Cipher if idle[c] > limit]
    free = [c.upper() for c in Cipher if idle[c] <= limit]
    return found(
        not free,
        _both("cycles in which the core is idle", idle),
        idle=each("{0} {1:.0%}", _rows(idle)),
        why=_why(limited, free),
    )


def _speedup(view: CoprocessorsView, limit: float) -> Finding:
    gains = {c: total(view.software(c)) / total(view.shell(c)) for c in Cipher}
    hardware = {c: total(view.software(c)) / view.hardware(c) for c in Cipher}
    far = [c.upper() for c in Cipher if 1 < gains[c] < limit * hardware[c]]
    near = [c.upper() for c in Cipher if gains[c] >= limit * hardware[c]]
    system, alone = (
        {c: getattr(view.paper.on_board(c), name) for c in Cipher}
        for name in ("speedup_system", "speedup_hardware")
    )
    return found(
        len(far) == len(Cipher),
        {
            f"{c.upper()}, cycles of software over {what}": values[c]
            for c in Cipher
            for what, values in (("the system", gains), ("the hardware alone", hardware))
        },
        gains=each(
            "{0} {1:x} of {2:x} (theirs {3!s}x of {4!s}x)",
            _rows(gains, hardware, system, alone),
            "; ",
        ),
        why=_why(far, near),
    )


def _overhead(view: CoprocessorsView, limit: float) -> Finding:
    ours = {c: view.overhead(view.shell(c)) for c in Cipher}
    theirs = {c: their_overhead(view.paper, c) for c in Cipher}
    claimed = view.paper.overhead.printed
    return found(
        ours[AES] >= limit * claimed,
        {"AES, cycles of the system over the hardware alone": ours[AES]},
        claimed=claimed,
        place=view.paper.overhead.source,
        least=limit * claimed,
        overheads=each("{0} {1:x} (theirs {2:x})", _rows(ours, theirs)),
    )


def _order(view: CoprocessorsView, _: float) -> Finding:
    alone = {c: view.each_alone(c) for c in Cipher}
    system = {c: total(view.shell(c)) / view.count for c in Cipher}
    per_byte = {c: system[c] / ALGORITHMS[c].block_bytes for c in Cipher}
    return found(
        (alone[AES] < alone[PRESENT]) != (system[AES] < system[PRESENT]),
        {
            f"{c.upper()}, cycles of an encryption {where}": values[c]
            for c in Cipher
            for where, values in (("alone", alone), ("in the system", system))
        },
        cycles=each("{0} {1}, {2}, {3}", _rows(alone, system, per_byte), "; "),
        by_byte=TEXTS.say["aes_ahead" if per_byte[AES] < per_byte[PRESENT] else "present_ahead"],
    )


def _software(view: CoprocessorsView, _: float) -> Finding:
    tables = {c: total(view.software(c)) for c in Cipher}
    sliced = view.need(PRESENT, Partition.SOFTWARE, Variant.BITSLICED)
    return found(
        tables[PRESENT] > tables[AES],
        _both("software with tables, cycles of all encryptions", tables),
        table=ratio(tables[PRESENT], tables[AES]),
        bitsliced=ratio(total(sliced), tables[AES]),
        theirs=ratio(*(view.paper.on_board(c).software for c in (PRESENT, AES))),
    )


def _memory(view: CoprocessorsView, limit: float) -> Finding:
    factors = {}
    for cipher in Cipher:
        for partition, variant in COMPARED:
            slow, fast = (
                view.find(cipher, partition, variant, memory=memory)
                for memory in (view.paper.memory.off_chip, view.paper.memory.on_chip)
            )
            if slow and fast:
                what = f"{cipher.upper()} {partition}" + (" with tables" if variant else "")
                factors[what] = total(slow) / total(fast)
    listed = TEXTS.sentence("off_chip", factors=each("{0} {1:x}", factors))
    return found(
        all(factor > limit for factor in factors.values()) if factors else None,
        {f"{what}, cycles off-chip over on-chip": factors[what] for what in factors},
        factors=listed if factors else "not run",
    )


def _wrapper(view: CoprocessorsView, limit: float) -> Finding | str:
    if not view.areas:
        return TEXTS.say["no_area"]
    grown = {
        c: area.wrapped_lut / (area.core.lut if area.core else 1) - 1
        for c, area in view.areas.items()
    }
    return found(
        grown[PRESENT] > limit * grown[AES],
        _both("LUTs of shell and front over the core's", grown),
        grown=each("{0} {1:.0%}", _rows(grown)),
    )


def _interfaces(view: CoprocessorsView, _: float) -> Finding:
    tried = {name: view.find(AES, name) for name in (Partition.STREAM, Partition.DMA)}
    others = {str(name): view.overhead(seen) for name, seen in tried.items() if seen}
    ours: dict[str, float] = {"shell": view.overhead(view.shell(AES)), **others}
    link = "link" if Partition.STREAM in others else "no_link"
    return found(
        any(value < ours["shell"] for value in others.values()) if others else None,
        {f"AES, {name}, cycles over the hardware alone": value for name, value in ours.items()},
        overheads=each("{0} {1:x}", ours),
        why=TEXTS.sentence(link, soft_core=view.soft_core),
    )


def _missing(view: CoprocessorsView) -> str:
    return view.missing or TEXTS.say["no_energy"]


def _by_toggles(view: CoprocessorsView, what: str, row: str) -> Finding | str:
    """The finding from toggles alone for a conclusion on power or energy per byte."""
    if not view.powers.wanted:
        return _missing(view)
    ours = {c: getattr(one, f"toggles_per_{what}") or 0.0 for c, one in view.alone.items()}
    less, more = (AES, PRESENT) if what == "byte" else (PRESENT, AES)
    return found(
        ours[less] < ours[more],
        _both(f"toggles a {what}", ours),
        row=row,
        aes=ours[AES],
        present=ours[PRESENT],
        missing=view.missing,
    )


def _toggles(view: CoprocessorsView, field: str) -> str:
    return ratio(*(getattr(view.alone[c], field) for c in (PRESENT, AES)))


def _power(view: CoprocessorsView, _: float) -> Finding | str:
    cores = view.cores_in_cells
    if not cores:
        return _by_toggles(view, "cycle", "power_by_toggles")
    ours = {c: one.power_mw for c, one in cores.items()}
    return found(
        ours[PRESENT] < ours[AES],
        _both("power of the core alone", ours),
        "mW",
        aes=ours[AES],
        present=ours[PRESENT],
        their_aes=view.paper.energy_of("standalone", AES).power_mw,
        their_present=view.paper.energy_of("standalone", PRESENT).power_mw,
        toggles=_toggles(view, "toggles_per_cycle"),
        gates=cores[PRESENT].gates / cores[AES].gates,
    )


def _energy_a_byte(view: CoprocessorsView, _: float) -> Finding | str:
    cores = view.cores_in_cells
    if not cores:
        return _by_toggles(view, "byte", "energy_a_byte_by_toggles")
    ours = {c: one.nj_per_byte for c, one in cores.items()}
    theirs = {c: view.paper.energy_of("standalone", c) for c in Cipher}
    bytes_of = {c: ALGORITHMS[c].block_bytes for c in Cipher}
    cycles = {c: (one.whole.cycles_per_block or 0.0) / bytes_of[c] for c, one in cores.items()}
    dynamic = {
        c: one.dynamic_mw * one.cycles_per_encryption / bytes_of[c] for c, one in theirs.items()
    }
    return found(
        ours[PRESENT] > ours[AES],
        _both("energy a byte of the core alone", ours),
        "nJ",
        aes=ours[AES],
        present=ours[PRESENT],
        their_aes=theirs[AES].nj_per_byte,
        their_present=theirs[PRESENT].nj_per_byte,
        toggles=_toggles(view, "toggles_per_byte"),
        longer=cycles[PRESENT] / cycles[AES],
        dynamic=dynamic[PRESENT] / dynamic[AES],
    )


def _foretell(view: CoprocessorsView, limit: float) -> Finding:
    """Judge whether toggles predict power; the paper's own tables can refute it too."""

    def pair(whose: str, toggles: Figures, power: Figures) -> list[Evidence]:
        figures = {"toggles a cycle": toggles, "dynamic power": power}
        return [
            Evidence(f"{whose}, {what}, PRESENT over AES", of[PRESENT] / of[AES])
            for what, of in figures.items()
        ]

    def foretells(pair: list[Evidence]) -> bool:
        return abs(pair[0].value / pair[1].value - 1) < limit

    paper = view.paper
    theirs = pair(
        "published",
        {c: paper.toggles_of(c).per_cycle for c in Cipher},
        {c: paper.energy_of("standalone", c).dynamic_mw for c in Cipher},
    )
    theirs = [
        replace(
            one,
            inputs=(Input(paper.paper.name, table, "published", (f"{paper.paper.name}#{table}",)),),
        )
        for one, table in zip(theirs, ("toggles", "energy"), strict=True)
    ]
    figures = f"in its tables 2 and 3 {TEXTS.sentence('ratios', *theirs)}"
    why = [] if foretells(theirs) else [TEXTS.sentence("refuted", *theirs)]
    if not view.cores_in_cells:
        # Without measured figures, the paper's tables can refute the claim but not confirm it.
        holds = False if why else None
        return found(holds, theirs, figures=figures, why=" ".join(why))
    ours = pair(
        "ours",
        {c: view.alone[c].toggles_per_cycle or 0.0 for c in Cipher},
        {c: one.dynamic_mw for c, one in view.cores_in_cells.items()},
    )
    holds = foretells(ours) and not why
    why += [TEXTS.say["ours_foretell" if foretells(ours) else "ours_do_not_foretell"]]
    return found(
        holds,
        [*ours, *theirs],
        figures=f"PRESENT over AES: ours {TEXTS.sentence('ratios', *ours)}; {figures}",
        why=" ".join([*why, TEXTS.say["toggles_do_not_see"]]),
    )


def _system_power(view: CoprocessorsView, limit: float) -> Finding | str:
    systems = view.systems_in_cells
    if not systems:
        return _missing(view)
    ours = {c: one.power_mw for c, one in systems.items()}
    less = 1 - ours[PRESENT] / ours[AES]
    shares = {c: one.accelerator_share for c, one in systems.items()}
    return found(
        0 < less < limit,
        _both("power of the system", ours),
        "mW",
        aes=ours[AES],
        present=ours[PRESENT],
        their_aes=view.paper.energy_of("system", AES).power_mw,
        their_present=view.paper.energy_of("system", PRESENT).power_mw,
        why=TEXTS.say["same_parts"]
        if less < limit
        else TEXTS.sentence(
            "coprocessors_share", less=less, aes=shares[AES], present=shares[PRESENT]
        ),
    )


def _system_energy_a_byte(view: CoprocessorsView, _: float) -> Finding | str:
    systems = view.systems_in_cells
    if not systems:
        return _missing(view)
    ours = {c: one.nj_per_byte for c, one in systems.items()}
    cycles = {c: (one.whole.cycles_total or 0) / blocks(one.whole) for c, one in systems.items()}
    return found(
        ours[PRESENT] > ours[AES],
        _both("energy a byte of the system", ours),
        "nJ",
        aes=ours[AES],
        present=ours[PRESENT],
        their_aes=view.paper.energy_of("system", AES).nj_per_byte,
        their_present=view.paper.energy_of("system", PRESENT).nj_per_byte,
        aes_cycles=cycles[AES],
        present_cycles=cycles[PRESENT],
    )


def _static_power(view: CoprocessorsView, limit: float) -> Finding | str:
    systems = view.systems_in_cells
    if not systems:
        return _missing(view)
    shares = {c: one.static_mw / one.power_mw for c, one in systems.items()}
    printed = {c: view.paper.energy_of("system", c) for c in Cipher}
    theirs = {c: one.quiescent_mw / one.power_mw for c, one in printed.items()}
    leaks = {c: one.static_mw for c, one in systems.items()}
    part = systems[AES].modelled_share_of_leakage
    return found(
        all(share > limit for share in shares.values()),
        _both("static part of the system's power", shares),
        shares=each("{0} {1:.0%} ({2} mW; theirs {3:.0%})", _rows(shares, leaks, theirs)),
        why=TEXTS.sentence("modelled_leakage" if part else "leakage", part=part),
    )


ENERGY = Judges(
    (_power, _energy_a_byte, _foretell, _system_power, _system_energy_a_byte, _static_power)
)
CONCLUSIONS = Judges(
    (
        *(_bottleneck, _speedup, _overhead, _order),
        *(_software, _memory, _wrapper, _interfaces),
        *ENERGY.judges,
    )
)
"""Every conclusion of the paper, in its order."""
