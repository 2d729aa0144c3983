# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Cipher cores in virtual time: the time in which a core processes a burst."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ciphermill.design.streaming_platform import Core


class CipherElement(Protocol):
    """A core behind the device's FIFO."""

    def take(self, now: float, count: int) -> tuple[float, float]:
        """Process a burst that has arrived.

        Args:
            now: The time in seconds; never less than in the call before.
            count: Bytes of the burst.

        Returns:
            When the core has taken the last of it, and when the last of its
            output has left, both in seconds since the start.
        """
        ...


class TimedCore:
    """A core by its cycle counts: a block enters every period and leaves after the latency."""

    def __init__(self, period_s: float, latency_s: float, block_bytes: int) -> None:
        """Make a core that is idle.

        Args:
            period_s: From a block to the next.
            latency_s: From a block's entry to its exit.
            block_bytes: Bytes of a block.
        """
        self.block_bytes = block_bytes
        self.period_s = period_s
        self.latency_s = max(latency_s, period_s)
        self._free_at = 0.0

    @classmethod
    def of(cls, core: Core, block_bytes: int) -> TimedCore:
        """Return the element of a platform's core."""
        return cls(core.period_s, core.latency_cycles / (core.clock_mhz * 1e6), block_bytes)

    def take(self, now: float, count: int) -> tuple[float, float]:
        """Take a burst; see ``CipherElement``."""
        blocks = -(-count // self.block_bytes)
        self._free_at = max(now, self._free_at) + blocks * self.period_s
        return self._free_at, self._free_at - self.period_s + self.latency_s


@dataclass(frozen=True)
class Wire:
    """No core: bytes pass at once, as into a sink."""

    def take(self, now: float, count: int) -> tuple[float, float]:
        """Take a burst; see ``CipherElement``."""
        return now, now
