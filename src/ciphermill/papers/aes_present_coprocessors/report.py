# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES and PRESENT paper beside ours: cycles, overhead, area, energy, its conclusions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Measurement, Method, Partition
from ciphermill.papers.aes_present_coprocessors.conclusions import conclusions
from ciphermill.papers.aes_present_coprocessors.energy import energy_sections
from ciphermill.papers.aes_present_coprocessors.experiment import (
    BLOCKS,
    COMPARED,
    CORES,
    KEY_BITS,
)
from ciphermill.papers.aes_present_coprocessors.published import (
    Cipher,
    CoprocessorsPaper,
    PublishedEnergy,
)
from ciphermill.papers.aes_present_coprocessors.view import (
    CoprocessorsView,
    their_overhead,
    total,
)
from ciphermill.papers.paper import Misprint, PaperPlot, PaperReport, beside, cells, ratio, whole
from ciphermill.report import format as human
from ciphermill.report.cosim_table import system_label
from ciphermill.report.section import Section


def coprocessors_report(paper: CoprocessorsPaper, stored: Sequence[Measurement]) -> PaperReport:
    """Put our results beside the paper's figures.

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
        tuple(conclusions(view)),
        tuple(misprints(paper)),
        (*stored, *published(paper)),
        Section(
            f"Key figures: {sections[0].title[0].lower()}{sections[0].title[1:]}",
            sections[0].columns[:5],
            tuple(row[:5] for row in sections[0].rows),
        ),
        tuple(_plots(view)),
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
        yield beside(
            f"{cipher.upper()}-{KEY_BITS[cipher]}: cycles of {view.count} encryptions",
            list(rows.items()),
            "cycles",
        )


def _cycles(view: CoprocessorsView) -> Section:
    rows = []
    for cipher in Cipher:
        software, shell = total(view.software(cipher)), total(view.shell(cipher))
        hardware = view.hardware(cipher)
        name = f"{cipher.upper()}-{KEY_BITS[cipher]}"
        rows.append(_speedups(name, f"ours, {view.soft_core}", software, hardware, shell))
        guessed = {one.partition: total(one) for one in view.estimates if one.algorithm == cipher}
        if len(guessed) == 2:
            counts = guessed[Partition.SOFTWARE], hardware, guessed[Partition.SHELL]
            rows.append(_speedups("", "ours, estimated on an SA-1110", *counts))
        rows += [
            _speedups("", one.platform, one.software, one.hardware, one.system)
            for one in view.paper.cycles
            if one.algorithm is cipher
        ]
    return Section(
        f"Cycles of {view.count} encryptions, each with its own key and text",
        (
            "algorithm",
            "on",
            "software",
            "hardware",
            "system",
            "speedup hardware",
            "speedup system",
            "system/hardware",
        ),
        tuple(rows),
        (
            "Ours: simulated. Software has tables and is built at -O2. Hardware is the cores "
            f"{human.listed(list(CORES.values()))} alone, "
            + " and ".join(
                f"{human.significant(view.each_alone(cipher))} cycles an encryption of "
                f"{cipher.upper()}"
                for cipher in Cipher
            )
            + f" over {BLOCKS} encryptions; these are the cores "
            "whose energy is given. The system goes through the paper's shell over AXI4-Lite. "
            "Every output is the known answer.",
            "Why they differ: theirs writes a command and waits for it with each word, over OPB at "
            "several cycles an access; our shell takes commands that chain the words of a text "
            f"({human.significant(_transfers(view, Cipher.AES))} accesses an encryption of AES, "
            f"{human.significant(_transfers(view, Cipher.PRESENT))} of PRESENT). Their PRESENT "
            "software is a direct one, without optimisation, as the paper says.",
        ),
    )


def _speedups(
    name: str, platform: str, software: float, hardware: float, system: float
) -> tuple[str, ...]:
    counts = (whole(software), whole(hardware), whole(system))
    gains = (ratio(software, hardware), ratio(software, system), ratio(system, hardware))
    return (name, platform, *counts, *gains)


def _transfers(view: CoprocessorsView, cipher: Cipher) -> float:
    return (view.shell(cipher).bus_transactions or 0) / view.count


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
    return Section(
        "Ways to the hardware: cycles of an encryption",
        ("algorithm", "system", "cycles", "a byte", "over hardware alone", "accesses"),
        tuple(rows),
        (
            "Theirs through their shell, over hardware alone: "
            + ", ".join(
                f"{cipher.upper()} {human.ratio(their_overhead(view.paper, cipher))}"
                for cipher in Cipher
            )
            + ".",
        ),
    )


def _memory(view: CoprocessorsView) -> Section:
    profiles = {
        "no waits": None,
        "on-chip": view.paper.memory.on_chip,
        "off-chip": view.paper.memory.off_chip,
    }
    rows = []
    for cipher in Cipher:
        for partition, variant in COMPARED:
            found = [view.find(cipher, partition, variant, m) for m in profiles.values()]
            each = [whole(total(seen) / view.count) if seen else "-" for seen in found]
            slow, fast = found[-1], found[1]
            rows.append(
                (
                    f"{cipher.upper()}-{KEY_BITS[cipher]}",
                    f"{partition} {variant or ''}".strip(),
                    *each,
                    ratio(total(slow), total(fast)) if slow and fast else "-",
                )
            )
    on, off = view.paper.memory.on_chip, view.paper.memory.off_chip
    return Section(
        "Cycles of an encryption by the memory's cycles",
        ("algorithm", "system", *profiles, "off-chip/on-chip"),
        tuple(rows),
        (
            f"As the paper's board had them: on-chip {on.read} cycles a read and {on.write} a "
            f"write, off-chip {off.read} and {off.write}. VexRiscv has caches, a MicroBlaze on "
            "local memory has none.",
        ),
    )


def _area(view: CoprocessorsView) -> Section:
    rows = []
    for cipher in Cipher:
        area, theirs = view.areas[cipher], view.paper.slices(cipher)
        core = area.core.lut if area.core else 0
        sizes, slices = (core, area.wrapped_lut), (theirs.core_slices, theirs.coprocessor_slices)
        grown = [ratio(wrapped, alone) for alone, wrapped in (sizes, slices)]
        name = f"{cipher.upper()}-{KEY_BITS[cipher]}"
        rows.append(cells(name, *sizes, grown[0], *slices, grown[1], area.system_lut))
    return Section(
        "Area: ours in LUTs of Xilinx 7-series, theirs in slices of Spartan-3E",
        (
            "algorithm",
            "core",
            "with shell",
            "ratio",
            "published core",
            "with wrapper",
            "ratio",
            "our system",
        ),
        tuple(rows),
        (
            "A Spartan-3E slice has two 4-input LUTs, ours have 6 inputs: compare the ratios. Our "
            "shell counts with its AXI4-Lite front. The rest of their systems takes "
            f"{view.paper.system_area.slices} slices ({view.paper.system_area.source}).",
        ),
    )


def misprints(paper: CoprocessorsPaper) -> Iterator[Misprint]:
    """The paper's misprints, computed from its own figures."""
    for one in paper.energy:
        micro_s, milliwatt = one.time_us, one.power_mw
        yield Misprint(
            f"{one.source}, {one.algorithm.upper()}",
            f"{one.time_ms} ms, {one.energy_mj} mJ, {one.energy_uj_per_byte} uJ/byte",
            f"{one.encryptions} encryptions of {one.cycles_per_encryption:g} cycles at "
            f"{one.clock_mhz:g} MHz take {micro_s:.4g} us, and with "
            f"{milliwatt:.4g} mW {milliwatt * micro_s / 1000:.3g} uJ, "
            f"{one.nj_per_byte:.4g} nJ/byte",
            f"every unit is printed {_factor(one):,.0f} times too large",
        )
    band = paper.bandwidth
    gbit_s = band.bits * band.clock_mhz / band.cycles / 1000
    yield Misprint(
        band.source,
        f"{band.printed}, for {band.printed_gbit_s} Gbit/s",
        f"{band.bits} bits every {band.cycles} cycles at {band.clock_mhz:g} MHz are "
        f"{gbit_s:.2f} Gbit/s",
        "it must be 11 cycles for an encryption of ten rounds, not for each round",
    )


def _factor(one: PublishedEnergy) -> float:
    """Return by how much the printed time is too long, to the nearest power of ten."""
    return float(10 ** round(math.log10(1000 * one.time_ms / one.time_us)))


def published(paper: CoprocessorsPaper) -> list[Measurement]:
    """Return the paper's cycles as measurements."""
    found = []
    for one in paper.cycles:
        place = f"{paper.paper.name}#cycles.{one.algorithm}.{one.platform}"
        for partition, field, cycles in (
            ("software", "software", one.software),
            ("shell", "system", one.system),
        ):
            found.append(
                Measurement(
                    algorithm=one.algorithm,
                    key_bits=one.key_bits,
                    mode="ecb",
                    direction="encrypt",
                    partition=partition,
                    platform=one.platform,
                    fresh_key=True,
                    bytes=ALGORITHMS[one.algorithm].block_bytes,
                    messages=paper.workload.encryptions,
                    cycles_total=cycles,
                    method=Method.PUBLISHED,
                    inputs=(f"published:{place}.{field}",),
                )
            )
    return found
