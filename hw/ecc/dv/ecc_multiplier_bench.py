# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Montgomery multiplication of the ECC engine against Python's integers (cocotb tests)."""

from __future__ import annotations

from random import Random

import cocotb
from ciphermill_dv.parameters import parameter
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from ecc_curves import CURVES, ROW_BITS, Curve

FACTOR_EXCESS = 7
"""Bits by which an operand may exceed the modulus: a product of two fits R, the least R is 2^15."""


class Multiplier:
    """The module under test."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.bits = parameter("WordBits", 136)
        self.random = Random(1)

    def words(self, value: int, curve: Curve) -> list[int]:
        """Return the words of a number, the lowest first."""
        count = curve.rows * ROW_BITS // self.bits
        return [value >> n * self.bits & (1 << self.bits) - 1 for n in range(count)]

    async def start(self) -> None:
        """Start the clock and clear every register."""
        dut = self.dut
        for name in ("sweep_i", "hold_i", "load_i", "load_modulus_i", "load_factor_i"):
            getattr(dut, name).value = 0
        for name in ("curve_i", "load_word_i", "a_i", "b_i", "modulus_word_i"):
            getattr(dut, name).value = 0
        dut.clear_i.value = 1
        dut.rst_ni.value = 0
        Clock(dut.clk_i, 10, unit="ns").start()
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await RisingEdge(dut.clk_i)
        dut.clear_i.value = 0

    async def modulus(self, curve: Curve, modulus: int) -> None:
        """Load a modulus and its factor."""
        dut = self.dut
        dut.curve_i.value = curve.code
        for index, word in enumerate(self.words(modulus, curve)):
            dut.load_modulus_i.value = 1
            dut.load_word_i.value = index
            dut.b_i.value = word
            await RisingEdge(dut.clk_i)
        dut.load_modulus_i.value = 0
        dut.load_factor_i.value = 1
        dut.b_i.value = -pow(modulus, -1, 1 << self.bits) % (1 << self.bits)
        await RisingEdge(dut.clk_i)
        dut.load_factor_i.value = 0

    async def products(
        self, curve: Curve, pairs: list[tuple[int, int]], *, hold: float = 0.0, wait: bool = False
    ) -> list[int]:
        """Return the products of pairs, each issued as soon as the engine may.

        ``hold`` is the share of cycles in which everything but the products on their way waits;
        with ``wait``, a multiplication begins after the one before has ended.
        """
        dut = self.dut
        results: list[int] = []
        value, loads, behind = 0, [], 0
        waiting = list(pairs)
        issued = running = False
        for _ in range(400 * len(pairs)):
            held = self.random.random() < hold
            dut.hold_i.value = int(held)
            # An operand's word comes two cycles after the issue of its multiplication.
            if not held and loads:
                index, a, b = loads.pop(0)
                dut.load_i.value = int(index is not None)
                if index is not None:
                    dut.load_word_i.value, dut.a_i.value, dut.b_i.value = index, a, b
            else:
                dut.load_i.value = 0
            await FallingEdge(dut.clk_i)
            begin, last = int(dut.begin_o.value), int(dut.last_o.value)
            free = not running or int(dut.loadable_o.value)
            if wait:
                free = int(dut.idle_o.value) and not loads
            if waiting and not issued and not held and free and len(loads) <= 1:
                a, b = waiting.pop(0)
                count = len(self.words(a, curve))
                loads += [(None, 0, 0)] * (1 - len(loads))
                loads += zip(range(count), self.words(a, curve), self.words(b, curve), strict=True)
                issued = True
            if int(dut.write_o.value):
                assert int(dut.write_word_o.value) == behind
                value |= int(dut.write_data_o.value) << behind * self.bits
                behind += 1
                if behind == curve.rows * ROW_BITS // self.bits:
                    results.append(value)
                    value, behind = 0, 0
            await RisingEdge(dut.clk_i)
            if begin:
                issued, running = False, True
            if last:
                running = False
            if len(results) == len(pairs):
                dut.hold_i.value = 0
                dut.load_i.value = 0
                return results
        raise AssertionError("the multiplier hangs")


def operands(random: Random, modulus: int, count: int) -> list[tuple[int, int]]:
    """Return pairs of operands: edges and their neighbours with each other, and random ones."""
    edges = [0, 1, 2, modulus - 1, modulus, modulus + 1, 2 * modulus - 1]
    edges += [(modulus << FACTOR_EXCESS) - 1, (1 << modulus.bit_length()) - 1]
    pairs = [(a, b) for a in edges for b in edges]
    top = modulus << FACTOR_EXCESS
    return pairs + [(random.randrange(top), random.randrange(top)) for _ in range(count)]


async def check(dut, *, hold: float, wait: bool, count: int) -> None:
    multiplier = Multiplier(dut)
    await multiplier.start()
    for curve in CURVES[2:] if parameter("Mersenne", 0) else CURVES:
        for modulus in (curve.p, curve.n):
            await multiplier.modulus(curve, modulus)
            pairs = operands(multiplier.random, modulus, count)
            results = await multiplier.products(curve, pairs, hold=hold, wait=wait)
            inverse = pow(curve.radix, -1, modulus)
            for (a, b), result in zip(pairs, results, strict=True):
                assert result % modulus == a * b * inverse % modulus, (curve.name, a, b)
                assert result < 2 * modulus


@cocotb.test()
async def one_behind_the_other(dut):
    """Multiplications that follow each other at once give the products of edges and others."""
    await check(dut, hold=0.0, wait=False, count=20)


@cocotb.test()
async def with_holds(dut):
    """Cycles in which operands and schedule wait change no product."""
    await check(dut, hold=0.3, wait=False, count=0)


@cocotb.test()
async def each_by_itself(dut):
    """Multiplications that begin in an idle engine are right, too."""
    await check(dut, hold=0.1, wait=True, count=0)
