# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Compares the crypto-suite paper with measured figures: its tables I to V, and its formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ciphermill.design import Measurement
from ciphermill.evaluate.speed.operations import OPENSSL, OPERATIONS
from ciphermill.papers.crypto_suite_sw_vs_hw.conclusions import CONCLUSIONS
from ciphermill.papers.crypto_suite_sw_vs_hw.experiment import BYTES, CPU
from ciphermill.papers.crypto_suite_sw_vs_hw.formula import (
    CARRIED_BITS,
    Formula,
    added_latency_ns,
    derived_cycles,
    merit,
    printed_formula,
)
from ciphermill.papers.crypto_suite_sw_vs_hw.published import (
    TEXTS,
    CryptoSuitePaper,
    Hardware,
    Software,
)
from ciphermill.papers.crypto_suite_sw_vs_hw.view import (
    MOST_THREADS,
    Built,
    SuiteView,
    printed_energy_mj,
    printed_rate,
)
from ciphermill.papers.paper import Misprint, PaperPlot, PaperReport, as_printed, beside
from ciphermill.report import format as human
from ciphermill.report.dot_plot import Row
from ciphermill.report.section import Section, cells
from ciphermill.report.speed_page import power_svg, threads_label
from ciphermill.report.speed_table import dynamic_mw, mean_s

TABLES = {"aes-256-ecb": "I", "sha-256": "II", "ecdsa-p521-sign": "III"}
"""The paper's tables of software."""


def suite_report(paper: CryptoSuitePaper, stored: Sequence[Measurement]) -> PaperReport:
    """Return the comparison of measured figures with the paper's."""
    view = SuiteView(paper, stored)
    hardware = _hardware(view)
    return PaperReport(
        paper.paper,
        (
            *_software(view),
            hardware,
            _merits(view),
            _formula(view),
            *_simulated(view),
            _scaling(view),
            _latency(view),
        ),
        tuple(CONCLUSIONS(view, TEXTS)),
        tuple(misprints(paper)),
        (*stored, *published(paper)),
        hardware,
        lambda: (*_rates(view), *_powers(view)),
    )


def _software(view: SuiteView) -> Iterator[Section]:
    """Tables I to III."""
    for algorithm, table in TABLES.items():
        theirs = [one for one in view.paper.software if one.algorithm == algorithm]
        rows = []
        for printed in theirs:
            openssl = view.software(algorithm, OPENSSL, printed.cores)
            cpu = view.software(algorithm, CPU, printed.cores)
            rows.append(
                (
                    *cells(printed.cores, float(printed.processed), printed.rate),
                    *cells(printed.power_mw, printed.energy_mj),
                    *_measured(openssl),
                    *cells(printed_rate(cpu) if cpu else None),
                )
            )
        quantity = "op" if OPERATIONS[algorithm].message_bytes else "Mbit"
        yield TEXTS.table(
            "software",
            rows,
            *view.notes,
            table=table,
            title=OPERATIONS[algorithm].title,
            quantity=quantity,
            unit=theirs[0].unit,
            energy=f"mJ/{quantity}",
            length=BYTES,
        )


def _measured(seen: Measurement | None) -> tuple[str, ...]:
    """Amount, rate, added power and energy in the paper's units."""
    if seen is None:
        return cells(None, None, None, None)
    total = printed_rate(seen) * (seen.time_total_s or 0.0)
    return cells(total, printed_rate(seen), dynamic_mw(seen), printed_energy_mj(seen))


def _hardware(view: SuiteView) -> Section:
    """Table IV."""
    rows = []
    for built in view.hardware:
        printed, energy = built.printed, built.energy
        rows.append(
            (
                *cells(f"{built.operation.title}, {printed.unit}", printed.rate, built.rate),
                *cells(printed.power_mw, energy.power_mw if energy else None),
                *(_small(printed.energy_mj), _small(built.energy_mj)),
                built.state,
            )
        )
    return TEXTS.table("hardware", rows, clock=view.paper.clock)


def _small(value: float | None) -> str:
    return "-" if value is None else human.significant(value)


def _merits(view: SuiteView) -> Section:
    """Table V."""
    rows = []
    for built in view.hardware:
        printed, name = built.printed, built.printed.algorithm
        software = [one for one in view.paper.software if one.algorithm == name]
        rows.append(
            (
                built.operation.title,
                *(f"{one.merit:,.2f}" for one in software),
                f"{printed.merit:,.2f}",
                human.count(merit(printed.rate, printed.energy_mj)),
                *(_merit_of(view.software(name, OPENSSL, one.cores)) for one in software),
                "-" if built.merit is None else human.count(built.merit),
            )
        )
    aes = view.hardware[0]
    core_rate = aes.theirs.core_rate
    return TEXTS.table(
        "merit",
        rows,
        aes=aes.printed,
        rate=core_rate,
        cycles=aes.theirs.cycles,
        merit=merit(core_rate, aes.printed.energy_mj),
    )


def _merit_of(seen: Measurement | None) -> str:
    energy = printed_energy_mj(seen) if seen else None
    return "-" if seen is None or energy is None else human.count(merit(printed_rate(seen), energy))


def _formula(view: SuiteView) -> Section:
    """Equation 1 with the paper's own figures."""
    paper = view.paper
    rows = []
    for built in view.hardware:
        printed, theirs = built.printed, built.theirs
        carried = CARRIED_BITS[printed.algorithm]
        slow = replace(theirs, clock_mhz=1000 / paper.clock.printed_period_ns)
        rows.append(
            cells(
                f"{built.operation.title}, {printed.unit}",
                int(theirs.quantum),
                f"{derived_cycles(paper, printed):,.2f}",
                f"{printed.added_latency_ns:.2f}",
                f"{added_latency_ns(paper.dma, *carried):.2f}",
                f"{printed.rate:,.2f}",
                f"{theirs.rate:,.2f}",
                f"{slow.rate:,.2f}",
            )
        )
    return TEXTS.table("formula", rows, clock=paper.clock, dma=paper.dma)


def _simulated(view: SuiteView) -> Iterator[Section]:
    """Equation 1 beside our co-simulation with DMA."""
    period_us = view.paper.clock.period_ns / 1e3
    for built in view.hardware:
        if not built.systems:
            continue
        rows = []
        for seen in built.systems:
            ours = built.at_clock(seen)
            mean = (seen.cycles_total or 0) / (seen.messages or 1)
            rows.append(
                cells(
                    human.count(seen.bytes or 0),
                    float(ours.total_cycles),
                    ours.rate,
                    built.theirs.rate,
                    built.on_our_bus(seen).rate,
                    human.ratio(built.on_our_bus(seen).rate / ours.rate),
                    ours.added_ns,
                    mean * period_us,
                    (seen.cycles_worst_message or 0) * period_us,
                )
            )
        yield TEXTS.table(
            "simulated",
            rows,
            title=built.operation.title,
            unit=built.printed.unit,
            soft_core=built.systems[0].soft_core,
            interface=built.systems[0].interface,
            clock=view.paper.clock,
            cycles=built.core_cycles or 0.0,
            added=built.printed.added_latency_ns,
        )


def _scaling(view: SuiteView) -> Section:
    """Rates at other clocks, cycle for cycle: a stated model."""
    factor = view.paper.scaling.nm_7_factor
    rows = []
    for built in view.hardware:
        printed = built.printed
        for source, formula, highest in _scaled(built):
            for what, clock_mhz in (
                ("compared", formula.clock_mhz),
                ("highest, 45 nm", highest),
                ("highest, 7 nm", highest * factor if highest else None),
            ):
                if clock_mhz is None:
                    continue
                at = formula.at(clock_mhz)
                rows.append(
                    cells(
                        f"{built.operation.title}, {printed.unit}",
                        source,
                        what,
                        clock_mhz,
                        at.core_rate,
                        at.rate,
                    )
                )
    return TEXTS.table("scaling", rows, factor=factor, scaling=view.paper.scaling)


def _scaled(built: Built) -> Iterator[tuple[str, Formula, float | None]]:
    """The formula of each side, and its highest clock in 45 nm."""
    yield "published", built.theirs, built.printed.max_clock_mhz
    if built.longest:
        highest = built.fastest.clock_mhz if built.fastest else None
        yield "ours", built.at_clock(built.longest), highest


def _latency(view: SuiteView) -> Section:
    """Times of one operation, the mean beside the worst."""
    rows = []
    for built in view.hardware:
        name = built.printed.algorithm
        for device in (OPENSSL, CPU):
            for one in view.paper.software:
                seen = view.software(name, device, one.cores)
                if one.algorithm == name and seen:
                    who = f"{device}, {threads_label(one.cores)}"
                    worst = seen.time_worst_message_s or 0.0
                    rows.append(_times(built, who, seen.bytes, mean_s(seen), worst, "measured"))
        fixed_s = (built.theirs.core_ns + built.theirs.added_ns) / 1e9
        block = None if built.operation.message_bytes else int(built.quantum) // 8
        rows.append(_times(built, "published hardware", block, fixed_s, fixed_s, "published"))
        if built.systems:
            seen, period_s = built.systems[0], view.paper.clock.period_ns / 1e9
            mean = (seen.cycles_total or 0) / (seen.messages or 1) * period_s
            worst = (seen.cycles_worst_message or 0) * period_s
            length = seen.bytes if block else None
            who = "our hardware, driver included"
            rows.append(_times(built, who, length, mean, worst, "simulated"))
    return TEXTS.table("latency", rows, clock=view.paper.clock)


def _times(
    built: Built, who: str, length: int | None, mean: float, worst: float, how: str
) -> tuple[str, ...]:
    return (
        built.operation.title,
        who,
        "-" if length is None else human.count(length),
        human.duration(mean),
        human.duration(worst),
        human.ratio(worst / mean),
        how,
    )


def _rates(view: SuiteView) -> Iterator[PaperPlot]:
    """Rates of software and hardware, a plot for each unit."""
    rows: dict[str, list[Row]] = {}
    for built in view.hardware:
        name = built.printed.algorithm
        openssl = view.software(name, OPENSSL, MOST_THREADS)
        cpu = view.software(name, CPU, MOST_THREADS)
        values = {
            f"published software, {MOST_THREADS} cores": view.paper.on(name, MOST_THREADS).rate,
            "published hardware": built.printed.rate,
            f"openssl here, {threads_label(MOST_THREADS)}": openssl and printed_rate(openssl),
            f"cpu here, {threads_label(MOST_THREADS)}": cpu and printed_rate(cpu),
            "our hardware behind DMA": built.rate,
        }
        row = (built.operation.title, {who: one for who, one in values.items() if one})
        rows.setdefault(built.printed.unit, []).append(row)
    for unit, those in rows.items():
        title = f"Software and hardware, {unit}"
        yield beside(title, those, f"{unit}, logarithmic", TEXTS.sentence("rates"))


def _powers(view: SuiteView) -> Iterator[PaperPlot]:
    """Figures 1 to 3: power over time on each number of cores."""
    for built in view.hardware:
        name = built.printed.algorithm
        cores = [one.cores for one in view.paper.software if one.algorithm == name]
        curves = {
            threads_label(count): seen
            for count in cores
            if (seen := view.software(name, OPENSSL, count)) and seen.power_over_time
        }
        if curves:
            drawn = (power_svg(curves, f"power-{name}", narrow=narrow) for narrow in (False, True))
            yield PaperPlot(f"Power over time, {built.operation.title}", *drawn)


def misprints(paper: CryptoSuitePaper) -> Iterator[Misprint]:
    """The paper's misprints, computed from its own figures."""
    clock, scaling = paper.clock, paper.scaling
    aes, ecdsa = paper.of("aes-256-ecb"), paper.of("ecdsa-p521-sign")
    formula = printed_formula(paper, aes)
    slow = replace(formula, clock_mhz=1000 / clock.printed_period_ns)
    yield TEXTS.misprinted("clock", clock=clock, aes=aes, slow=slow.rate)
    whole = aes.power_mw / aes.rate
    yield TEXTS.misprinted(
        "energy", aes=aes, core=formula.core_rate, whole=whole, factor=whole / aes.energy_mj
    )
    computed = merit(ecdsa.rate, ecdsa.energy_mj)
    yield TEXTS.misprinted("merit", ecdsa=ecdsa, computed=computed, factor=ecdsa.merit / computed)
    sha = paper.on("sha-256", 1)
    yield TEXTS.misprinted("software", sha=sha, rate=sha.processed / sha.time_s)
    four = paper.on("sha-256", MOST_THREADS)
    energy = four.power_mw / four.rate
    yield TEXTS.misprinted("energy_of_sha", sha=four, energy=energy, merit=merit(four.rate, energy))
    fastest = formula.at(aes.max_clock_mhz)
    yield TEXTS.misprinted("scaling", scaling=scaling, aes=aes, fastest=fastest)


def published(paper: CryptoSuitePaper) -> tuple[Measurement, ...]:
    """Return the printed rates and powers as measurements."""
    return (
        *(_published(paper, one, f"hardware.{one.algorithm}", None) for one in paper.hardware),
        *(
            _published(paper, one, f"software.{one.algorithm}.{one.cores}", one.cores)
            for one in paper.software
        ),
    )


def _published(
    paper: CryptoSuitePaper, one: Hardware | Software, place: str, threads: int | None
) -> Measurement:
    operation = OPERATIONS[one.algorithm]
    rate = "operations_s" if one.operations_s else "throughput_mbit_s"
    return as_printed(
        paper.paper,
        (f"{place}.{rate}", f"{place}.power_mw"),
        algorithm=operation.algorithm,
        key_bits=operation.key_bits or None,
        mode=operation.mode,
        operation=operation.verb,
        workload=operation.name,
        threads=threads,
        throughput_mb_s=one.throughput_mbit_s and one.throughput_mbit_s / 8,
        power_mw=one.power_mw,
    )
