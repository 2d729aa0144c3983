# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES-256 paper's conclusions, each checked against what our systems gave.

A verdict is computed from the results; where something was not run (a soft core
without an instruction port, no areas), the verdict is left open and says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from ciphermill.design import BusInterface, Direction, Measurement, Partition, Variant
from ciphermill.papers.aes256_hw_sw_partitions.energy import energy_conclusions
from ciphermill.papers.aes256_hw_sw_partitions.experiment import HARDWARE, KEY_MESSAGES, WORDS
from ciphermill.papers.aes256_hw_sw_partitions.view import PIPELINED, PartitionsView
from ciphermill.papers.paper import Conclusion, Evidence, evidence, untested, whole
from ciphermill.report import format as human
from ciphermill.report.cosim_table import blocks

_NO_AREA = "areas were not taken (--no-area)"
LINEAR = 0.01
"""A line through the points that misses none by more than this part of it is a trend."""
DRASTIC = 2.0
"""How many times another's figure is drastically worse."""
SAME = 0.02
"""Cycles that differ by no more than this part are called the same."""


def conclusions(view: PartitionsView) -> Iterator[Conclusion]:
    """Yield every conclusion of the paper, in its order."""
    yield _area_order(view)
    yield _directions(view)
    yield _core_speed(view)
    yield _more_hardware(view)
    yield from energy_conclusions(view)
    yield _best_metric(view)
    yield _software_worst(view)
    yield _linear(view)
    yield _instructions(view)
    yield _wide_bus(view)
    yield _master_port(view)
    yield _pipelining(view)
    yield _key_storage(view)


def _cycles_of(view: PartitionsView, *names: Partition) -> tuple[Evidence, ...]:
    """Cycles of designs at the length at which the paper compares."""
    of = f"cycles of encrypting {WORDS} words"
    return evidence({f"{name}, {of}": view.cycles(name).ours for name in names})


def _area_order(view: PartitionsView) -> Conclusion:
    statement = "area falls from unrolled over iterative, round and linear layer to software"
    if not view.areas:
        return untested(statement, "section 5, item 1", _NO_AREA)
    order = [*HARDWARE, Partition.SOFTWARE]
    luts = [view.lut(name).ours for name in order]
    return Conclusion(
        statement,
        "section 5, item 1",
        luts == sorted(luts, reverse=True),
        "LUTs of the system: " + ", ".join(whole(lut) for lut in luts),
        "Each step leaves hardware away: 13 of the rounds, the key expansion, the S-boxes.",
        "if the LUTs of the systems fall in this order",
        evidence({f"{name}, LUTs of the system": view.lut(name).ours for name in order}),
    )


def _directions(view: PartitionsView) -> Conclusion:
    apart = {}
    for name in (*HARDWARE, Partition.SOFTWARE):
        forth, back = (view.cycles(name, direction).ours for direction in Direction)
        apart[name] = abs(back - forth) / forth
    worst = max(apart, key=lambda name: apart[name])
    return Conclusion(
        "encryption and decryption differ little in cycles",
        "section 5, item 3",
        all(part <= SAME for part in apart.values()),
        f"most in {worst}, by {100 * apart[worst]:.1f}% (theirs: 0.4% at most)",
        "The directions share hardware, so those that compute there agree. In C, "
        "InvMixColumns has larger coefficients than MixColumns and costs more, unless the time "
        "goes elsewhere, as it must have in their software.",
        f"if they differ by {100 * SAME:g}% or less in every design",
        evidence({f"{name}, decryption apart from encryption": one for name, one in apart.items()}),
    )


def _core_speed(view: PartitionsView) -> Conclusion:
    unrolled, iterative = view.cycles(Partition.UNROLLED), view.cycles(Partition.ITERATIVE)
    gap = abs(unrolled.ours - iterative.ours) / iterative.ours
    return Conclusion(
        "a faster core does not make the system faster: unrolled and iterative need the same",
        "section 5, item 4; section 6",
        gap <= SAME,
        f"{whole(unrolled.ours)} and {whole(iterative.ours)} cycles ({100 * gap:.1f}% apart); "
        f"theirs {whole(unrolled.theirs)} and {whole(iterative.theirs)}",
        "Both hide behind the bus: while the processor carries the words of one block, the core "
        "computes the one before."
        if gap <= SAME
        else "Our transfers are short enough for the core's 14 cycles to be seen.",
        f"if they differ by {100 * SAME:g}% or less",
        _cycles_of(view, Partition.UNROLLED, Partition.ITERATIVE),
    )


def _more_hardware(view: PartitionsView) -> Conclusion:
    order = [Partition.ITERATIVE, Partition.ROUND, Partition.LINEAR_LAYER, Partition.SOFTWARE]
    ours = [view.cycles(name).ours for name in order]
    fast = view.maybe(Partition.SOFTWARE, variant=Variant.TABLE)
    beaten = [
        name for name in order[:-1] if fast and view.cycles(name).ours > (fast.cycles_total or 0)
    ]
    held = ours == sorted(ours)
    better = (
        f"But table software needs {whole(fast.cycles_total)}, less than {human.listed(beaten)}: a "
        "partition that moves the state 14 times a block loses to good C."
        if fast and beaten
        else "Table software does not change the order."
    )
    return Conclusion(
        "the more of the algorithm runs in hardware, the fewer cycles",
        "section 5, item 3",
        held,
        f"{human.listed(order)}: {', '.join(whole(cycles) for cycles in ours)} cycles",
        better,
        "if cycles rise from iterative over round and linear layer to plain software",
        _cycles_of(view, *order),
    )


def _best_metric(view: PartitionsView) -> Conclusion:
    statement = "iterative is the best design by cycles x LUTs"
    if not view.areas:
        return untested(statement, "section 5, item 4", _NO_AREA)
    order = view.ranking(lambda name: view.metric(name).ours)
    second = order[1] if order[0] is Partition.ITERATIVE else order[0]
    lead = view.metric(second).ours / view.metric(Partition.ITERATIVE).ours
    theirs = view.ranking(lambda name: view.metric(name).theirs)
    their_lead = view.metric(theirs[1]).theirs / view.metric(theirs[0]).theirs
    return Conclusion(
        statement,
        "section 5, item 4",
        order[0] is Partition.ITERATIVE,
        f"{second} has {human.ratio(lead)} its product (theirs: {theirs[1]}, "
        f"{human.ratio(their_lead)})",
        "Unrolled pays for rounds that the bus leaves idle; round and linear layer save LUTs but "
        "carry every round's state over the bus.",
        "if iterative has the smallest product",
        evidence({f"{name}, cycles x LUTs": view.metric(name).ours for name in order}),
    )


def _software_worst(view: PartitionsView) -> Conclusion:
    statement = "software does drastically worse by that product"
    if not view.areas:
        return untested(statement, "section 5, item 4", _NO_AREA)
    ours = view.metric(Partition.SOFTWARE).ours / view.metric(Partition.ITERATIVE).ours
    theirs = view.metric(Partition.SOFTWARE).theirs / view.metric(Partition.ITERATIVE).theirs
    fast = view.maybe(Partition.SOFTWARE, variant=Variant.TABLE)
    lut = view.lut(Partition.SOFTWARE).ours
    table = (fast.cycles_total or 0) * lut / view.metric(Partition.ITERATIVE).ours if fast else 0.0
    return Conclusion(
        statement,
        "section 5, item 4",
        table > DRASTIC,
        f"plain C {human.ratio(ours)} and table C {human.ratio(table)} the product of iterative; "
        f"theirs {human.ratio(theirs)}",
        "Most of their factor is their software, not their hardware.",
        f"if table software has more than {DRASTIC:g} times the product of iterative",
        evidence({"table software, cycles x LUTs over iterative": table}),
    )


def _linear(view: PartitionsView) -> Conclusion:
    errors = {
        printed.name: max(
            view.fit(printed.name, direction)[0].worst_relative_error for direction in Direction
        )
        for printed in view.paper.partition
    }
    worst = max(errors, key=lambda name: errors[name])
    return Conclusion(
        "cycles are linear in the length",
        "appendix B",
        errors[worst] <= LINEAR,
        f"the line misses no point by more than {100 * errors[worst]:.2f}% ({worst})",
        "Nothing in these systems depends on the data, or on the length but for the loop over "
        "blocks."
        if errors[worst] <= LINEAR
        else f"The soft core's caches bend it: what {worst} works on in C no longer fits beside a "
        "long array. A core without caches gives a line.",
        f"if a straight line misses no point of a design by more than {100 * LINEAR:g}%",
        evidence({f"{name}, largest distance from its line": one for name, one in errors.items()}),
    )


def _over_iterative(view: PartitionsView, seen: Measurement) -> float:
    return (seen.cycles_total or 0) / view.cycles(Partition.ITERATIVE).ours


def _instructions(view: PartitionsView) -> Conclusion:
    statement = "custom instructions (TIE) are crucial: faster software and faster transfers"
    column = view.maybe(Partition.INSTRUCTION, variant=Variant.COLUMN)
    block = view.maybe(Partition.INSTRUCTION, variant=Variant.BLOCK)
    if column is None or block is None:
        why = f"{view.soft_core} has no port for custom instructions"
        return untested(statement, "section 6, item 1", why)
    plain = view.cycles(Partition.SOFTWARE).ours / (column.cycles_total or 1)
    against = _over_iterative(view, block)
    return Conclusion(
        statement,
        "section 6, item 1",
        plain > 2 and against < 1,
        f"column instructions need {human.ratio(plain)} fewer cycles than plain C; whole blocks "
        f"through instructions {human.ratio(against)} the cycles of iterative over AXI4-Lite",
        "An instruction carries two words and waits for no bus.",
        f"if column instructions make plain C more than {DRASTIC:g} times as fast, and whole "
        "blocks by instructions take fewer cycles than iterative over AXI4-Lite",
        evidence(
            {
                "plain C over column instructions, cycles": plain,
                "whole blocks by instructions over iterative, cycles": against,
            }
        ),
    )


def _wide_bus(view: PartitionsView) -> Conclusion:
    wide = view.find(Partition.ITERATIVE, interface=BusInterface.AXI4_256)
    reference = view.base(Partition.ITERATIVE, Direction.ENCRYPT, WORDS)
    beats = (wide.bus_transactions or 0) / (reference.bus_transactions or 1)
    cycles = _over_iterative(view, wide)
    return Conclusion(
        "AXI4 of 256 bits greatly reduces the number of transfers",
        "section 6, item 2",
        cycles < 1 - SAME,
        f"{human.ratio(cycles)} the cycles of AXI4-Lite, {human.ratio(beats)} the processor's "
        "accesses",
        "The processor is 32 bits wide: it still makes an access for each word, however wide the "
        "bus behind it is. A wide bus pays for a master that is as wide, such as the DMA engine."
        if cycles >= 1 - SAME
        else "The bridge gathers the processor's words into one beat, so that it waits for the "
        "bus once a block; the accesses themselves remain, as the processor is 32 bits wide.",
        f"if cycles fall by more than {100 * SAME:g}%",
        evidence({"iterative, AXI4 of 256 bits over AXI4-Lite, cycles": cycles}),
    )


def _master_port(view: PartitionsView) -> Conclusion:
    dma = view.find(Partition.DMA)
    against = _over_iterative(view, dma)
    return Conclusion(
        "a master port on the core frees the software of moving data",
        "section 6, item 2",
        against < 1,
        f"dma needs {human.significant(dma.cycles_per_block or 0)} cycles a block, "
        f"{human.ratio(against)} those of iterative over AXI4-Lite",
        "The engine fetches and stores in bursts while the core computes; the processor writes "
        "descriptors and waits.",
        "if dma takes fewer cycles than iterative over AXI4-Lite",
        evidence({"dma over iterative, cycles": against}),
    )


def _pipelining(view: PartitionsView) -> Conclusion:
    flight = view.paper.pipelining.blocks_in_flight
    statement = f"with {flight} blocks in flight unrolled surpasses iterative"
    lite = view.find(Partition.UNROLLED, flight=flight)
    wide = view.find(Partition.UNROLLED, flight=flight, interface=BusInterface.AXI4_256)
    cycles, cycles_wide = _over_iterative(view, lite), _over_iterative(view, wide)
    figures = (
        f"{human.ratio(cycles)} the cycles of iterative over AXI4-Lite, "
        f"{human.ratio(cycles_wide)} over AXI4 of 256 bits"
    )
    reason = (
        "The processor cannot fill the pipeline: it brings a block in more cycles than the "
        "iterative core takes for one, so further blocks in flight find nothing to do."
    )
    tests = {"unrolled with blocks in flight over iterative, cycles": cycles}
    area = view.areas.get(PIPELINED)
    if area is None:
        holds = False if cycles >= 1 - SAME else None
        return Conclusion(
            statement,
            "section 6, item 3",
            holds,
            f"{figures}; {_NO_AREA}",
            reason,
            f"only if cycles fall by more than {100 * SAME:g}%; areas decide then",
            evidence(tests),
        )
    product = cycles * area.system_lut / view.lut(Partition.ITERATIVE).ours
    return Conclusion(
        statement,
        "section 6, item 3",
        product < 1,
        f"{figures}; cycles x LUTs {human.ratio(product)} those of iterative",
        reason if product >= 1 else "",
        "if its cycles x LUTs are fewer than those of iterative",
        evidence({**tests, "unrolled with blocks in flight, product over iterative": product}),
    )


def _key_storage(view: PartitionsView) -> Conclusion:
    savings = {}
    for name in (Partition.ITERATIVE, Partition.ROUND):
        off = view.find(name, key_caching=False, messages=KEY_MESSAGES)
        on = view.find(name, key_caching=True, messages=KEY_MESSAGES)
        savings[name] = [(one.cycles_total or 0) / blocks(off) for one in (off, on)]
    text = "; ".join(
        f"{name}: {human.significant(off)} cycles a block without, {human.significant(on)} with"
        for name, (off, on) in savings.items()
    )
    gains = {name: off / on for name, (off, on) in savings.items()}
    first = view.find(Partition.ITERATIVE, key_caching=False, messages=KEY_MESSAGES)
    length = blocks(first) // (first.messages or 1)
    return Conclusion(
        "not expanding or sending a key again saves time",
        "section 6, item 4",
        all(on < off for off, on in savings.values()),
        f"{text} (a key with every message of {length} blocks)",
        _key_reason(gains),
        "if caching the key saves cycles in both designs",
        evidence({f"{name}, cycles without caching over with": one for name, one in gains.items()}),
    )


def _key_reason(gains: dict[Partition, float]) -> str:
    """Why caching a key pays for some partitions and not for others."""
    won = [f"{name} ({human.ratio(gain)})" for name, gain in gains.items() if gain > 1]
    lost = [name for name, gain in gains.items() if gain <= 1]
    parts = []
    if won:
        parts.append(
            f"It pays for {human.listed(won)}, where an expansion in C or its words are saved."
        )
    if lost:
        parts.append(
            f"For {human.listed(lost)} the hardware expands the key: comparing 256 bits in "
            "constant time costs the processor no less than sending them."
        )
    return " ".join(parts)
