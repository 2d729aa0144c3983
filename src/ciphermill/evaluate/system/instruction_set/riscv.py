# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""RV32IM instructions by their opcode bits (RISC-V unprivileged specification, chapter 34)."""

from __future__ import annotations

from ciphermill.evaluate.system.instruction_set.instruction import Instruction, Kind

_LOAD, _MISC, _OP_IMMEDIATE, _AUIPC, _STORE, _OP, _LUI = 0x03, 0x0F, 0x13, 0x17, 0x23, 0x33, 0x37
_BRANCH, _JALR, _JAL = 0x63, 0x67, 0x6F
_MULTIPLY_FUNCT7 = 1
_SHIFTS = (1, 5)
"""funct3 of the shifts, left and right."""
_WORD = 2
"""funct3 of a load of 32 bits."""


def decode(word: int) -> Instruction:
    """Return the instruction of a word of 32 bits; an unknown one is of kind system."""
    opcode, funct3 = word & 0x7F, word >> 12 & 7
    target, first, second = word >> 7 & 31, word >> 15 & 31, word >> 20 & 31
    writes = (target,) if target else ()
    if opcode == _OP_IMMEDIATE:
        return Instruction(Kind.SHIFT if funct3 in _SHIFTS else Kind.ALU, (first,), writes)
    if opcode == _OP:
        return Instruction(_operation(word >> 25, funct3), (first, second), writes)
    if opcode in (_LUI, _AUIPC):
        return Instruction(Kind.ALU, (), writes)
    if opcode == _LOAD:
        return Instruction(Kind.LOAD if funct3 == _WORD else Kind.LOAD_NARROW, (first,), writes)
    if opcode == _STORE:
        return Instruction(Kind.STORE, (first, second))
    if opcode == _BRANCH:
        backward = word >> 31
        kind = Kind.BRANCH_BACKWARD if backward else Kind.BRANCH_FORWARD
        return Instruction(kind, (first, second))
    if opcode == _JAL:
        return Instruction(Kind.JUMP, (), writes)
    if opcode == _JALR:
        return Instruction(Kind.JUMP_REGISTER, (first,), writes)
    return Instruction(Kind.SYSTEM, (first,), writes)


def _operation(funct7: int, funct3: int) -> Kind:
    if funct7 == _MULTIPLY_FUNCT7:
        if funct3 >= 4:
            return Kind.DIVIDE
        return Kind.MULTIPLY if funct3 == 0 else Kind.MULTIPLY_HIGH
    return Kind.SHIFT if funct3 in _SHIFTS else Kind.ALU
