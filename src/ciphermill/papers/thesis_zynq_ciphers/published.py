# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The figures of the thesis on Zynq ciphers, read from ``published.toml``."""

from __future__ import annotations

from typing import Literal

from ciphermill.algorithms import ALGORITHMS, Algorithm
from ciphermill.design.streaming_platform import Implementation, StreamMode
from ciphermill.design.table import AlgorithmName, Direction, Table
from ciphermill.papers.published import Count, Paper, Positive, loader
from ciphermill.papers.texts import Texts

NAME = "thesis-zynq-ciphers"
Printed = Positive | tuple[Positive, Positive]
"""A figure, or a range, least first."""


def ends(printed: Printed) -> tuple[float, ...]:
    """Return the figures of an entry: one, or the two ends of a range.

    >>> ends(130), ends((450, 500))
    ((130,), (450, 500))
    """
    return printed if isinstance(printed, tuple) else (printed,)


def middle(printed: Printed) -> float:
    """Return a figure, or the middle of a range.

    >>> middle(130), middle((450, 500))
    (130.0, 475.0)
    """
    found = ends(printed)
    return sum(found) / len(found)


class PrintedRates(Table):
    """Figures by mode; what is not printed is left out."""

    ecb: Printed | None = None
    cbc: Printed | None = None
    ctr: Printed | None = None

    def of(self, mode: StreamMode) -> Printed | None:
        """Return what is printed of a mode."""
        value: Printed | None = getattr(self, mode)
        return value


class Tolerance(Table):
    """How near to a printed figure is the same: most were read off plots, as 'about'."""

    part: Positive


class PublishedBench(Table):
    """The micro-benchmarks of a platform (chapter 8)."""

    platform: str
    bus_mb_s: Positive
    storage_mb_s: Positive
    ecb_cbc_ideal_mb_s: Positive
    ctr_ideal_mb_s: Positive
    source: str


class WorkstationDisk(Table):
    """The disk of its workstation, as stated in two places."""

    said: str
    said_in: str
    also_said: str
    also_said_in: str


class PipelinedCore(Table):
    """The printed figures of the core that encrypts CTR."""

    key_bits: int
    stages: int
    slice_registers: int
    slice_luts: int
    block_rams: int
    """The thesis does not state their size."""
    clock_mhz: Positive
    gbit_s: Positive
    """At that clock."""
    nominal_clock_mhz: Positive
    nominal_gbit_s: Positive
    """At the nominal clock."""
    source: str


class Summary(Table):
    """The largest speedup and throughput that a summary gives for some of the tests."""

    platform: str
    application: str | None = None
    """Either, where it is absent."""
    destination: str | None = None
    modes: tuple[StreamMode, ...] = ("ecb", "cbc", "ctr")
    speedup: Positive
    mb_s: Positive
    source: str


class SoftwarePlus(Table):
    """How much faster OpenSSL with AES-NI is said to be on the workstation."""

    over_software: tuple[Positive, Positive]
    over_hardware: PrintedRates
    source: str


class PublishedStream(Table):
    """Throughput in MB/s and speedups of an application and test on a platform (chapter 9)."""

    platform: str
    application: Literal["throughput", "openssl"]
    destination: Literal["file", "sink"]
    software: PrintedRates
    software_decrypt: PrintedRates | None = None
    """Rates of decryption, where the thesis states different ones."""
    software_plus: PrintedRates | None = None
    software_plus_decrypt: PrintedRates | None = None
    hardware: PrintedRates
    speedup: PrintedRates
    speedup_over_software_plus: PrintedRates | None = None
    software_plus_speedup: PrintedRates | None = None
    """Speedup of software with AES instructions over software without, encrypting."""
    software_plus_speedup_decrypt: PrintedRates | None = None
    source: str

    @property
    def name(self) -> str:
        """The place of its figures in the file, for ``printed_figure``."""
        return f"result.{self.platform}.{self.application}.{self.destination}"

    def figure(
        self, implementation: Implementation, mode: StreamMode, direction: Direction
    ) -> str | None:
        """Return the name of a printed throughput, or None where there is none."""
        field = implementation.replace("+", "_plus")
        if direction is Direction.DECRYPT:
            other: PrintedRates | None = getattr(self, f"{field}_decrypt", None)
            field = f"{field}_decrypt" if other else field
        rates: PrintedRates | None = getattr(self, field)
        return f"{self.name}.{field}.{mode}" if rates and rates.of(mode) else None

    def printed(
        self, implementation: Implementation, mode: StreamMode, direction: Direction
    ) -> Printed | None:
        """Return MB/s as printed, or None where there is none."""
        name = self.figure(implementation, mode, direction)
        if name is None:
            return None
        rates: PrintedRates = getattr(self, name.split(".")[-2])
        return rates.of(mode)

    def rate(
        self, implementation: Implementation, mode: StreamMode, direction: Direction
    ) -> float | None:
        """Return MB/s as printed, the middle of a range, or None where there is none."""
        found = self.printed(implementation, mode, direction)
        return None if found is None else middle(found)


class ThesisPaper(Table):
    """``thesis-zynq-ciphers``."""

    paper: Paper
    algorithm: AlgorithmName
    key_bits: Count
    file_sizes_kib: tuple[Count, ...]
    tolerance: Tolerance
    bench: tuple[PublishedBench, ...]
    workstation_disk: WorkstationDisk
    pipelined_core: PipelinedCore
    summary: tuple[Summary, ...]
    software_plus: SoftwarePlus
    result: tuple[PublishedStream, ...]

    @property
    def cipher(self) -> Algorithm:
        """The algorithm by its name."""
        return ALGORITHMS[self.algorithm]

    @property
    def platforms(self) -> tuple[str, ...]:
        """Names of its platforms, in its order."""
        return tuple(one.platform for one in self.bench)

    def bench_of(self, platform: str) -> PublishedBench:
        """Return the micro-benchmarks of a platform."""
        return next(one for one in self.bench if one.platform == platform)

    def of(self, platform: str, application: str, destination: str) -> PublishedStream:
        """Return what is printed of an application and test on a platform."""
        return next(
            one
            for one in self.result
            if (one.platform, one.application, one.destination)
            == (platform, application, destination)
        )


load = loader(ThesisPaper, NAME)
TEXTS = Texts.of(NAME)
"""What the report says."""
