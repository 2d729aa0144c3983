# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Series of streams: all properties of a stream but its size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ciphermill.algorithms import ALGORITHMS, Algorithm
from ciphermill.design import Direction, Measurement
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import Implementation
from ciphermill.evaluate.stream.applications import Application, Destination
from ciphermill.evaluate.stream.message import key_bytes

KIB = 1024
IMPLEMENTATIONS: tuple[Implementation, ...] = ("software", "software+", "hardware")


@dataclass(frozen=True)
class Series:
    """One line of a plot: everything but the size."""

    application: Application
    destination: Destination
    operation: Operation
    device: str
    """As measurements have it: ``software``, ``software+``, or what stands for hardware."""
    algorithm: str

    @classmethod
    def of(cls, seen: Measurement) -> Series:
        """Return the series of a stream's measurement."""
        operation = Operation(seen.mode, seen.operation)  # type: ignore[arg-type]  # a stream's
        return cls(
            Application(seen.application or ""),
            Destination(seen.destination or ""),
            operation,
            seen.device or "",
            seen.algorithm or "",
        )

    @property
    def cipher(self) -> Algorithm:
        """The algorithm by its name."""
        return ALGORITHMS[self.algorithm]

    @property
    def implementation(self) -> Implementation:
        """The kind of device."""
        return next((one for one in IMPLEMENTATIONS[:2] if one == self.device), "hardware")

    @property
    def direction(self) -> Direction:
        """The direction as the designs have it."""
        return Direction(self.operation.verb)

    @property
    def fields(self) -> dict[str, Any]:
        """What every measurement of it says."""
        return {
            "algorithm": self.algorithm,
            "key_bits": 8 * key_bytes(self.cipher),
            "mode": self.operation.mode,
            "operation": self.operation.verb,
            "device": self.device,
            "application": self.application,
            "destination": self.destination,
            "messages": 1,
        }

    def __str__(self) -> str:
        return f"{self.application}, {self.destination}, {self.operation}, {self.device}"


class Place(Protocol):
    """A place to run series: a simulated platform, or this machine."""

    @property
    def name(self) -> str:
        """Its name in tables and plots."""

    def series(self) -> Sequence[Series]:
        """Return what can run there, in the order of the tables."""

    def __str__(self) -> str:
        """Tell it from every other place, on any machine."""

    def run(self, series: Series, sizes_kib: Sequence[int]) -> list[Measurement]:
        """Run a series at each size; of their provenance only the place's own tools are told."""

    def notes(self) -> tuple[str, ...]:
        """Return what is to be said of the figures: where from, and how far off."""


def same_stream(series: Series) -> tuple[object, ...]:
    """Return what tells the streams of a platform apart, whatever the application is called.

    In software both applications run alike, and into a sink nothing is waited for, so
    that both stream alike in hardware too.
    """
    alike = series.implementation != "hardware" or series.destination is Destination.SINK
    application = None if alike else series.application
    return (application, series.destination, series.operation, series.device)
