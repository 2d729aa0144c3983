# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A model of a memory that was removed from a simulated module (``toolchain.arrays``).

It drives the module's ports as the SRAM macro would, and counts its accesses.
"""

from __future__ import annotations

from ciphermill.evaluate.chip.activity.simulation import Simulation
from ciphermill.toolchain.arrays import MemoryArray


class ArrayModel:
    """A memory of a simulation; it begins with zeros.

    Args:
        array: The memory and its ports.
        simulation: The simulation of the module from which it was removed.
    """

    def __init__(self, array: MemoryArray, simulation: Simulation) -> None:
        self.array = array
        self._simulation = simulation
        self._words = [0] * array.words
        self._data = 0
        self.reads = 0
        self.writes = 0
        simulation.poke(array.ports["RD_DATA"], 0)

    def clear_counts(self) -> None:
        """Reset the counts of accesses."""
        self.reads = self.writes = 0

    def before_clock(self) -> None:
        """Read the ports in the present cycle."""
        read = self._data
        if self._peek("RD_EN"):
            self.reads += 1
            read = self._word(self._peek("RD_ADDR"))
        mask = self._peek("WR_EN")
        if mask:
            self.writes += 1
            index = self._peek("WR_ADDR") - self.array.offset
            if 0 <= index < self.array.words:
                kept = self._words[index] & ~mask
                self._words[index] = kept | (self._peek("WR_DATA") & mask)
        self._data = read

    def after_clock(self) -> None:
        """Drive the output with the value that was read."""
        self._simulation.poke(self.array.ports["RD_DATA"], self._data)

    def _word(self, address: int) -> int:
        index = address - self.array.offset
        return self._words[index] if 0 <= index < self.array.words else 0

    def _peek(self, pin: str) -> int:
        return self._simulation.peek(self.array.ports[pin])
