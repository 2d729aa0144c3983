# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Behaviour of ``sha2_hmac`` (cocotb tests)."""

from __future__ import annotations

import itertools
import os

import cocotb
import sha2_vectors as vectors
from ciphermill_dv.coverage import Coverage
from ciphermill_dv.residue import find, nonzero_registers
from ciphermill_dv.stall import PATTERNS
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge
from hmac_driver import INPUTS, HmacDriver
from sha2_driver import FUNCTIONS, hash_bytes

POINTS = (1, 2, 3, 5, 7, 9, 12, 20, 45, 76, 80, 90, 130, 150, 170, 200, 240, 300, 330, 390)
"""Cycles after which a test interrupts the traffic."""
CODE, DIGEST = True, False


def key_lengths(function: int) -> list[int]:
    """Return lengths about the bounds of blocks and of a hash block."""
    size = hash_bytes(function)
    return [0, 1, 15, 16, 17, 32, size - 16, size - 1, size, size + 1, size + 16, 2 * size, 300]


async def some_traffic(driver: HmacDriver, cycles: int, *, outputs: str = "never") -> bytes:
    """Offer a key and messages under it for some cycles; return the key."""
    driver.set_stalls("never", outputs)
    function = driver.functions[cycles % len(driver.functions)]
    key = driver.random.randbytes(driver.random.choice(key_lengths(function)[4:]))
    driver.add_key(function, key)
    for code in (CODE, DIGEST, CODE):
        driver.add(function, driver.random.randbytes(70), code=code)
    for _ in range(cycles):
        await driver.step()
    return key


async def all_good(driver: HmacDriver, *, key: bool = True) -> None:
    """Authenticate and digest, with new keys of every function or under the one that is there."""
    driver.set_stalls()
    for function in driver.functions if key else (driver.key[0],):
        if key:
            await driver.set_key(function, driver.random.randbytes(40))
        driver.add(function, b"abc", code=CODE)
        driver.add(function, b"abc", code=DIGEST)
        await driver.drain()


async def refused(driver: HmacDriver, function: int, *, code: bool) -> None:
    """Check that a message does not start."""
    driver.dut.function_i.value = function
    driver.dut.authenticate_i.value = int(code)
    await ReadOnly()
    assert not int(driver.dut.start_ready_o.value), f"function {function}, code {code}"
    await RisingEdge(driver.dut.clk_i)


@cocotb.test()
async def known_answers(dut):
    """The answers of RFC 4231, whose keys are shorter and longer than a hash block."""
    driver = HmacDriver(dut)
    await driver.start()
    for function in driver.functions:
        for key, data, answer in vectors.codes(FUNCTIONS[function]):
            await driver.set_key(function, key)
            driver.add(function, data, code=CODE)
            assert driver.expected_digest == answer
            await driver.drain()


@cocotb.test()
async def every_kind_of_key(dut):
    """Keys of every length about the bounds of blocks, for every function."""
    driver = HmacDriver(dut, seed=2)
    await driver.start()
    for function in driver.functions:
        for length, empty_end in itertools.product(key_lengths(function), (False, True)):
            await driver.set_key(function, driver.random.randbytes(length), empty_end=empty_end)
            driver.add(function, driver.random.randbytes(length), code=CODE, empty_end=empty_end)
            await driver.drain()


@cocotb.test()
async def random_traffic(dut):
    """Random keys and messages, with idle and back-pressure on every stream."""
    driver = HmacDriver(dut, seed=int(os.environ.get("COCOTB_RANDOM_SEED", 1)))
    axes = {
        "function": [FUNCTIONS[function] for function in driver.functions],
        "input": list(PATTERNS),
        "output": list(PATTERNS),
    }
    coverage = Coverage(f"sha2_hmac_{len(driver.functions)}", axes)
    await driver.start()
    random = driver.random
    for inputs, outputs in itertools.product(PATTERNS, PATTERNS):
        driver.set_stalls(inputs, outputs)
        for function in driver.functions:
            key = random.randbytes(random.choice((random.randrange(40), random.randrange(200))))
            driver.add_key(function, key, empty_end=random.random() < 0.3)
            for code in random.sample((CODE, CODE, DIGEST), 2):
                data = random.randbytes(random.randrange(200))
                driver.add(function, data, code=code, empty_end=random.random() < 0.3)
            coverage.sample(function=FUNCTIONS[function], input=inputs, output=outputs)
            await driver.drain()
    assert not coverage.missing()
    coverage.write()


@cocotb.test()
async def a_key_waits_for_the_message(dut):
    """A key that comes during a message is taken between it and the next one."""
    driver = HmacDriver(dut, seed=4)
    await driver.start()
    function = driver.functions[-1]
    await driver.set_key(function, b"first")
    for settle in range(0, 500, 37):
        driver.add(function, driver.random.randbytes(40), code=CODE)
        while not driver.cycles["start"]:
            await driver.step()
        for _ in range(settle):
            await driver.step()
        driver.add_key(function, driver.random.randbytes(settle % 150))
        driver.add(function, driver.random.randbytes(40), code=CODE)
        await driver.drain()
        driver.cycles["start"].clear()


@cocotb.test()
async def unsupported_is_refused(dut):
    """No code without a key of its function; nothing of a function that is left out."""
    driver = HmacDriver(dut)
    await driver.start()
    for function in range(8):
        await refused(driver, function, code=CODE)
        if function not in driver.functions:
            await refused(driver, function, code=DIGEST)
            dut.key_function_i.value = function
            await ReadOnly()
            assert not int(dut.key_ready_o.value), f"a key of function {function}"
            await RisingEdge(dut.clk_i)
    for keyed in driver.functions:
        await driver.set_key(keyed, b"key")
        for function in set(range(8)) - {keyed}:
            await refused(driver, function, code=CODE)
        driver.add(keyed, b"abc", code=CODE)
        await driver.drain()


@cocotb.test()
async def nothing_is_left(dut):
    """Between messages no register holds anything but the key."""
    driver = HmacDriver(dut, seed=5)
    await driver.start()
    kept = frozenset({"key_q", "keyed_q", "key_function_q", "function_q", "second_q"})
    for function, code in itertools.product(driver.functions, (DIGEST, CODE)):
        await driver.set_key(function, driver.random.randbytes(200))
        driver.add(function, driver.random.randbytes(300), code=code)
        await driver.drain()
        await driver.step()
        await ReadOnly()
        left = nonzero_registers(dut, kept)
        assert not left, left
        await FallingEdge(dut.clk_i)


async def interrupt(driver: HmacDriver, signal: str) -> None:
    """Raise a signal for a cycle, in which nothing may be taken."""
    dut = driver.dut
    driver.forget(key=False)
    # Offers stay, and must not be taken.
    getattr(dut, signal).value = 1
    for stream in INPUTS.values():
        getattr(dut, stream.valid).value = 1
    await ReadOnly()
    for stream in INPUTS.values():
        assert not int(getattr(dut, stream.ready).value), f"{stream.ready} in {signal}"
    await RisingEdge(dut.clk_i)
    getattr(dut, signal).value = 0
    for stream in INPUTS.values():
        getattr(dut, stream.valid).value = 0
    await ReadOnly()
    assert int(dut.busy_o.value) == (signal == "zeroise_i")
    assert int(dut.idle_o.value)
    for name in ("block_valid_o", "block_o", "block_bytes_o", "block_last_o"):
        assert not int(getattr(dut, name).value), name


@cocotb.test()
async def zeroise(dut):
    """A zeroise at any moment drops everything and clears every register."""
    driver = HmacDriver(dut, seed=7)
    await driver.start()
    for point in POINTS:
        key = await some_traffic(driver, point, outputs="heavy" if point > 200 else "never")
        await interrupt(driver, "zeroise_i")
        left = nonzero_registers(dut, frozenset({"busy_o"}))
        assert not left, f"{point}: {left}"
        assert not find(dut.u_core, [key]), "the key is left"
        await RisingEdge(dut.clk_i)
        driver.forget()
        await driver.step()
        for function in driver.functions:
            await refused(driver, function, code=CODE)
        await all_good(driver)


@cocotb.test()
async def drop(dut):
    """A drop at any moment forgets the message, and keeps a key that is whole."""
    driver = HmacDriver(dut, seed=8)
    await driver.start()
    for point in POINTS:
        function = driver.functions[point % len(driver.functions)]
        await driver.set_key(function, driver.random.randbytes(point))
        driver.set_stalls("never", "heavy" if point > 200 else "never")
        for code in (CODE, DIGEST, CODE):
            driver.add(function, driver.random.randbytes(70), code=code)
        for _ in range(point):
            await driver.step()
        await interrupt(driver, "drop_i")
        left = nonzero_registers(dut, frozenset({"key_q", "keyed_q", "key_function_q"}))
        assert not left, f"{point}: {left}"
        await RisingEdge(dut.clk_i)
        driver.forget(key=False)
        await all_good(driver, key=False)


@cocotb.test()
async def a_drop_forgets_half_a_key(dut):
    """A key that enters, or is hashed, is forgotten by a drop, and so is the key before."""
    driver = HmacDriver(dut, seed=9)
    await driver.start()
    function = driver.functions[0]
    for point in (1, 2, 3, 4, 5, 6, 10, 50, 80, 120):
        await driver.set_key(function, b"before")
        driver.add_key(function, driver.random.randbytes(2 * hash_bytes(function)))
        for _ in range(point):
            await driver.step()
        await interrupt(driver, "drop_i")
        left = nonzero_registers(dut)
        assert not left, f"{point}: {left}"
        await RisingEdge(dut.clk_i)
        driver.forget()
        await driver.step()
        await refused(driver, function, code=CODE)
    await all_good(driver)


@cocotb.test()
async def cycles(dut):
    """A code takes three hash blocks more than a digest; a key a cycle a block."""
    driver = HmacDriver(dut)
    await driver.start()
    latency = 7 if driver.rounds_per_cycle == 1 else 5
    for function in driver.functions:
        each = driver.block_cycles(function)
        await driver.set_key(function, bytes(16))
        for count, code in itertools.product((1, 2, 5), (DIGEST, CODE)):
            driver.cycles = {name: [] for name in driver.cycles}
            driver.add(function, bytes(count * hash_bytes(function) - 20), code=code)
            await driver.drain()
            taken = driver.cycles["digest"][0] - driver.cycles["start"][0]
            wanted = 1 + latency + count * each
            if code:
                # The key's hash block, and the outer hash behind the inner digest.
                leaves = -(-len(driver.expected_digest) // 16)
                wanted += each + leaves + latency + 2 * each
            assert taken == wanted, f"{FUNCTIONS[function]}, {count}, {code}: {taken} not {wanted}"


@cocotb.test()
async def time_does_not_depend_on_data(dut):
    """Keys and messages of one length take the same cycles."""
    driver = HmacDriver(dut, seed=10)
    await driver.start()
    for function, length in itertools.product(driver.functions, (20, 200)):
        seen = set()
        for run in range(4):
            driver.cycles = {name: [] for name in driver.cycles}
            begin = driver.cycle
            await driver.set_key(
                function, driver.random.randbytes(length) if run else bytes(length)
            )
            driver.add(function, driver.random.randbytes(99) if run else bytes(99), code=CODE)
            await driver.drain()
            seen.add(tuple(at - begin for name in driver.cycles for at in driver.cycles[name]))
        assert len(seen) == 1, FUNCTIONS[function]
