# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The peripherals of a system: system registers and the coprocessor.

The map is that of the SoC (``hw/soc/soc.rdl``). The time of an access is the estimated
cycles of the instructions before it, and the wait cycles of earlier accesses.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ciphermill.evaluate.system.instruction_set.coprocessor import Coprocessor
from ciphermill.evaluate.system.instruction_set.tables import BusCost
from ciphermill.registers import soc, soc_system

PAGE = 0x1000
_MASK_64 = (1 << 64) - 1


@dataclass
class Counts:
    """Counters, of the run so far or of the measured region."""

    cycles: int = 0
    processor: int = 0
    bus: int = 0
    accelerator: int = 0
    instructions: int = 0
    transactions: int = 0

    def since(self, start: Counts) -> Counts:
        """Return the counts since ``start``."""
        return Counts(*(vars(self)[name] - vars(start)[name] for name in vars(self)))

    def words(self) -> list[int]:
        """Return the counters as register words, low word first."""
        values = [value & _MASK_64 for value in vars(self).values()]
        return [word for value in values for word in (value & 0xFFFF_FFFF, value >> 32)]


@dataclass
class Peripherals:
    """System registers and a coprocessor behind the bus.

    An access gets the counts of the instructions before it; its wait cycles are added to
    ``bus`` and ``accelerator``.
    """

    system: BusCost
    bridge: BusCost
    coprocessor: Coprocessor | None
    bus: int = 0
    accelerator: int = 0
    transactions: int = 0
    status: int | None = None
    """The value that the firmware wrote to FINISH."""
    console: bytearray = field(default_factory=bytearray)
    _advanced: int = 0
    """Cycles that the coprocessor has been simulated for."""
    _start: Counts = field(default_factory=Counts)
    _measured: Counts = field(default_factory=Counts)
    _measuring: bool = False

    def access(self, address: int, data: int | None, processor: int, instructions: int) -> int:
        """Make an access and return the word read.

        Args:
            address: Of the word.
            data: The word to write, or None to read.
            processor: Cycles of the instructions so far, without wait cycles of accesses.
            instructions: Their number.

        Raises:
            Hung: The coprocessor does not answer.
            ValueError: The address is not used.
        """
        now = self.counts(processor, instructions)
        if soc.COPROCESSOR <= address < soc.COPROCESSOR + PAGE and self.coprocessor is not None:
            return self._transfer(self.coprocessor, address - soc.COPROCESSOR, data, now.cycles)
        if soc.SYSTEM <= address < soc.SYSTEM + PAGE:
            self.bus += self.system.read if data is None else self.system.write
            return self._register(address - soc.SYSTEM, data, now)
        raise ValueError(f"the firmware accessed 0x{address:08x}, where nothing is")

    def counts(self, processor: int, instructions: int) -> Counts:
        """Return the counts so far."""
        waited = self.bus + self.accelerator
        return Counts(
            processor + waited,
            processor,
            self.bus,
            self.accelerator,
            instructions,
            self.transactions,
        )

    def _transfer(self, coprocessor: Coprocessor, offset: int, data: int | None, now: int) -> int:
        self.transactions += 1
        overhead = self.bridge.read if data is None else self.bridge.write
        now += overhead
        if now > self._advanced:
            coprocessor.advance(now - self._advanced)
        done = coprocessor.transfer(offset, data)
        self._advanced = max(now, self._advanced) + done.waited + 1
        self.accelerator += done.computing
        self.bus += overhead + done.waited - done.computing
        return done.data

    def _register(self, offset: int, data: int | None, now: Counts) -> int:
        if data is None:
            return self._read(offset, now)
        if offset == soc_system.CONSOLE:
            self.console.append(data & 0xFF)
        elif offset == soc_system.FINISH:
            self.status = data
        elif offset == soc_system.MEASURE:
            if data & 1:
                self._start, self._measuring = now, True
            elif self._measuring:
                self._measured, self._measuring = now.since(self._start), False
        return 0

    def _read(self, offset: int, now: Counts) -> int:
        if offset == soc_system.TIMER_LOW:
            return now.cycles & 0xFFFF_FFFF
        if offset == soc_system.TIMER_HIGH:
            return now.cycles >> 32 & 0xFFFF_FFFF
        seen = now.since(self._start) if self._measuring else self._measured
        words = seen.words()
        number = (offset - soc_system.CYCLES_LOW) // 4
        return words[number] if 0 <= number < len(words) else 0
