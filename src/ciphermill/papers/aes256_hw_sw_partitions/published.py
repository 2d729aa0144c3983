# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The figures of the AES-256 paper, read from ``published.toml``."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from ciphermill.design import Direction
from ciphermill.design.system import Partition
from ciphermill.design.table import AlgorithmName, Table
from ciphermill.papers.published import Count, Paper, Positive, loader
from ciphermill.papers.texts import Texts

NAME = "aes256-hw-sw-partitions"


class LengthWorkload(Table):
    """Arrays of words under one key."""

    algorithm: AlgorithmName
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
    """A figure of merit, with its printed formula and the one that the paper uses."""

    printed: str
    used: str
    source: str


class Pipelining(Table):
    """The blocks in flight from which a pipeline is expected to win."""

    blocks_in_flight: Count
    source: str


class PublishedPartition(Table):
    """Area, power and cycles of one design."""

    name: Partition
    printed_as: str
    lut_logic: Count
    """LUTs as logic, of the whole system."""
    slice_luts: Count
    slice_registers: Count
    slices: Count
    lut_memory: Count
    """LUTs as memory, among ``slice_luts``."""
    f7_muxes: Count
    f8_muxes: Count | None = None
    block_ram_tiles: Count
    """Of 36 Kbit; they hold the program and its data."""
    power_w: Positive
    axi_registers: Count | None = None
    """Registers of 32 bits at the bus, of a design with hardware."""
    words: tuple[Count, ...]
    """Lengths of the array."""
    cycles_encrypt: tuple[Count, ...]
    cycles_decrypt: tuple[Count, ...]

    def cycles(self, direction: Direction) -> tuple[int, ...]:
        """Return the cycles at each length."""
        return self.cycles_encrypt if direction is Direction.ENCRYPT else self.cycles_decrypt

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
        """Return the published figures of a partition."""
        return next(one for one in self.partition if one.name is name)


load = loader(PartitionsPaper, NAME)
TEXTS = Texts.of(NAME)
"""What the report says."""
