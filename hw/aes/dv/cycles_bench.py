# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Cycle counts of the iterative and the serial core (cocotb tests).

The README of hw/aes prints the same tables; change both.
"""

from __future__ import annotations

import itertools

import cocotb
from aes_reference import DECRYPT, KEY_BYTES
from ciphermill_dv.parameters import parameter
from core_driver import ITERATIVE, CoreDriver

ROUNDS = (10, 12, 14)
# Cycles from one block to the next: [direction][key_size_e].
ITERATIVE_BLOCK = ((10, 12, 14), (10, 12, 14))
STORED_BLOCK = ((44, 52, 60), (44, 52, 60))
ON_THE_FLY_BLOCK = ((54, 60, 72), (54, 68, 72))
# Serial core, idle: cycles from a key handshake to the first cycle that can take a block.
SERIAL_SETUP = (56, 62, 75)


def block_cycles(driver: CoreDriver) -> tuple[tuple[int, ...], ...]:
    if driver.architecture == ITERATIVE:
        return ITERATIVE_BLOCK
    return STORED_BLOCK if parameter("KeyStorage", 1) else ON_THE_FLY_BLOCK


def differences(cycles: list[int]) -> list[int]:
    return [b - a for a, b in itertools.pairwise(cycles)]


def key_of(driver: CoreDriver, size: int) -> tuple[int, bytes]:
    return size, driver.random.randbytes(KEY_BYTES[size])


@cocotb.test()
async def blocks_without_bubbles(dut):
    """Blocks of one key follow each other at the stated rate, whatever their direction."""
    driver = CoreDriver(dut)
    await driver.start()
    for size in driver.key_sizes:
        for direction in driver.directions:
            driver.keys.append(key_of(driver, size))
            while driver.keys:
                await driver.step()
            driver.result_cycles.clear()
            driver.blocks += [driver.random_block(direction) for _ in range(6)]
            await driver.drain()
            cycles = block_cycles(driver)[direction][size]
            assert differences(driver.result_cycles) == [cycles] * 5, (size, direction)
        driver.result_cycles.clear()
        turns = [driver.directions[n % len(driver.directions)] for n in range(6)]
        driver.blocks += [driver.random_block(direction) for direction in turns]
        await driver.drain()
        wanted = [block_cycles(driver)[direction][size] for direction in turns[1:]]
        assert differences(driver.result_cycles) == wanted, "alternating directions"


@cocotb.test()
async def first_block_of_a_key(dut):
    """Cycles from a key to its first block, and from there to the result."""
    driver = CoreDriver(dut)
    await driver.start()
    for size in driver.key_sizes:
        for direction in driver.directions:
            await driver.drain()
            driver.keys.append(key_of(driver, size))
            while driver.keys:
                await driver.step()
            driver.blocks.append(driver.random_block(direction))
            await driver.drain()
            wait = driver.block_cycles[-1] - driver.key_cycles[-1]
            latency = driver.result_cycles[-1] - driver.block_cycles[-1]
            if driver.architecture == ITERATIVE:
                first = 1 + parameter("KeyStorage", 1)
                assert wait == (ROUNDS[size] + 2 if direction == DECRYPT else first)
                assert latency == ITERATIVE_BLOCK[direction][size] + 1
            else:
                assert wait == SERIAL_SETUP[size]
                assert latency == block_cycles(driver)[direction][size] + 1


@cocotb.test()
async def key_changes_while_blocks_finish(dut):
    """Iterative: cycles that a change of key adds when it directly follows the last block.

    Stored keys. Encrypting, nothing from two blocks a key, one cycle with one block a key: a
    key has one round key more than a block has rounds, and they go through one write port.
    Decrypting, three cycles, since the first round key needed is the last one made.

    On the fly. Encrypting, nothing. Decrypting, a way through the schedule, which begins when
    the block before it is out of the rounds.
    """
    driver = CoreDriver(dut)
    if driver.architecture != ITERATIVE:
        return
    await driver.start()
    for size in driver.key_sizes:
        rounds = ROUNDS[size]
        for direction in driver.directions:
            extra, extra_alone = (3, 3) if direction == DECRYPT else (0, 1)
            if not parameter("KeyStorage", 1):
                extra = extra_alone = rounds + 2 if direction == DECRYPT else 0
            await _stream(driver, size, direction, blocks_a_key=2)
            found = differences(driver.result_cycles)
            assert found == [*[rounds, rounds + extra] * 5, rounds], (size, direction, found)
            await _stream(driver, size, direction, blocks_a_key=1)
            found = differences(driver.result_cycles)[1:]
            assert found == [rounds + extra_alone] * 4, (size, direction, found)


async def _stream(driver: CoreDriver, size: int, direction: int, blocks_a_key: int) -> None:
    """Stream blocks as fast as the core takes them, each key as early as it can."""
    await driver.drain()
    driver.result_cycles.clear()
    for _ in range(6):
        # The next key is offered once the last block of the key before was taken.
        driver.keys.append(key_of(driver, size))
        while driver.keys:
            await driver.step()
        driver.blocks += [driver.random_block(direction) for _ in range(blocks_a_key)]
        while driver.blocks:
            await driver.step()
    await driver.drain()


@cocotb.test()
async def back_pressure_does_not_reach_the_rounds(dut):
    """A result that waits for less than a block's time delays nothing."""
    driver = CoreDriver(dut)
    await driver.start()
    size = driver.key_sizes[-1]
    direction = driver.directions[0]
    driver.keys.append(key_of(driver, size))
    while driver.keys:
        await driver.step()
    driver.set_stalls("never", "never", "alternate")
    driver.blocks += [driver.random_block(direction) for _ in range(5)]
    await driver.drain()
    total = driver.block_cycles[-1] - driver.block_cycles[1]
    assert total == 3 * block_cycles(driver)[direction][size]
