# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The core of one operation of a round a cycle (cocotb tests)."""

from __future__ import annotations

import itertools

import cocotb
from aes_reference import ENCRYPT, FIPS_197_APPENDIX, cavp_vectors
from ciphermill_dv.residue import nonzero_registers
from ciphermill_dv.stall import PATTERNS
from cocotb.triggers import ReadOnly, RisingEdge
from core_driver import CoreDriver

CONTROL = frozenset({"step_q", "round_q", "constant_q", "count_q"})


@cocotb.test()
async def known_answers(dut):
    """CAVP and FIPS 197 vectors of 128 bits."""
    driver = CoreDriver(dut)
    await driver.start()
    ran = 0
    for vector in [*FIPS_197_APPENDIX, *cavp_vectors(("GFSbox", "KeySbox", "VarTxt"), 16)]:
        if len(vector.key) != 16:
            continue
        driver.keys.append((0, vector.key))
        while driver.keys:
            await driver.step()
        driver.blocks.append((ENCRYPT, vector.plain))
        while driver.blocks:
            await driver.step()
        assert driver.expected[-1][0] == vector.cipher, f"the reference disagrees: {vector.name}"
        ran += 1
    await driver.drain()
    assert ran > 5


@cocotb.test()
async def random_traffic(dut):
    """Random keys at any moment, with every pair of idle and back-pressure patterns."""
    driver = CoreDriver(dut, seed=2)
    await driver.start()
    driver.keys.append(driver.random_key())
    while driver.keys:
        await driver.step()
    for block_pattern, result_pattern in itertools.product(PATTERNS, PATTERNS):
        driver.set_stalls("heavy", block_pattern, result_pattern)
        driver.keys += [driver.random_key() for _ in range(3)]
        driver.blocks += [driver.random_block() for _ in range(4)]
        while driver.blocks or driver.keys:
            await driver.step()
    driver.set_stalls("never", "never", "never")
    await driver.drain()


@cocotb.test()
async def a_block_every_33_cycles(dut):
    """The rate of the paper's core; a result that waits for a block's time delays nothing."""
    driver = CoreDriver(dut)
    await driver.start()
    driver.keys.append(driver.random_key())
    while driver.keys:
        await driver.step()
    for pattern in ("never", "alternate"):
        driver.set_stalls("never", "never", pattern)
        driver.block_cycles.clear()
        driver.blocks += [driver.random_block() for _ in range(5)]
        await driver.drain()
        assert {b - a for a, b in itertools.pairwise(driver.block_cycles)} == {33}


@cocotb.test()
async def unsupported_is_refused(dut):
    """Other key sizes and decryption are never accepted."""
    driver = CoreDriver(dut)
    await driver.start()
    for size in range(4):
        dut.key_size_i.value = size
        await ReadOnly()
        assert int(dut.key_ready_o.value) == (size == 0)
        await RisingEdge(dut.clk_i)
    assert not int(dut.block_ready_o.value), "a block would be taken before the first key"
    driver.keys.append(driver.random_key())
    await driver.drain()
    for direction in (0, 1):
        dut.block_direction_i.value = direction
        await ReadOnly()
        assert int(dut.block_ready_o.value) == (direction == ENCRYPT)
        await RisingEdge(dut.clk_i)


@cocotb.test()
async def zeroise(dut):
    """A zeroise at any moment leaves no register with key or data."""
    driver = CoreDriver(dut, seed=3)
    await driver.start()
    for settle in range(36):
        driver.keys.append(driver.random_key())
        driver.blocks += [driver.random_block() for _ in range(3)]
        driver.set_stalls("never", "never", "heavy")
        for _ in range(36 + settle):
            await driver.step()
        assert nonzero_registers(dut, CONTROL), "the check of registers sees nothing"
        dut.zeroise_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.zeroise_i.value = 0
        driver.forget()
        driver.keys.clear()
        driver.blocks.clear()
        await RisingEdge(dut.clk_i)
        assert int(dut.busy_o.value) == 1
        assert int(dut.idle_o.value) == 1
        await driver.wait_sweep()
        left = nonzero_registers(dut, CONTROL)
        assert not left, f"left after a zeroise: {left}"
        assert not int(dut.block_ready_o.value), "a block would be taken without a key"
