# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs assembled programs in Python, and bounds every value along the path that it takes.

The path of every operation but for its refusals is the same for all operands, so that a bound that
holds along it holds for all of them. A bound is computed from the bounds of what an instruction
reads, never from values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ecc_assembler import FIRST_CONSTANT, INDICES, STEPS, Instruction, Program
from ecc_curves import COUNTS, STARTS, Curve, constants, counts


class BoundError(Exception):
    """A value could exceed its bound."""


@dataclass
class Result:
    """What an operation gave."""

    status: int
    outputs: list[int]
    path: list[Instruction] = field(default_factory=list)
    """The instructions that were executed, in their order."""
    largest_product: int = 0
    """Bits of the largest product of bounds that was reduced."""


class Emulator:
    """A machine with a program."""

    def __init__(self, program: Program, curve: Curve) -> None:
        self.program = program
        self.curve = curve
        self.constants = list(constants(curve).values())
        self.numbers = counts(curve)
        self.values = [0] * program.size
        self.bounds = [0] * program.size
        self.pc = 0
        self.differences: dict[int, tuple[int, int]] = {}

    def read(self, register: int) -> tuple[int, int]:
        """Return a register's value and bound."""
        if register >= FIRST_CONSTANT:
            value = self.constants[register - FIRST_CONSTANT]
            return value, value
        return self.values[register], self.bounds[register]

    def require(self, condition: bool, what: str) -> None:
        """Fail unless a condition holds.

        Raises:
            BoundError: It does not.
        """
        if not condition:
            raise BoundError(f"{self.curve.name}, instruction {self.pc}: {what}")

    def write(self, register: int, value: int, bound: int) -> None:
        """Write a register.

        Raises:
            BoundError: The bound is too large, or wrong.
        """
        self.require(0 <= value <= bound < self.curve.radix, f"register {register}")
        self.values[register], self.bounds[register] = value, bound
        self.differences.pop(register, None)

    def run(self, operation: str, operands: Sequence[int]) -> Result:
        """Run an operation.

        Raises:
            BoundError: A bound is exceeded.
        """
        result = Result(-1, [])
        pc, stack, counters = self.program.entries[operation], [], [0, 0]
        inputs = list(operands)
        borrow = zero = False
        digit = 0
        modulus = factor = 0
        numbers = {"window": 0, "comb": 0}

        def magnitude() -> int:
            # The lowest bit of the window counts with the next one.
            value = (digit >> 1 & 7) + (digit & 1)
            return 8 - value if digit & 16 else value

        def holds(condition: int) -> bool:
            kind, value = condition >> 4, condition & 15
            if kind == INDICES["digit"]:
                return digit & 15 == value
            if kind == INDICES["magnitude"]:
                return magnitude() == value
            return (True, borrow, zero, not borrow, not zero, bool(digit & 16))[value]

        while result.status < 0:
            one: Instruction = self.program.instructions[pc]
            result.path.append(one)
            self.pc = pc
            pc += 1
            if one.name in ("add", "sub", "sel", "mul"):
                index = (0, digit & 15, magnitude())[one.modifier >> 5] if one.name == "add" else 0
                (a, high_a), (b, high_b) = self.read(one.a), self.read(one.b + index)
            match one.name:
                case "add":
                    if index or one.modifier >> 5:
                        high_b = max(
                            self.read(one.b + n)[1]
                            for n in range(16 if one.modifier >> 5 == 1 else 9)
                        )
                    self.write(one.d, a + b, high_a + high_b)
                    borrow, zero = False, a + b == 0
                case "sub":
                    if one.modifier:
                        multiple = modulus << one.modifier
                        self.require(high_b <= multiple, "a difference below 0")
                        self.write(one.d, a - b + multiple, high_a + multiple)
                        borrow, zero = False, a - b + multiple == 0
                    else:
                        self.write(one.d, (a - b) % self.curve.radix, self.curve.radix - 1)
                        self.differences[one.d] = (high_a, b)
                        borrow, zero = a < b, a == b
                case "sel":
                    bound = max(high_a, high_b)
                    if one.a in self.differences and one.modifier == 1:
                        minuend, subtrahend = self.differences[one.a]
                        self.require(minuend < 2 * subtrahend, "not below 2 m")
                        self.require(minuend == high_b, "not what was reduced")
                        bound = subtrahend - 1
                    self.write(one.d, b if holds(one.modifier) else a, bound)
                case "mul":
                    largest = high_a * high_b
                    bound = (largest + (self.curve.radix - 1) * modulus) // self.curve.radix
                    self.require(bound < 2 * modulus, "a product of 2 m")
                    quotient = a * b * factor % self.curve.radix
                    self.write(one.d, (a * b + quotient * modulus) // self.curve.radix, bound)
                    result.largest_product = max(result.largest_product, largest.bit_length())
                case "modulus":
                    modulus = self.read(one.b)[0]
                    factor = -pow(modulus, -1, self.curve.radix)
                case "bit":
                    step = one.modifier
                    which = "window" if step <= STEPS["down"] else "comb"
                    at = numbers[which]
                    bit = self.read(one.b)[0] >> at & 1 if at >= 0 else 0
                    digit = (digit << 1 | bit) & 31
                    columns = self.curve.columns
                    numbers[which] += (0, -1, -columns, 3 * columns - 1)[step]
                case "in":
                    self.write(one.d, inputs.pop(0), (1 << 8 * self.curve.bytes) - 1)
                case "out":
                    result.outputs.append(self.read(one.b)[0])
                case "count":
                    counters[one.d] = self.numbers[COUNTS[one.target]]
                case "start":
                    name = STARTS[one.target]
                    numbers["comb" if name == "comb_start" else "window"] = self.numbers[name]
                case "loop":
                    counters[one.d] -= 1
                    if counters[one.d]:
                        pc = one.target
                case "call":
                    stack.append(pc)
                    self.require(len(stack) <= 3, "calls too deep")
                    pc = one.target
                case "ret":
                    pc = stack.pop()
                case "br":
                    if holds(one.d):
                        pc = one.target
                case _:
                    result.status = one.target
        self.require(not inputs or result.status > 0, "operands that were not read")
        return result
