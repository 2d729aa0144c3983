# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Cycle counts of the GHASH unit (cocotb tests).

The README of hw/ghash prints the same figures; change both.
"""

from __future__ import annotations

import itertools

import cocotb
from ghash_driver import GhashDriver


def interval(driver: GhashDriver) -> int:
    """Return the cycles from one block of a message to the next."""
    return 1 if driver.digit == 128 else 128 // driver.digit + 1


def message(driver: GhashDriver, blocks: int) -> int:
    """Return the cycles from the first block of a message to that of the next."""
    return blocks * interval(driver) + driver.stages - 1


def latency(driver: GhashDriver) -> int:
    """Return the cycles from the last block of a message to its hash."""
    if driver.digit != 128:
        return interval(driver)
    # Through the window, if it is empty, and the pipeline.
    return driver.stages + (driver.stages > 1)


@cocotb.test()
async def blocks_without_bubbles(dut):
    """Blocks of a message follow each other at the stated rate; the hash takes the stated time."""
    driver = GhashDriver(dut)
    await driver.start()
    await driver.set_key()
    await driver.idle()
    for count in (1, 8, 40):
        driver.block_cycles.clear()
        driver.hash_cycles.clear()
        driver.send(driver.random_blocks(count))
        await driver.drain()
        found = [b - a for a, b in itertools.pairwise(driver.block_cycles)]
        assert found == [interval(driver)] * (count - 1), found
        # With more blocks than the window holds, the last block waits for earlier ones.
        waits = min(count, driver.stages) - 1 if driver.stages > 1 else 0
        wanted = latency(driver) + max(0, waits - 1)
        assert driver.hash_cycles[0] - driver.block_cycles[-1] == wanted, count


@cocotb.test()
async def messages_one_behind_the_other(dut):
    """Messages back to back take the stated time."""
    driver = GhashDriver(dut)
    await driver.start()
    await driver.set_key()
    for count in (1, 2, 3, 16):
        await driver.idle()
        driver.hash_cycles.clear()
        for _ in range(4):
            driver.send(driver.random_blocks(count))
        await driver.drain()
        found = [b - a for a, b in itertools.pairwise(driver.hash_cycles)]
        assert found == [message(driver, count)] * 3, (count, found)


@cocotb.test()
async def first_block_of_a_key(dut):
    """Cycles from the key to its first block, in which the powers of the key are computed."""
    driver = GhashDriver(dut)
    await driver.start()
    for _ in range(2):
        driver.keys.append(driver.random.getrandbits(128))
        driver.send(driver.random_blocks(1))
        await driver.drain()
        await driver.idle()
        wait = driver.block_cycles[-1] - driver.key_cycles[-1]
        assert wait == driver.stages * (driver.stages - 1) + 1, wait


@cocotb.test()
async def a_hash_is_made_while_another_waits(dut):
    """A hash that waits does not delay the next one, which follows in a cycle."""
    driver = GhashDriver(dut)
    await driver.start()
    await driver.set_key()
    await driver.idle()
    driver.set_stalls("never", "always")
    for _ in range(2):
        driver.send(driver.random_blocks(1))
    for _ in range(4 * message(driver, 1) + 40):
        await driver.step()
    driver.hash_cycles.clear()
    driver.set_stalls("never", "never")
    await driver.drain()
    assert driver.hash_cycles[1] - driver.hash_cycles[0] == 1, driver.hash_cycles
