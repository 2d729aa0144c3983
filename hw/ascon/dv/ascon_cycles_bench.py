# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Counts of cycles of the Ascon core (cocotb tests).

The README of hw/ascon prints the same figures; change both.
"""

from __future__ import annotations

import itertools

import cocotb
from ascon_driver import DECRYPT, ENCRYPT, HASH, AsconDriver


def cycles(driver: AsconDriver, rounds: int) -> int:
    """Return the cycles of a permutation."""
    return -(-rounds // driver.rounds_per_cycle)


def steps(cycles: list[int]) -> list[int]:
    """Return the cycles from each handshake to the next."""
    return [b - a for a, b in itertools.pairwise(cycles)]


@cocotb.test()
async def blocks_of_aead(dut):
    """Blocks follow each other at the stated rate, whatever they hold."""
    driver = AsconDriver(dut)
    await driver.start()
    if driver.operations == [HASH]:
        return
    await driver.set_key()
    short, long = cycles(driver, 8), cycles(driver, 12)
    for operation in {ENCRYPT, DECRYPT} & set(driver.operations):
        for aad, text in itertools.product((0, 5, 16, 32, 40), (0, 7, 16, 48, 63)):
            for stream in driver.cycles.values():
                stream.clear()
            driver.add_message(operation, bytes(aad), driver.random.randbytes(text))
            await driver.drain()
            first = driver.cycles["block"][0] - driver.cycles["start"][0]
            assert first == long
            # Each packet: its full blocks, its last one, the padding after a full last one.
            data = [short] * -(-aad // 16) + [short] * (aad > 0 and aad % 16 == 0)
            wanted = data[: max(1, -(-aad // 16)) - 1]
            wanted += [1 if aad == 0 else sum(data) - sum(wanted)]
            wanted += [short] * (max(1, -(-text // 16)) - 1)
            found = steps(driver.cycles["block"])
            assert found == wanted, (aad, text, found, wanted)
            end = driver.cycles["result" if operation == ENCRYPT else "tag"][0]
            padding = short if text and text % 16 == 0 else 0
            assert end - driver.cycles["block"][-1] == padding + long, (aad, text)
            whole = (
                long + (1 if aad == 0 else short * (aad // 16 + 1)) + short * (text // 16) + long
            )
            assert end - driver.cycles["start"][0] == whole, (aad, text)
            if operation == DECRYPT:
                assert driver.cycles["result"][0] == end + 1
            leaves = [
                out - taken
                for out, taken in zip(
                    driver.cycles["output"],
                    driver.cycles["block"][-len(driver.cycles["output"]) :],
                    strict=True,
                )
            ]
            assert set(leaves) == {1}, leaves


@cocotb.test()
async def blocks_of_the_hash(dut):
    """A message to hash takes a long permutation for eight bytes, one more, and four for words."""
    driver = AsconDriver(dut)
    await driver.start()
    if HASH not in driver.operations:
        return
    long = cycles(driver, 12)
    for length in (0, 1, 7, 8, 9, 15, 16, 17, 32, 100, 160):
        for stream in driver.cycles.values():
            stream.clear()
        driver.add_message(HASH, b"", driver.random.randbytes(length))
        await driver.drain()
        whole = long * (length // 8 + 5) + 1
        assert driver.cycles["output"][-1] - driver.cycles["start"][0] == whole, length
        assert steps(driver.cycles["block"])[1:-1] == [2 * long] * max(0, -(-length // 16) - 3)


@cocotb.test()
async def messages_one_behind_the_other(dut):
    """A message starts in the cycle after the last handshake of the one before."""
    driver = AsconDriver(dut)
    await driver.start()
    if ENCRYPT not in driver.operations:
        return
    driver.add_key()
    for _ in range(4):
        driver.add_message(ENCRYPT, b"", b"")
    await driver.drain()
    assert driver.cycles["start"][0] - driver.cycles["key"][0] == 1
    whole = 2 * cycles(driver, 12) + 2
    assert steps(driver.cycles["start"]) == [whole] * 3, steps(driver.cycles["start"])


@cocotb.test()
async def time_does_not_depend_on_data(dut):
    """Messages of one length take the same cycles, whatever key, nonce, data and tag are."""
    driver = AsconDriver(dut, seed=9)
    await driver.start()
    for operation in driver.operations:
        seen = set()
        for run in range(6):
            if operation != HASH:
                await driver.set_key(bytes(16) if run == 0 else None)
            for stream in driver.cycles.values():
                stream.clear()
            data, text = (bytes(n) if run == 1 else driver.random.randbytes(n) for n in (20, 39))
            forge = 127 * (run % 2) if operation == DECRYPT and run > 2 else None
            driver.add_message(operation, data, text, forge=forge)
            await driver.drain()
            begin = driver.cycles["start"][0]
            seen.add(
                tuple(
                    cycle - begin
                    for name in driver.cycles
                    for cycle in driver.cycles[name]
                    if name != "key"
                )
            )
        assert len(seen) == 1, operation
