# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The crypto-suite paper's conclusions, each checked with measured figures."""

from __future__ import annotations

from collections.abc import Iterator

from ciphermill.design import Measurement
from ciphermill.evaluate.speed.operations import OPENSSL
from ciphermill.papers.crypto_suite_sw_vs_hw.formula import merit
from ciphermill.papers.crypto_suite_sw_vs_hw.published import TEXTS, Software
from ciphermill.papers.crypto_suite_sw_vs_hw.view import (
    MOST_THREADS,
    Built,
    SuiteView,
    printed_energy_mj,
    printed_rate,
)
from ciphermill.papers.texts import Finding, Judges, each, found
from ciphermill.report.speed_page import threads_label
from ciphermill.report.speed_table import dynamic_mw

ECDSA = "ecdsa-p521-sign"


def _pairs(view: SuiteView) -> Iterator[tuple[Built, Measurement, Software]]:
    """Yield what is built here, with OpenSSL on the most threads, and the same as printed."""
    for built in view.hardware:
        name = built.printed.algorithm
        seen = view.software(name, OPENSSL, MOST_THREADS)
        if built.rate is not None and seen is not None:
            yield built, seen, view.paper.on(name, MOST_THREADS)


def _throughput(view: SuiteView, limit: float) -> Finding | str:
    ratios, printed = {}, {}
    for built, seen, theirs in _pairs(view):
        name = built.operation.title
        ratios[name] = (built.rate or 0.0) / printed_rate(seen)
        printed[name] = built.printed.rate / theirs.rate
    if not ratios:
        return TEXTS.sentence("none_simulated")
    evidence = {f"{name}, hardware over software": one for name, one in ratios.items()}
    return found(
        min(ratios.values()) >= limit,
        evidence,
        ours=each("{0} {1:x}", ratios),
        theirs=each("{0} {1:x}", printed),
    )


def _power(view: SuiteView, limit: float) -> Finding | str:
    if not view.powered:
        return TEXTS.sentence("no_power")
    ratios = {}
    for built, seen, _ in _pairs(view):
        added, power = dynamic_mw(seen), built.energy.power_mw if built.energy else None
        if added and power:
            ratios[built.operation.title] = added / power
    if not ratios:
        return TEXTS.sentence("none_in_cells")
    evidence = {f"{name}, software over hardware": one for name, one in ratios.items()}
    return found(min(ratios.values()) >= limit, evidence, ours=each("{0} {1:x}", ratios))


def _merit(view: SuiteView, limit: float) -> Finding | str:
    if not view.powered:
        return TEXTS.sentence("no_power")
    ratios = {}
    for built, seen, _ in _pairs(view):
        energy = printed_energy_mj(seen)
        if built.merit and energy:
            ratios[built.operation.title] = built.merit / merit(printed_rate(seen), energy)
    if not ratios:
        return TEXTS.sentence("none_in_cells")
    evidence = {f"{name}, hardware over software": one for name, one in ratios.items()}
    return found(min(ratios.values()) >= limit, evidence, ours=each("{0} {1:x}", ratios))


def _equation(view: SuiteView, limit: float) -> Finding | str:
    errors = {}
    for built in view.hardware:
        if built.longest and built.rate:
            by_equation = built.on_our_bus(built.longest).rate
            errors[built.operation.title] = by_equation / built.rate - 1
    if not errors:
        return TEXTS.sentence("none_simulated")
    evidence = {f"{name}, equation 1 over co-simulation": 1 + one for name, one in errors.items()}
    return found(
        max(map(abs, errors.values())) <= limit, evidence, errors=each("{0} {1:+.0%}", errors)
    )


def _clock(view: SuiteView, limit: float) -> Finding | str:
    (built,) = (one for one in view.hardware if one.printed.algorithm == "aes-256-ecb")
    if built.fastest is None or not built.fastest.clock_mhz or built.longest is None:
        return built.unmapped or TEXTS.sentence("none_in_cells")
    ours = built.at_clock(built.longest).at(built.fastest.clock_mhz)
    theirs = built.theirs.at(built.printed.max_clock_mhz)
    return found(
        ours.core_rate >= 1000 * limit,
        {"Mbit/s of the core at its highest clock": ours.core_rate},
        ours=ours,
        theirs=theirs,
    )


def _deadlines(view: SuiteView, _: float) -> Finding | str:
    (built,) = (one for one in view.hardware if one.printed.algorithm == ECDSA)
    worst = {
        threads_label(printed.cores): seen.time_worst_message_s * 1e3
        for printed in view.paper.software
        if printed.algorithm == ECDSA
        and (seen := view.software(ECDSA, OPENSSL, printed.cores))
        and seen.time_worst_message_s
    }
    if not worst:
        return TEXTS.sentence("not_repeated")
    fixed_ms = 1e3 / built.printed.rate
    return found(
        max(worst.values()) > fixed_ms,
        {f"ms of the slowest signature, {threads}": one for threads, one in worst.items()},
        worst=each("{1} ms on {0}", worst),
        fixed=fixed_ms,
    )


CONCLUSIONS: Judges[SuiteView] = Judges(
    (_throughput, _power, _merit, _equation, _clock, _deadlines)
)
