# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Curves, programs and schedules of the ECC engine, without its hardware."""

from __future__ import annotations

import random

import pytest
from ecc_assembler import SOURCE, AssemblyError, Program, assemble
from ecc_curves import CURVES, P521, ROW_BITS, Curve
from ecc_cycles import CYCLES, CYCLES_OF_P521_ALONE
from ecc_emulator import BoundError, Emulator
from ecc_generate import TARGET, package
from ecc_schedule import DIGIT, PRODUCT, REDUCTION, Slot, schedule
from ecc_timing import Build, operation_cycles

RANDOM = random.Random(1)


@pytest.fixture(scope="module")
def program() -> Program:
    return assemble()


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_curve(curve: Curve):
    assert curve.has(curve.g)
    assert curve.multiply(curve.n, curve.g) is None
    assert curve.p.bit_length() == curve.n.bit_length() == curve.bits
    assert curve.radix > curve.p << 15
    assert curve.radix > curve.n << 15


def test_package_is_generated():
    assert TARGET.read_text() == package(), "run hw/ecc/programs/ecc_generate.py"


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_operations_within_bounds(program: Program, curve: Curve):
    """The emulator fails where a bound of any value along the path is exceeded."""

    def run(operation: str, *operands: int):
        result = Emulator(program, curve).run(operation, operands)
        assert result.largest_product < curve.radix.bit_length() + curve.bits - 3
        return result.status, result.outputs

    n = curve.n
    private, nonce, digest = (RANDOM.randrange(1, n) for _ in range(3))
    point = curve.multiply(private, curve.g)
    r = curve.multiply(nonce, curve.g)[0] % n
    s = pow(nonce, -1, n) * (digest + r * private) % n
    assert run("generate", private - 1) == (0, [private, *point])
    assert run("sign", private, nonce, digest) == (0, [r, s])
    assert run("verify", *point, r, s, digest) == (0, [])
    assert run("verify", *point, r, s, digest ^ 1) == (8, [])
    assert run("agree", nonce, *point) == (0, [curve.multiply(nonce, point)[0]])
    assert run("agree", nonce, point[0], point[1] ^ 1) == (6, [])


@pytest.mark.parametrize(
    "change",
    [
        ("sub   t7, t1, t6, 32", "sub   t7, t1, t6, 8"),
        ("sub   t4, t4, t2, 8\n", "sub   t4, t4, t2, 2\n"),
        ("add   Z, Z, Z\n", "add   Z, Z, Z\n" + "    add   Z, Z, Z\n" * 8),
    ],
    ids=["multiple-too-small", "other-multiple-too-small", "sum-too-large"],
)
def test_wrong_bounds_are_found(change: tuple[str, str]):
    text = SOURCE.read_text()
    assert change[0] in text
    broken = assemble(text.replace(*change, 1))
    with pytest.raises(BoundError):
        Emulator(broken, CURVES[0]).run("agree", [3, *CURVES[0].g])


def multiply(a: int, b: int, modulus: int, *, words: int, word_bits: int, slots: list[Slot]) -> int:
    """Return what a schedule computes, a b / 2^(words word_bits) modulo a modulus.

    It fails if a step comes before what it needs, or the result is too long.
    """
    mask = (1 << word_bits) - 1
    factor = -pow(modulus, -1, 1 << word_bits) & mask

    def word(value: int, index: int) -> int:
        return value >> index * word_bits & mask

    window, result, written = 0, 0, 0
    digits: dict[int, int] = {}
    waiting: list[tuple[int, bool, bool]] = []
    for slot in [*slots, None]:
        now = waiting
        waiting = []
        # The window as its register is: without the products of the slot before.
        low = window & mask
        for value, shift, write in now:
            window += value
            if shift:
                if write:
                    result |= (window & mask) << written * word_bits
                    written += 1
                else:
                    assert not window & mask
                window >>= word_bits
        if slot is None:
            break
        total = 0
        for work in slot.works:
            if work.kind == DIGIT:
                digits[work.i] = low * factor & mask
            elif work.kind == PRODUCT:
                total += word(a, work.i) * word(b, work.j) << work.offset * word_bits
            elif work.kind == REDUCTION:
                total += digits[work.i] * word(modulus, work.j) << work.offset * word_bits
        waiting.append((total, slot.shift, slot.write))
    assert window == 0 and written == words
    return result


@pytest.mark.parametrize("multipliers", [1, 2])
@pytest.mark.parametrize("bits", [68, 136])
@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_schedule(curve: Curve, bits: int, multipliers: int):
    words = curve.rows * ROW_BITS // bits
    slots = schedule(words, multipliers)
    for modulus in (curve.p, curve.n):
        top = modulus << 7
        for a, b in [(0, 0), (top - 1, top - 1), (RANDOM.randrange(top), RANDOM.randrange(top))]:
            product = multiply(a, b, modulus, words=words, word_bits=bits, slots=slots)
            assert product % modulus == a * b * pow(curve.radix, -1, modulus) % modulus
            assert product < 2 * modulus


@pytest.mark.parametrize(
    "line",
    ["nothing", "add X, X", "add one, X, X", "sub X, X, X, 3", "br maybe, sign", "mul X, one, X"],
)
def test_wrong_lines_are_refused(line: str):
    with pytest.raises(AssemblyError):
        assemble(f".register X\nsign:\n    {line}\n")


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_estimated_cycles_are_those_of_the_rtl_within_1_percent(curve: Curve):
    rtl = [(Build(7, *size), cycles[curve.code]) for size, cycles in CYCLES.items()]
    if curve == P521:
        rtl.append((Build(4), CYCLES_OF_P521_ALONE))
    for build, cycles in rtl:
        for operation, counted in zip(("generate", "sign", "verify", "agree"), cycles, strict=True):
            estimated = operation_cycles(operation, curve, build)
            assert estimated == pytest.approx(counted, rel=0.01), (build, operation)


def test_estimates_rank_builds_as_the_rtl_does():
    builds = {Build(7, *size): cycles[P521.code][1] for size, cycles in CYCLES.items()}
    builds[Build(4)] = CYCLES_OF_P521_ALONE[1]
    assert sorted(builds, key=builds.__getitem__) == sorted(
        builds, key=lambda build: operation_cycles("sign", P521, build)
    )


@pytest.mark.parametrize(
    ("operation", "build", "problem"),
    [
        ("decrypt", Build(), "decrypt is no operation"),
        ("sign", Build(3), "leaves P-521 out"),
        ("sign", Build(7, 34), "68 or 136 bits"),
        ("sign", Build(7, 136, 3), "1 or 2 multipliers"),
    ],
)
def test_an_estimate_of_what_the_engine_cannot_do_is_refused(
    operation: str, build: Build, problem: str
):
    with pytest.raises(ValueError, match=problem):
        operation_cycles(operation, P521, build)
