# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Behaviour of the SHA-2 core (cocotb tests)."""

from __future__ import annotations

import itertools
import os

import cocotb
import sha2_vectors as vectors
from ciphermill_dv.coverage import Coverage
from ciphermill_dv.residue import nonzero_registers
from ciphermill_dv.stall import PATTERNS
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge
from sha2_driver import FUNCTIONS, INPUTS, Sha2Driver, hash_bytes

POINTS = (1, 2, 3, 4, 5, 9, 20, 36, 40, 66, 69, 70, 83, 86, 90, 150)
"""Cycles after which a test interrupts the traffic."""


async def some_traffic(driver: Sha2Driver, cycles: int, *, outputs: str = "never") -> None:
    """Offer messages of every function for some cycles."""
    driver.set_stalls("never", outputs)
    functions = driver.functions
    for n in range(len(functions)):
        function = functions[(cycles + n) % len(functions)]
        driver.add(function, b"\xff" + driver.random.randbytes(180))
    for _ in range(cycles):
        await driver.step()


def one_of_each_size(driver: Sha2Driver) -> list[int]:
    """Return a function of each size of hash block: those of one size are padded alike."""
    return list({hash_bytes(function): function for function in driver.functions}.values())


@cocotb.test()
async def every_length(dut):
    """Every length about the bounds of blocks and of the padding, for each size of hash block."""
    driver = Sha2Driver(dut)
    await driver.start()
    for function in one_of_each_size(driver):
        for length in (*range(hash_bytes(function) + 20), 2 * hash_bytes(function), 1000):
            driver.add(function, driver.random.randbytes(length), empty_end=length % 3 == 0)
        await driver.drain()


@cocotb.test()
async def known_answers(dut):
    """NIST's messages up to 300 bytes, which have every length of a hash block, and the longest."""
    driver = Sha2Driver(dut)
    await driver.start()
    for function in driver.functions:
        answers = vectors.messages(FUNCTIONS[function])
        short = [one for one in answers if len(one[0]) <= 300]
        assert {*range(hash_bytes(function))} <= {len(data) for data, _ in short}
        longest = answers[-1:] if function in one_of_each_size(driver) else []
        for data, answer in short + longest:
            driver.add(function, data)
            assert driver.expected_digest == answer
        await driver.drain()


@cocotb.test()
async def monte_carlo(dut):
    """The first checkpoint of NIST's Monte Carlo test: each message is the last three digests."""
    driver = Sha2Driver(dut)
    await driver.start()
    if not int(os.environ.get("CIPHERMILL_ALL_ANSWERS", 0)):
        return
    for function in driver.functions:
        seed, answer = vectors.monte_carlo(FUNCTIONS[function])
        last = [seed] * 3
        for _ in range(1000):
            driver.add(function, b"".join(last))
            last = [*last[1:], driver.expected_digest]
        assert last[-1] == answer
        await driver.drain(limit=1_000_000)


@cocotb.test()
async def random_traffic(dut):
    """Random messages of every function, with idle and back-pressure on every stream."""
    driver = Sha2Driver(dut, seed=int(os.environ.get("COCOTB_RANDOM_SEED", 1)))
    axes = {
        "function": [FUNCTIONS[function] for function in driver.functions],
        "input": list(PATTERNS),
        "output": list(PATTERNS),
    }
    coverage = Coverage(f"sha2_core_{len(driver.functions)}", axes)
    await driver.start()
    for inputs, outputs in itertools.product(PATTERNS, PATTERNS):
        driver.set_stalls(inputs, outputs)
        for function in driver.functions:
            driver.add(
                function,
                driver.random.randbytes(driver.random.randrange(400)),
                message=driver.random.randrange(driver.messages),
                empty_end=driver.random.random() < 0.3,
            )
            coverage.sample(function=FUNCTIONS[function], input=inputs, output=outputs)
        await driver.drain()
    assert not coverage.missing()
    coverage.write()


@cocotb.test()
async def interleaved(dut):
    """Hash blocks of several messages come in any order; each digest is its message's."""
    driver = Sha2Driver(dut, seed=5)
    await driver.start()
    for inputs, outputs in (("never", "never"), ("sparse", "bursts"), ("heavy", "never")):
        driver.set_stalls(inputs, outputs)
        for _ in range(12):
            await driver.interleave()
    if driver.messages > 1:
        assert driver.switches > 50


@cocotb.test()
async def numbers_of_messages(dut):
    """A number that is in use is not taken again, and blocks without an open message wait."""
    driver = Sha2Driver(dut, seed=6)
    await driver.start()
    driver.add_blocks(b"early", 0)
    for _ in range(20):
        await driver.step()
    assert driver.waits("block") == 1
    driver.offer("start", driver.functions[0], 0)
    driver.offer("start", driver.functions[-1], 0)
    driver.expect_digest(driver.functions[0], b"early")
    driver.set_stalls("never", "always")
    for _ in range(300):
        await driver.step()
    assert driver.waits("start") == 1, "a second message under a number in use"
    driver.set_stalls()
    driver.add_blocks(b"later", 0)
    driver.expect_digest(driver.functions[-1], b"later")
    await driver.drain()


@cocotb.test()
async def missing_functions(dut):
    """A function that the parameters leave out is never accepted."""
    driver = Sha2Driver(dut)
    await driver.start()
    for function in set(range(len(FUNCTIONS))) - set(driver.functions):
        driver.offer("start", function, 0)
        for _ in range(20):
            await driver.step()
        assert driver.waits("start")
        dut.drop_i.value = 1
        driver.forget()
        await driver.step()
        dut.drop_i.value = 0
    driver.add(driver.functions[0], b"abc")
    await driver.drain()


@cocotb.test()
async def nothing_is_left(dut):
    """Between messages no register holds anything of them."""
    driver = Sha2Driver(dut)
    await driver.start()
    for function in driver.functions:
        driver.add(function, driver.random.randbytes(300))
        await driver.drain()
        await driver.step()
        await ReadOnly()
        left = [name for name in nonzero_registers(dut, frozenset({"function_q", "second_q"}))]
        assert not left, left
        await FallingEdge(dut.clk_i)


async def interrupted(dut, signal: str) -> None:
    """Raise a signal after every number of cycles; then all is clear, and the core works."""
    driver = Sha2Driver(dut, seed=7)
    await driver.start()
    for point in POINTS:
        for outputs in ("never", "heavy"):
            await some_traffic(driver, point, outputs=outputs)
            driver.forget()
            getattr(dut, signal).value = 1
            await RisingEdge(dut.clk_i)
            for stream in INPUTS.values():
                assert not int(getattr(dut, stream.ready).value), f"{stream.ready} in {signal}"
            getattr(dut, signal).value = 0
            await RisingEdge(dut.clk_i)
            assert int(dut.busy_o.value) == (signal == "zeroise_i")
            await ReadOnly()
            assert not nonzero_registers(dut, frozenset({"busy_o"})), f"{signal}, {point}"
            await FallingEdge(dut.clk_i)
            driver.set_stalls()
            for function in driver.functions:
                driver.add(function, b"abc")
            await driver.drain()


@cocotb.test()
async def zeroise(dut):
    """A zeroise clears every register at any moment."""
    await interrupted(dut, "zeroise_i")


@cocotb.test()
async def drop(dut):
    """A drop forgets every message at any moment."""
    await interrupted(dut, "drop_i")


@cocotb.test()
async def cycles(dut):
    """A hash block takes the cycles of its rounds, with none between blocks."""
    driver = Sha2Driver(dut)
    await driver.start()
    for function in driver.functions:
        ends = []
        for count in (1, 2, 9):
            driver.cycles = {name: [] for name in driver.cycles}
            driver.add(function, bytes(count * hash_bytes(function) - 20))
            await driver.drain()
            ends.append(driver.cycles["digest"][0] - driver.cycles["start"][0])
        each = driver.block_cycles(function)
        start = 7 if driver.rounds_per_cycle == 1 else 5
        assert ends == [start + count * each for count in (1, 2, 9)], ends


@cocotb.test()
async def time_does_not_depend_on_data(dut):
    """Messages of one length take the same cycles."""
    driver = Sha2Driver(dut, seed=9)
    await driver.start()
    for function in driver.functions:
        seen = set()
        for run in range(6):
            driver.cycles = {name: [] for name in driver.cycles}
            driver.add(function, bytes(200) if run == 0 else driver.random.randbytes(200))
            await driver.drain()
            begin = driver.cycles["start"][0]
            seen.add(tuple(at - begin for name in driver.cycles for at in driver.cycles[name]))
        assert len(seen) == 1, FUNCTIONS[function]
