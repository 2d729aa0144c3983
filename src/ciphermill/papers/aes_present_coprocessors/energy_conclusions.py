# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Conclusions of the AES and PRESENT paper on power and energy, checked one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design.streaming_platform import Input
from ciphermill.papers.aes_present_coprocessors.published import Cipher
from ciphermill.papers.aes_present_coprocessors.view import CoprocessorsView
from ciphermill.papers.paper import Conclusion, Evidence, ratio
from ciphermill.report import format as human
from ciphermill.report.cosim_table import blocks

AES, PRESENT = Cipher.AES, Cipher.PRESENT
SAME_POWER = 0.1
"""Share by which the systems' power may differ to be about the same."""
SAME_RATIO = 0.5
"""Share by which a ratio of toggles may miss the ratio of power and still foretell it."""
HALF = 0.5

_POWER = "PRESENT needs less power than AES, as a core alone"
_BYTE = "PRESENT's core alone needs more energy a byte than AES's"
_FORETELL = "toggles at register-transfer level foretell the power of the cores"
_SYSTEM_POWER = "the system with PRESENT takes slightly less power than that with AES"
_SYSTEM_BYTE = "the system with PRESENT needs more energy a byte than that with AES"
_STATIC = "static power is the larger part of the system's"
_SOURCES = {
    _POWER: "section 3.2, tables 2 and 3",
    _BYTE: "section 3.2, tables 2 and 3",
    _FORETELL: "section 3.2, below table 2",
    _SYSTEM_POWER: "section 4, table 6",
    _SYSTEM_BYTE: "abstract; section 4, table 6",
    _STATIC: "table 6",
}


_RULES = {
    _POWER: "if PRESENT's core takes less power than AES's",
    _BYTE: "if PRESENT's core takes more energy a byte than AES's",
    _FORETELL: "if PRESENT over AES in toggles a cycle is within "
    f"{100 * SAME_RATIO:.0f}% of PRESENT over AES in dynamic power, on our cells and in the "
    "paper's own tables 2 and 3",
    _SYSTEM_POWER: f"if the system with PRESENT takes less power, by less than "
    f"{100 * SAME_POWER:.0f}%",
    _SYSTEM_BYTE: "if the system with PRESENT takes more energy a byte",
    _STATIC: f"if static power is more than {100 * HALF:.0f}% of the power, with both ciphers",
}
_BY_TOGGLES = {
    _POWER: "if PRESENT's core toggles fewer bits a cycle than AES's",
    _BYTE: "if PRESENT's core toggles more bits a byte than AES's",
}
"""Rules where there is no cell library."""


def energy_conclusions(view: CoprocessorsView) -> Iterator[Conclusion]:
    """Yield the conclusions; those that nothing was run for cannot be tested."""
    missing = view.missing or "power and energy were not taken (--no-energy)"
    if view.cores_in_cells:
        yield _power(view)
        yield _byte(view)
    elif view.powers.wanted:
        counts = {c: view.alone[c] for c in Cipher}
        clock = {c: one.toggles_per_cycle or 0.0 for c, one in counts.items()}
        yield _by_toggles(view, _POWER, "toggles a cycle", clock)
        byte = {c: one.toggles_per_byte or 0.0 for c, one in counts.items()}
        yield _by_toggles(view, _BYTE, "toggles a byte", byte)
    else:
        yield from (_untested(one, missing) for one in (_POWER, _BYTE))
    yield _foretell(view)
    if view.systems_in_cells:
        yield _system_power(view)
        yield _system_byte(view)
        yield _static(view)
    else:
        yield from (_untested(one, missing) for one in (_SYSTEM_POWER, _SYSTEM_BYTE, _STATIC))


def _conclusion(
    statement: str,
    holds: bool | None,
    figures: str,
    reason: str,
    *evidence: Evidence,
    rule: str | None = None,
) -> Conclusion:
    return Conclusion(
        statement,
        _SOURCES[statement],
        holds,
        figures,
        reason,
        _RULES[statement] if rule is None else rule,
        evidence,
    )


def _untested(statement: str, why: str) -> Conclusion:
    return _conclusion(statement, None, why, "", rule="")


def _both(what: str, values: Mapping[Cipher, float], unit: str = "") -> tuple[Evidence, ...]:
    """A figure of both ciphers."""
    return tuple(Evidence(f"{c.upper()}, {what}", values[c], unit) for c in (AES, PRESENT))


def _by_toggles(
    view: CoprocessorsView, statement: str, what: str, values: Mapping[Cipher, float]
) -> Conclusion:
    """What toggles alone say to a conclusion of power, or of energy a byte."""
    aes, present = values[AES], values[PRESENT]
    return _conclusion(
        statement,
        present < aes if statement == _POWER else present > aes,
        f"{present:,.0f} {what} to {aes:,.0f}; {view.missing}",
        "By toggles alone.",
        *_both(what, values),
        rule=_BY_TOGGLES[statement],
    )


def _power(view: CoprocessorsView) -> Conclusion:
    ours = {c: one.power_mw for c, one in view.cores_in_cells.items()}
    theirs = {c: view.paper.energy_of("standalone", c).power_mw for c in Cipher}
    gates = {c: one.gates for c, one in view.cores_in_cells.items()}
    return _conclusion(
        _POWER,
        ours[PRESENT] < ours[AES],
        f"{human.significant(ours[PRESENT])} mW to {human.significant(ours[AES])} "
        f"(theirs {theirs[PRESENT]:.1f} to {theirs[AES]:.1f}); toggles a cycle "
        f"{ratio(*(view.alone[c].toggles_per_cycle for c in (PRESENT, AES)))}",
        f"It does a smaller round each cycle: {human.ratio(gates[PRESENT] / gates[AES])} the gate "
        "equivalents, and little logic in which glitches spread.",
        *_both("power of the core alone", ours, "mW"),
    )


def _byte(view: CoprocessorsView) -> Conclusion:
    ours = {c: one.nj_per_byte for c, one in view.cores_in_cells.items()}
    theirs = {c: view.paper.energy_of("standalone", c).nj_per_byte for c in Cipher}
    holds = ours[PRESENT] > ours[AES]
    return _conclusion(
        _BYTE,
        holds,
        f"{human.significant(ours[PRESENT])} nJ a byte to {human.significant(ours[AES])} "
        f"(theirs {theirs[PRESENT]:.2f} to {theirs[AES]:.2f}); toggles a byte "
        f"{ratio(*(view.alone[c].toggles_per_byte for c in (PRESENT, AES)))}",
        _byte_reason(view, holds),
        *_both("energy a byte of the core alone", ours, "nJ"),
    )


def _byte_reason(view: CoprocessorsView, holds: bool) -> str:
    runs = {c: one.whole.cycles_per_block or 0.0 for c, one in view.cores_in_cells.items()}
    per_byte = {c: cycles / ALGORITHMS[c].block_bytes for c, cycles in runs.items()}
    longer = per_byte[PRESENT] / per_byte[AES]
    if holds:
        return (
            f"It takes {human.ratio(longer)} the time for a byte, and its power is not smaller "
            "by as much."
        )
    printed = {c: view.paper.energy_of("standalone", c) for c in Cipher}
    dynamic = {
        c: one.dynamic_mw * one.cycles_per_encryption / ALGORITHMS[c].block_bytes
        for c, one in printed.items()
    }
    byte = dynamic[PRESENT] / dynamic[AES]
    return (
        f"It takes {human.ratio(longer)} the time for a byte, but its power is smaller by more "
        "than that. The paper's own dynamic power says the same "
        f"({human.ratio(byte)} a byte): what turns it there is the static power of the whole "
        "FPGA, which a core in cells has not."
    )


def _foretell(view: CoprocessorsView) -> Conclusion:
    """Judged on the paper's own tables too: these alone can refute it."""
    theirs = {c: view.paper.energy_of("standalone", c).dynamic_mw for c in Cipher}
    their_toggles = {c: view.paper.toggles_of(c).per_cycle for c in Cipher}
    their_pair = _pair(
        "published", their_toggles[PRESENT] / their_toggles[AES], theirs[PRESENT] / theirs[AES]
    )
    place = f"{view.paper.paper.name}#"
    tables = (
        Input(view.paper.paper.name, "toggles", "published", (f"{place}toggles",)),
        Input(view.paper.paper.name, "energy", "published", (f"{place}energy",)),
    )
    their_pair = tuple(
        replace(one, inputs=(table,)) for one, table in zip(their_pair, tables, strict=True)
    )
    refuted = not _foretells(their_pair)
    figures = f"in its tables 2 and 3 {_in_words(their_pair)}"
    said = (
        "The paper's own tables refute it: by them PRESENT toggles "
        f"{human.ratio(their_pair[0].value)} as much as AES a clock and takes "
        f"{human.ratio(their_pair[1].value)} its dynamic power. "
        if refuted
        else ""
    )
    if not view.cores_in_cells:
        # Without ours, the paper's tables can refute it, and cannot confirm it.
        return _conclusion(
            _FORETELL, False if refuted else None, figures, said.strip(), *their_pair
        )
    toggles = {c: view.alone[c].toggles_per_cycle or 0.0 for c in Cipher}
    power = {c: one.dynamic_mw for c, one in view.cores_in_cells.items()}
    our_pair = _pair("ours", toggles[PRESENT] / toggles[AES], power[PRESENT] / power[AES])
    return _conclusion(
        _FORETELL,
        _foretells(our_pair) and not refuted,
        f"PRESENT over AES: ours {_in_words(our_pair)}; {figures}",
        said
        + (
            "On our cores and by our definition of a toggle they do foretell it. "
            if _foretells(our_pair)
            else "On our cores they do not foretell it either. "
        )
        + "Toggles see neither glitches, nor how long wires and how large gates are, nor the "
        "clock.",
        *our_pair,
        *their_pair,
    )


def _pair(whose: str, toggles: float, power: float) -> tuple[Evidence, ...]:
    return (
        Evidence(f"{whose}, toggles a cycle, PRESENT over AES", toggles),
        Evidence(f"{whose}, dynamic power, PRESENT over AES", power),
    )


def _foretells(pair: tuple[Evidence, ...]) -> bool:
    """Whether the first figure is near the second."""
    return abs(pair[0].value / pair[1].value - 1) < SAME_RATIO


def _in_words(pair: tuple[Evidence, ...]) -> str:
    return (
        f"toggles a cycle {human.ratio(pair[0].value)}, dynamic power {human.ratio(pair[1].value)}"
    )


def _system_power(view: CoprocessorsView) -> Conclusion:
    ours = {c: one.power_mw for c, one in view.systems_in_cells.items()}
    theirs = {c: view.paper.energy_of("system", c).power_mw for c in Cipher}
    less = 1 - ours[PRESENT] / ours[AES]
    return _conclusion(
        _SYSTEM_POWER,
        0 < less < SAME_POWER,
        f"{human.significant(ours[PRESENT])} mW to {human.significant(ours[AES])} "
        f"(theirs {theirs[PRESENT]:.2f} to {theirs[AES]:.2f})",
        "Processor and memory are the same and take most of it."
        if less < SAME_POWER
        else f"It takes {100 * less:.0f}% less: AES's coprocessor is "
        f"{100 * view.systems_in_cells[AES].accelerator_share:.0f}% of its system's energy, "
        f"PRESENT's {100 * view.systems_in_cells[PRESENT].accelerator_share:.0f}%.",
        *_both("power of the system", ours, "mW"),
    )


def _system_byte(view: CoprocessorsView) -> Conclusion:
    ours = {c: one.nj_per_byte for c, one in view.systems_in_cells.items()}
    theirs = {c: view.paper.energy_of("system", c).nj_per_byte for c in Cipher}
    cycles = {
        c: (one.whole.cycles_total or 0) / blocks(one.whole)
        for c, one in view.systems_in_cells.items()
    }
    return _conclusion(
        _SYSTEM_BYTE,
        ours[PRESENT] > ours[AES],
        f"{human.significant(ours[PRESENT])} nJ a byte to {human.significant(ours[AES])} "
        f"(theirs {theirs[PRESENT]:.2f} to {theirs[AES]:.2f}); "
        f"{human.significant(cycles[PRESENT])} cycles an encryption to "
        f"{human.significant(cycles[AES])}",
        "Processor and memory run for each encryption nearly as long, and it carries half the "
        "bytes: what the core saves does not make up for it."
        if ours[PRESENT] > ours[AES]
        else "What its core saves is more here than the processor's time for half the bytes.",
        *_both("energy a byte of the system", ours, "nJ"),
    )


def _static(view: CoprocessorsView) -> Conclusion:
    shares = {c: one.static_mw / one.power_mw for c, one in view.systems_in_cells.items()}
    printed = {c: view.paper.energy_of("system", c) for c in Cipher}
    theirs = {c: one.quiescent_mw / one.power_mw for c, one in printed.items()}
    leaks = {c: one.static_mw for c, one in view.systems_in_cells.items()}
    part = view.systems_in_cells[AES].modelled_share_of_leakage
    return _conclusion(
        _STATIC,
        all(share > HALF for share in shares.values()),
        ", ".join(
            f"{c.upper()} {100 * shares[c]:.0f}% ({human.significant(leaks[c])} mW; theirs "
            f"{100 * theirs[c]:.0f}%)"
            for c in Cipher
        ),
        f"{100 * part:.0f}% of AES's leakage is that of memory and caches, which is modelled; the "
        "rest is that of the cells that are there. An FPGA leaks as a whole."
        if part
        else "An FPGA leaks as a whole; cells leak by what is there.",
        *_both("static part of the system's power", shares),
    )
