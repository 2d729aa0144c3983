# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Instructions by the properties that decide their cycles: kind, registers read and written."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """Classes of instructions that take the same cycles."""

    ALU = "alu"
    """Arithmetic and logic, moves, comparisons."""
    SHIFT = "shift"
    """RV32: shifts. ARM: data processing with a shift by a register."""
    MULTIPLY = "multiply"
    """A product's low 32 bits."""
    MULTIPLY_HIGH = "multiply-high"
    """RV32: a product's high 32 bits. ARM: all 64 bits."""
    DIVIDE = "divide"
    LOAD = "load"
    LOAD_NARROW = "load-narrow"
    """A byte or half word."""
    LOAD_MULTIPLE = "load-multiple"
    STORE = "store"
    STORE_MULTIPLE = "store-multiple"
    BRANCH_FORWARD = "branch-forward"
    """Conditional, to a higher address. ARM: any condition."""
    BRANCH_BACKWARD = "branch-backward"
    JUMP = "jump"
    """Unconditional, target in the instruction."""
    JUMP_REGISTER = "jump-register"
    """Unconditional, target in a register. ARM: any write of the program counter."""
    SYSTEM = "system"
    """Status and control registers, fences, traps."""


class Instruction(NamedTuple):
    """One instruction."""

    kind: Kind
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    words: int = 1
    """Words that a load or store of several words moves."""
