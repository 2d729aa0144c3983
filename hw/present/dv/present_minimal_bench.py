# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The smallest core with a round a cycle (cocotb test)."""

from __future__ import annotations

import itertools
from random import Random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge
from present_reference import ENCRYPT, KNOWN_ANSWERS, reference


@cocotb.test()
async def a_block_every_32_cycles(dut):
    """Known answers and random blocks, each with a key of its own; inputs change in between."""
    random = Random(3)
    cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start())
    given = [(v.key, v.plain) for v in KNOWN_ANSWERS if v.bits == 80]
    given += [(random.getrandbits(80), random.getrandbits(64)) for _ in range(20)]
    expected = [reference(ENCRYPT, 80, key, plain) for key, plain in given]
    results: list[int] = []
    cycle, boundaries = 0, []
    while len(boundaries) <= len(given):
        await RisingEdge(dut.clk_i)
        cycle += 1
        key, plain = random.getrandbits(80), random.getrandbits(64)
        await ReadOnly()
        if int(dut.boundary_o.value):
            results.append(int(dut.block_o.value))
            boundaries.append(cycle)
            if len(boundaries) <= len(given):
                key, plain = given[len(boundaries) - 1]
        await FallingEdge(dut.clk_i)
        dut.key_i.value = key
        dut.block_i.value = plain
    assert results[1:] == expected
    assert {b - a for a, b in itertools.pairwise(boundaries)} == {32}
