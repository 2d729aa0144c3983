# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Compares the measurements of one message on several devices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ciphermill.algorithms import AES, ALGORITHMS, Scheme
from ciphermill.design import Measurement, Method
from ciphermill.design.operations import Operation

BASELINE = "software"
"""The device that the speedup refers to: OpenSSL without AES instructions."""

BEST_SOFTWARE = "cpu"
"""The fastest software of this program, with which hardware is compared."""

_DESCRIPTIONS = {
    "software": "software (OpenSSL without AES instructions)",
    "software+": "software+ (OpenSSL with AES instructions)",
    "cpu": "cpu (the best implementation on this processor)",
}


@dataclass(frozen=True)
class Row:
    """A measurement with its speedups over other devices."""

    seen: Measurement
    speedup: float | None
    """Time of the baseline over this device's, in the same operation;
    None when the baseline was not weighed."""
    over_best: float | None = None
    """Time of the best software over this device's, in the same operation;
    None when the best software was not weighed."""

    @property
    def device(self) -> str:
        """Name of the device."""
        return self.seen.device or "?"

    @property
    def operation(self) -> Operation:
        """Mode and direction, such as ``CTR encrypt``."""
        return Operation(self.seen.mode or "", self.seen.operation or "?")

    @property
    def simulated(self) -> bool:
        """Whether the time is a model's, not the wall clock's."""
        return self.seen.method == Method.SIMULATED


@dataclass(frozen=True)
class Comparison:
    """The measurements of one message on several devices."""

    rows: tuple[Row, ...]

    @classmethod
    def of(cls, measurements: Iterable[Measurement]) -> Comparison:
        """Return the comparison of some measurements."""
        seen = list(measurements)
        times = {(m.device, m.mode, m.operation): m.time_total_s for m in seen}

        def speedup(one: Measurement, over: str) -> float | None:
            reference = times.get((over, one.mode, one.operation))
            if not reference or not one.time_total_s:
                return None
            return reference / one.time_total_s

        return cls(
            tuple(Row(one, speedup(one, BASELINE), speedup(one, BEST_SOFTWARE)) for one in seen)
        )

    @property
    def devices(self) -> Sequence[str]:
        """Names of the devices, in order."""
        return list(dict.fromkeys(row.device for row in self.rows))

    @property
    def groups(self) -> dict[Operation, list[Row]]:
        """Rows by operation, both directions of a mode together."""
        modes = list(dict.fromkeys(row.operation.mode for row in self.rows))
        found: dict[Operation, list[Row]] = {}
        for row in sorted(self.rows, key=lambda row: modes.index(row.operation.mode)):
            found.setdefault(row.operation, []).append(row)
        return found

    @property
    def scheme(self) -> Scheme:
        """The algorithm."""
        first = self.rows[0].seen
        algorithm = ALGORITHMS[first.algorithm or AES.name]
        return algorithm.scheme_of(first.operation or algorithm.operations[0])

    @property
    def reference(self) -> str:
        """What the outputs were compared with."""
        return self.scheme.reference or "the reference implementation"

    @property
    def title(self) -> str:
        """The algorithm with the key's size, as a title."""
        bits = self.rows[0].seen.key_bits
        return f"{self.scheme.title}-{bits}" if self.modes else self.scheme.title

    @property
    def modes(self) -> Sequence[str]:
        """Modes of operation, in order."""
        return list(dict.fromkeys(row.seen.mode for row in self.rows if row.seen.mode))

    @property
    def references(self) -> list[str]:
        """The devices with which others are compared: the baseline, the best software."""
        weighed = [one for one in (BASELINE, BEST_SOFTWARE) if one in self.devices]
        return weighed if len(self.devices) > 1 else []

    @property
    def correct(self) -> bool:
        """Whether every output was checked and right."""
        return all(row.seen.correct for row in self.rows)

    def find(self, device: str, operation: Operation) -> Row | None:
        """The row of a device and operation."""
        rows = (row for row in self.rows if (row.device, row.operation) == (device, operation))
        return next(rows, None)


def describe(device: str) -> str:
    """A device's name with a description."""
    if device.startswith("model:"):
        return f"{device.removeprefix('model:')} (simulated accelerator)"
    return _DESCRIPTIONS.get(device, device)
