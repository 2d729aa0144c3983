# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The cycles of a block of instructions, worked out once each time a block is first met."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ciphermill.evaluate.system.instruction_set import arm, riscv
from ciphermill.evaluate.system.instruction_set.instruction import Instruction, Kind
from ciphermill.evaluate.system.instruction_set.tables import CycleTable

DECODERS: Mapping[str, Callable[[int], Instruction]] = {
    "riscv": riscv.decode,
    "arm": arm.decode,
}


@dataclass(frozen=True)
class Block:
    """Instructions that run one after the other, and what they cost."""

    end: int
    """The address behind the last one."""
    count: int
    cycles: int
    """Cycles if control goes on at ``end``."""
    taken: int
    """Cycles if it goes elsewhere."""
    before: Mapping[int, tuple[int, int]]
    """Cycles and instructions from the block's start, by the address of a load or store."""
    kinds: Mapping[Kind, int]


def make_block(address: int, code: bytes, table: CycleTable) -> Block:
    """Return the block that some code makes.

    Args:
        address: Where it lies.
        code: Its instructions, 4 bytes each, little endian.
        table: What they cost.
    """
    decode = DECODERS[table.isa]
    clock = 0
    ready: dict[int, int] = {}
    before: dict[int, tuple[int, int]] = {}
    kinds: dict[Kind, int] = {}
    extra = 0
    for number, offset in enumerate(range(0, len(code), 4)):
        one = decode(int.from_bytes(code[offset : offset + 4], "little"))
        cost = table.costs[one.kind]
        clock = max([clock, *(ready.get(register, 0) for register in one.reads)])
        if one.kind in _MEMORY:
            before[address + offset] = clock, number
        clock += cost.issue + cost.word * (one.words - 1)
        for register in one.writes:
            ready[register] = clock + cost.delay
        kinds[one.kind] = kinds.get(one.kind, 0) + 1
        extra = cost.taken
    return Block(address + len(code), len(code) // 4, clock, clock + extra, before, kinds)


_MEMORY = (Kind.LOAD, Kind.LOAD_NARROW, Kind.LOAD_MULTIPLE, Kind.STORE, Kind.STORE_MULTIPLE)
