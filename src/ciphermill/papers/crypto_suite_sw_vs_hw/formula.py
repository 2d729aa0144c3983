# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The paper's formulas: throughput, added latency, figure of merit, and scaling of the clock."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ciphermill.papers.crypto_suite_sw_vs_hw.published import CryptoSuitePaper, Dma, Hardware

CARRIED_BITS = {"aes-256-ecb": (128, 128), "sha-256": (512, 256), "ecdsa-p521-sign": (256, 1042)}
"""Bits that the DMA carries to the accelerator and back for one quantum. The paper names the
rule alone; with these its added latencies come out. A signature has two integers of 521 bits."""


@dataclass(frozen=True)
class Formula:
    """Equation 1: ``TH = Q / (L * Tclk + AL)``."""

    quantum: float
    """Q: bits, or one operation."""
    cycles: float
    """L: cycles of the accelerator for it."""
    clock_mhz: float
    added_ns: float
    """AL: the time in which the bus carries input and output."""

    @property
    def core_ns(self) -> float:
        """Time of the accelerator."""
        return 1000 * self.cycles / self.clock_mhz

    @property
    def rate(self) -> float:
        """TH in Mbit/s; of operations, in operations a second."""
        return self._rate(self.core_ns + self.added_ns)

    @property
    def core_rate(self) -> float:
        """The same with the time of the accelerator alone."""
        return self._rate(self.core_ns)

    def _rate(self, time_ns: float) -> float:
        return self.quantum / time_ns * (1e9 if self.quantum == 1 else 1e3)

    @property
    def total_cycles(self) -> float:
        """Cycles of accelerator and bus."""
        return self.cycles + self.added_ns * self.clock_mhz / 1000

    def at(self, clock_mhz: float) -> Formula:
        """Return it at another clock, cycle for cycle: the bus has the accelerator's clock."""
        return replace(
            self, clock_mhz=clock_mhz, added_ns=self.added_ns * self.clock_mhz / clock_mhz
        )


def added_latency_ns(dma: Dma, bits_in: float, bits_out: float) -> float:
    """AL: the bits of input and output over the bandwidth of their channels."""
    return bits_in / dma.mm2s_gbit_s + bits_out / dma.s2mm_gbit_s


def derived_cycles(paper: CryptoSuitePaper, printed: Hardware) -> float:
    """L, which is not printed: what the printed rate leaves for the accelerator."""
    quantum = float(printed.quantum_bits or 1)
    time_ns = quantum / printed.rate * (1e9 if quantum == 1 else 1e3)
    return (time_ns - printed.added_latency_ns) / paper.clock.period_ns


def printed_formula(paper: CryptoSuitePaper, printed: Hardware) -> Formula:
    """Return the formula of a printed rate, with whole cycles."""
    cycles = round(derived_cycles(paper, printed))
    quantum = float(printed.quantum_bits or 1)
    return Formula(quantum, cycles, paper.clock.mhz, printed.added_latency_ns)


def merit(rate: float, energy_mj: float) -> float:
    """The figure of merit: rate over energy."""
    return rate / energy_mj
