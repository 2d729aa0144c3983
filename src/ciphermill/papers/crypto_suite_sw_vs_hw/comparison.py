# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The crypto-suite paper's tables beside ours, figure by figure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ciphermill.design import Measurement, Method
from ciphermill.evaluate.speed.operations import OPENSSL, OPERATIONS
from ciphermill.papers.compared import Better, Comparison, Figure, Ours, PrintedTable
from ciphermill.papers.compared import of_measurement as of
from ciphermill.papers.crypto_suite_sw_vs_hw.formula import merit
from ciphermill.papers.crypto_suite_sw_vs_hw.published import (
    CryptoSuitePaper,
    Hardware,
    Software,
    load,
)
from ciphermill.papers.crypto_suite_sw_vs_hw.report import TABLES
from ciphermill.papers.crypto_suite_sw_vs_hw.view import (
    Built,
    SuiteView,
    printed_energy_mj,
    printed_rate,
)
from ciphermill.report.speed_table import dynamic_mw

Shown = Figure[SuiteView]
_CELLS = "the library Nangate45"
_BUILT = "hardware of ours for the algorithm"


def tables(paper: CryptoSuitePaper) -> Sequence[PrintedTable[SuiteView]]:
    """Return the paper's tables."""
    return (
        *(_software_table(paper, name, table) for name, table in TABLES.items()),
        PrintedTable(
            "Table IV: hardware",
            tuple(figure for one in paper.hardware for figure in _hardware(one)),
            "Theirs: 45 nm standard cells at 300 MHz behind DMA, by its equation. Ours: rates are "
            "co-simulated with driver and DMA at the same clock, or at the highest of the core in "
            "cells if that is lower, in a long message; power and energy are of the core alone in "
            "Nangate45, gate by gate.",
        ),
        PrintedTable(
            "Table V: figure of merit, rate over energy",
            (
                *(_merit(one) for one in paper.hardware),
                *(_software_merit(one) for one in paper.software),
            ),
        ),
        PrintedTable("Section IV: other clocks", (_scaled(),)),
    )


def _software_table(paper: CryptoSuitePaper, name: str, table: str) -> PrintedTable[SuiteView]:
    own = (one for one in paper.software if one.algorithm == name)
    return PrintedTable(
        f"Table {table}: {OPERATIONS[name].title} in software",
        tuple(figure for one in own for figure in _software(one)),
        "Theirs: OpenSSL on Cortex-A53 at 1.4 GHz. Ours: OpenSSL on the processor of the machine "
        "that measured, on as many threads.",
    )


def _software(printed: Software) -> Iterator[Shown]:
    place = _place(printed)
    label = f"{printed.cores} core{'s' if printed.cores > 1 else ''}"
    rate = "operations_s" if printed.operations_s else "throughput_mbit_s"
    energy = "energy_mj_per_operation" if printed.operations_s else "energy_mj_per_mbit"
    per = "mJ/operation" if printed.operations_s else "mJ/Mbit"

    def figure(
        field: str, what: str, unit: str, value: Callable[[Measurement], float | None]
    ) -> Shown:
        better = Better.MORE if field == rate else Better.LESS

        def ours(view: SuiteView) -> Ours | None:
            seen = view.software(printed.algorithm, OPENSSL, printed.cores)
            return of(seen, _of(value, seen), "OpenSSL on this machine")

        return Figure(f"{place}.{field}", f"{label}, {what}", unit, better, ours)

    yield figure(rate, "rate", printed.unit, printed_rate)
    yield figure("power_mw", "power", "mW", dynamic_mw)
    yield figure(energy, "energy", per, printed_energy_mj)


def _hardware(printed: Hardware) -> Iterator[Shown]:
    title, unit = OPERATIONS[printed.algorithm].title, printed.unit
    rate = "operations_s" if printed.operations_s else "throughput_mbit_s"
    energy = "energy_mj_per_operation" if printed.operations_s else "energy_mj_per_mbit"
    per = "mJ/operation" if printed.operations_s else "mJ/Mbit"
    less, more = Better.LESS, Better.MORE

    def figure(
        field: str,
        what: str,
        unit: str,
        better: Better,
        ours: Callable[[Built], Ours | None],
        needs: str,
    ) -> Shown:
        return Figure(
            f"hardware.{printed.algorithm}.{field}",
            f"{title}, {what}",
            unit,
            better,
            lambda view: ours(_built(view, printed)),
            needs,
        )

    yield figure(rate, "rate", unit, more, _rate, _BUILT)
    yield figure("added_latency_ns", "time beside the core", "ns", less, _added, _BUILT)
    yield figure("power_mw", "power", "mW", less, _power, _CELLS)
    yield figure(energy, "energy", per, less, lambda built: _energy(built, built.energy_mj), _CELLS)
    yield figure("max_clock_mhz", "highest clock", "MHz", more, _highest, _CELLS)


def _built(view: SuiteView, printed: Hardware) -> Built:
    return next(one for one in view.hardware if one.printed.algorithm == printed.algorithm)


def _clocked(built: Built) -> tuple[float | None, str]:
    """Return the rate behind DMA, and the clock in words.

    It is at the paper's clock, or at the highest one that the core has in cells, if that is lower.
    """
    if built.longest is None:
        return None, ""
    formula = built.at_clock(built.longest)
    if built.energy is None or built.energy.clock_mhz is None:
        return formula.rate, f"at {formula.clock_mhz:g} MHz, not confirmed in cells"
    clock_mhz = min(formula.clock_mhz, built.energy.clock_mhz)
    return formula.at(clock_mhz).rate, f"at {clock_mhz:.4g} MHz, met in cells"


def _rate(built: Built) -> Ours | None:
    seen = built.longest
    rate, clock = _clocked(built)
    return of(seen, rate, f"behind DMA with {seen.soft_core}, {clock}" if seen else "")


def _added(built: Built) -> Ours | None:
    seen = built.longest
    value = built.at_clock(seen).added_ns if seen else None
    return of(seen, value, "cycles beside those of the core, of a block of a long message")


def _power(built: Built) -> Ours | None:
    return _energy(built, built.energy.power_mw if built.energy else None)


def _energy(built: Built, value: float | None) -> Ours | None:
    seen = built.energy
    return of(seen, value, f"{seen.design} in {seen.target}" if seen else "")


def _highest(built: Built) -> Ours | None:
    seen = built.fastest
    return of(
        seen, seen.clock_mhz if seen else None, f"{seen.design} in {seen.target}" if seen else ""
    )


def _merit(printed: Hardware) -> Shown:
    return Figure(
        f"hardware.{printed.algorithm}.merit",
        f"{OPERATIONS[printed.algorithm].title} in hardware",
        f"{printed.unit} a mJ",
        Better.MORE,
        lambda view: _merit_of(_built(view, printed)),
        _CELLS,
    )


def _merit_of(built: Built) -> Ours | None:
    rate, _ = _clocked(built)
    value = merit(rate, built.energy_mj) if rate and built.energy_mj else None
    return _energy(built, value)


def _software_merit(printed: Software) -> Shown:
    def ours(view: SuiteView) -> Ours | None:
        seen = view.software(printed.algorithm, OPENSSL, printed.cores)
        energy = _of(printed_energy_mj, seen)
        value = merit(printed_rate(seen), energy) if seen and energy else None
        return of(seen, value, "OpenSSL on this machine")

    title = OPERATIONS[printed.algorithm].title
    what = f"{title} in software, {printed.cores} core{'s' if printed.cores > 1 else ''}"
    return Figure(f"{_place(printed)}.merit", what, f"{printed.unit} a mJ", Better.MORE, ours)


def _scaled() -> Shown:
    """AES at its highest clock."""

    def ours(view: SuiteView) -> Ours | None:
        built = _built(view, view.paper.of("aes-256-ecb"))
        seen, run = built.fastest, built.longest
        if seen is None or run is None or not seen.clock_mhz:
            return None
        value = built.at_clock(run).at(seen.clock_mhz).core_rate / 1000
        return Ours(value, Method.MODELLED, f"cycles of {seen.design} at its highest clock")

    what = "AES-256-ECB at its highest clock"
    return Figure("scaling.aes_gbit_s", what, "Gbit/s", Better.MORE, ours, _CELLS)


def _of(function: Callable[[Measurement], float | None], seen: Measurement | None) -> float | None:
    return None if seen is None else function(seen)


def _place(printed: Software) -> str:
    return f"software.{printed.algorithm}.{printed.cores}"


COMPARISON = Comparison(lambda: tables(load()), lambda stored: SuiteView(load(), stored))
