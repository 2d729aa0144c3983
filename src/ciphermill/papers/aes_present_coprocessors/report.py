# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Compares the AES and PRESENT paper with measured figures: cycles, overhead, area, energy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Measurement, Partition
from ciphermill.papers.aes_present_coprocessors.conclusions import CONCLUSIONS
from ciphermill.papers.aes_present_coprocessors.energy import energy_sections, name_of
from ciphermill.papers.aes_present_coprocessors.experiment import (
    BLOCKS,
    COMPARED,
    CORES,
)
from ciphermill.papers.aes_present_coprocessors.published import (
    TEXTS,
    Cipher,
    CoprocessorsPaper,
)
from ciphermill.papers.aes_present_coprocessors.view import (
    CoprocessorsView,
    their_overhead,
    total,
)
from ciphermill.papers.paper import Misprint, PaperPlot, PaperReport, as_printed, beside, ratio
from ciphermill.papers.texts import each
from ciphermill.report import format as human
from ciphermill.report.cosim_table import system_label
from ciphermill.report.section import Section, cells, whole


def coprocessors_report(paper: CoprocessorsPaper, stored: Sequence[Measurement]) -> PaperReport:
    """Return the comparison of measured figures with the paper's.

    Raises:
        KeyError: They are not all measurements of the experiments.
    """
    view = CoprocessorsView(paper, stored)
    sections = [_cycles(view), _ways(view), _memory(view)]
    if view.areas:
        sections.append(_area(view))
    sections += energy_sections(view)
    return PaperReport(
        paper.paper,
        tuple(sections),
        tuple(CONCLUSIONS(view, TEXTS)),
        tuple(misprints(paper)),
        (*stored, *published(paper)),
        Section(
            f"Key figures: {sections[0].title[0].lower()}{sections[0].title[1:]}",
            sections[0].columns[:5],
            tuple(row[:5] for row in sections[0].rows),
        ),
        lambda: _plots(view),
    )


def _plots(view: CoprocessorsView) -> Iterator[PaperPlot]:
    for cipher in Cipher:
        ours = f"ours, {view.soft_core}"
        rows: dict[str, dict[str, float]] = {
            "software": {ours: total(view.software(cipher))},
            "hardware alone": {ours: view.hardware(cipher)},
            "system": {ours: total(view.shell(cipher))},
        }
        for one in view.paper.cycles:
            if one.algorithm is cipher:
                theirs = f"published, {one.platform}"
                for name, value in zip(rows, (one.software, one.hardware, one.system), strict=True):
                    rows[name][theirs] = value
        title = f"{name_of(cipher)}: cycles of {view.count} encryptions"
        yield beside(title, list(rows.items()), "cycles")


def _cycles(view: CoprocessorsView) -> Section:
    rows = []
    for cipher in Cipher:
        software, shell = total(view.software(cipher)), total(view.shell(cipher))
        hardware = view.hardware(cipher)
        ours = f"ours, {view.soft_core}"
        rows.append(_speedups(name_of(cipher), ours, software, hardware, shell))
        guessed = {one.partition: total(one) for one in view.estimates if one.algorithm == cipher}
        if len(guessed) == 2:
            counts = guessed[Partition.SOFTWARE], hardware, guessed[Partition.SHELL]
            rows.append(_speedups("", "ours, estimated on an SA-1110", *counts))
        rows += [
            _speedups("", one.platform, one.software, one.hardware, one.system)
            for one in view.paper.cycles
            if one.algorithm is cipher
        ]
    accesses = {c: (view.shell(c).bus_transactions or 0) / view.count for c in Cipher}
    alone = [(view.each_alone(cipher), cipher.upper()) for cipher in Cipher]
    return TEXTS.table(
        "cycles",
        rows,
        count=view.count,
        cores=human.listed(list(CORES.values())),
        alone=each("{0} cycles an encryption of {1}", alone, " and "),
        blocks=BLOCKS,
        aes_accesses=accesses[Cipher.AES],
        present_accesses=accesses[Cipher.PRESENT],
    )


def _speedups(
    name: str, platform: str, software: float, hardware: float, system: float
) -> tuple[str, ...]:
    counts = (whole(software), whole(hardware), whole(system))
    gains = (ratio(software, hardware), ratio(software, system), ratio(system, hardware))
    return (name, platform, *counts, *gains)


def _ways(view: CoprocessorsView) -> Section:
    rows = []
    for seen in view.measurements:
        if seen.memory_read_wait:
            continue
        cipher = Cipher(seen.algorithm or "")
        each = total(seen) / view.count
        rows.append(
            cells(
                f"{cipher.upper()}-{seen.key_bits}",
                system_label(seen),
                each,
                each / ALGORITHMS[cipher].block_bytes,
                human.ratio(view.overhead(seen)),
                (seen.bus_transactions or 0) / view.count,
            )
        )
    theirs = (
        f"{cipher.upper()} {human.ratio(their_overhead(view.paper, cipher))}" for cipher in Cipher
    )
    return TEXTS.table("ways", rows, theirs=", ".join(theirs))


def _memory(view: CoprocessorsView) -> Section:
    on, off = view.paper.memory.on_chip, view.paper.memory.off_chip
    rows = []
    for cipher in Cipher:
        for partition, variant in COMPARED:
            found = [view.find(cipher, partition, variant, m) for m in (None, on, off)]
            counts = [whole(total(seen) / view.count) if seen else "-" for seen in found]
            _, fast, slow = found
            over = ratio(total(slow), total(fast)) if slow and fast else "-"
            rows.append((name_of(cipher), f"{partition} {variant or ''}".strip(), *counts, over))
    return TEXTS.table("memory", rows, on=on, off=off)


def _area(view: CoprocessorsView) -> Section:
    rows = []
    for cipher in Cipher:
        area, theirs = view.areas[cipher], view.paper.slices(cipher)
        core = area.core.lut if area.core else 0
        sizes, slices = (core, area.wrapped_lut), (theirs.core_slices, theirs.coprocessor_slices)
        grown = [ratio(wrapped, alone) for alone, wrapped in (sizes, slices)]
        rows.append(cells(name_of(cipher), *sizes, grown[0], *slices, grown[1], area.system_lut))
    rest = view.paper.system_area
    return TEXTS.table("area", rows, rest=rest.slices, source=rest.source)


def misprints(paper: CoprocessorsPaper) -> Iterator[Misprint]:
    """The paper's misprints, computed from its own figures."""
    for one in paper.energy:
        yield TEXTS.misprinted(
            "energy_units",
            energy=one,
            cipher=one.algorithm.upper(),
            micro_j=one.power_mw * one.time_us / 1000,
            # The factor by which the printed time is too long, to the nearest power of ten.
            factor=10 ** round(math.log10(1000 * one.time_ms / one.time_us)),
        )
    band = paper.bandwidth
    gbit_s = band.bits * band.clock_mhz / band.cycles / 1000
    yield TEXTS.misprinted("bandwidth", band=band, gbit_s=gbit_s)


def published(paper: CoprocessorsPaper) -> list[Measurement]:
    """Return the paper's cycles as measurements."""
    return [
        as_printed(
            paper.paper,
            [f"cycles.{one.algorithm}.{one.platform}.{field}"],
            algorithm=one.algorithm,
            key_bits=one.key_bits,
            operation="encrypt",
            partition=partition,
            platform=one.platform,
            fresh_key=True,
            bytes=ALGORITHMS[one.algorithm].block_bytes,
            messages=paper.workload.encryptions,
            cycles_total=getattr(one, field),
        )
        for one in paper.cycles
        for partition, field in (("software", "software"), ("shell", "system"))
    ]
