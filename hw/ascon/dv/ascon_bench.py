# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Behaviour of the Ascon core (cocotb tests)."""

from __future__ import annotations

import itertools
import os

import ascon_reference as reference
import cocotb
from ascon_driver import DECRYPT, ENCRYPT, HASH, INPUTS, NAMES, AsconDriver, number
from ascon_reference import COUNTING
from ciphermill_dv.coverage import Coverage
from ciphermill_dv.residue import find, nonzero_registers
from ciphermill_dv.stall import PATTERNS
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

HARMLESS = frozenset({"round_q"})
"""The round counter, which is 12 when idle."""
POINTS = (1, 2, 3, 6, 13, 15, 22, 31, 47, 60, 75, 90, 130, 200)
"""Cycles after which a test interrupts the traffic."""


def left(dut) -> list[str]:
    """Return the registers that are not zero."""
    return nonzero_registers(dut, HARMLESS)


async def some_traffic(driver: AsconDriver, cycles: int, *, stalls: str = "never") -> None:
    """Offer a key and messages of every operation for some cycles."""
    driver.set_stalls("never", stalls)
    driver.add_key()
    operations = driver.operations[cycles % len(driver.operations) :] + driver.operations
    for operation in operations:
        driver.add_message(operation, driver.random.randbytes(21), driver.random.randbytes(37))
    for _ in range(cycles + 1):
        await driver.step()


@cocotb.test()
async def known_answers(dut):
    """Published answers of AEAD in both directions, for all lengths of the file or a sample."""
    driver = AsconDriver(dut)
    await driver.start()
    if driver.operations == [HASH]:
        return
    lengths = reference.KNOWN_LENGTHS
    if not int(os.environ.get("CIPHERMILL_ALL_ANSWERS", 0)):
        lengths = (0, 1, 8, 15, 16, 17, 31, 32)
    key = COUNTING[:16]
    await driver.set_key(key)
    for text, aad in itertools.product(lengths, lengths):
        plain, data = COUNTING[:text], COUNTING[:aad]
        if ENCRYPT in driver.operations:
            driver.add_message(ENCRYPT, data, plain, nonce=key)
        if DECRYPT in driver.operations:
            coded, _ = reference.encrypt(key, key, data, plain)
            driver.add_message(DECRYPT, data, coded, nonce=key)
        await driver.drain()


@cocotb.test()
async def known_digests(dut):
    """The published answers of the hash: every length up to some blocks, and the longest."""
    driver = AsconDriver(dut)
    await driver.start()
    if HASH not in driver.operations:
        return
    for length in (*range(50), 1023, 1024):
        driver.add_message(HASH, b"", COUNTING[:length])
        await driver.drain()


@cocotb.test()
async def random_traffic(dut):
    """Random messages of every operation, with idle and back-pressure on every stream."""
    driver = AsconDriver(dut, seed=int(os.environ.get("COCOTB_RANDOM_SEED", 1)))
    axes = {
        "operation": [NAMES[operation] for operation in driver.operations],
        "input": list(PATTERNS),
        "output": list(PATTERNS),
    }
    coverage = Coverage(f"ascon_core_{sum(1 << n for n in driver.operations)}", axes)
    await driver.start()
    for names in itertools.product(PATTERNS, PATTERNS):
        driver.set_stalls(names[0], names[1], result=driver.random.choice(list(PATTERNS)))
        if HASH not in driver.operations or len(driver.operations) > 1:
            driver.add_key()
        for operation in driver.random.sample(driver.operations, len(driver.operations)):
            for _ in range(2):
                driver.add_random(operation)
            coverage.sample(operation=NAMES[operation], input=names[0], output=names[1])
        await driver.drain()
    assert not coverage.missing()
    coverage.write()


@cocotb.test()
async def forged(dut):
    """One wrong bit of tag, text, associated data or nonce fails the authentication."""
    driver = AsconDriver(dut, seed=3)
    await driver.start()
    if DECRYPT not in driver.operations:
        return
    await driver.set_key()
    for bit in range(128):
        driver.add_message(DECRYPT, b"", b"", forge=bit)
    await driver.drain()
    aad, nonce = driver.random.randbytes(20), driver.random.randbytes(16)
    coded, tag = reference.encrypt(driver.key, nonce, aad, driver.random.randbytes(40))
    parts = {"aad": aad, "coded": coded, "nonce": nonce}
    for name, part in parts.items():
        for at in range(0, 8 * len(part), 37):
            wrong = (number(part) ^ 1 << at).to_bytes(len(part), "little")
            given = {**parts, name: wrong}
            # The tag of the original message does not fit any more.
            driver.add_message(DECRYPT, given["aad"], given["coded"], nonce=given["nonce"], tag=tag)
    await driver.drain()
    driver.add_message(DECRYPT, aad, coded, nonce=nonce)
    await driver.drain()


@cocotb.test()
async def unsupported_is_refused(dut):
    """No keyed message starts without a key, and no message of an absent operation starts."""
    driver = AsconDriver(dut)
    await driver.start()
    aead = driver.operations != [HASH]
    for keyed in (False, True):
        for operation in range(4):
            dut.operation_i.value = operation
            await ReadOnly()
            wanted = operation in driver.operations and (keyed or operation == HASH)
            assert int(dut.start_ready_o.value) == wanted, f"operation {operation}, key {keyed}"
            await RisingEdge(dut.clk_i)
        await ReadOnly()
        assert int(dut.key_ready_o.value) == aead
        await RisingEdge(dut.clk_i)
        if aead and not keyed:
            await driver.set_key()
            await driver.step()


@cocotb.test()
async def a_key_waits_for_the_message(dut):
    """A key offered during a message is taken between it and the next one."""
    driver = AsconDriver(dut, seed=4)
    await driver.start()
    if driver.operations == [HASH]:
        return
    await driver.set_key()
    for settle in range(0, 70, 3):
        driver.add_random()
        while not driver.cycles["start"]:
            await driver.step()
        for _ in range(settle % 40):
            await driver.step()
        driver.add_key()
        driver.add_random()
        await driver.drain()
        driver.cycles["start"].clear()


@cocotb.test()
async def the_state_ends_with_the_message(dut):
    """Between messages no register holds anything but the key."""
    driver = AsconDriver(dut, seed=5)
    await driver.start()
    if driver.operations != [HASH]:
        await driver.set_key()
    for operation in driver.operations * 2:
        driver.add_random(operation)
        await driver.drain()
        kept = ("key_q", "keyed_q", "decrypt_q")
        assert all(path.endswith(kept) for path in left(dut)), left(dut)


@cocotb.test()
async def zeroise(dut):
    """A zeroise at any moment drops everything and leaves no register with key or data."""
    driver = AsconDriver(dut)
    await driver.start()
    assert not left(dut), left(dut)
    for settle in POINTS:
        await some_traffic(driver, settle, stalls="heavy" if settle > 60 else "never")
        assert left(dut), "the check of registers sees nothing"
        secrets = [driver.key]
        # Offers stay, and must not be taken.
        dut.zeroise_i.value = 1
        dut.operation_i.value = driver.operations[0]
        for stream in INPUTS.values():
            getattr(dut, stream.valid).value = 1
        await ReadOnly()
        for stream in INPUTS.values():
            ready = int(getattr(dut, stream.ready).value)
            assert not ready, f"{stream.ready} in the cycle of zeroise_i"
        await RisingEdge(dut.clk_i)
        dut.zeroise_i.value = 0
        for stream in INPUTS.values():
            for port in stream.payload:
                getattr(dut, port).value = 0
        await ReadOnly()
        assert int(dut.busy_o.value) == 1
        assert int(dut.idle_o.value) == 1
        for name in ("block_valid_o", "block_o", "tag_valid_o", "tag_o", "authentic_o"):
            assert not int(getattr(dut, name).value), name
        for stream in INPUTS.values():
            assert not int(getattr(dut, stream.ready).value), f"{stream.ready} while busy"
        assert not left(dut), f"left after a zeroise: {left(dut)}"
        assert not find(dut, secrets), f"the key is in {find(dut, secrets)}"
        await RisingEdge(dut.clk_i)
        driver.forget()
        await driver.step()
        assert not int(dut.busy_o.value)
        dut.operation_i.value = ENCRYPT
        await ReadOnly()
        assert not int(dut.start_ready_o.value), "a message would start without a key"
        await RisingEdge(dut.clk_i)
    await all_good(driver)


@cocotb.test()
async def drop(dut):
    """A drop at any moment: the message gives no output, the key stays, the next is right."""
    driver = AsconDriver(dut, seed=6)
    await driver.start()
    for settle in POINTS:
        await some_traffic(driver, settle, stalls="heavy" if settle > 60 else "never")
        while driver.waits("key"):
            if driver.operations == [HASH]:
                break
            await driver.step()
        dut.drop_i.value = 1
        await ReadOnly()
        for stream in INPUTS.values():
            ready = int(getattr(dut, stream.ready).value)
            assert not ready, f"{stream.ready} in the cycle of drop_i"
        await RisingEdge(dut.clk_i)
        dut.drop_i.value = 0
        driver.forget(key=False)
        await ReadOnly()
        assert int(dut.idle_o.value) and not int(dut.busy_o.value)
        for name in ("block_valid_o", "block_o", "tag_valid_o", "tag_o"):
            assert not int(getattr(dut, name).value), name
        await RisingEdge(dut.clk_i)
        await all_good(driver, key=False)


@cocotb.test()
async def reset_in_the_middle(dut):
    """From a reset on, at any moment, nothing is valid or taken; then a new key works."""
    driver = AsconDriver(dut, seed=7)
    await driver.start()

    def check(when):
        assert int(dut.busy_o.value) == 1, when
        for name in ("block_valid_o", "tag_valid_o", *(s.ready for s in INPUTS.values())):
            assert not int(getattr(dut, name).value), f"{name}, {when}"

    for settle in POINTS:
        await some_traffic(driver, settle, stalls="heavy" if settle > 60 else "never")
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
        await ReadOnly()
        assert not left(dut), left(dut)
        await RisingEdge(dut.clk_i)
        await all_good(driver)


async def all_good(driver: AsconDriver, *, key: bool = True) -> None:
    """Check a message of each operation, with a new key or the loaded one."""
    driver.set_stalls()
    if key and driver.operations != [HASH]:
        await driver.set_key()
    for operation in driver.operations:
        driver.add_random(operation)
    await driver.drain()
