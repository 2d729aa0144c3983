# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The figures of the crypto-suite paper, read from ``published.toml``."""

from __future__ import annotations

from ciphermill.design.table import Table
from ciphermill.papers.published import Count, Paper, Positive, loader
from ciphermill.papers.texts import Texts

NAME = "crypto-suite-sw-vs-hw"


class Clock(Table):
    """The clock of its hardware."""

    mhz: Positive
    printed_period_ns: Positive
    source: str

    @property
    def period_ns(self) -> float:
        """The period that the frequency has."""
        return 1000 / self.mhz


class Dma(Table):
    """Its AXI4-DMA."""

    mm2s_gbit_s: Positive
    s2mm_gbit_s: Positive
    source: str


class Scaling(Table):
    """Its claims for other clocks."""

    nm_7_factor: Positive
    aes_gbit_s: Positive
    source: str


class Rated(Table):
    """An algorithm with rate, power and energy, each by bits or by operations."""

    algorithm: str
    """The name of the operation in ``ciphermill speed``."""
    throughput_mbit_s: Positive | None = None
    operations_s: Positive | None = None
    power_mw: Positive
    energy_mj_per_mbit: Positive | None = None
    energy_mj_per_operation: Positive | None = None
    merit: Positive
    source: str

    @property
    def rate(self) -> float:
        """Mbit/s, or operations a second."""
        return self.throughput_mbit_s or self.operations_s or 0.0

    @property
    def energy_mj(self) -> float:
        """Energy a Mbit, or an operation."""
        return self.energy_mj_per_mbit or self.energy_mj_per_operation or 0.0

    @property
    def unit(self) -> str:
        """Unit of the rate."""
        return "Mbit/s" if self.throughput_mbit_s else "op/s"


class Hardware(Rated):
    """An algorithm in standard cells."""

    quantum_bits: Count | None = None
    """Bits processed at once; absent for public-key operations."""
    key_bits: tuple[Count, ...] = ()
    """Key sizes of the core."""
    max_clock_mhz: Positive
    added_latency_ns: Positive


class Software(Rated):
    """An algorithm on so many cores of its processor."""

    cores: Count
    time_s: Positive
    processed_mbit: Positive | None = None
    operations: Positive | None = None

    @property
    def processed(self) -> float:
        """Mbit, or operations."""
        return self.processed_mbit or self.operations or 0.0


class CryptoSuitePaper(Table):
    """``crypto-suite-sw-vs-hw``."""

    paper: Paper
    clock: Clock
    dma: Dma
    scaling: Scaling
    hardware: tuple[Hardware, ...]
    software: tuple[Software, ...]

    def of(self, algorithm: str) -> Hardware:
        """Return what is printed of an algorithm in hardware."""
        return next(one for one in self.hardware if one.algorithm == algorithm)

    def on(self, algorithm: str, cores: int) -> Software:
        """Return what is printed of an algorithm in software."""
        return next(
            one for one in self.software if (one.algorithm, one.cores) == (algorithm, cores)
        )


load = loader(CryptoSuitePaper, NAME)
TEXTS = Texts.of(NAME)
"""What the report says."""
