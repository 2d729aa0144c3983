# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Behaviour of any PRESENT core behind the interface of ``present_core`` (cocotb tests)."""

from __future__ import annotations

import itertools
import math
import os

import cocotb
from ciphermill_dv.coverage import Coverage
from ciphermill_dv.residue import nonzero_registers
from ciphermill_dv.stall import PATTERNS
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge
from present_driver import SCOPES, CoreDriver
from present_reference import DECRYPT, ENCRYPT, KEY_BITS, KNOWN_ANSWERS

# Control state without key or data: direction, key size and progress.
CONTROL = frozenset({"direction_q", "key_size_q", "phase_q", "newest_direction_q"})
# The unrolled core's nets between its stages, of which the registers end in _q.
NETS = frozenset({"direction_at", "key_size_at", "state_at", "key_at", "tag_at"})


@cocotb.test()
async def known_answers(dut):
    """The published vectors in each direction that the core has."""
    driver = CoreDriver(dut)
    await driver.start()
    ran = 0
    for vector in KNOWN_ANSWERS:
        size = KEY_BITS.index(vector.bits)
        if size not in driver.key_sizes:
            continue
        await driver.set_key((size, vector.key))
        for direction in driver.directions:
            given = vector.cipher if direction == DECRYPT else vector.plain
            wanted = vector.plain if direction == DECRYPT else vector.cipher
            driver.blocks.append((direction, given))
            while driver.blocks:
                await driver.step()
            assert driver.expected[-1][0] == wanted, f"the reference disagrees: {vector.name}"
            ran += 1
    await driver.drain()
    dut._log.info("%d known answers", ran)
    assert ran >= 4 * len(driver.key_sizes) * len(driver.directions)


@cocotb.test()
async def random_traffic(dut):
    """Random keys, directions, key changes, idle and back-pressure on every stream."""
    driver = CoreDriver(dut, seed=int(os.environ.get("COCOTB_RANDOM_SEED", 1)))
    axes = {
        "architecture": [driver.architecture],
        "key_size": KEY_BITS,
        "direction": ["encrypt", "decrypt"],
        "input": list(PATTERNS),
        "output": list(PATTERNS),
    }
    coverage = Coverage(f"present_core_{SCOPES[driver.architecture][4:]}", axes)
    await driver.start()
    most = int(os.environ.get("CIPHERMILL_TRAFFIC", 4))
    for names in itertools.product(PATTERNS, PATTERNS):

        async def step_and_sample(names=names):
            taken = len(driver.block_cycles)
            direction = driver.blocks[0][0] if driver.blocks else ENCRYPT
            await driver.step()
            if len(driver.block_cycles) > taken:
                coverage.sample(
                    architecture=driver.architecture,
                    key_size=KEY_BITS[driver.key_of_last[0]],
                    direction=("encrypt", "decrypt")[direction],
                    input=names[0],
                    output=names[1],
                )

        driver.set_stalls("heavy", *names)
        for size in driver.random.sample(driver.key_sizes, len(driver.key_sizes)):
            # Some blocks race with the key; then each direction runs under it.
            driver.keys.append(driver.random_key(size))
            if driver.key is not None:
                count = driver.random.randint(0, most)
                driver.blocks += [driver.random_block() for _ in range(count)]
            while driver.keys:
                await step_and_sample()
            driver.blocks += [driver.random_block(direction) for direction in driver.directions]
            while driver.blocks:
                await step_and_sample()
    driver.set_stalls("never", "never", "never")
    await driver.drain()
    possible = (len(driver.key_sizes), len(driver.directions), len(PATTERNS), len(PATTERNS))
    met = len(coverage.hits)
    coverage.write()
    assert met == math.prod(possible), f"{met} bins of {possible}"


@cocotb.test()
async def unsupported_is_refused(dut):
    """A key size or direction that the parameters leave out is never accepted."""
    driver = CoreDriver(dut)
    await driver.start()
    assert not int(dut.block_ready_o.value), "a block would be taken before the first key"
    for size in range(2):
        dut.key_size_i.value = size
        taken = 0
        for _ in range(4):
            await ReadOnly()
            taken |= int(dut.key_ready_o.value)
            await RisingEdge(dut.clk_i)
        assert taken == (size in driver.key_sizes), f"key size {size}"
    await driver.set_key()
    for _ in range(40):
        await driver.step()
    for direction in (ENCRYPT, DECRYPT):
        dut.block_direction_i.value = direction
        taken = 0
        for _ in range(4):
            await ReadOnly()
            taken |= int(dut.block_ready_o.value)
            await RisingEdge(dut.clk_i)
        assert taken == (direction in driver.directions), f"direction {direction}"


@cocotb.test()
async def zeroise(dut):
    """A zeroise drops everything and leaves no register with key or data."""
    driver = CoreDriver(dut)
    await driver.start()
    scope = getattr(dut, SCOPES[driver.architecture]).u_present
    assert not nonzero_registers(scope, CONTROL | NETS), "after reset"
    for settle in (1, 2, 3, 7, 30, 32, 33, 34, 100, 555, 600, 1200):
        driver.keys.append(driver.random_key())
        driver.blocks += [driver.random_block() for _ in range(40)]
        driver.set_stalls("never", "never", "heavy" if settle == 100 else "never")
        for _ in range(settle + 1):
            await driver.step()
        assert nonzero_registers(scope, CONTROL | NETS), "the check of registers sees nothing"
        # Offers stay, and must not be taken.
        dut.zeroise_i.value = 1
        dut.key_valid_i.value = 1
        dut.block_valid_i.value = 1
        dut.key_size_i.value = driver.key_sizes[0]
        dut.block_direction_i.value = driver.directions[0]
        await ReadOnly()
        assert not int(dut.key_ready_o.value), "a key taken in the cycle of zeroise_i"
        assert not int(dut.block_ready_o.value), "a block taken in the cycle of zeroise_i"
        await RisingEdge(dut.clk_i)
        dut.zeroise_i.value = 0
        await ReadOnly()
        assert int(dut.busy_o.value) == 1
        assert int(dut.idle_o.value) == 1
        assert int(dut.block_valid_o.value) == 0
        assert int(dut.block_o.value) == 0
        assert not int(dut.key_ready_o.value)
        assert not int(dut.block_ready_o.value)
        left = nonzero_registers(scope, CONTROL | NETS | {"busy_o"})
        assert not left, f"left after a zeroise: {left}"
        await RisingEdge(dut.clk_i)
        driver.forget()
        await RisingEdge(dut.clk_i)
        assert not int(dut.busy_o.value)
        for _ in range(3):
            await ReadOnly()
            assert not int(dut.block_ready_o.value), "a block would be taken without a key"
            await RisingEdge(dut.clk_i)
    driver.set_stalls("never", "never", "never")
    await driver.set_key()
    driver.blocks += [driver.random_block() for _ in range(4)]
    await driver.drain()


@cocotb.test()
async def key_and_block_at_once(dut):
    """Keys and blocks offered in the same cycles: each block uses the key before it."""
    driver = CoreDriver(dut, seed=5)
    await driver.start()
    await driver.set_key()
    for gap in range(24):
        await driver.drain()
        for _ in range(gap % 4):
            await driver.step()
        driver.keys += [driver.random_key() for _ in range(2)]
        driver.blocks += [driver.random_block() for _ in range(2)]
    await driver.drain()


@cocotb.test()
async def blocks_keep_their_key(dut):
    """Blocks held back by a full output keep their own key, however many keys follow."""
    driver = CoreDriver(dut, seed=7)
    await driver.start()
    for direction in driver.directions:
        for _ in range(3):
            await driver.set_key()
            driver.set_stalls("never", "never", "always")
            taken = len(driver.block_cycles)
            driver.blocks += [driver.random_block(direction) for _ in range(40)]
            for _ in range(1300):
                await driver.step()
            assert len(driver.block_cycles) > taken
            # Blocks not yet taken wait while keys come.
            driver.keys += [driver.random_key() for _ in range(3)]
            for _ in range(120):
                await driver.step()
            driver.set_stalls("never", "never", "never")
            await driver.drain()


@cocotb.test()
async def reset_in_the_middle(dut):
    """From a reset on, at any moment, nothing is valid or taken; then a new key works."""
    driver = CoreDriver(dut)
    await driver.start()

    def check(when):
        assert int(dut.busy_o.value) == 1, when
        for name in ("block_valid_o", "key_ready_o", "block_ready_o"):
            assert not int(getattr(dut, name).value), f"{name}, {when}"

    for settle in (1, 3, 20, 33, 40, 150, 580, 620):
        driver.keys.append(driver.random_key())
        driver.blocks += [driver.random_block() for _ in range(40)]
        driver.set_stalls("never", "never", "heavy" if settle > 33 else "never")
        for _ in range(settle):
            await driver.step()
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 0
        await ReadOnly()
        check("in a reset")
        await RisingEdge(dut.clk_i)
        driver.forget()
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await ReadOnly()
        check("after a reset")
        await RisingEdge(dut.clk_i)
        await RisingEdge(dut.clk_i)
        assert not int(dut.busy_o.value)
        assert not int(dut.block_valid_o.value)
    driver.set_stalls("never", "never", "never")
    driver.keys.append(driver.random_key())
    while driver.keys:
        await driver.step()
    driver.blocks += [driver.random_block() for _ in range(4)]
    await driver.drain()
