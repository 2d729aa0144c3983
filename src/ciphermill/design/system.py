# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Systems: a soft core, and an algorithm that is split between software and hardware.

``PARTITIONS`` defines the valid combinations; another ``System`` is refused with the reason
and the possible values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from ciphermill.algorithms import ALGORITHMS, Split

from .accelerator import SBox
from .table import NAME_PATTERN, AlgorithmName, Table


class SoftCore(StrEnum):
    """Soft cores that a system can have."""

    PICORV32 = "picorv32"
    VEXRISCV = "vexriscv"
    IBEX = "ibex"
    CVA6 = "cva6"


class Partition(StrEnum):
    """Ways to split an algorithm between software and hardware."""

    SOFTWARE = "software"
    """Everything in C on the soft core."""
    UNROLLED = "unrolled"
    """All rounds in hardware, each its own module; key expansion in hardware."""
    ITERATIVE = "iterative"
    """One round module in hardware, used again each round; key expansion in hardware."""
    ROUND = "round"
    """One round in hardware; key expansion and the loop over rounds in C."""
    LINEAR_LAYER = "linear-layer"
    """A round without SubBytes in hardware; SubBytes, key expansion and the loop in C."""
    INSTRUCTION = "instruction"
    """Custom instructions in the soft core's pipeline."""
    STREAM = "stream"
    """A FIFO link between soft core and hardware, no bus in between."""
    DMA = "dma"
    """The accelerator fetches and stores messages itself, as a bus master."""
    SHELL = "shell"
    """The coprocessor shell of the AES and PRESENT paper: data in, data out, instructions."""


class Variant(StrEnum):
    """Forms of a partition that differ in their program or instruction."""

    PORTABLE = "portable"
    """Software: byte by byte, as in the standard."""
    TABLE = "table"
    """Software: tables of 32-bit words (AES) or of bytes (PRESENT); not constant time."""
    BITSLICED = "bitsliced"
    """Software: several blocks at once in Boolean operations; constant time."""
    ZKN = "zkn"
    """Software with the instructions of Zkne and Zknd (RISC-V scalar cryptography 1.0.1)."""
    COLUMN = "column"
    """Custom instructions that compute a column of a round."""
    BLOCK = "block"
    """Custom instructions that carry whole blocks to a core and back."""


class BusInterface(StrEnum):
    """The bus of a memory-mapped coprocessor or of the DMA engine."""

    LOCAL = "local"
    """The core's own bus, 32 bits, no bridge in between."""
    AXI_LITE = "axi-lite"
    """AXI4-Lite, 32 bits."""
    AXI4_32 = "axi4-32"
    AXI4_64 = "axi4-64"
    AXI4_128 = "axi4-128"
    AXI4_256 = "axi4-256"

    @property
    def is_axi4(self) -> bool:
        """Whether it has bursts."""
        return self.value.startswith("axi4-")

    @property
    def data_bits(self) -> int:
        """Width of its data in bits."""
        return int(self.value.rpartition("-")[2]) if self.is_axi4 else 32


class Optimisation(StrEnum):
    """Optimisation levels that firmware is compiled at."""

    O2 = "O2"
    O3 = "O3"
    OS = "Os"


@dataclass(frozen=True)
class PartitionFacts:
    """Properties of a partition for any algorithm; the first interface is the default."""

    interfaces: tuple[BusInterface, ...] = ()
    instruction_port: bool = False
    """It needs a core with a port for custom instructions."""


_MAPPED = (BusInterface.AXI_LITE, BusInterface.LOCAL, *(i for i in BusInterface if i.is_axi4))
_WORDS = (BusInterface.AXI_LITE, BusInterface.LOCAL)
_BURSTS = tuple(BusInterface(f"axi4-{bits}") for bits in (128, 32, 64, 256))

INSTRUCTION_PORTS: Mapping[SoftCore, str] = {SoftCore.PICORV32: "PCPI", SoftCore.VEXRISCV: "CFU"}
"""Ports for custom instructions, by soft core that has one."""

PARTITIONS: Mapping[Partition, PartitionFacts] = {
    **dict.fromkeys(Partition, PartitionFacts(_MAPPED)),
    Partition.SOFTWARE: PartitionFacts(),
    Partition.INSTRUCTION: PartitionFacts(instruction_port=True),
    Partition.STREAM: PartitionFacts(instruction_port=True),
    Partition.DMA: PartitionFacts(_BURSTS),
    Partition.SHELL: PartitionFacts(_WORDS),
}
"""All partitions. ``Algorithm.partitions`` says which of them an algorithm has, and in what
variants."""


class System(Table):
    """A system: algorithm, partition, soft core, and the interface between them.

    A field that is left out has the partition's default; one that does not
    apply to the partition must be left out, and stays ``None``.
    """

    kind: Literal["system"] = "system"
    name: Annotated[str, Field(pattern=NAME_PATTERN)] | None = None
    """A name, for tables and files with many systems."""
    description: str = ""
    algorithm: AlgorithmName = "aes"
    partition: Partition
    variant: Variant | None = None
    soft_core: SoftCore = SoftCore.PICORV32
    interface: BusInterface | None = None
    blocks_in_flight: Annotated[int, Field(ge=0, le=8)] | None = None
    """Blocks in a coprocessor at once; 0 for ``unrolled`` means that all rounds are combinational
    between two registers, as in the AES-256 paper."""
    sbox: SBox | None = None
    """The S-boxes of AES in hardware; all take the same cycles."""
    optimisation: Optimisation = Optimisation.O2
    key_caching: bool | None = None
    """If set, the key comes with every message; ``true`` skips, and ``false`` repeats, its set-up
    when it has not changed. If absent, the key is set once, before the measured time."""
    memory_read_wait: Annotated[int, Field(ge=0, le=255)] = 0
    """Wait cycles of a memory read, beyond its first cycle."""
    memory_write_wait: Annotated[int, Field(ge=0, le=255)] = 0
    """The same for a write."""
    memory_bytes: Literal[65536, 131072, 262144, 524288, 1048576] = 262144
    """Bytes of memory, a power of two, for program, keys and messages."""

    @model_validator(mode="before")
    @classmethod
    def _defaults(cls, values: Any) -> Any:
        """Fill in the fields that the partition determines, if the others are valid."""
        if not isinstance(values, dict):
            return values
        try:
            facts = PARTITIONS[Partition(values["partition"])]
            split = ALGORITHMS[values.get("algorithm", "aes")].partitions[values["partition"]]
        except (KeyError, TypeError, ValueError):
            return values  # the field's own check reports the error
        for name, choices in _choices(facts, split):
            if choices and values.get(name) is None:
                values = {**values, name: choices[0]}
        return values

    @model_validator(mode="after")
    def _possible(self) -> Self:
        problems = self._unfit_cipher() or [*self._unfit_core(), *self._unfit_fields()]
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def facts(self) -> PartitionFacts:
        """The interfaces and soft cores of its partition."""
        return PARTITIONS[self.partition]

    @property
    def split(self) -> Split:
        """The partition as its algorithm defines it."""
        return ALGORITHMS[self.algorithm].partitions[self.partition]

    @property
    def block_bytes(self) -> int:
        """Bytes of a block of its cipher."""
        return ALGORITHMS[self.algorithm].block_bytes

    @property
    def has_hardware(self) -> bool:
        """Whether it has hardware other than the soft core."""
        return self.partition is not Partition.SOFTWARE or self.uses_instructions

    @property
    def uses_instructions(self) -> bool:
        """Whether its program uses custom instructions of the soft core."""
        return (self.variant or "") in self.split.instructions

    @property
    def label(self) -> str:
        """A short description that distinguishes it from others with the same cipher.

        >>> System(partition="iterative", soft_core="vexriscv").label
        'iterative, axi-lite, vexriscv'
        """
        form = f" {self.variant}" if self.variant else ""
        flight = self.partition is Partition.UNROLLED
        depth = f" ({self.blocks_in_flight} in flight)" if flight and self.blocks_in_flight else ""
        parts = [f"{self.partition}{form}{depth}", self.interface, self.soft_core]
        return ", ".join(part for part in parts if part)

    def _unfit_cipher(self) -> list[str]:
        if self.partition in ALGORITHMS[self.algorithm].partitions:
            return []
        able = _listed(ALGORITHMS[self.algorithm].partitions)
        those = f"these are: {able}" if able else "it has none"
        return [f"partition {self.partition} does not exist for {self.algorithm}; {those}"]

    def _unfit_core(self) -> list[str]:
        needs = self.facts.instruction_port or self.uses_instructions
        if not needs or self.soft_core in INSTRUCTION_PORTS:
            return []
        what = f"{self.partition} {self.variant}" if self.variant else str(self.partition)
        able = _listed(f"{core} ({port})" for core, port in INSTRUCTION_PORTS.items())
        return [
            f"soft_core {self.soft_core} cannot host partition {what}: it has no port for custom "
            f"instructions; cores that have one: {able}"
        ]

    def _unfit_fields(self) -> list[str]:
        problems = []
        for name, choices in _choices(self.facts, self.split):
            value = getattr(self, name)
            if value is None or value in choices:
                continue
            which = f"partition {self.partition} of {self.algorithm}"
            if choices:
                problems.append(f"{name} {value} is not possible for {which}: {_listed(choices)}")
            else:
                problems.append(f"{name} does not apply to {which}")
        return problems


def _choices(facts: PartitionFacts, split: Split) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Return the fields that depend on the partition, each with its allowed values."""
    return (
        ("variant", tuple(Variant(name) for name in split.programs if name)),
        ("interface", facts.interfaces),
        ("blocks_in_flight", split.blocks_in_flight),
        ("sbox", tuple(SBox(name) for name in split.sboxes)),
    )


def _listed(values: Any) -> str:
    return ", ".join(str(value) for value in values)
