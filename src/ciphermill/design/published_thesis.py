# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The figures of the thesis on Zynq ciphers, read from ``published/``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from .design import Direction, Table
from .home import find_home
from .load import load_model
from .published import Paper
from .streaming_platform import Implementation, ModeRates, StreamMode

Positive = Annotated[float, Field(gt=0)]


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
    """What it says that its workstation's disk is, in two places."""

    said: str
    said_in: str
    also_said: str
    also_said_in: str


class PublishedStream(Table):
    """Throughput in MB/s and speedups of an application and test on a platform (chapter 9)."""

    platform: str
    application: Literal["throughput", "openssl"]
    destination: Literal["file", "sink"]
    software: ModeRates
    software_decrypt: ModeRates | None = None
    """Where it is said to differ."""
    software_plus: ModeRates | None = None
    software_plus_decrypt: ModeRates | None = None
    hardware: ModeRates
    speedup: ModeRates
    speedup_over_software_plus: ModeRates | None = None
    source: str

    def rate(
        self, implementation: Implementation, mode: StreamMode, direction: Direction
    ) -> float | None:
        """Return MB/s as printed, or None where there is none."""
        rates: ModeRates | None = {
            "software": self.software,
            "software+": self.software_plus,
            "hardware": self.hardware,
        }[implementation]
        if direction is Direction.DECRYPT:
            other = {"software": self.software_decrypt, "software+": self.software_plus_decrypt}
            rates = other.get(implementation) or rates
        value: float | None = getattr(rates, mode) if rates else None
        return value


class ThesisPaper(Table):
    """``thesis-zynq-ciphers``."""

    paper: Paper
    tolerance: Tolerance
    bench: tuple[PublishedBench, ...]
    workstation_disk: WorkstationDisk
    result: tuple[PublishedStream, ...]

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


def load_thesis_paper(home: Path | None = None) -> ThesisPaper:
    """Return the figures of the thesis.

    Raises:
        DesignError: The file is missing or malformed.
    """
    path = (home or find_home()) / "published" / "thesis-zynq-ciphers.toml"
    return load_model(ThesisPaper, path)
