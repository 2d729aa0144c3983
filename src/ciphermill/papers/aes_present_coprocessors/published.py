# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The figures of the AES and PRESENT paper, read from ``published.toml``."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design.table import Table
from ciphermill.papers.published import Count, Paper, Positive, loader
from ciphermill.papers.texts import Texts

NAME = "aes-present-coprocessors"


class Cipher(StrEnum):
    """The ciphers that the paper compares."""

    AES = "aes"
    PRESENT = "present"


class EncryptionsWorkload(Table):
    """Encryptions, each with its own key and plaintext."""

    encryptions: Count
    source: str


class MemoryCycles(Table):
    """Cycles of an access."""

    read: Count
    write: Count


class MemoryProfiles(Table):
    """The memories of its board."""

    on_chip: MemoryCycles
    off_chip: MemoryCycles
    source: str


class Bandwidth(Table):
    """A bandwidth that the introduction computes."""

    printed_gbit_s: Positive
    clock_mhz: Positive
    cycles: Count
    bits: Count
    printed: str
    source: str


class Overhead(Table):
    """Cycles of a system over those of its hardware alone."""

    printed: Positive
    source: str


class PublishedCycles(Table):
    """Cycles of all encryptions, on one platform."""

    platform: str
    algorithm: Cipher
    key_bits: int
    software: Count
    hardware: Count
    """Of the cipher in hardware alone."""
    system: Count
    """Of processor and coprocessor together."""
    speedup_hardware: Positive
    speedup_system: Positive
    source: str


class PublishedArea(Table):
    """Slices of a Spartan-3E."""

    algorithm: Cipher
    core_slices: Count
    coprocessor_slices: Count
    source: str


class PublishedSystemArea(Table):
    """The systems without their coprocessors, in slices of a Spartan-3E."""

    microblaze: Count
    debug: Count
    opb_wrapper: Count
    lmb_wrapper: Count
    memory: str
    """As printed."""
    source: str

    @property
    def slices(self) -> int:
        """All of them."""
        return self.microblaze + self.debug + self.opb_wrapper + self.lmb_wrapper


class PublishedToggles(Table):
    """Toggles of a core alone, at register-transfer level."""

    algorithm: Cipher
    per_cycle: Positive
    per_encryption: Positive
    per_byte: Positive
    source: str


class PublishedEnergy(Table):
    """Power, time and energy as printed."""

    what: Literal["standalone", "system"]
    algorithm: Cipher
    encryptions: Count
    clock_mhz: Positive
    cycles_per_encryption: Positive
    quiescent_mw: Positive
    dynamic_mw: Positive
    time_ms: Positive
    energy_mj: Positive
    energy_uj_per_byte: Positive
    source: str

    @property
    def power_mw(self) -> float:
        """Static and dynamic power together."""
        return self.quiescent_mw + self.dynamic_mw

    @property
    def time_us(self) -> float:
        """The time that the cycles take."""
        return self.encryptions * self.cycles_per_encryption / self.clock_mhz

    @property
    def nj_per_byte(self) -> float:
        """The energy per byte from power and cycles."""
        moved = self.encryptions * ALGORITHMS[self.algorithm].block_bytes
        return self.power_mw * self.time_us / moved


class CoprocessorsPaper(Table):
    """``aes-present-coprocessors``."""

    paper: Paper
    workload: EncryptionsWorkload
    memory: MemoryProfiles
    bandwidth: Bandwidth
    overhead: Overhead
    cycles: tuple[PublishedCycles, ...]
    area: tuple[PublishedArea, ...]
    system_area: PublishedSystemArea
    toggles: tuple[PublishedToggles, ...]
    energy: tuple[PublishedEnergy, ...]

    def on_board(self, cipher: Cipher) -> PublishedCycles:
        """Return the cycles that were measured on the paper's own platform."""
        return next(
            one
            for one in self.cycles
            if one.algorithm is cipher and one.platform in self.paper.platform
        )

    def toggles_of(self, cipher: Cipher) -> PublishedToggles:
        """Return the toggles of a cipher's core."""
        return next(one for one in self.toggles if one.algorithm is cipher)

    def energy_of(self, what: Literal["standalone", "system"], cipher: Cipher) -> PublishedEnergy:
        """Return the power and energy of a cipher's core alone, or of its system."""
        return next(one for one in self.energy if one.what == what and one.algorithm is cipher)

    def slices(self, cipher: Cipher) -> PublishedArea:
        """Return the area of a cipher's coprocessor."""
        return next(one for one in self.area if one.algorithm is cipher)


load = loader(CoprocessorsPaper, NAME)
TEXTS = Texts.of(NAME)
"""What the report says."""
