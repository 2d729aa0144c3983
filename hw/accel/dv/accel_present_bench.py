# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""PRESENT in the accelerator: modes, lengths, refused messages, framing, aborts, zeroises."""

from __future__ import annotations

import itertools
import random
from typing import Any

import cocotb
import present_modes
from accelerator import STALLS, Accelerator
from ciphermill_dv import residue
from cocotb.triggers import ClockCycles, Timer
from cocotbext.axi import AxiStreamFrame
from present_modes import BLOCK
from present_reference import KNOWN_ANSWERS
from reference import DIRECTIONS, MODES

KEY_BYTES = (10, 16)
LENGTHS = (8, 16, 24, 32, 88)
BLOCK_CYCLES = 34
"""Cycles of a block: 33 in the core, and the one in which it enters."""


async def check(
    accelerator: Accelerator,
    mode: str,
    direction: str,
    key: bytes,
    data: bytes,
    width: int = 64,
    iv: bytes = b"",
) -> None:
    """Run a message and compare its output and the state that it leaves."""
    iv = iv or random.randbytes(BLOCK)
    await accelerator.configure(mode, direction, len(key), width)
    await accelerator.load_key(key)
    await accelerator.load_iv(iv + bytes(8))
    case = (mode, direction, len(key), len(data))
    answer = present_modes.crypt(mode, direction, key, iv, data, width)
    assert await accelerator.message(data) == answer.data, case
    assert await accelerator.read_iv() == answer.iv + bytes(8), case
    assert await accelerator.read_pair("IV_BLOCKS") == answer.blocks, case


def possible(accelerator: Accelerator) -> list[tuple[str, str]]:
    """Return the modes and directions of the build; CTR only ever encrypts."""
    return [
        (mode, direction)
        for mode in MODES
        for direction in DIRECTIONS
        if ("encrypt" if mode == "ctr" else direction) in accelerator.directions
    ]


async def check_alive(accelerator: Accelerator) -> None:
    """Run a message in each mode and direction of the build."""
    for mode, direction in possible(accelerator):
        key = random.randbytes(random.choice(KEY_BYTES))
        await check(accelerator, mode, direction, key, random.randbytes(40))
    assert not await accelerator.errors()


@cocotb.test()
async def identity(dut: Any) -> None:
    """The capability registers agree with the build's parameters."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    capability = await accelerator.fields("CAPABILITY")
    encrypts = int("encrypt" in accelerator.directions)
    wanted = {
        "algorithm": 4,
        "encrypt": encrypts,
        "decrypt": int("decrypt" in accelerator.directions),
        "key_80": 1,
        "key_128": 1,
        "ecb": 1,
        "cbc": 1,
        "ctr": encrypts,
        "bypass": 1,
        "sink": 1,
        "asynchronous": int(accelerator.asynchronous),
    }
    assert {name: value for name, value in capability.items() if value} == {
        name: value for name, value in wanted.items() if value
    }


@cocotb.test()
async def known_answers(dut: Any) -> None:
    """Published blocks, in ECB."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    for vector in KNOWN_ANSWERS:
        key = vector.key.to_bytes(vector.bits // 8)
        plain, coded = vector.plain.to_bytes(BLOCK), vector.cipher.to_bytes(BLOCK)
        for direction, given, wanted in (("encrypt", plain, coded), ("decrypt", coded, plain)):
            if direction in accelerator.directions:
                output = await accelerator.crypt("ecb", direction, key, bytes(16), given)
                assert output == wanted, vector.name


@cocotb.test()
async def every_length(dut: Any) -> None:
    """Each mode, direction and key size over all lengths, with idle and back-pressure."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    stalls = itertools.cycle(STALLS)
    runs = itertools.product(possible(accelerator), KEY_BYTES)
    for seed, ((mode, direction), size) in enumerate(runs):
        for length in LENGTHS if mode != "ctr" else (*LENGTHS, 1, 7, 9, 15, 17, 23, 61):
            accelerator.stall(next(stalls), seed)
            await check(
                accelerator, mode, direction, random.randbytes(size), random.randbytes(length)
            )
    assert not await accelerator.errors()


@cocotb.test()
async def continued(dut: Any) -> None:
    """A message in parts gives what the whole message gives."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    for mode, direction in possible(accelerator):
        key, iv, data = random.randbytes(10), random.randbytes(BLOCK), random.randbytes(104)
        await accelerator.configure(mode, direction, len(key), 64)
        await accelerator.load_key(key)
        await accelerator.load_iv(iv + bytes(8))
        output = b""
        for start, end in ((0, 8), (8, 32), (32, 104)):
            output += await accelerator.message(data[start:end])
        assert output == present_modes.crypt(mode, direction, key, iv, data).data


@cocotb.test()
async def counters(dut: Any) -> None:
    """Counters of 32 and 64 bits wrap; other widths and repeated values are refused."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    if "encrypt" not in accelerator.directions:
        return
    key = random.randbytes(16)
    for width in (32, 64):
        iv = b"\x12" * (8 - width // 8) + b"\xff" * (width // 8)
        await check(accelerator, "ctr", "encrypt", key, random.randbytes(40), width, iv)
    await accelerator.load_iv(bytes(16))
    await accelerator.configure("ctr", "encrypt", len(key), 128)
    await accelerator.start(BLOCK)
    await accelerator.wait_status(busy=0)
    assert await accelerator.errors() == {"unsupported"}
    await accelerator.give_up()
    # 2^32 blocks of 8 bytes may be used, one more may not.
    for blocks, errors in (((1 << 32) - 5, set()), ((1 << 32) - 4, {"counter"})):
        await accelerator.load_iv(bytes(16), blocks)
        await accelerator.configure("ctr", "encrypt", len(key), 32)
        await accelerator.start(33)  # five blocks
        accelerator.send(bytes(33))
        await accelerator.wait_status(busy=0)
        assert await accelerator.errors() == errors
        if errors:
            await accelerator.give_up()
        else:
            await accelerator.receive()
    await check_alive(accelerator)


@cocotb.test()
async def sink_and_bypass(dut: Any) -> None:
    """The sink counts the output; the bypass passes data of any length unchanged."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    mode, direction = possible(accelerator)[0]
    await accelerator.configure(mode, direction, 10)
    await accelerator.load_key(random.randbytes(10))
    await accelerator.configure(mode, direction, 10, sink=True)
    await accelerator.message(random.randbytes(40), sink=True)
    assert await accelerator.read_pair("SINK_BYTES") == 40
    await accelerator.configure(bypass=True)
    for length in (1, 16, 61):
        data = random.randbytes(length)
        assert await accelerator.message(data) == data
    await check_alive(accelerator)


@cocotb.test()
async def refused(dut: Any) -> None:
    """Refused: parts of blocks, absent modes and key sizes, directions that are left out."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    mode, direction = possible(accelerator)[0]

    async def refusal(mode: str, direction: str, length: int) -> set[str]:
        await accelerator.configure(mode, direction, 10, 64)
        await accelerator.start(length)
        assert (await accelerator.wait_status(busy=0))["done"] == 0
        found = await accelerator.errors()
        await accelerator.give_up()
        return found

    assert await refusal(mode, direction, BLOCK) == {"no_key"}
    await accelerator.configure(mode, direction, 10)
    await accelerator.load_key(random.randbytes(8))
    assert await accelerator.errors() == {"no_key"}, "a word of the key was not written"
    for size in (24, 32):
        await accelerator.configure(mode, direction, size)
        await accelerator.load_key(random.randbytes(size))
        assert await accelerator.errors() == {"unsupported"}
    await accelerator.configure(mode, direction, 10)
    await accelerator.load_key(random.randbytes(10))
    for length in (4, 9, 15, 23):
        assert await refusal(mode, direction, length) == {"length"}
    for absent in ("gcm", "xts", "aead", "digest"):
        assert "unsupported" in await refusal(absent, direction, BLOCK)
    for other in set(DIRECTIONS) - set(accelerator.directions):
        assert await refusal("ecb", other, BLOCK) == {"unsupported"}
    await check_alive(accelerator)


@cocotb.test()
async def framing(dut: Any) -> None:
    """A packet of another length than the message, or with a hole, ends the message."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    mode, direction = possible(accelerator)[0]
    await accelerator.configure(mode, direction, 16)
    await accelerator.load_key(random.randbytes(16))
    hole = [1] * 40
    hole[18] = 0
    for frame in (bytes(32), bytes(48), AxiStreamFrame(tdata=bytes(40), tkeep=hole)):
        await accelerator.configure(mode, direction, 16)
        await accelerator.start(40)
        accelerator.source.send_nowait(frame)
        assert (await accelerator.wait_status(busy=0))["done"] == 0
        assert await accelerator.errors() == {"framing"}
        await accelerator.source.wait()
        await accelerator.give_up()
    await check_alive(accelerator)


@cocotb.test()
async def aborted(dut: Any) -> None:
    """An abort at any moment drops the message; the key stays."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    for cycles in (0, 3, 9, 30, 45, 80, 200):
        for mode, direction in possible(accelerator):
            await accelerator.configure(mode, direction, 10, 64)
            key, iv = random.randbytes(10), random.randbytes(BLOCK)
            await accelerator.load_key(key)
            await accelerator.load_iv(iv + bytes(8))
            await accelerator.start(160)
            accelerator.send(bytes(160))
            await ClockCycles(dut.clk_i, cycles)
            await accelerator.give_up()
            await accelerator.load_iv(iv + bytes(8))
            data = random.randbytes(24)
            answer = present_modes.crypt(mode, direction, key, iv, data)
            assert await accelerator.message(data) == answer.data
    assert not await accelerator.errors()


@cocotb.test()
async def forgotten(dut: Any) -> None:
    """After a zeroise no register or memory holds a word of key, IV, keystream or data."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    for mode, direction in possible(accelerator):
        for wait in (60, 700):
            key, iv, data = random.randbytes(16), random.randbytes(BLOCK), random.randbytes(800)
            await accelerator.configure(mode, direction, len(key), 64)
            await accelerator.load_key(key)
            await accelerator.load_iv(iv + bytes(8))
            accelerator.sink.pause = True
            await accelerator.start(len(data))
            accelerator.send(data)
            await ClockCycles(dut.clk_i, wait)
            answer = present_modes.crypt(mode, direction, key, iv, data).data
            secrets = [key, iv, data, answer]
            secrets += [secret[::-1] for secret in secrets]
            there = residue.find(dut, secrets)
            assert any("u_core" in path for path in there), "the search does not see the key"
            accelerator.source.pause = True
            await accelerator.command("zeroise")
            await accelerator.wait_status(zeroising=0, busy=0, key_loaded=0)
            accelerator.drop_streams()
            accelerator.stall("none")
            await accelerator.command("abort")
            await accelerator.wait_status(busy=0)
            await Timer(1, "ns")
            found = residue.find(dut, secrets)
            assert not found, (mode, direction, wait, found)
    await check_alive(accelerator)


@cocotb.test()
async def cycles(dut: Any) -> None:
    """A block takes the cycles of the core and one more."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    if accelerator.asynchronous:
        return
    for mode, direction in possible(accelerator):
        took = []
        for blocks in (20, 30):
            key, data = random.randbytes(10), random.randbytes(blocks * BLOCK)
            await check(accelerator, mode, direction, key, data)
            took.append(await accelerator.read_pair("CYCLES"))
        each = (took[1] - took[0]) / 10
        dut._log.warning(f"present {mode} {direction}: {each:.1f} n + {took[0] - 20 * each:.0f}")
        assert each == BLOCK_CYCLES, (mode, direction, each)
