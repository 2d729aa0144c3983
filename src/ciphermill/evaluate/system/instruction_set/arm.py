# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""ARMv4 instructions by their opcode bits (ARM Architecture Reference Manual, chapter A3).

A conditional instruction counts as executed, since a simulator of whole blocks does not
know whether it was.
"""

from __future__ import annotations

from ciphermill.evaluate.system.instruction_set.instruction import Instruction, Kind

PROGRAM_COUNTER = 15
LINK = 14
_ALWAYS = 14
_COMPARISONS = (8, 9, 10, 11)
"""Operations of data processing without a result: TST, TEQ, CMP, CMN."""
_MOVES = (13, 15)
"""Those without a first operand: MOV, MVN."""


def decode(word: int) -> Instruction:
    """Return the instruction of a word of 32 bits; an unknown one is of kind system."""
    group = word >> 25 & 7
    if group == 5:
        return _branch(word)
    if group == 4:
        return _several(word)
    if group in (2, 3):
        return _single(word, register_offset=group == 3)
    if group == 0 and word & 0x90 == 0x90:
        return _multiply(word) if word & 0x60 == 0 else _narrow(word)
    if group in (0, 1):
        return _processing(word, immediate=group == 1)
    return Instruction(Kind.SYSTEM)


def _branch(word: int) -> Instruction:
    writes = (LINK,) if word >> 24 & 1 else ()
    if word >> 28 == _ALWAYS:
        return Instruction(Kind.JUMP, (), writes)
    backward = word >> 23 & 1
    return Instruction(Kind.BRANCH_BACKWARD if backward else Kind.BRANCH_FORWARD, (), writes)


def _several(word: int) -> Instruction:
    registers = tuple(number for number in range(16) if word >> number & 1)
    base = word >> 16 & 15
    changed = (base,) if word >> 21 & 1 else ()
    if word >> 20 & 1:
        kind = Kind.JUMP_REGISTER if PROGRAM_COUNTER in registers else Kind.LOAD_MULTIPLE
        return Instruction(kind, (base,), registers + changed, max(1, len(registers)))
    return Instruction(Kind.STORE_MULTIPLE, (base, *registers), changed, max(1, len(registers)))


def _single(word: int, *, register_offset: bool) -> Instruction:
    base, target, narrow = word >> 16 & 15, word >> 12 & 15, word >> 22 & 1
    reads = (base, word & 15) if register_offset else (base,)
    changed = (base,) if not word >> 24 & 1 or word >> 21 & 1 else ()
    if not word >> 20 & 1:
        return Instruction(Kind.STORE, (*reads, target), changed)
    if target == PROGRAM_COUNTER:
        return Instruction(Kind.JUMP_REGISTER, reads, changed)
    return Instruction(Kind.LOAD_NARROW if narrow else Kind.LOAD, reads, (target, *changed))


def _narrow(word: int) -> Instruction:
    """Half words and signed bytes."""
    base, target = word >> 16 & 15, word >> 12 & 15
    reads = (base,) if word >> 22 & 1 else (base, word & 15)
    changed = (base,) if not word >> 24 & 1 or word >> 21 & 1 else ()
    if word >> 20 & 1:
        return Instruction(Kind.LOAD_NARROW, reads, (target, *changed))
    return Instruction(Kind.STORE, (*reads, target), changed)


def _multiply(word: int) -> Instruction:
    high, low = word >> 16 & 15, word >> 12 & 15
    factors = (word & 15, word >> 8 & 15)
    if word >> 24 & 1:  # SWP: a load and a store
        return Instruction(Kind.LOAD_MULTIPLE, (high, word & 15), (low,), 2)
    accumulate = word >> 21 & 1
    if word >> 23 & 1:
        reads = (*factors, high, low) if accumulate else factors
        return Instruction(Kind.MULTIPLY_HIGH, reads, (high, low))
    return Instruction(Kind.MULTIPLY, (*factors, low) if accumulate else factors, (high,))


def _processing(word: int, *, immediate: bool) -> Instruction:
    operation, sets_flags = word >> 21 & 15, word >> 20 & 1
    if operation in _COMPARISONS and not sets_flags:
        return Instruction(Kind.SYSTEM)  # MRS, MSR
    base, target = word >> 16 & 15, word >> 12 & 15
    reads = [] if operation in _MOVES else [base]
    by_register = False
    if not immediate:
        reads.append(word & 15)
        by_register = bool(word >> 4 & 1)
        if by_register:
            reads.append(word >> 8 & 15)
    if operation in _COMPARISONS:
        return Instruction(Kind.SHIFT if by_register else Kind.ALU, tuple(reads))
    if target == PROGRAM_COUNTER:
        return Instruction(Kind.JUMP_REGISTER, tuple(reads))
    return Instruction(Kind.SHIFT if by_register else Kind.ALU, tuple(reads), (target,))
