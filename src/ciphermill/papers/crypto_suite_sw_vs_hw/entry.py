# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The crypto-suite paper as a command: nothing is run, its figures are computed again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermill.design import Measurement, Method
from ciphermill.design.table import Table
from ciphermill.papers.entry import Entry, Options
from ciphermill.papers.paper import Misprint, PaperReport
from ciphermill.papers.published import Paper, Positive, loader
from ciphermill.report.section import Section

if TYPE_CHECKING:
    from ciphermill.papers.plan import Plan

NAME = "crypto-suite-sw-vs-hw"
AES_CYCLES = 14
"""Cycles of an AES-256 block at one round a cycle; the paper does not print them."""


class Clock(Table):
    """The clock of its hardware."""

    mhz: Positive
    printed_period_ns: Positive
    source: str


class Hardware(Table):
    """An algorithm in standard cells."""

    algorithm: str
    quantum_bits: int | None = None
    """Bits processed at once; absent for public-key operations."""
    added_latency_ns: Positive
    throughput_mbit_s: Positive | None = None
    operations_s: Positive | None = None
    power_mw: Positive
    energy_mj_per_mbit: Positive | None = None
    energy_mj_per_operation: Positive | None = None
    merit: Positive
    source: str

    @property
    def computed_merit(self) -> float:
        """Rate over energy, which the merit is defined as."""
        rate = self.throughput_mbit_s or self.operations_s or 0.0
        return rate / (self.energy_mj_per_mbit or self.energy_mj_per_operation or 1.0)


class Software(Table):
    """An algorithm on its processor."""

    algorithm: str
    cores: int
    time_s: Positive
    processed_mbit: Positive
    throughput_mbit_s: Positive
    source: str


class CryptoSuitePaper(Table):
    """``crypto-suite-sw-vs-hw``."""

    paper: Paper
    clock: Clock
    hardware: tuple[Hardware, ...]
    software: tuple[Software, ...]

    def of(self, algorithm: str) -> Hardware:
        """Return what is printed of an algorithm in hardware."""
        return next(one for one in self.hardware if one.algorithm == algorithm)


load = loader(CryptoSuitePaper, NAME)


def report(paper: CryptoSuitePaper) -> PaperReport:
    """Return the paper's figures of merit and misprints, computed from its own figures."""
    rows = tuple(
        (one.algorithm, f"{one.merit:,.2f}", f"{one.computed_merit:,.0f}") for one in paper.hardware
    )
    section = Section(
        "Figure of merit: rate over energy",
        ("algorithm", "published", "from its own rate and energy"),
        rows,
        (_rate_note(paper),),
    )
    return PaperReport(
        paper.paper, (section,), (), tuple(misprints(paper)), published(paper), section
    )


def back_to_back_mbit_s(paper: CryptoSuitePaper) -> float:
    """The rate of AES blocks back to back, in Mbit/s."""
    return (paper.of("aes-256-ecb").quantum_bits or 0) * paper.clock.mhz / AES_CYCLES


def _rate_note(paper: CryptoSuitePaper) -> str:
    aes = paper.of("aes-256-ecb")
    rate = back_to_back_mbit_s(paper)
    energy = aes.energy_mj_per_mbit or 1.0
    return (
        f"The printed rate of AES contains a latency of {aes.added_latency_ns} ns a block, its "
        f"energy does not: {aes.power_mw:g} mW over {rate:,.0f} Mbit/s, {AES_CYCLES} cycles a "
        f"block. On that base its figure of merit is {rate / energy:,.0f}."
    )


def misprints(paper: CryptoSuitePaper) -> list[Misprint]:
    """The paper's misprints, computed from its own figures."""
    ecdsa, (sha,), clock = paper.of("ecdsa-p521-sign"), paper.software, paper.clock
    return [
        Misprint(
            ecdsa.source,
            f"a figure of merit of {ecdsa.merit:,.2f} for ECDSA",
            f"{ecdsa.operations_s:.2f} operations a second over "
            f"{ecdsa.energy_mj_per_operation} mJ are {ecdsa.computed_merit:,.0f}",
            f"the printed one is {ecdsa.merit / ecdsa.computed_merit:.1f} times as large",
        ),
        Misprint(
            sha.source,
            f"{sha.throughput_mbit_s} Mbit/s for SHA-256 on one core",
            f"{sha.processed_mbit} Mbit in {sha.time_s:g} s are "
            f"{sha.processed_mbit / sha.time_s:.1f} Mbit/s",
            "one of the three figures is wrong",
        ),
        Misprint(
            clock.source,
            f"a period of {clock.printed_period_ns:g} ns at {clock.mhz:g} MHz",
            f"{clock.mhz:g} MHz are {1000 / clock.mhz:.2f} ns, and the printed rate comes out "
            "with these",
            f"it must be {1000 / clock.mhz:.2f} ns",
        ),
    ]


def published(paper: CryptoSuitePaper) -> tuple[Measurement, ...]:
    """Return the printed rate and power of AES, the algorithm that is built here too."""
    aes = paper.of("aes-256-ecb")
    names = (f"{NAME}#hardware.aes-256-ecb.{field}" for field in ("throughput_mbit_s", "power_mw"))
    return (
        Measurement(
            algorithm="aes",
            key_bits=256,
            mode="ecb",
            platform=paper.paper.platform,
            throughput_mb_s=(aes.throughput_mbit_s or 0.0) / 8,
            power_mw=aes.power_mw,
            method=Method.PUBLISHED,
            inputs=tuple(f"published:{name}" for name in names),
        ),
    )


def plan(_: Options) -> Plan:
    """Plan nothing: its figures are computed again."""
    from ciphermill.papers.plan import Plan

    return Plan()


ENTRY = Entry(
    "AES, SHA-2 and ECDSA in software and in cells: its figures, computed again.",
    plan,
    lambda _: report(load()),
)
