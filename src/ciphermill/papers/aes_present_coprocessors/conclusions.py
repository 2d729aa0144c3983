# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES and PRESENT paper's conclusions, each checked against what our systems gave.

Every conclusion states its rule, with the threshold, and every figure that the rule
looks at.
"""

from __future__ import annotations

from collections.abc import Iterator

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Partition, Variant
from ciphermill.papers.aes_present_coprocessors.energy_conclusions import energy_conclusions
from ciphermill.papers.aes_present_coprocessors.experiment import COMPARED
from ciphermill.papers.aes_present_coprocessors.published import Cipher
from ciphermill.papers.aes_present_coprocessors.view import (
    CoprocessorsView,
    their_overhead,
    total,
)
from ciphermill.papers.paper import Conclusion, evidence, ratio, untested
from ciphermill.report import format as human

_TABLES = "software with tables, cycles of all encryptions"
HALF = 0.5
CLAIMED = 0.5
"""Part of a claimed factor that ours must reach for the claim to hold."""
COSTLY = 2.0
"""How many times the cycles memory off the chip must cost to force a system on the chip."""
LARGER = 2.0
"""How many times as much, in proportion, a wrapper must add to the small cipher."""


def conclusions(view: CoprocessorsView) -> Iterator[Conclusion]:
    """Yield every conclusion of the paper, in its order."""
    yield _bottleneck(view)
    yield _speedup(view)
    yield _overhead(view)
    yield _order(view)
    yield _software(view)
    yield _memory(view)
    yield _wrapper(view)
    yield _interfaces(view)
    yield from energy_conclusions(view)


def _bottleneck(view: CoprocessorsView) -> Conclusion:
    idle = {c: 1 - view.hardware(c) / total(view.shell(c)) for c in Cipher}
    limited = [c.upper() for c in Cipher if idle[c] > HALF]
    free = [c.upper() for c in Cipher if idle[c] <= HALF]
    return Conclusion(
        "the interface between hardware and software is the bottleneck of the system",
        "abstract; section 5",
        not free,
        "part of the cycles in which the core has nothing to compute: "
        + ", ".join(f"{c.upper()} {100 * part:.0f}%" for c, part in idle.items()),
        _hidden(limited, free),
        f"if the core has nothing to compute in more than {100 * HALF:.0f}% of the cycles, with "
        "both ciphers",
        evidence({f"{c.upper()}, cycles in which the core is idle": idle[c] for c in Cipher}),
    )


def _hidden(limited: list[str], free: list[str]) -> str:
    """Why some ciphers wait for the interface and others do not."""
    bound = f"{human.listed(limited)}: what is moved takes longer than what is computed. "
    core = (
        f"{human.listed(free)}: its core computes for so long that the few accesses of the next "
        "encryption go on meanwhile, so the core is the limit."
    )
    return ((bound if limited else "") + (core if free else "")).strip()


def _speedup(view: CoprocessorsView) -> Conclusion:
    gains = {c: total(view.software(c)) / total(view.shell(c)) for c in Cipher}
    hardware = {c: total(view.software(c)) / view.hardware(c) for c in Cipher}
    far = [c.upper() for c in Cipher if 1 < gains[c] < HALF * hardware[c]]
    near = [c.upper() for c in Cipher if gains[c] >= HALF * hardware[c]]
    return Conclusion(
        "the coprocessor pays, but far less than the hardware by itself promises",
        "section 3.2, below table 2; section 4",
        len(far) == len(Cipher),
        "; ".join(
            f"{c.upper()} {human.ratio(gains[c])} of {human.ratio(hardware[c])} "
            f"(theirs {view.paper.on_board(c).speedup_system}x of "
            f"{view.paper.on_board(c).speedup_hardware}x)"
            for c in Cipher
        ),
        _hidden(far, near),
        f"if the system is faster than software, and by less than {100 * HALF:.0f}% of what the "
        "hardware alone is, with both ciphers",
        evidence(
            {
                f"{c.upper()}, cycles of software over {what}": values[c]
                for c in Cipher
                for what, values in (("the system", gains), ("the hardware alone", hardware))
            }
        ),
    )


def _overhead(view: CoprocessorsView) -> Conclusion:
    ours = {c: view.overhead(view.shell(c)) for c in Cipher}
    claimed = view.paper.overhead.printed
    holds = ours[Cipher.AES] >= CLAIMED * claimed
    return Conclusion(
        f"the overhead of the system over the hardware is large: {claimed:g} times for AES-128",
        view.paper.overhead.source,
        holds,
        "through the same shell "
        + ", ".join(
            f"{c.upper()} {human.ratio(ours[c])} (theirs "
            f"{human.ratio(their_overhead(view.paper, c))})"
            for c in Cipher
        ),
        "Ours is as large."
        if holds
        else "There is an overhead, but most of the paper's was not the shell's fault: a command "
        "decoder that chains words, and one driver loop without function calls, leave little of "
        "it.",
        f"if ours with AES-128 is {CLAIMED * claimed:g} times or more, {100 * CLAIMED:.0f}% of "
        "what is claimed",
        evidence({"AES, cycles of the system over the hardware alone": ours[Cipher.AES]}),
    )


def _order(view: CoprocessorsView) -> Conclusion:
    alone = {c: view.each_alone(c) for c in Cipher}
    each = {c: total(view.shell(c)) / view.count for c in Cipher}
    per_byte = {c: each[c] / ALGORITHMS[c].block_bytes for c in Cipher}
    reversed_here = (alone[Cipher.AES] < alone[Cipher.PRESENT]) != (
        each[Cipher.AES] < each[Cipher.PRESENT]
    )
    return Conclusion(
        "the hardware's own figures do not predict the system's: PRESENT's core is slower than "
        "AES's, its system faster by encryption",
        "section 5; tables 1 and 5",
        reversed_here,
        "cycles alone, in the system, a byte in the system: "
        + "; ".join(
            f"{c.upper()} {human.significant(alone[c])}, {human.significant(each[c])}, "
            f"{human.significant(per_byte[c])}"
            for c in Cipher
        ),
        "PRESENT has 5 words to send and 2 to fetch, AES 8 and 4; what is moved decides. By the "
        "byte AES stays ahead, as it does there."
        if per_byte[Cipher.AES] < per_byte[Cipher.PRESENT]
        else "By the byte PRESENT is ahead here too, unlike there.",
        "if the cipher whose core alone takes fewer cycles takes more in the system",
        evidence(
            {
                f"{c.upper()}, cycles of an encryption {where}": values[c]
                for c in Cipher
                for where, values in (("alone", alone), ("in the system", each))
            }
        ),
    )


def _software(view: CoprocessorsView) -> Conclusion:
    aes, table = total(view.software(Cipher.AES)), total(view.software(Cipher.PRESENT))
    sliced = view.need(Cipher.PRESENT, Partition.SOFTWARE, Variant.BITSLICED)
    board = {c: view.paper.on_board(c).software for c in Cipher}
    return Conclusion(
        "PRESENT in software is slower than AES, though it is the lighter cipher",
        "tables 1 and 5",
        table > aes,
        f"{ratio(table, aes)} the cycles of AES with tables, {ratio(total(sliced), aes)} "
        f"bitsliced (theirs {ratio(board[Cipher.PRESENT], board[Cipher.AES])}), for half the "
        "bytes",
        "Its permutation of bits is wires in hardware and shifts in software, and it has 31 "
        "rounds. With one block to a message a bitsliced build fills one of its slots.",
        "if PRESENT with tables takes more cycles an encryption than AES with tables",
        evidence({f"{c.upper()}, {_TABLES}": total(view.software(c)) for c in Cipher}),
    )


def _memory(view: CoprocessorsView) -> Conclusion:
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
    holds = all(factor > COSTLY for factor in factors.values()) if factors else None
    return Conclusion(
        "memory off the chip costs so much more that a system must work from on-chip memory",
        "section 4",
        holds,
        "cycles off-chip over on-chip: "
        + ", ".join(f"{what} {human.ratio(factor)}" for what, factor in factors.items())
        if factors
        else "not run",
        "Every instruction that is not cached is fetched at that price."
        if holds
        else "The soft core's caches hold the loop and hide much of the memory's cycles; a "
        "MicroBlaze on local memory has none.",
        f"if each of these systems takes more than {COSTLY:g} times the cycles",
        evidence({f"{what}, cycles off-chip over on-chip": factors[what] for what in factors}),
    )


def _wrapper(view: CoprocessorsView) -> Conclusion:
    statement = "what wraps a core weighs on a small cipher: 12% of AES's slices, 70% of PRESENT's"
    if not view.areas:
        return untested(statement, "table 4", "areas were not taken (--no-area)")
    grown = {}
    for cipher in Cipher:
        area = view.areas[cipher]
        grown[cipher] = area.wrapped_lut / (area.core.lut if area.core else 1) - 1
    return Conclusion(
        statement,
        "table 4",
        grown[Cipher.PRESENT] > LARGER * grown[Cipher.AES],
        ", ".join(f"{c.upper()} {100 * part:.0f}%" for c, part in grown.items()),
        "A shell is about as large for a small cipher as for a large one.",
        f"if PRESENT's LUTs grow by more than {LARGER:g} times the part by which AES's do",
        evidence(
            {f"{c.upper()}, LUTs of shell and front over the core's": grown[c] for c in Cipher}
        ),
    )


def _interfaces(view: CoprocessorsView) -> Conclusion:
    tried = {
        partition: view.find(Cipher.AES, partition)
        for partition in (Partition.STREAM, Partition.DMA)
    }
    found = {p: view.overhead(seen) for p, seen in tried.items() if seen}
    ours = view.overhead(view.shell(Cipher.AES))
    return Conclusion(
        "other interfaces, such as a direct link (FSL), are worth trying",
        "section 5 (future work)",
        any(value < ours for value in found.values()) if found else None,
        f"AES, over the hardware alone: shell {human.ratio(ours)}, "
        + ", ".join(f"{p} {human.ratio(value)}" for p, value in found.items()),
        "A link without a bus moves two words an instruction. A DMA engine has a start-up to pay "
        "for each message, and these are one block long."
        if Partition.STREAM in found
        else f"{view.soft_core} has no port for a link.",
        "if one of them has a smaller overhead than the shell, with AES",
        evidence(
            {
                f"AES, {name}, cycles over the hardware alone": value
                for name, value in (("shell", ours), *found.items())
            }
        ),
    )
