# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Sizes too long to simulate: lines through simulated ones, and how far off they are.

Once every buffer is full or drained for good, each further byte takes the same
time. The line goes through two sizes that are that long; a third, longer one
that it has not seen says how far off it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ciphermill.evaluate.stream.applications import StreamTimes

CALIBRATED_BUFFERS = (6, 10)
"""Sizes of the line, as multiples of all DMA buffers together."""
HELD_OUT_BUFFERS = 16
"""Size that the line is tried on."""
MOST_ERROR = 0.02
"""Lines that are farther off than this are not used."""


@dataclass(frozen=True)
class RateModel:
    """Times of a run as lines over the bytes."""

    sizes: tuple[int, int]
    """The simulated streams through which the lines go."""
    held_out: int
    error: float
    """The larger error of the two times at ``held_out``, as a fraction."""
    _first: StreamTimes
    _second: StreamTimes

    def times(self, length: int) -> StreamTimes:
        """Return the times of a run of so many bytes."""
        low, high = self.sizes
        part = (length - low) / (high - low)

        def line(name: str) -> float:
            first: float = getattr(self._first, name)
            second: float = getattr(self._second, name)
            return first + part * (second - first)

        return StreamTimes(line("total_s"), line("inside_write_s"))


def calibrate(simulate: Callable[[int], StreamTimes], buffers_bytes: int) -> RateModel:
    """Return the lines of a run, tried on a size that they have not seen.

    Args:
        simulate: Simulates a run of so many bytes.
        buffers_bytes: Bytes of all DMA buffers of a direction.
    """
    low, high = (buffers_bytes * multiple for multiple in CALIBRATED_BUFFERS)
    held_out = buffers_bytes * HELD_OUT_BUFFERS
    lines = RateModel((low, high), held_out, 0.0, simulate(low), simulate(high))
    seen, said = simulate(held_out), lines.times(held_out)
    error = max(
        abs(said.total_s / seen.total_s - 1), abs(said.inside_write_s / seen.inside_write_s - 1)
    )
    return RateModel(lines.sizes, held_out, error, lines._first, lines._second)
