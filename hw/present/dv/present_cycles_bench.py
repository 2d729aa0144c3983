# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Cycle counts of the PRESENT cores (cocotb tests).

The README of hw/present prints the same figures; change both.
"""

from __future__ import annotations

import itertools

import cocotb
from ciphermill_dv.parameters import parameter
from present_driver import ITERATIVE, SERIAL, UNROLLED, CoreDriver
from present_reference import DECRYPT, ENCRYPT

ROUNDS = 31
# Serial, by key_size_e: cycles from a block to its result, and those to turn the key.
SERIAL_LATENCY = (565, 577)
SERIAL_TURN = (568, 592)


def interval(driver: CoreDriver, size: int) -> int:
    """Return the cycles from one block to the next of the same direction."""
    if driver.architecture == ITERATIVE:
        return 32
    return 1 if driver.architecture == UNROLLED else SERIAL_LATENCY[size] + 1


def latency(driver: CoreDriver, size: int) -> int:
    """Return the cycles from a block to its result."""
    if driver.architecture == ITERATIVE:
        return 33
    if driver.architecture == SERIAL:
        return SERIAL_LATENCY[size]
    return 1 + -(-ROUNDS // parameter("RoundsPerStage", ROUNDS))


@cocotb.test()
async def blocks_without_bubbles(dut):
    """Blocks of one key follow each other at the stated rate; each takes the stated time."""
    driver = CoreDriver(dut)
    await driver.start()
    for size, direction in itertools.product(driver.key_sizes, driver.directions):
        await driver.drain()
        await driver.set_key(driver.random_key(size))
        # The first one may still wait for the key schedule.
        driver.blocks.append(driver.random_block(direction))
        await driver.drain()
        driver.result_cycles.clear()
        driver.block_cycles.clear()
        driver.blocks += [driver.random_block(direction) for _ in range(4)]
        await driver.drain()
        found = [b - a for a, b in itertools.pairwise(driver.result_cycles)]
        assert found == [interval(driver, size)] * 3, (size, direction, found)
        took = driver.result_cycles[0] - driver.block_cycles[0]
        assert took == latency(driver, size), (size, direction, took)


@cocotb.test()
async def first_block_of_a_key(dut):
    """Cycles from the key to its first block; decryption waits for the key schedule."""
    driver = CoreDriver(dut)
    await driver.start()
    for size, direction in itertools.product(driver.key_sizes, driver.directions):
        await driver.drain()
        await driver.set_key(driver.random_key(size))
        driver.blocks.append(driver.random_block(direction))
        await driver.drain()
        wait = driver.block_cycles[-1] - driver.key_cycles[-1]
        took = driver.result_cycles[-1] - driver.block_cycles[-1]
        if driver.architecture == SERIAL:
            turn = SERIAL_TURN[size] if direction == DECRYPT else 0
            assert (wait, took) == (1, SERIAL_LATENCY[size] + turn), (size, direction)
        else:
            wanted = 1 if direction == ENCRYPT else ROUNDS + 1
            assert (wait, took) == (wanted, latency(driver, size)), (size, direction)
