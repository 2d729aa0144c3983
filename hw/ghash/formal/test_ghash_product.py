# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The multipliers equal the bit-serial product of SP 800-38D, for every pair of factors.

A SAT solver does not get through a sum of 16,384 products in another order. But the circuits
are of XORs, and of ANDs of a sum of bits of one factor with a sum of bits of the other: so each
wire has a normal form, the set of products ``a[i] b[j]`` that it is the sum of, and two wires
are equal for every input exactly if these sets are. The netlist that yosys makes of the RTL is
evaluated in normal forms, and so is the standard's algorithm; a cell of another kind, or an
AND of other operands, fails the test. Pipeline registers count as wires, their enables being on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from ciphermill_dv.formal import mutant
from ciphermill_dv.simulate import rtl_sources
from ciphermill_dv.yosys import kept, read_slang, relative, run_yosys

RTL = rtl_sources("ghash")


@dataclass(frozen=True)
class Form:
    """The normal form of a wire: a sum of bits of a, of bits of b, and of products of the two.

    Bit i of ``a`` stands for a[i], bit 128 i + j of ``ab`` for a[i] b[j].
    """

    a: int = 0
    b: int = 0
    ab: int = 0
    one: int = 0

    def __xor__(self, other: Form) -> Form:
        return Form(self.a ^ other.a, self.b ^ other.b, self.ab ^ other.ab, self.one ^ other.one)

    def __and__(self, other: Form) -> Form:
        if ZERO in (self, other):
            return ZERO
        if self == ONE:
            return other
        if other == ONE:
            return self
        first, second = (self, other) if self.a else (other, self)
        assert first == Form(a=first.a) and second == Form(b=second.b), "not bilinear"
        rows = (128 * i for i in range(128) if first.a >> i & 1)
        return Form(ab=sum(second.b << row for row in rows))


ZERO, ONE = Form(), Form(one=1)
A = [Form(a=1 << i) for i in range(128)]
B = [Form(b=1 << i) for i in range(128)]


@cache
def standard_product() -> list[Form]:
    """Return SP 800-38D's algorithm 1 in normal forms; element i is the i-th bit from the left."""
    z, v = [ZERO] * 128, list(B)
    for x in A:
        z = [sum_ ^ (x & bit) for sum_, bit in zip(z, v, strict=True)]
        carry = v[-1]
        v = [ZERO, *v[:-1]]
        for place in (0, 1, 2, 7):  # R = 11100001 || 0^120
            v[place] ^= carry
    return z


def netlist(top: str, parameters: Mapping[str, int], sources: Sequence[Path]) -> dict:
    """Return a module as yosys's JSON, of gates and flip-flops of one bit."""
    commands = [
        read_slang(sources, top, parameters),
        "proc",
        "flatten",
        "opt_clean",
        "simplemap",
        "opt_clean",
    ]

    def build(folder: Path) -> str:
        path = folder / "netlist.json"
        run_yosys([*commands, f"write_json {relative(path)}"], f"netlist of {top}")
        return path.read_text()

    path = kept("gates", sources, {"commands": commands}, build)
    return json.loads(path.read_text())["modules"][top]


class Circuit:
    """A module whose outputs are evaluated in normal forms."""

    def __init__(self, top: str, parameters: Mapping[str, int], sources: Sequence[Path]) -> None:
        module = netlist(top, parameters, sources)
        self._ports = module["ports"]
        self._driver = {}
        for cell in module["cells"].values():
            if cell["type"] == "$scopeinfo":
                continue
            output = "Y" if "Y" in cell["connections"] else "Q"
            self._driver[cell["connections"][output][0]] = cell

    def evaluate(self, output: str, inputs: Mapping[str, Sequence[Form]]) -> list[Form]:
        """Return the forms of an output's bits, given those of all inputs that it depends on."""
        known = {"0": ZERO, "1": ONE}
        for name, forms in inputs.items():
            bits = self._ports[name]["bits"]
            known |= dict(zip(bits, forms, strict=True))
        return [self._form(bit, known) for bit in self._ports[output]["bits"]]

    def _form(self, bit: int | str, known: dict[int | str, Form]) -> Form:
        if bit not in known:
            cell = self._driver[bit]
            pins = {name: bits[0] for name, bits in cell["connections"].items()}
            match cell["type"]:
                case "$_XOR_":
                    form = self._form(pins["A"], known) ^ self._form(pins["B"], known)
                case "$_AND_":
                    form = self._form(pins["A"], known) & self._form(pins["B"], known)
                case "$_OR_":
                    a, b = (self._form(pins[name], known) for name in "AB")
                    form = a ^ b ^ (a & b)
                case "$_NOT_":
                    form = self._form(pins["A"], known) ^ ONE
                case "$_MUX_":
                    chosen = self._form(pins["S"], known)
                    assert chosen in (ZERO, ONE), "a choice that depends on a factor"
                    form = self._form(pins["A" if chosen == ZERO else "B"], known)
                case "$_DFF_P_":
                    form = self._form(pins["D"], known)
                case other:
                    raise AssertionError(f"a cell of another kind: {other}")
            known[bit] = form
        return known[bit]


@pytest.fixture(autouse=True)
def _deep_circuits() -> None:
    sys.setrecursionlimit(10_000)


def parallel(stages: int, sources: Sequence[Path] = RTL) -> list[Form]:
    circuit = Circuit("ghash_multiplier", {"Stages": stages}, sources)
    steady = {"clear_i": [ZERO], "advance_i": [ONE], "bubble_i": [ZERO]}
    return circuit.evaluate("product_o", {"a_i": A, "b_i": B, **steady})


def serial(digit: int, sources: Sequence[Path] = RTL) -> list[Form]:
    circuit = Circuit("ghash_digit", {"Digit": digit}, sources)
    sum_ = [ZERO] * 128
    for low in range(128 - digit, -1, -digit):
        inputs = {"sum_i": sum_, "digit_i": A[low : low + digit], "key_i": B}
        sum_ = circuit.evaluate("sum_o", inputs)
    return sum_


@pytest.mark.synthesis
@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_the_multiplier_is_that_of_the_standard(stages: int) -> None:
    assert parallel(stages) == standard_product()


@pytest.mark.synthesis
@pytest.mark.parametrize("digit", [1, 2, 4, 8, 16, 32, 64])
def test_the_steps_of_a_digit_are_the_product_of_the_standard(digit: int) -> None:
    assert serial(digit) == standard_product()


@pytest.mark.synthesis
@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("ghash_pkg.sv", "(high << 7)", "(high << 6)"),
        ("ghash_product.sv", "both ^ low ^ high", "both ^ low"),
    ],
    ids=["polynomial", "karatsuba"],
)
def test_a_broken_multiplier_is_caught(file: str, old: str, new: str) -> None:
    assert parallel(1, mutant(RTL, file, old, new)) != standard_product()


@pytest.mark.synthesis
def test_a_broken_digit_is_caught() -> None:
    broken = mutant(RTL, "ghash_digit.sv", "(high << 2)", "(high << 3)")
    assert serial(16, broken) != standard_product()
