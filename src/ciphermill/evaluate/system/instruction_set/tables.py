# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Cycle tables: the cycles of each kind of instruction and of bus accesses, by processor.

A cost has three parts. ``issue`` cycles pass until the next instruction may start;
``delay`` more must pass before an instruction may start that reads the result; and
``taken`` more pass if a conditional branch is taken. For loads and stores of several words,
``issue`` is for one word and ``word`` is added for each further one. Tables assume that
caches hit, and memory without wait states.

A bus access takes the cycles of ``buses`` in addition to its load or store; the
coprocessor's model gives the coprocessor's wait cycles. Each table names the source of its
instruction cycles; docs/reference/cosim.md says how far they were checked. The AXI4-Lite
cycles of the soft cores are fitted to one run of the cycle-accurate system (AES-256,
iterative, 100 blocks: a wait cycle for each read, none for a write; VexRiscv two more for
either, which count as bus here and as processor there). Those of the local bus, and all of
the SA-1110, are assumed, not measured. Misses of VexRiscv's caches are not modelled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ciphermill.design import BusInterface
from ciphermill.evaluate.system.instruction_set.instruction import Kind


@dataclass(frozen=True)
class Cost:
    """Cycles of one kind of instruction."""

    issue: int
    delay: int = 0
    taken: int = 0
    word: int = 0


@dataclass(frozen=True)
class BusCost:
    """Cycles that a peripheral access takes beyond its instruction's own."""

    read: int
    write: int


@dataclass(frozen=True)
class CycleTable:
    """Cycles of instructions and bus accesses on a processor."""

    processor: str
    isa: str
    """``riscv`` (RV32IM) or ``arm`` (ARMv4)."""
    source: str
    costs: Mapping[Kind, Cost]
    buses: Mapping[BusInterface, BusCost]
    system: BusCost
    """An access to the system registers, which are on the core's own bus."""


PICORV32 = CycleTable(
    "picorv32",
    "riscv",
    "PicoRV32 README, section on cycles per instruction (dual-port register file, barrel "
    "shifter, fast multiplier); bus: hw/soc's bridges",
    {
        Kind.ALU: Cost(3),
        Kind.SHIFT: Cost(3),
        Kind.MULTIPLY: Cost(6),
        Kind.MULTIPLY_HIGH: Cost(6),
        Kind.DIVIDE: Cost(40),
        Kind.LOAD: Cost(5),
        Kind.LOAD_NARROW: Cost(5),
        Kind.STORE: Cost(5),
        Kind.BRANCH_FORWARD: Cost(3, taken=2),
        Kind.BRANCH_BACKWARD: Cost(3, taken=2),
        Kind.JUMP: Cost(3),
        Kind.JUMP_REGISTER: Cost(6),
        Kind.SYSTEM: Cost(3),
    },
    {BusInterface.LOCAL: BusCost(0, 0), BusInterface.AXI_LITE: BusCost(1, 0)},
    BusCost(0, 0),
)

VEXRISCV = CycleTable(
    "vexriscv",
    "riscv",
    "VexRiscv README and GenCoreDefault: five stages, all results bypassed, static prediction "
    "(backward branches and jumps are taken in the decode stage), results of shifts in the "
    "memory stage, of loads and products in the last one",
    {
        Kind.ALU: Cost(1),
        Kind.SHIFT: Cost(1, delay=1),
        Kind.MULTIPLY: Cost(1, delay=2),
        Kind.MULTIPLY_HIGH: Cost(1, delay=2),
        Kind.DIVIDE: Cost(34),
        Kind.LOAD: Cost(1, delay=2),
        Kind.LOAD_NARROW: Cost(1, delay=2),
        Kind.STORE: Cost(1),
        Kind.BRANCH_FORWARD: Cost(1, taken=4),
        Kind.BRANCH_BACKWARD: Cost(5, taken=-3),
        Kind.JUMP: Cost(2),
        Kind.JUMP_REGISTER: Cost(5),
        Kind.SYSTEM: Cost(1, delay=2),
    },
    {BusInterface.LOCAL: BusCost(2, 2), BusInterface.AXI_LITE: BusCost(3, 2)},
    BusCost(2, 2),
)

IBEX = CycleTable(
    "ibex",
    "riscv",
    "Ibex reference guide, chapter on the pipeline: single-cycle multiplier, branch target ALU, "
    "write-back stage, memory that answers in the next cycle",
    {
        Kind.ALU: Cost(1),
        Kind.SHIFT: Cost(1),
        Kind.MULTIPLY: Cost(1),
        Kind.MULTIPLY_HIGH: Cost(2),
        Kind.DIVIDE: Cost(37),
        Kind.LOAD: Cost(1, delay=1),
        Kind.LOAD_NARROW: Cost(1, delay=1),
        Kind.STORE: Cost(1),
        Kind.BRANCH_FORWARD: Cost(1, taken=1),
        Kind.BRANCH_BACKWARD: Cost(1, taken=1),
        Kind.JUMP: Cost(2),
        Kind.JUMP_REGISTER: Cost(2),
        Kind.SYSTEM: Cost(1),
    },
    {BusInterface.LOCAL: BusCost(0, 0), BusInterface.AXI_LITE: BusCost(1, 0)},
    BusCost(0, 0),
)

SA1110 = CycleTable(
    "sa1110",
    "arm",
    "a StrongARM pipeline as it is commonly described (Intel's application note 278194 of 1998 is "
    "the reference; these costs were compared neither with it, line by line, nor with a "
    "processor). Products take the longest of the 1 to 3 cycles that depend on the factor. Bus: a "
    "coprocessor on the core's own bus, as in GEZEL's StrongARM systems, not the SA-1110's pads",
    {
        Kind.ALU: Cost(1),
        Kind.SHIFT: Cost(2),
        Kind.MULTIPLY: Cost(1, delay=2),
        Kind.MULTIPLY_HIGH: Cost(2, delay=2),
        Kind.LOAD: Cost(1, delay=1),
        Kind.LOAD_NARROW: Cost(1, delay=1),
        Kind.LOAD_MULTIPLE: Cost(2, delay=1, word=1),
        Kind.STORE: Cost(1),
        Kind.STORE_MULTIPLE: Cost(2, word=1),
        Kind.BRANCH_FORWARD: Cost(1, taken=1),
        Kind.BRANCH_BACKWARD: Cost(1, taken=1),
        Kind.JUMP: Cost(2),
        Kind.JUMP_REGISTER: Cost(3),
        Kind.SYSTEM: Cost(3),
    },
    {BusInterface.LOCAL: BusCost(0, 0), BusInterface.AXI_LITE: BusCost(1, 0)},
    BusCost(0, 0),
)

TABLES: Mapping[str, CycleTable] = {
    table.processor: table for table in (PICORV32, VEXRISCV, IBEX, SA1110)
}
"""The tables by processor."""
