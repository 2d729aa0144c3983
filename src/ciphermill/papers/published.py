# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The figures that papers published, read from ``published/``.

Facts as printed, with the place that they were read from. What they mean beside
our own is for ``ciphermill.report``.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from ciphermill.design.design import Cipher, Table
from ciphermill.design.errors import DesignError
from ciphermill.design.home import find_home
from ciphermill.design.load import load_model
from ciphermill.design.system import Partition

Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(gt=0)]


class Paper(Table):
    """Which paper."""

    name: str
    title: str
    authors: tuple[str, ...]
    published: str
    platform: str
    """What most of its figures were taken on."""

    @property
    def citation(self) -> str:
        """Authors, title and place, for people."""
        by = f"{', '.join(self.authors)}: " if self.authors else ""
        return f"{by}{self.title}. {self.published}"


# ------------------------------------------------------- aes256-hw-sw-partitions


class LengthWorkload(Table):
    """Arrays of words under one key."""

    cipher: Cipher
    key_bits: int
    word_bits: int
    clock_mhz: Positive
    source: str


class Stages(Table):
    """A vector that is encrypted and decrypted again; hexadecimal."""

    key: str
    plaintext: str
    ciphertext: str
    source: str


class Metric(Table):
    """A figure of merit, as it is printed and as it is used."""

    printed: str
    used: str
    source: str


class Pipelining(Table):
    """The blocks in flight from which a pipeline is expected to win."""

    blocks_in_flight: Count
    source: str


class PublishedPartition(Table):
    """Area, power and clocks of one design."""

    name: Partition
    printed_as: str
    lut_logic: Count
    """LUTs as logic, of the whole system."""
    slice_luts: Count
    slice_registers: Count
    power_w: Positive
    words: tuple[Count, ...]
    """Lengths of the array."""
    cycles_encrypt: tuple[Count, ...]
    cycles_decrypt: tuple[Count, ...]

    @model_validator(mode="after")
    def _same_length(self) -> Self:
        if not len(self.words) == len(self.cycles_encrypt) == len(self.cycles_decrypt):
            raise ValueError("words, cycles_encrypt and cycles_decrypt differ in length")
        return self


class PartitionsPaper(Table):
    """``aes256-hw-sw-partitions``."""

    paper: Paper
    workload: LengthWorkload
    stages: Stages
    metric: Metric
    pipelining: Pipelining
    partition: tuple[PublishedPartition, ...]

    def of(self, name: Partition) -> PublishedPartition:
        """Return what is printed of a partition."""
        return next(one for one in self.partition if one.name is name)


# ------------------------------------------------------ aes-present-coprocessors


class EncryptionsWorkload(Table):
    """Encryptions, each with its own key and plaintext."""

    encryptions: Count
    source: str


class MemoryClocks(Table):
    """Clocks of an access."""

    read: Count
    write: Count


class MemoryProfiles(Table):
    """The memories of its board."""

    on_chip: MemoryClocks
    off_chip: MemoryClocks
    source: str


class Bandwidth(Table):
    """A bandwidth that the introduction computes."""

    printed_gbit_s: Positive
    clock_mhz: Positive
    clocks: Count
    bits: Count
    printed: str
    source: str


class Overhead(Table):
    """Clocks of a system over those of its hardware alone."""

    printed: Positive
    source: str


class PublishedCycles(Table):
    """Clocks of all encryptions, on one platform."""

    platform: str
    cipher: Cipher
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

    cipher: Cipher
    core_slices: Count
    coprocessor_slices: Count
    source: str


class PublishedSystemArea(Table):
    """What the systems have beside their coprocessors, in slices of a Spartan-3E."""

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

    cipher: Cipher
    per_cycle: Positive
    per_encryption: Positive
    per_byte: Positive
    source: str


class PublishedEnergy(Table):
    """Power, time and energy as printed."""

    what: Literal["standalone", "system"]
    cipher: Cipher
    encryptions: Count
    clock_mhz: Positive
    clocks_per_encryption: Positive
    quiescent_mw: Positive
    dynamic_mw: Positive
    time_ms: Positive
    energy_mj: Positive
    energy_uj_per_byte: Positive
    source: str


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
        """Return the clocks that were measured on the paper's own platform."""
        return next(
            one
            for one in self.cycles
            if one.cipher is cipher and one.platform in self.paper.platform
        )

    def toggles_of(self, cipher: Cipher) -> PublishedToggles:
        """Return the toggles of a cipher's core."""
        return next(one for one in self.toggles if one.cipher is cipher)

    def energy_of(self, what: Literal["standalone", "system"], cipher: Cipher) -> PublishedEnergy:
        """Return the power and energy of a cipher's core alone, or of its system."""
        return next(one for one in self.energy if one.what == what and one.cipher is cipher)

    def slices(self, cipher: Cipher) -> PublishedArea:
        """Return the area of a cipher's coprocessor."""
        return next(one for one in self.area if one.cipher is cipher)


def load_partitions_paper(home: Path | None = None) -> PartitionsPaper:
    """Return the figures of the AES-256 paper.

    Raises:
        DesignError: The file is missing or malformed.
    """
    return load_model(PartitionsPaper, _file("aes256-hw-sw-partitions", home))


def load_coprocessors_paper(home: Path | None = None) -> CoprocessorsPaper:
    """Return the figures of the AES and PRESENT paper.

    Raises:
        DesignError: The file is missing or malformed.
    """
    return load_model(CoprocessorsPaper, _file("aes-present-coprocessors", home))


def printed_figure(name: str, home: Path | None = None) -> Any:
    """Return what is printed under a name: ``paper#place``, as ``Measurement.inputs`` has it.

    The place is dotted. In an array of tables a part chooses those tables that have it as
    one of their values: ``result.zedboard.throughput.file.hardware.ecb``. In a list of
    numbers it is the position, from 0. Dots of a value are left out.

    Raises:
        DesignError: There is no such paper or figure, or there are several.
    """
    paper, _, place = name.partition("#")
    path = _file(paper, home)
    try:
        found: Any = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise DesignError(f"{path}: {error}") from error
    for part in place.split("."):
        if isinstance(found, list) and found and isinstance(found[0], dict):
            among = [one for one in found if part in map(_plain, one.values())]
            if among:
                found = among
                continue
            if len(found) != 1:
                raise DesignError(f"{name}: {len(found)} tables of {path} are meant")
            found = found[0]
        try:
            found = found[int(part)] if isinstance(found, list) else found[part]
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise DesignError(f"{name}: {path} has no such figure") from error
    return found


def _plain(value: object) -> str:
    """A value as a part of a place.

    >>> _plain("a 1.5 GHz core")
    'a 15 GHz core'
    """
    return str(value).replace(".", "")


def _file(name: str, home: Path | None) -> Path:
    return (home or find_home()) / "published" / f"{name}.toml"
