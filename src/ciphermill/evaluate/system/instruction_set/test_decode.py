# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Instructions by their bits, and the cycles of blocks of them."""

import struct

import pytest

from ciphermill.evaluate.system.instruction_set import arm, riscv
from ciphermill.evaluate.system.instruction_set.block import make_block
from ciphermill.evaluate.system.instruction_set.instruction import Instruction, Kind
from ciphermill.evaluate.system.instruction_set.tables import IBEX, PICORV32, SA1110, TABLES


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        (0x00160613, Instruction(Kind.ALU, (12,), (12,))),  # addi a2,a2,1
        (0x00361613, Instruction(Kind.SHIFT, (12,), (12,))),  # slli a2,a2,3
        (0x02C585B3, Instruction(Kind.MULTIPLY, (11, 12), (11,))),  # mul a1,a1,a2
        (0x00052583, Instruction(Kind.LOAD, (10,), (11,))),  # lw a1,0(a0)
        (0x00054583, Instruction(Kind.LOAD_NARROW, (10,), (11,))),  # lbu a1,0(a0)
        (0x00B52223, Instruction(Kind.STORE, (10, 11))),  # sw a1,4(a0)
        (0x0000006F, Instruction(Kind.JUMP)),  # j .
        (0x00008067, Instruction(Kind.JUMP_REGISTER, (1,))),  # ret
        (0xFE0518E3, Instruction(Kind.BRANCH_BACKWARD, (10, 0))),  # bnez a0,.-16
    ],
)
def test_rv32(word: int, wanted: Instruction) -> None:
    assert riscv.decode(word) == wanted


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        (0xE0810002, Instruction(Kind.ALU, (1, 2), (0,))),  # add r0,r1,r2
        (0xE1A00312, Instruction(Kind.SHIFT, (2, 3), (0,))),  # lsl r0,r2,r3
        (0xE0000291, Instruction(Kind.MULTIPLY, (1, 2), (0,))),  # mul r0,r1,r2
        (0xE5910004, Instruction(Kind.LOAD, (1,), (0,))),  # ldr r0,[r1,#4]
        (0xE5D10000, Instruction(Kind.LOAD_NARROW, (1,), (0,))),  # ldrb r0,[r1]
        (0xE5810000, Instruction(Kind.STORE, (1, 0))),  # str r0,[r1]
        (0x1AFFFFFE, Instruction(Kind.BRANCH_BACKWARD)),  # bne .
        (0xEB000000, Instruction(Kind.JUMP, (), (14,))),  # bl
        (0xE1A0F00E, Instruction(Kind.JUMP_REGISTER, (14,))),  # mov pc,lr
        (0xE8B1000C, Instruction(Kind.LOAD_MULTIPLE, (1,), (2, 3, 1), 2)),  # ldmia r1!,{r2,r3}
    ],
)
def test_armv4(word: int, wanted: Instruction) -> None:
    assert arm.decode(word) == wanted


def test_a_result_that_is_not_there_yet_is_waited_for() -> None:
    # lw a1,0(a0); addi a1,a1,1 beside lw a1,0(a0); addi a2,a2,1
    dependent = make_block(0, struct.pack("<2I", 0x00052583, 0x00158593), IBEX)
    independent = make_block(0, struct.pack("<2I", 0x00052583, 0x00160613), IBEX)
    assert (dependent.cycles, independent.cycles) == (3, 2)


def test_a_taken_branch_costs_more() -> None:
    block = make_block(0x100, struct.pack("<I", 0xFE0518E3), PICORV32)
    assert (block.end, block.cycles, block.taken) == (0x104, 3, 5)


def test_several_words_cost_each() -> None:
    block = make_block(0, struct.pack("<I", 0xE8B1000C), SA1110)
    assert block.cycles == 3


@pytest.mark.parametrize("processor", TABLES)
def test_a_table_has_every_kind_that_its_decoder_gives(processor: str) -> None:
    table = TABLES[processor]
    several = {Kind.LOAD_MULTIPLE, Kind.STORE_MULTIPLE}
    needed = set(Kind) - ({Kind.DIVIDE} if table.isa == "arm" else several)
    assert needed <= set(table.costs)
