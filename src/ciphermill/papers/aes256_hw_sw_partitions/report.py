# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Compares the AES-256 paper with measured figures: cycles, area, metric, power."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ciphermill.design import Direction, Measurement, Partition
from ciphermill.papers.aes256_hw_sw_partitions.conclusions import CONCLUSIONS
from ciphermill.papers.aes256_hw_sw_partitions.experiment import (
    BLOCK_WORDS,
    KEY_WITH_EVERY_BLOCK,
    POWERED_BLOCKS,
    SHOWN_WORDS,
    WORDS,
)
from ciphermill.papers.aes256_hw_sw_partitions.published import TEXTS, PartitionsPaper
from ciphermill.papers.aes256_hw_sw_partitions.view import PIPELINED, Pair, PartitionsView, total
from ciphermill.papers.paper import Misprint, PaperPlot, PaperReport, as_printed, beside, ratio
from ciphermill.papers.systems import SystemPower
from ciphermill.report import format as human
from ciphermill.report.cosim_table import blocks, system_label
from ciphermill.report.fit import Fit
from ciphermill.report.section import Section, cells, whole
from ciphermill.report.system_energy import memory_note

_COUNT = WORDS // BLOCK_WORDS
"""Blocks at the length at which the paper compares."""


def partitions_report(paper: PartitionsPaper, stored: Sequence[Measurement]) -> PaperReport:
    """Return the comparison of measured figures with the paper's.

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
        tuple(CONCLUSIONS(view, TEXTS)),
        tuple(misprints(paper)),
        (*stored, *published(paper)),
        _key(view),
        lambda: _plots(view),
    )


def _pairs(view: PartitionsView) -> dict[str, dict[str, Pair]]:
    """The designs at the paper's length of comparison: cycles, and LUTs if measured."""
    figures: dict[str, Callable[[Partition], Pair]] = {"cycles": view.cycles}
    if view.areas:
        figures["LUTs"] = view.lut
    return {
        what: {printed.name: of(printed.name) for printed in view.paper.partition}
        for what, of in figures.items()
    }


def _key(view: PartitionsView) -> Section:
    pairs = _pairs(view)
    return Section(
        f"Key figures: encrypting {WORDS} words; LUTs of the whole system",
        ("design", *(f"{what}, {whose}" for what in pairs for whose in ("ours", "published"))),
        tuple(
            cells(one.name, *(value for of in pairs.values() for value in of[one.name]))
            for one in view.paper.partition
        ),
    )


def _plots(view: PartitionsView) -> Iterator[PaperPlot]:
    for what, of in _pairs(view).items():
        yield beside(
            f"Encrypting {WORDS} words: {what}",
            [(name, {"ours": one.ours, "published": one.theirs}) for name, one in of.items()],
            what,
        )


def _sides(view: PartitionsView) -> str:
    return f"ours: {view.soft_core}; theirs: {view.paper.paper.platform}"


def _like_with_like(view: PartitionsView) -> Section:
    """The designs whose program sends the key with every block, published and measured."""
    rows = []
    for name in KEY_WITH_EVERY_BLOCK:
        better, theirs = (cycles / _COUNT for cycles in view.cycles(name))
        ours = total(view.with_key(name)) / _COUNT
        rows += [
            cells(name, "the key with every block", ours, theirs, ratio(theirs, ours)),
            cells("", "better use: the key in place, one message", better, None, None),
        ]
    return TEXTS.table("like_with_like", rows, words=WORDS, sides=_sides(view))


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
    return TEXTS.table("cycles", rows, sides=_sides(view))


def _lines(view: PartitionsView) -> Section:
    rows, notes = [], []
    for printed in view.paper.partition:
        ours, theirs = view.fit(printed.name)
        over = ratio(theirs.slope, ours.slope)
        rows.append((printed.name.value, *_line(ours, 3), *_line(theirs, 4), over))
        notes.append(f"{printed.name}: {cause(view, printed.name)}")
    return TEXTS.table("lines", rows, *notes)


def _line(fit: Fit, digits: int) -> tuple[str, ...]:
    slope = human.significant(fit.slope, digits)
    return whole(fit.intercept), slope, f"{fit.worst_relative_error:.2%}"


def cause(view: PartitionsView, name: Partition) -> str:
    """The reason why a design's cycles differ."""
    if name is Partition.SOFTWARE:
        ours, theirs = (line.slope for line in view.fit(name))
        table = view.maybe(Partition.SOFTWARE, variant="table")
        each = (table.cycles_per_block or 0.0) if table else 0.0
        over = ratio(theirs, ours)
        return TEXTS.sentence("software_differs", theirs=theirs, over=over, table=each)
    moved = (view.base(name, Direction.ENCRYPT, WORDS).bus_transactions or 0) / _COUNT
    if name in KEY_WITH_EVERY_BLOCK:
        with_key = total(view.with_key(name)) / _COUNT
        return TEXTS.sentence("key_differs", transfers=moved, with_key=with_key)
    return TEXTS.sentence("rounds_differ", transfers=moved)


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
    return TEXTS.table("area", rows, base=base)


def _metric(view: PartitionsView) -> Section:
    ours = view.ranking(lambda name: view.metric(name).ours)
    theirs = view.ranking(lambda name: view.metric(name).theirs)
    rows = []
    for name in (printed.name for printed in view.paper.partition):
        mine, its = (f"{one:.3g}" for one in view.metric(name))
        rows.append(cells(name, mine, ours.index(name) + 1, its, theirs.index(name) + 1))
    return TEXTS.table("metric", rows, words=WORDS)


def published_nj_per_byte(paper: PartitionsPaper, name: Partition) -> float:
    """Return the energy per byte from the paper's power and cycles, in nanojoules."""
    printed = paper.of(name)
    cycles = printed.cycles_encrypt[printed.words.index(WORDS)]
    seconds = cycles / (paper.workload.clock_mhz * 1e6)
    return printed.power_w * seconds / (WORDS * paper.workload.word_bits / 8) * 1e9


def energy_sections(view: PartitionsView) -> Iterator[Section]:
    """Yield the table of power and energy, if it has rows."""
    powers, paper = view.powers, view.paper
    if not powers.systems:
        return
    base = powers.systems.get(Partition.SOFTWARE)
    rows = []
    for printed in paper.partition:
        *power, each = _power(powers.systems.get(printed.name), base)
        over = ratio(printed.power_w, paper.of(Partition.SOFTWARE).power_w)
        theirs = published_nj_per_byte(paper, printed.name)
        rows.append(cells(printed.name, *power, f"{printed.power_w:.3f}", over, each, theirs))
    yield TEXTS.table(
        "power",
        rows,
        *(f"{name.value} was not taken: {why}." for name, why in powers.missing.items()),
        clock_mhz=powers.some.clock_mhz,
        their_mhz=paper.workload.clock_mhz,
        words=WORDS,
        soft_core=powers.some.soft_core,
        library=powers.library,
        blocks=POWERED_BLOCKS,
        memory=memory_note(powers.some),
    )


def _power(system: SystemPower | None, base: SystemPower | None) -> tuple[str, ...]:
    """Return a design's gate equivalents, powers, power over software, and nJ a byte."""
    if system is None:
        return ("-",) * 6
    static, power = system.static_mw, system.power_mw
    over = ratio(power, base.power_mw if base else None)
    gates = round(system.whole.area_ge or 0)
    return cells(gates, static, power - static, power, over, system.nj_per_byte)


def _program(view: PartitionsView) -> Section:
    rows = []
    for printed in view.paper.partition:
        at = printed.words.index(SHOWN_WORDS)
        row, right = [printed.name.value], True
        for seen in (one for one in view.programs if one.partition == printed.name):
            ours = total(seen)
            row += [whole(ours), ratio(printed.cycles(Direction(seen.operation or ""))[at], ours)]
            right = right and seen.correct is True
        rows.append((*row, "right" if right else "wrong"))
    stages = view.paper.stages
    return TEXTS.table("program", rows, words=SHOWN_WORDS, key=stages.key[:8], source=stages.source)


def _further(view: PartitionsView) -> Section:
    reference = view.base(Partition.ITERATIVE, Direction.ENCRYPT, WORDS)
    shown = {
        id(view.base(printed.name, direction, words))
        for printed in view.paper.partition
        for direction in Direction
        for words in printed.words
    }
    shown |= {id(seen) for seen in view.keyed}
    rows = [("iterative over AXI4-Lite (above)", reference)]
    rows += [(system_label(one), one) for one in view.measurements if id(one) not in shown]
    return TEXTS.table(
        "further",
        (
            cells(
                label,
                f"{seen.messages} x {seen.bytes}",
                seen.cycles_per_block or 0.0,
                ratio(seen.cycles_per_block, reference.cycles_per_block),
                (seen.bus_transactions or 0) / blocks(seen),
            )
            for label, seen in rows
        ),
    )


def misprints(paper: PartitionsPaper) -> list[Misprint]:
    """The paper's misprints, computed from its own figures."""
    quotients = {
        one.name: one.cycles_encrypt[one.words.index(WORDS)] / one.lut_logic
        for one in paper.partition
    }
    best = min(quotients, key=lambda name: quotients[name])
    return [
        TEXTS.misprinted(
            "metric",
            place=paper.metric.source,
            printed=paper.metric.printed,
            used=paper.metric.used,
            best=best,
            least=quotients[best],
            iterative=quotients[Partition.ITERATIVE],
        )
    ]


def published(paper: PartitionsPaper) -> list[Measurement]:
    """Return the paper's cycles as measurements, with the area and power of each design."""
    found = []
    for one in paper.partition:
        place = f"partition.{one.name}"
        for direction in Direction:
            points = zip(one.words, one.cycles(direction), strict=True)
            for number, (words, cycles) in enumerate(points):
                places = (f"{place}.cycles_{direction}.{number}", f"{place}.lut_logic")
                row = as_printed(
                    paper.paper,
                    (*places, f"{place}.power_w", "workload.clock_mhz"),
                    algorithm=paper.workload.algorithm,
                    key_bits=paper.workload.key_bits,
                    operation=direction,
                    partition=one.name,
                    bytes=words * paper.workload.word_bits // 8,
                    messages=1,
                    cycles_total=cycles,
                    area_lut=one.lut_logic,
                    clock_mhz=paper.workload.clock_mhz,
                    power_mw=one.power_w * 1000,
                )
                found.append(row)
    return found
