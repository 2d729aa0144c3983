#!/usr/bin/env python3
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Estimates the cycles of an operation from its instructions, without the RTL.

Instructions are issued in their order, one a cycle at most, each when the parts of the engine that
it needs are free and its operands are there: the stream, which reads a word of two operands in each
cycle, and the multiplier, which follows a schedule (``ecc_schedule.py``).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from ecc_assembler import ENTRIES, FIRST_CONSTANT, Instruction, Program, assemble
from ecc_curves import CURVES, ROW_BITS, Curve, constants
from ecc_emulator import Emulator
from ecc_schedule import schedule

WORD_BITS = (68, 136)
MULTIPLIERS = (1, 2)


@dataclass(frozen=True)
class Build:
    """Parameters of ``ecc_core``."""

    curves: int = 7
    """The sum of 1 (P-256), 2 (P-384) and 4 (P-521)."""
    word_bits: int = 136
    multipliers: int = 1

    def multipliers_at_work(self, modulus: int) -> int:
        """Return how many multipliers the schedule modulo this number counts on.

        P-521 alone with one multiplier has a unit for the reductions by its prime, 2^521 - 1.
        """
        alone = self.curves == 1 << CURVES[-1].code and modulus == CURVES[-1].p
        return 2 if alone else self.multipliers


@dataclass
class _Engine:
    """When each part of the engine is free, in cycles."""

    build: Build
    curve: Curve
    multiplying: int = 0
    """Cycles of a multiplication."""
    loading: int = 0
    """Cycles of a multiplication after which the operands of the next one may be read."""
    reading: int = 0
    """Cycles of a multiplication after which its result may be read."""
    writing: Sequence[int] = ()
    """Slots of a multiplication whose words are of the result."""
    now: int = 0
    """The first cycle in which an instruction may be issued."""
    reader: int = 0
    """The first cycle in which the stream takes a command."""
    still: int = 0
    """The first cycle in which the stream reads and computes nothing."""
    written: int = 0
    """The first cycle in which the stream writes nothing."""
    loadable: int = 0
    """The first cycle in which the operands of a multiplication may be read."""
    multiplied: int = 0
    """The first cycle after the multiplication that was issued last."""
    ready: dict[int, int] = field(default_factory=dict)
    """The first cycle in which the product in a register may be read."""
    products: set[int] = field(default_factory=set)
    """Cycles in which words of products are written."""
    sums: set[int] = field(default_factory=set)
    """Cycles in which words of sums, differences and selections are written."""

    def issue(self, one: Instruction) -> None:
        """Issue an instruction."""
        words = self.curve.rows * ROW_BITS // self.build.word_bits
        quiet = max(self.now, self.still, self.written, self.multiplied + 2)
        match one.name:
            case "mul":
                at = max(self.now, self.reader, self.loadable, self.operands(one))
                self.read(at, words)
                begin = max(at + 3, self.multiplied)
                self.loadable = begin + self.loading
                self.multiplied = begin + self.multiplying
                self.ready[one.d] = begin + self.reading
                # Two registers after the slot.
                self.products.update(begin + slot + 2 for slot in self.writing)
            case "add" | "sub" | "sel":
                at = max(self.now, self.reader, self.operands(one))
                if one.name == "add" and one.modifier >> 5:
                    at = max(at, self.still)
                self.read(at, max(words, 3))
                # It was read, computed and kept in a cycle each.
                self.sums.update(range(at + 3, at + 3 + words))
                self.written = self.still + 1
            case "bit":
                at = max(self.now, self.reader, self.written)
                if one.b in self.ready:
                    at = max(at, self.multiplied)
                self.read(at, 1)
            case "modulus":
                at = quiet
                self.read(at, words + 1)
                modulus = list(constants(self.curve).values())[one.b - FIRST_CONSTANT]
                slots = schedule(words, self.build.multipliers_at_work(modulus))
                self.multiplying = len(slots)
                self.writing = [at for at, slot in enumerate(slots) if slot.write]
                # Flags stay set until the last slot.
                self.loading = max(1, sum(not slot.loadable for slot in slots))
                self.reading = max(1, sum(not slot.readable for slot in slots))
            case "in" | "out":
                at = quiet + self.curve.bytes
            case "br":
                at = max(self.now, self.still)
            case "end":
                at = quiet
            case _:
                at = self.now
        self.now = at + 1

    def operands(self, one: Instruction) -> int:
        """Return when no product is missing in the registers that an instruction names."""
        return max(self.ready.get(register, 0) for register in (one.d, one.a, one.b))

    def read(self, at: int, words: int) -> None:
        """Let the stream read a number of words."""
        self.reader = at + words
        self.still = self.reader + 2


def operation_cycles(operation: str, curve: Curve, build: Build) -> int:
    """Return the estimated cycles of an operation, from its start to its status.

    Operands are those of one key pair; all others take the same path, but for ``verify``, whose
    path depends on the signature.

    Raises:
        ValueError: The engine has no such operation or build, or the build lacks the curve.
    """
    if operation not in ENTRIES:
        raise ValueError(f"{operation} is no operation; there are: {', '.join(ENTRIES)}")
    if build.word_bits not in WORD_BITS or build.multipliers not in MULTIPLIERS:
        raise ValueError(f"{build}: words have 68 or 136 bits, and there are 1 or 2 multipliers")
    if not build.curves >> curve.code & 1:
        raise ValueError(f"curves are {build.curves}, which leaves {curve.name} out")
    engine = _Engine(build, curve)
    for one in _path(operation, curve):
        engine.issue(one)
    # The memory takes one word a cycle: for a product, everything else waits.
    waits = len(engine.products & engine.sums)
    # It is cleared before the status leaves.
    cleared = _program().size * curve.rows * ROW_BITS // build.word_bits
    return engine.now + waits + cleared


@cache
def _program() -> Program:
    return assemble()


@cache
def _path(operation: str, curve: Curve) -> Sequence[Instruction]:
    """Return the instructions of an operation, in the order in which they are executed."""
    return Emulator(_program(), curve).run(operation, _operands(operation, curve)).path


def _operands(operation: str, curve: Curve) -> Sequence[int]:
    """Return operands that the engine does not refuse."""
    private, nonce, digest = curve.n // 3, curve.n // 5, curve.n // 7
    match operation:
        case "generate" | "public":
            return (private,)
        case "sign":
            return private, nonce, digest
    x, y = curve.multiply(private, curve.g) or (0, 0)
    if operation == "agree":
        return nonce, x, y
    point = curve.multiply(nonce, curve.g) or (0, 0)
    r = point[0] % curve.n
    return x, y, r, pow(nonce, -1, curve.n) * (digest + r * private) % curve.n, digest


def main() -> int:
    """Print the estimated cycles of an operation as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operation", choices=ENTRIES)
    parser.add_argument("bits", type=int, choices=[curve.bits for curve in CURVES])
    parser.add_argument("--curves", type=int, default=7, help="of the build: 1 to 7")
    parser.add_argument("--word-bits", type=int, default=136, choices=WORD_BITS)
    parser.add_argument("--multipliers", type=int, default=1, choices=MULTIPLIERS)
    given = parser.parse_args()
    curve = next(one for one in CURVES if one.bits == given.bits)
    build = Build(given.curves, given.word_bits, given.multipliers)
    try:
        cycles = operation_cycles(given.operation, curve, build)
    except ValueError as error:
        parser.error(str(error))
    print(json.dumps({"cycles": cycles}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
