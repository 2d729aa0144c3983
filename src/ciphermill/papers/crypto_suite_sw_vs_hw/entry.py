# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The crypto-suite paper as a command, which only recomputes its figures."""

from __future__ import annotations

from collections.abc import Iterator

from ciphermill.design import Measurement, Method
from ciphermill.design.table import Table
from ciphermill.papers.entry import Entry
from ciphermill.papers.paper import Misprint, PaperReport
from ciphermill.papers.plan import Plan
from ciphermill.papers.published import Paper, Positive, loader
from ciphermill.papers.texts import Texts

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
        """Rate over energy, the definition of the merit."""
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
TEXTS = Texts.of(NAME)
"""What the report says."""


def report(paper: CryptoSuitePaper) -> PaperReport:
    """Return the paper's figures of merit and misprints, computed from its own figures."""
    aes, rate = paper.of("aes-256-ecb"), back_to_back_mbit_s(paper)
    section = TEXTS.table(
        "merit",
        ((o.algorithm, f"{o.merit:,.2f}", f"{o.computed_merit:,.0f}") for o in paper.hardware),
        aes=aes,
        rate=rate,
        cycles=AES_CYCLES,
        merit=rate / (aes.energy_mj_per_mbit or 1.0),
    )
    found = tuple(misprints(paper))
    return PaperReport(paper.paper, (section,), (), found, published(paper), section)


def back_to_back_mbit_s(paper: CryptoSuitePaper) -> float:
    """The rate of AES blocks back to back, in Mbit/s."""
    return (paper.of("aes-256-ecb").quantum_bits or 0) * paper.clock.mhz / AES_CYCLES


def misprints(paper: CryptoSuitePaper) -> Iterator[Misprint]:
    """The paper's misprints, computed from its own figures."""
    ecdsa, (sha,), clock = paper.of("ecdsa-p521-sign"), paper.software, paper.clock
    factor = ecdsa.merit / ecdsa.computed_merit
    yield TEXTS.misprinted("merit", ecdsa=ecdsa, factor=factor)
    yield TEXTS.misprinted("software", sha=sha, rate=sha.processed_mbit / sha.time_s)
    yield TEXTS.misprinted("clock", clock=clock, period=1000 / clock.mhz)


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


ENTRY = Entry(
    "AES, SHA-2 and ECDSA in software and in cells: its figures, computed again.",
    lambda _: Plan(known=published(load())),
    lambda _: report(load()),
)
