# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Behaviour of a GHASH unit, whatever its parameters (cocotb tests)."""

from __future__ import annotations

import itertools
import os

import cocotb
from ciphermill_dv.coverage import Coverage
from ciphermill_dv.residue import nonzero_registers
from ciphermill_dv.stall import PATTERNS
from cocotb.triggers import ReadOnly, RisingEdge
from ghash_driver import GhashDriver
from ghash_reference import PUBLISHED, ghash, nist_vectors

LENGTHS = (1, 2, 3, 4, 5, 9)
"""Blocks of a message: shorter than any pipeline, as long, longer."""
KEY = ("power_q", "key_q", "keyed_q")
"""Registers that stay after a drop."""


@cocotb.test()
async def known_answers(dut):
    """The published vectors, and hashes from NIST's vectors for GCM."""
    driver = GhashDriver(dut)
    await driver.start()
    vectors = [*PUBLISHED, *nist_vectors(8)]
    lengths = {len(vector.blocks) for vector in vectors}
    for vector in vectors:
        assert ghash(vector.key, vector.blocks) == vector.hash, f"the reference: {vector.name}"
        await driver.set_key(vector.key)
        driver.send(vector.blocks)
        await driver.drain()
    dut._log.info("%d known answers of %s blocks", len(vectors), sorted(lengths))
    assert len(vectors) == 27 and len(lengths) > 4


@cocotb.test()
async def random_traffic(dut):
    """Random messages and key changes, idle and back-pressure, every pair of patterns."""
    driver = GhashDriver(dut, seed=int(os.environ.get("COCOTB_RANDOM_SEED", 1)))
    axes = {"stages": [driver.stages], "blocks": LENGTHS, "input": PATTERNS, "output": PATTERNS}
    coverage = Coverage(f"ghash_digit_{driver.digit}_stages_{driver.stages}", axes)
    await driver.start()
    for names in itertools.product(PATTERNS, PATTERNS):
        driver.set_stalls(*names)
        await driver.set_key()
        for _ in range(2 if driver.digit == 128 else 1):
            for count in driver.random.sample(LENGTHS, len(LENGTHS)):
                driver.send(driver.random_blocks(count))
                coverage.sample(stages=driver.stages, blocks=count, input=names[0], output=names[1])
            # A key waits for the end of the message that it comes into.
            for _ in range(driver.random.randint(0, 40)):
                await driver.step()
            await driver.set_key()
        while driver.blocks:
            await driver.step()
    await driver.idle()
    missing = coverage.missing()
    coverage.write()
    assert not missing, missing


@cocotb.test()
async def single_bits(dut):
    """Blocks and keys with one bit set, with none and with all: every coefficient counts."""
    driver = GhashDriver(dut)
    await driver.start()
    # 1 is x^127, the element that wraps first; 1 << 127 is the one.
    for key in (0, 1, 1 << 127, 1 << 64, (1 << 128) - 1):
        await driver.set_key(key)
        bits = range(128) if driver.digit == 128 else range(0, 128, 9)
        for block in (0, (1 << 128) - 1, *(1 << bit for bit in bits)):
            driver.send([block])
    await driver.idle()


@cocotb.test()
async def no_block_before_a_key(dut):
    """A block waits for the first key."""
    driver = GhashDriver(dut)
    await driver.start()
    driver.send(driver.random_blocks(1))
    for _ in range(10):
        await driver.step()
    assert len(driver.blocks) == 1
    await driver.set_key()
    await driver.idle()
    assert len(driver.hash_cycles) == 1


@cocotb.test()
async def a_waiting_message_holds_no_hash_back(dut):
    """The hash of a message leaves even if the next message has begun and stalls."""
    driver = GhashDriver(dut)
    await driver.start()
    await driver.set_key()
    for count in range(1, 5):
        driver.send(driver.random_blocks(4))
        # All but the last block of the next message.
        rest = driver.random_blocks(count + 1)
        driver.blocks += [(block, False) for block in rest[:-1]]
        while driver.blocks or driver.expected:
            await driver.step()
        assert driver.open
        driver.blocks.append((rest[-1], True))
        await driver.drain()


@cocotb.test()
async def resumed_from_a_hash(dut):
    """A message hashed in two parts: the first hash is added to the next part's first block."""
    driver = GhashDriver(dut)
    await driver.start()
    await driver.set_key()
    blocks = driver.random_blocks(7)
    driver.send(blocks[:4])
    driver.send([ghash(driver.key, blocks[:4]) ^ blocks[4], *blocks[5:]])
    while driver.blocks:
        await driver.step()
    assert driver.expected[-1] == ghash(driver.key, blocks)
    await driver.drain()


def cycles(driver: GhashDriver, blocks: int) -> int:
    """Return cycles after which a message's hash waits, and a few more."""
    interval = 1 if driver.digit == 128 else 128 // driver.digit + 1
    return blocks * interval + driver.stages + 6


@cocotb.test()
async def dropped(dut):
    """A drop in each cycle of a message: no hash comes, and only the key stays."""
    driver = GhashDriver(dut)
    await driver.start()
    await driver.set_key()
    await driver.idle()
    for wait in range(cycles(driver, 4)):
        driver.send(driver.random_blocks(4))
        driver.set_stalls("never", "always")
        for _ in range(wait):
            await driver.step()
        dut.drop_i.value = 1
        await ReadOnly()
        assert not int(dut.block_ready_o.value) and not int(dut.key_ready_o.value)
        await RisingEdge(dut.clk_i)
        dut.drop_i.value = 0
        driver.forget(key=False)
        await ReadOnly()
        assert int(dut.idle_o.value) and not int(dut.hash_valid_o.value)
        left = [path for path in nonzero_registers(dut) if not path.endswith(KEY)]
        assert not left, left
        await RisingEdge(dut.clk_i)
        driver.set_stalls("never", "never")
        driver.send(driver.random_blocks(3))
        await driver.drain()


@cocotb.test()
async def dropped_while_the_key_is_set_up(dut):
    """A drop in any cycle after a key leaves the key right."""
    driver = GhashDriver(dut)
    await driver.start()
    for wait in range(14):
        await driver.set_key()
        for _ in range(wait):
            await driver.step()
        dut.drop_i.value = 1
        await driver.step()
        dut.drop_i.value = 0
        driver.send(driver.random_blocks(5))
        await driver.drain()


@cocotb.test()
async def zeroised(dut):
    """A zeroise in any cycle: one cycle later every register with key or data is zero."""
    driver = GhashDriver(dut)
    await driver.start()
    for wait in range(driver.stages * (driver.stages - 1) + cycles(driver, 6)):
        driver.keys.append(driver.random.getrandbits(128))
        driver.send(driver.random_blocks(6))
        driver.set_stalls("never", "alternate")
        for _ in range(wait):
            await driver.step()
        if wait > 2:
            assert nonzero_registers(dut), "the search finds no register"
        dut.zeroise_i.value = 1
        await ReadOnly()
        assert not int(dut.block_ready_o.value) and not int(dut.key_ready_o.value)
        await RisingEdge(dut.clk_i)
        dut.zeroise_i.value = 0
        await ReadOnly()
        assert int(dut.busy_o.value) == 1 and int(dut.idle_o.value)
        assert not int(dut.block_ready_o.value) and not int(dut.key_ready_o.value)
        assert not nonzero_registers(dut), nonzero_registers(dut)
        await RisingEdge(dut.clk_i)
        driver.forget(key=True)
        await ReadOnly()
        assert int(dut.busy_o.value) == 0
        assert not int(dut.block_ready_o.value), "a block would be taken without a key"
        await RisingEdge(dut.clk_i)
