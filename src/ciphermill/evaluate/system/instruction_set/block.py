# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The cycles of a block of instructions, computed when the block is first executed."""

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
    """Instructions that run in sequence, and their cycles."""

    end: int
    """The address after the last one."""
    count: int
    cycles: int
    """Cycles if execution continues at ``end``."""
    taken: int
    """Cycles if it continues elsewhere."""
    before: Mapping[int, tuple[int, int]]
    """Cycles and instructions from the block's start, by the address of a load or store."""
    kinds: Mapping[Kind, int]


def make_block(address: int, code: bytes, table: CycleTable) -> Block:
    """Return the block of some code.

    Args:
        address: Its address.
        code: Its instructions, 4 bytes each, little endian.
        table: Their cycles.
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
