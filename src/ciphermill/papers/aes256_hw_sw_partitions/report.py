# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES-256 paper beside ours: cycles, area, the metric, power, and its conclusions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ciphermill.design import Direction, Measurement, Method, Partition
from ciphermill.papers.aes256_hw_sw_partitions.conclusions import conclusions
from ciphermill.papers.aes256_hw_sw_partitions.energy import energy_sections
from ciphermill.papers.aes256_hw_sw_partitions.experiment import (
    BLOCK_WORDS,
    KEY_WITH_EVERY_BLOCK,
    SHOWN_WORDS,
    WORDS,
)
from ciphermill.papers.aes256_hw_sw_partitions.published import PartitionsPaper
from ciphermill.papers.aes256_hw_sw_partitions.view import PIPELINED, Pair, PartitionsView, total
from ciphermill.papers.paper import Misprint, PaperPlot, PaperReport, beside, cells, ratio, whole
from ciphermill.report import format as human
from ciphermill.report.cosim_table import blocks, system_label
from ciphermill.report.fit import Fit
from ciphermill.report.section import Section

_THEIRS = ("published", "theirs/ours")


def partitions_report(paper: PartitionsPaper, stored: Sequence[Measurement]) -> PaperReport:
    """Put our results beside the paper's figures.

    Raises:
        KeyError: They are not all measurements of the experiments.
    """
    view = PartitionsView(paper, stored)
    sections = [_like_with_like(view), _cycles(view), _lines(view)]
    if view.areas:
        sections += [_area(view), _metric(view)]
    sections += [*energy_sections(view), _program(view), _further(view)]
    return PaperReport(
        paper.paper,
        tuple(sections),
        tuple(conclusions(view)),
        tuple(misprints(paper)),
        (*stored, *published(paper)),
        *_key(view),
    )


def _key(view: PartitionsView) -> tuple[Section, tuple[PaperPlot, ...]]:
    """The designs at the length at which the paper compares: cycles, and LUTs where taken."""
    figures: dict[str, Callable[[Partition], Pair]] = {"cycles": view.cycles}
    if view.areas:
        figures["LUTs"] = view.lut
    pairs = {
        what: {printed.name: of(printed.name) for printed in view.paper.partition}
        for what, of in figures.items()
    }
    section = Section(
        f"Key figures: encrypting {WORDS} words; LUTs of the whole system",
        ("design", *(f"{what}, {whose}" for what in figures for whose in ("ours", "published"))),
        tuple(
            cells(one.name, *(value for of in pairs.values() for value in of[one.name]))
            for one in view.paper.partition
        ),
    )
    shown = tuple(
        beside(
            f"Encrypting {WORDS} words: {what}",
            [(name, {"ours": one.ours, "published": one.theirs}) for name, one in of.items()],
            what,
        )
        for what, of in pairs.items()
    )
    return section, shown


def _sides(view: PartitionsView) -> str:
    return f"ours: {view.soft_core}; theirs: {view.paper.paper.platform}"


def _like_with_like(view: PartitionsView) -> Section:
    """The designs whose program sends the key with every block, and ours doing the same."""
    rows = []
    count = WORDS // BLOCK_WORDS
    for name in KEY_WITH_EVERY_BLOCK:
        ours, theirs = total(view.with_key(name)) / count, view.cycles(name).theirs / count
        better = view.cycles(name).ours / count
        rows += [
            cells(name, "the key with every block", ours, theirs, ratio(theirs, ours)),
            cells("", "better use: the key in place, one message", better, None, None),
        ]
    return Section(
        f"Like with like: cycles a block, encrypting {WORDS} words ({_sides(view)})",
        ("design", "how it is used", "ours", "published", "theirs/ours"),
        tuple(rows),
        (
            "The paper's program sends the 256-bit key with every block (section 4.2, item 1). "
            "Ours does the same in the first row of a design: one block a message, no key "
            "caching. The second row is a better use of the same hardware, and no comparison "
            "with the paper.",
        ),
    )


def _cycles(view: PartitionsView) -> Section:
    rows = []
    for printed in view.paper.partition:
        for number, words in enumerate(printed.words):
            row = [printed.name.value if number == 0 else "", f"{words}"]
            for direction in Direction:
                ours = total(view.base(printed.name, direction, words))
                theirs = printed.cycles(direction)[number]
                row += [whole(ours), whole(theirs), ratio(theirs, ours)]
            rows.append(tuple(row))
    return Section(
        f"Cycles over the array's length ({_sides(view)})",
        ("design", "words", "encrypt", *_THEIRS, "decrypt", *_THEIRS),
        tuple(rows),
        (
            "Ours: simulated, AES-256 ECB over AXI4-Lite, the key in place; every output is the "
            "known answer. `software` is C byte by byte at -O2. Theirs sends the key with every "
            "block in unrolled and iterative: the table above compares these like with like.",
        ),
    )


def _lines(view: PartitionsView) -> Section:
    rows, notes = [], []
    for printed in view.paper.partition:
        ours, theirs = view.fit(printed.name)
        over = ratio(theirs.slope, ours.slope)
        rows.append((printed.name.value, *_line(ours, 3), *_line(theirs, 4), over))
        notes.append(f"{printed.name}: {cause(view, printed.name)}")
    return Section(
        "Straight line through the points: start + cycles a block (largest error)",
        ("design", *_LINE, f"published {_LINE[0]}", *_LINE[1:], "theirs/ours"),
        tuple(rows),
        tuple(notes),
    )


_LINE = ("start", "a block", "error")


def _line(fit: Fit, digits: int) -> tuple[str, ...]:
    slope = human.significant(fit.slope, digits)
    return whole(fit.intercept), slope, f"{100 * fit.worst_relative_error:.2f}%"


def cause(view: PartitionsView, name: Partition) -> str:
    """Why a design's cycles differ."""
    ours, theirs = view.fit(name)
    seen = view.base(name, Direction.ENCRYPT, WORDS)
    moved = (seen.bus_transactions or 0) / (WORDS / BLOCK_WORDS)
    waited = human.significant(moved)
    if name is Partition.SOFTWARE:
        table = view.maybe(Partition.SOFTWARE, variant="table")
        each = (table.cycles_per_block or 0.0) if table else 0.0
        return (
            f"{whole(theirs.slope)} cycles a block are {ratio(theirs.slope, ours.slope)} what "
            "plain C needs here; the report gives neither the source nor its flags. A table "
            f"build needs {whole(each)}."
        )
    if name in KEY_WITH_EVERY_BLOCK:
        with_key = total(view.with_key(name)) / (WORDS / BLOCK_WORDS)
        return (
            "theirs sends text, control and the key for every block by function calls through an "
            "AXI interconnect. Ours keeps the key, has a second block under way and needs "
            f"{waited} transfers a block; with the key sent as theirs does, it takes "
            f"{human.significant(with_key)} cycles a block."
        )
    return (
        f"both send a state and a round key and fetch a state in each of 14 rounds: {waited} "
        "transfers a block here; the rest is what one transfer and the C around it cost."
    )


def _area(view: PartitionsView) -> Section:
    base = view.paper.of(Partition.SOFTWARE).lut_logic
    designs: list[tuple[str, Partition | str, int | None]] = [
        (one.name, one.name, one.lut_logic) for one in view.paper.partition
    ]
    if PIPELINED in view.areas:
        flight = view.paper.pipelining.blocks_in_flight
        designs.append((f"unrolled, {flight} in flight", PIPELINED, None))
    rows = []
    for label, name, printed in designs:
        area = view.areas[name]
        alone = [part.lut if part else None for part in (area.core, area.coprocessor)]
        ours, theirs = area.wrapped_lut or None, printed - base or None if printed else None
        rows.append(
            cells(label, *alone, ours, theirs, ratio(ours, theirs), area.system_lut, printed)
        )
    return Section(
        "LUTs",
        (
            "design",
            "core alone",
            "registers too",
            "and AXI4-Lite",
            "published",
            "ours/theirs",
            "with soft core",
            "published system",
        ),
        tuple(rows),
        (
            "Ours: estimated, yosys for Xilinx 7-series, parts synthesised by themselves, 256-bit "
            "keys only where a core can be built for one size, both directions. Published: LUTs "
            f"as logic after Vivado, the software's {base:,} (soft core, interconnect, timer, "
            "UART) subtracted. Ours counts the soft core alone beside the coprocessor.",
        ),
    )


def _metric(view: PartitionsView) -> Section:
    ours = view.ranking(lambda name: view.metric(name).ours)
    theirs = view.ranking(lambda name: view.metric(name).theirs)
    rows = []
    for name in (printed.name for printed in view.paper.partition):
        mine, its = (f"{one:.3g}" for one in view.metric(name))
        rows.append(cells(name, mine, ours.index(name) + 1, its, theirs.index(name) + 1))
    return Section(
        f"Cycles x LUTs at {WORDS} words, encrypt (fewer is better)",
        ("design", "ours", "rank", "published", "rank"),
        tuple(rows),
        ("LUTs of the whole system on both sides.",),
    )


def _program(view: PartitionsView) -> Section:
    rows = []
    for printed in view.paper.partition:
        at = printed.words.index(SHOWN_WORDS)
        row, right = [printed.name.value], True
        for seen in (one for one in view.programs if one.partition == printed.name):
            ours = total(seen)
            row += [whole(ours), ratio(printed.cycles(Direction(seen.direction or ""))[at], ours)]
            right = right and seen.correct is True
        rows.append((*row, "right" if right else "wrong"))
    return Section(
        f"Its program, encrypt, show and decrypt {SHOWN_WORDS} words: cycles with the key's set-up",
        ("design", "encrypt", "theirs/ours", "decrypt", "theirs/ours", "shown on the console"),
        tuple(rows),
        (
            "Before the array the program goes through the four stages of the paper's simulations "
            f"(key {view.paper.stages.key[:8]}..., {view.paper.stages.source}) and sees that each "
            "text comes back; --trace writes them as a waveform, --console what it showed.",
        ),
    )


def _further(view: PartitionsView) -> Section:
    reference = view.base(Partition.ITERATIVE, Direction.ENCRYPT, WORDS)
    shown = {
        id(view.base(printed.name, direction, words))
        for printed in view.paper.partition
        for direction in Direction
        for words in printed.words
    } | {id(view.with_key(name)) for name in KEY_WITH_EVERY_BLOCK}
    rows = [("iterative over AXI4-Lite (above)", reference)]
    rows += [(system_label(one), one) for one in view.measurements if id(one) not in shown]
    return Section(
        "What it proposes as further work",
        ("system", "messages", "cycles/block", "over iterative", "transfers/block"),
        tuple(
            cells(
                label,
                f"{seen.messages} x {seen.bytes}",
                seen.cycles_per_block or 0.0,
                ratio(seen.cycles_per_block, reference.cycles_per_block),
                (seen.bus_transactions or 0) / blocks(seen),
            )
            for label, seen in rows
        ),
        ("Rows with a key in their name get the key with every message, within the time.",),
    )


def misprints(paper: PartitionsPaper) -> list[Misprint]:
    """The paper's misprints, computed from its own figures."""

    def quotient(name: Partition) -> float:
        printed = paper.of(name)
        return printed.cycles_encrypt[printed.words.index(WORDS)] / printed.lut_logic

    best = min((one.name for one in paper.partition), key=quotient)
    return [
        Misprint(
            paper.metric.source,
            f"the metric {paper.metric.printed}, to be minimised",
            f"that quotient would be least for the {best} design, {quotient(best):.2f} cycles a "
            f"LUT against {quotient(Partition.ITERATIVE):.2f} of iterative: it rewards area",
            f"it must be the product, {paper.metric.used}, as its figures have it",
        )
    ]


def published(paper: PartitionsPaper) -> list[Measurement]:
    """Return the paper's cycles as measurements, with the area and power of each design."""
    bytes_per_word = paper.workload.word_bits // 8
    found = []
    for printed in paper.partition:
        place = f"{paper.paper.name}#partition.{printed.name}"
        for direction in Direction:
            points = zip(printed.words, printed.cycles(direction), strict=True)
            for number, (words, cycles) in enumerate(points):
                names = (
                    f"{place}.cycles_{direction}.{number}",
                    f"{place}.lut_logic",
                    f"{place}.power_w",
                    f"{paper.paper.name}#workload.clock_mhz",
                )
                found.append(
                    Measurement(
                        algorithm=paper.workload.algorithm,
                        key_bits=paper.workload.key_bits,
                        mode="ecb",
                        direction=direction,
                        partition=printed.name,
                        platform=paper.paper.platform,
                        bytes=words * bytes_per_word,
                        messages=1,
                        cycles_total=cycles,
                        area_lut=printed.lut_logic,
                        clock_mhz=paper.workload.clock_mhz,
                        power_mw=printed.power_w * 1000,
                        method=Method.PUBLISHED,
                        inputs=tuple(f"published:{name}" for name in names),
                    )
                )
    return found
