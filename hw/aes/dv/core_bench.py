# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Behaviour of any AES core behind the interface of ``aes_core`` (cocotb tests)."""

from __future__ import annotations

import itertools
import math
import os

import cocotb
from aes_reference import DECRYPT, ENCRYPT, FIPS_197_APPENDIX, KEY_BYTES, cavp_vectors
from ciphermill_dv.coverage import Coverage
from ciphermill_dv.parameters import parameter
from ciphermill_dv.residue import nonzero_registers
from ciphermill_dv.stall import PATTERNS
from cocotb.triggers import ReadOnly, RisingEdge
from core_driver import ITERATIVE, SCOPES, CoreDriver

# Control state without key or data: bank, direction and progress.
CONTROL = frozenset(
    {
        "newest_bank_q",
        "running_bank_q",
        "running_direction_q",
        "running_backward_q",
        "running_size_q",
        "key_index_q",
        "last_index_q",
        "index_q",
        "phase_q",
        "constant_q",
        "key_size_q",
        "pending_size_q",
        "count_q",
        "first_q",
        "round_q",
        "column_q",
        "stalled_q",
    }
)


@cocotb.test()
async def known_answers(dut):
    """CAVP and FIPS 197 vectors in each direction that the core has.

    A sample; CIPHERMILL_CAVP_EVERY=1 runs every known answer.
    """
    driver = CoreDriver(dut)
    await driver.start()
    every = int(os.environ.get("CIPHERMILL_CAVP_EVERY", 16))
    vectors = [*FIPS_197_APPENDIX, *cavp_vectors(("GFSbox", "KeySbox", "MMT"), (every + 3) // 4)]
    vectors += cavp_vectors(("VarKey", "VarTxt"), every)
    ran = 0
    for vector in vectors:
        size = KEY_BYTES.index(len(vector.key))
        if size not in driver.key_sizes:
            continue
        if driver.key != vector.key:
            driver.keys.append((size, vector.key))
            while driver.keys:
                await driver.step()
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
    assert ran > 20


@cocotb.test()
async def random_traffic(dut):
    """Random keys, directions, key changes, idle and back-pressure on every stream."""
    driver = CoreDriver(dut, seed=int(os.environ.get("COCOTB_RANDOM_SEED", 1)))
    axes = {
        "architecture": [driver.architecture],
        "key_size": [128, 192, 256],
        "direction": ["encrypt", "decrypt"],
        "input": list(PATTERNS),
        "output": list(PATTERNS),
    }
    coverage = Coverage(f"aes_core_{SCOPES[driver.architecture][4:]}", axes)
    await driver.start()
    most = int(os.environ.get("CIPHERMILL_TRAFFIC", 6))
    for block_pattern, result_pattern in itertools.product(PATTERNS, PATTERNS):

        async def step_and_sample(names=(block_pattern, result_pattern)):
            taken = len(driver.block_cycles)
            direction = driver.blocks[0][0] if driver.blocks else ENCRYPT
            await driver.step()
            if len(driver.block_cycles) > taken:
                coverage.sample(
                    architecture=driver.architecture,
                    key_size=8 * len(driver.key_of_last),
                    direction=("encrypt", "decrypt")[direction],
                    input=names[0],
                    output=names[1],
                )

        driver.set_stalls("heavy", block_pattern, result_pattern)
        for size in driver.random.sample(driver.key_sizes, len(driver.key_sizes)):
            # Some blocks race with the key; then each direction runs under it.
            driver.keys.append((size, driver.random.randbytes(KEY_BYTES[size])))
            driver.blocks += [driver.random_block() for _ in range(driver.random.randint(0, most))]
            if driver.key is None:
                driver.blocks.clear()
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
    for size in range(4):
        dut.key_size_i.value = size
        await ReadOnly()
        assert int(dut.key_ready_o.value) == (size in driver.key_sizes), f"key size {size}"
        await RisingEdge(dut.clk_i)
    driver.keys.append(driver.random_key())
    while driver.keys:
        await driver.step()
    for _ in range(200):
        await driver.step()
    for direction in (ENCRYPT, DECRYPT):
        dut.block_direction_i.value = direction
        # Without stored keys, a core that is asked for a decryption goes through the schedule.
        for _ in range(20):
            await RisingEdge(dut.clk_i)
        await ReadOnly()
        assert int(dut.block_ready_o.value) == (direction in driver.directions), f"{direction}"
        await RisingEdge(dut.clk_i)


@cocotb.test()
async def zeroise(dut):
    """A zeroise drops everything and leaves no register or memory with key or data."""
    driver = CoreDriver(dut)
    await driver.start()
    scope = getattr(dut, SCOPES[driver.architecture]).u_aes
    await RisingEdge(dut.clk_i)
    assert not nonzero_registers(scope, CONTROL), "after reset"
    # A core without memories needs no sweep.
    sweep = 8 if driver.architecture != ITERATIVE or parameter("KeyStorage", 1) else 2
    for settle in (0, 1, 2, 7, 15, 40, 41, 42, 100):
        driver.keys += [driver.random_key() for _ in range(2)]
        driver.blocks += [driver.random_block() for _ in range(12)]
        driver.set_stalls("never", "never", "heavy" if settle == 100 else "never")
        for _ in range(20 + settle):
            await driver.step()
        assert nonzero_registers(scope, CONTROL), "the check of registers sees nothing"
        dut.zeroise_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.zeroise_i.value = 0
        # Offers stay for a while, and must not be taken.
        for _ in range(sweep):
            await RisingEdge(dut.clk_i)
            assert int(dut.busy_o.value) == 1
            assert int(dut.idle_o.value) == 1
            assert int(dut.block_o.value) == 0
            assert not int(dut.key_ready_o.value)
            assert not int(dut.block_ready_o.value)
        driver.forget()
        driver.keys.clear()
        driver.blocks.clear()
        await driver.wait_sweep()
        left = nonzero_registers(scope, CONTROL)
        assert not left, f"left after a zeroise: {left}"
        assert not int(dut.block_ready_o.value), "a block would be taken without a key"
    driver.set_stalls("never", "never", "never")
    driver.keys.append(driver.random_key())
    driver.blocks += [driver.random_block() for _ in range(4)]
    await driver.drain()


@cocotb.test()
async def key_and_block_together(dut):
    """A block taken in the cycle of a key handshake uses the key before."""
    driver = CoreDriver(dut, seed=5)
    await driver.start()
    driver.keys.append(driver.random_key())
    while driver.keys:
        await driver.step()
    for _ in range(50):
        await driver.drain()
        driver.keys.append(driver.random_key())
        driver.blocks.append(driver.random_block())
    await driver.drain()
    together = len(set(driver.key_cycles) & set(driver.block_cycles))
    dut._log.info("%d blocks in the clock of a key", together)
    assert together


@cocotb.test()
async def blocks_keep_their_key(dut):
    """Blocks held back by a full output keep their own key, however many keys follow."""
    driver = CoreDriver(dut, seed=7)
    await driver.start()
    for direction in driver.directions:
        for _ in range(4):
            driver.keys.append(driver.random_key())
            while driver.keys:
                await driver.step()
            # One block for the output register and one behind it, then keys in a row.
            driver.blocks += [driver.random_block(direction) for _ in range(2)]
            driver.set_stalls("never", "never", "always")
            while driver.blocks:
                await driver.step()
            driver.keys += [driver.random_key() for _ in range(3)]
            for _ in range(120):
                await driver.step()
            driver.set_stalls("never", "never", "never")
            driver.blocks.append(driver.random_block(direction))
            await driver.drain()
