# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Assembles the programs of the ECC engine. README.md of hw/ecc describes the language.

A line is a label, a directive, a macro's name with its arguments, or an instruction; a comment
begins with a semicolon. Instructions between ``.schedule`` and ``.end`` may be reordered: the
assembler computes the order in which multiplier and adder wait least for each other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from ecc_curves import COUNTS, P256, STARTS, constants

SOURCE = Path(__file__).with_name("ecc.asm")

OPCODES = (
    "add",
    "sub",
    "sel",
    "mul",
    "modulus",
    "bit",
    "in",
    "out",
    "count",
    "start",
    "loop",
    "call",
    "ret",
    "br",
    "end",
)
"""Mnemonics in the order of their codes."""
FLAGS = {"always": 0, "borrow": 1, "zero": 2, "not_borrow": 3, "not_zero": 4, "minus": 5}
STEPS = {"stay": 0, "down": 1, "tooth": 2, "column": 3}
INDICES = {"digit": 1, "magnitude": 2}
FIRST_CONSTANT = 64
ENTRIES = ("generate", "public", "sign", "verify", "agree")
"""Labels at which operations begin, in the order of their codes."""
CONSTANTS = {name: FIRST_CONSTANT + at for at, name in enumerate(constants(P256))}


class AssemblyError(Exception):
    """A line of the source is wrong."""


@dataclass(frozen=True)
class Instruction:
    """An instruction; README.md of hw/ecc says which fields each has."""

    name: str
    d: int = 0
    a: int = 0
    b: int = 0
    modifier: int = 0
    target: int = 0

    @property
    def code(self) -> int:
        """The word of 32 bits."""
        word = OPCODES.index(self.name) << 28 | self.d << 21
        return word | (self.a << 14 | self.b << 7 | self.modifier or self.target)


@dataclass(frozen=True)
class Program:
    """What the assembler makes."""

    instructions: Sequence[Instruction]
    entries: Mapping[str, int]
    registers: Mapping[str, int]
    """Numbers of the registers by name, constants included."""
    size: int
    """Registers of the operand memory."""


@dataclass
class _Reader:
    registers: dict[str, int] = field(default_factory=lambda: dict(CONSTANTS))
    size: int = 0
    macros: dict[str, tuple[list[str], list[str]]] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    out: list[tuple[str, list[str], int]] = field(default_factory=list)
    block: list[tuple[str, list[str], int]] | None = None

    def line(self, text: str, number: int) -> None:
        words = re.split(r"[\s,]+", text.strip())
        name, arguments = words[0], words[1:]
        if name.endswith(":"):
            label = name[:-1]
            if label in self.labels or self.block is not None:
                raise AssemblyError(f"line {number}: label {label}")
            self.labels[label] = len(self.out)
        elif name == ".register":
            for argument in arguments:
                plain, _, count = argument.partition("*")
                names = [f"{plain}{n}" for n in range(int(count))] if count else [plain]
                for one in names:
                    self.registers[one] = self.size
                    self.size += 1
        elif name == ".same":
            first = self.registers[arguments[1]]
            plain, _, count = arguments[0].partition("*")
            names = [f"{plain}{n}" for n in range(int(count))] if count else [plain]
            for at, one in enumerate(names):
                self.registers[one] = first + at
        elif name == ".schedule":
            self.block = []
        elif name == ".end":
            if self.block is None:
                raise AssemblyError(f"line {number}: .end without .schedule")
            self.out += self.arrange(self.block)
            self.block = None
        elif name in self.macros:
            parameters, body = self.macros[name]
            if len(parameters) != len(arguments):
                raise AssemblyError(f"line {number}: {name} has {len(parameters)} arguments")
            given = dict(zip(parameters, arguments, strict=True))
            for inner in body:
                for parameter, value in given.items():
                    inner = re.sub(rf"\${parameter}\b", value, inner)
                self.line(inner, number)
        elif name in OPCODES:
            (self.out if self.block is None else self.block).append((name, arguments, number))
        else:
            raise AssemblyError(f"line {number}: {name} is not an instruction")

    def encode(self, name: str, arguments: list[str], number: int) -> Instruction:
        def register(argument: str, *, constant: bool = False) -> int:
            value = self.registers.get(argument)
            if value is None or (value >= FIRST_CONSTANT and not constant):
                raise AssemblyError(f"line {number}: {argument} cannot stand here")
            return value

        def condition(argument: str) -> int:
            kind, _, value = argument.partition("=")
            if value:
                return INDICES[kind] << 4 | int(value)
            return FLAGS[kind]

        rest = list(arguments)
        try:
            match name:
                case "add" | "sub" | "sel" | "mul":
                    d, a, b, *rest = rest
                    modifier = 0
                    if name == "sub" and rest:
                        multiple = int(rest.pop())
                        modifier = multiple.bit_length() - 1
                        if multiple not in (2, 4, 8, 16, 32, 64, 128):
                            raise AssemblyError(f"line {number}: multiple {multiple}")
                    elif name == "sel":
                        modifier = condition(rest.pop())
                    indexed = re.fullmatch(r"(\w+)\[(\w+)\]", b)
                    if indexed and name == "add":
                        b = f"{indexed[1]}0"
                        modifier = INDICES[indexed[2]] << 5
                    found = Instruction(
                        name, register(d), register(a), register(b, constant=True), modifier
                    )
                case "modulus":
                    found = Instruction(name, b=register(rest.pop(), constant=True))
                case "bit":
                    b, step = rest
                    rest = []
                    found = Instruction(name, b=register(b, constant=True), modifier=STEPS[step])
                case "in":
                    found = Instruction(name, d=register(rest.pop()))
                case "out":
                    found = Instruction(name, b=register(rest.pop()))
                case "count":
                    counter, count = rest
                    rest = []
                    found = Instruction(name, d=int(counter), target=COUNTS.index(count))
                case "start":
                    found = Instruction(name, target=STARTS.index(rest.pop()))
                case "loop":
                    counter, label = rest
                    rest = []
                    found = Instruction(name, d=int(counter), target=self.labels[label])
                case "call":
                    found = Instruction(name, target=self.labels[rest.pop()])
                case "ret":
                    found = Instruction(name)
                case "br":
                    flag, label = rest
                    rest = []
                    found = Instruction(name, d=FLAGS[flag], target=self.labels[label])
                case _:
                    found = Instruction(name, target=int(rest.pop()))
        except (KeyError, ValueError, IndexError) as error:
            raise AssemblyError(f"line {number}: {name} {arguments}: {error}") from error
        if rest:
            raise AssemblyError(f"line {number}: {name} {arguments}: {rest}")
        return found

    def arrange(self, block: list[tuple[str, list[str], int]]) -> list[tuple[str, list[str], int]]:
        """Return a block's lines in the best order that was found."""
        instructions = [self.encode(*line) for line in block]
        if any(one.name not in ("add", "sub", "sel", "mul") for one in instructions):
            raise AssemblyError(f"line {block[0][2]}: not an instruction for .schedule")
        random = Random(1)  # noqa: S311 (the same order each time)
        order, best = list(range(len(block))), 10**9
        for trial in range(300):
            found, cycles = _order(instructions, random, 0.0 if trial == 0 else 12.0)
            if cycles < best:
                order, best = found, cycles
        return [block[at] for at in order]


_WORDS, _SLOTS = 3, 22
"""Words and cycles of a multiplication that orders are computed for: P-384, the default build."""


def _order(
    instructions: Sequence[Instruction], random: Random, noise: float
) -> tuple[list[int], float]:
    """Return an order of instructions, and its cycles when it runs again and again."""
    count = len(instructions)
    reads = [{one.a, one.b} for one in instructions]
    before: list[set[int]] = [set() for _ in instructions]
    for at, one in enumerate(instructions):
        for earlier in range(at):
            other = instructions[earlier]
            if other.d in reads[at] or one.d in reads[earlier] or one.d == other.d:
                before[at].add(earlier)
    length = [0.0] * count
    for at in reversed(range(count)):
        cost = _SLOTS + 3 if instructions[at].name == "mul" else _WORDS
        later = [length[n] for n in range(at, count) if at in before[n]]
        length[at] = cost + max(later, default=0.0)
    weight = [value + random.uniform(0, noise) for value in length]
    left = set(range(count))
    order: list[int] = []
    pipeline = _Pipeline()
    while left:
        free = [at for at in left if not before[at] & left]
        choice = min(free, key=lambda at: (pipeline.begin(instructions[at]), -weight[at]))
        pipeline.issue(instructions[choice])
        order.append(choice)
        left.remove(choice)
    steady = _Pipeline()
    for _ in range(2):
        begin = steady.reader
        for at in order:
            steady.issue(instructions[at])
    return order, steady.reader - begin


@dataclass
class _Pipeline:
    """When the parts of the engine are free, for the order of instructions."""

    reader: float = 0.0
    loadable: float = 0.0
    finish: float = 0.0
    ready: dict[int, float] = field(default_factory=dict)

    def begin(self, one: Instruction) -> float:
        """Return when an instruction would begin."""
        ready = max(self.ready.get(register, 0.0) for register in (one.a, one.b, one.d))
        return max(self.reader, ready, self.loadable if one.name == "mul" else 0.0)

    def issue(self, one: Instruction) -> None:
        """Begin an instruction."""
        begin = self.begin(one)
        self.reader = begin + _WORDS
        if one.name == "mul":
            self.finish = max(begin + 2, self.finish) + _SLOTS
            self.loadable = self.finish - _WORDS - 3
            self.ready[one.d] = self.finish + 1


def assemble(text: str | None = None) -> Program:
    """Assemble the programs of the engine, or another source.

    Raises:
        AssemblyError: A line is wrong.
    """
    source = SOURCE.read_text(encoding="utf-8") if text is None else text
    reader = _Reader()
    macro: tuple[str, list[str], list[str]] | None = None
    for number, raw in enumerate(source.splitlines(), 1):
        line = raw.split(";")[0].strip()
        if not line:
            continue
        words = line.split()
        if words[0] == ".macro":
            macro = (words[1], [word.strip(",") for word in words[2:]], [])
        elif words[0] == ".endmacro":
            if macro is None:
                raise AssemblyError(f"line {number}: .endmacro without .macro")
            reader.macros[macro[0]] = (macro[1], macro[2])
            macro = None
        elif macro is not None:
            macro[2].append(line)
        else:
            reader.line(line, number)
    instructions = [reader.encode(*line) for line in reader.out]
    if reader.size > FIRST_CONSTANT:
        raise AssemblyError(f"{reader.size} registers; there can be {FIRST_CONSTANT}")
    entries = {name: reader.labels[name] for name in ENTRIES if name in reader.labels}
    return Program(instructions, entries, reader.registers, reader.size)
