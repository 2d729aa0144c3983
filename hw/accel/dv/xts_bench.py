# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""XTS in the accelerator: data units, tweaks, both keys, refused messages, zeroises."""

from __future__ import annotations

import itertools
import os
import random
from typing import Any

import cocotb
import reference
import vectors
from accelerator import STALLS, Accelerator
from ciphermill_dv import residue
from cocotb.triggers import ClockCycles, Timer
from reference import BLOCK, XTS
from throughput_bench import expected

# One build visits more lengths and every cut.
WHOLE = os.environ.get("EVERY_BIN") == "1"
SECTOR = 512
UNITS = (BLOCK, 2 * BLOCK, 5 * BLOCK, SECTOR, 1 << 20)
LENGTHS = (0, BLOCK, 3 * BLOCK, 10 * BLOCK, SECTOR, 3 * SECTOR)


def random_keys(size: int) -> tuple[bytes, bytes]:
    """Return both keys of XTS."""
    return random.randbytes(size), random.randbytes(size)


async def ready(dut: Any) -> tuple[Accelerator, tuple[bytes, bytes]]:
    """Return an accelerator after reset with both keys in it, set to encrypt with XTS."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    keys = random_keys(32)
    await accelerator.configure(XTS, "encrypt", 32)
    await accelerator.load_keys(keys)
    return accelerator, keys


async def check(
    accelerator: Accelerator,
    keys: tuple[bytes, bytes],
    unit_bytes: int,
    length: int,
    direction: str = "encrypt",
    number: int | None = None,
) -> None:
    """Run a random message under the keys that are loaded, and compare."""
    number = random.getrandbits(128) if number is None else number
    data = random.randbytes(length)
    await accelerator.configure(XTS, direction, len(keys[0]))
    answer = reference.xts(direction, keys, number, unit_bytes, data)
    got = await accelerator.xts(number, unit_bytes, data)
    assert got == answer, (unit_bytes, length, direction)
    after = number + -(-length // unit_bytes)
    assert await accelerator.read_iv() == (after % (1 << 128)).to_bytes(BLOCK, "little")


async def check_alive(accelerator: Accelerator, keys: tuple[bytes, bytes]) -> None:
    """Run a message each way with the keys that are loaded."""
    for direction in accelerator.directions:
        await check(accelerator, keys, 2 * BLOCK, 7 * BLOCK, direction)
    assert not await accelerator.errors()


async def refused(accelerator: Accelerator, *errors: str) -> None:
    """Start a block that must be refused with exactly these errors."""
    await accelerator.start(BLOCK)
    status = await accelerator.wait_status(busy=0)
    assert status["done"] == 0
    assert await accelerator.errors() == set(errors)


@cocotb.test()
async def known_answers(dut: Any) -> None:
    """NIST's vectors of whole blocks, for both key sizes."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    count = 0
    for bits in (128, 256):
        for case in vectors.xts(f"XTSGenAES{bits}.rsp")[::40]:
            if case.direction not in accelerator.directions:
                continue
            await accelerator.configure(XTS, case.direction, bits // 8)
            half = len(case.key) // 2
            await accelerator.load_keys((case.key[:half], case.key[half:]))
            number = int.from_bytes(case.iv, "little")
            got = await accelerator.xts(number, len(case.data), case.data)
            assert got == case.answer, case.source
            count += 1
    assert count > 6


@cocotb.test()
async def units(dut: Any) -> None:
    """Data units of every length, whole and cut short, both directions, with stalls."""
    accelerator, keys = await ready(dut)
    cases = list(itertools.product(UNITS, LENGTHS, accelerator.directions))
    random.shuffle(cases)
    stalls = itertools.cycle(STALLS)
    for number, case in enumerate(cases[: 24 if WHOLE else 8]):
        accelerator.stall(next(stalls), number + 1)
        if number % 4 == 0:
            keys = random_keys(random.choice((16, 32)))
            await accelerator.configure(XTS, "encrypt", len(keys[0]))
            await accelerator.load_keys(keys)
        await check(accelerator, keys, *case)
    # One data unit number carries through all its words, another one wraps.
    for first in ((1 << 32) - 2, (1 << 96) - 1, (1 << 128) - 2):
        await check(accelerator, keys, BLOCK, 4 * BLOCK, number=first)
    assert not await accelerator.errors()


@cocotb.test()
async def among_other_modes(dut: Any) -> None:
    """The tweak key stays over messages of other modes; data unit numbers go on; the sink works."""
    accelerator, keys = await ready(dut)
    for mode in reference.MODES:
        await check(accelerator, keys, 3 * BLOCK, 8 * BLOCK)
        iv, data = random.randbytes(BLOCK), random.randbytes(4 * BLOCK)
        await accelerator.configure(mode, "encrypt", len(keys[0]))
        await accelerator.load_iv(iv)
        answer = reference.crypt(mode, "encrypt", keys[0], iv, data)
        assert await accelerator.message(data) == answer.data, mode
        assert await accelerator.read_iv() == answer.iv
    # The next message goes on with the next data unit; no register is written.
    number, data = random.getrandbits(128), random.randbytes(6 * BLOCK)
    await accelerator.configure(XTS, "encrypt", len(keys[0]))
    answer = reference.xts("encrypt", keys, number, 2 * BLOCK, data)
    assert await accelerator.xts(number, 2 * BLOCK, data[: 4 * BLOCK]) == answer[: 4 * BLOCK]
    assert await accelerator.message(data[4 * BLOCK :]) == answer[4 * BLOCK :]
    await accelerator.configure(XTS, "encrypt", len(keys[0]), sink=True)
    await accelerator.xts(number, SECTOR, random.randbytes(SECTOR), sink=True)
    assert await accelerator.read_pair("SINK_BYTES") == SECTOR
    # Loading either key keeps the other one.
    for load in ("load_key", "load_tweak_key"):
        new = random.randbytes(len(keys[0]))
        keys = (new, keys[1]) if load == "load_key" else (keys[0], new)
        await accelerator.write_bytes("KEY", new)
        await accelerator.command(load)
        await check(accelerator, keys, 2 * BLOCK, 3 * BLOCK)
    await check_alive(accelerator, keys)


@cocotb.test()
async def what_is_refused(dut: Any) -> None:
    """Refused: no tweak key, keys of two sizes or of 192 bits, impossible data units."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    keys = random_keys(16)
    await accelerator.configure(XTS, "encrypt", 16)
    await accelerator.write("DATA_UNIT_LENGTH", BLOCK)
    await refused(accelerator, "no_key")
    await accelerator.load_key(keys[0])
    await refused(accelerator, "no_key")
    await accelerator.command("load_tweak_key")  # no word of it was written
    assert await accelerator.errors() == {"no_key"}
    await accelerator.write_bytes("KEY", keys[1])
    await accelerator.command("load_key", "load_tweak_key")  # ambiguous: both loads in one write
    assert await accelerator.errors() == {"busy"}
    await accelerator.wait_status(key_pending=0)
    await accelerator.load_keys(keys)
    await check_alive(accelerator, keys)
    for length in (0, 8, BLOCK + 1):
        await accelerator.write("DATA_UNIT_LENGTH", length)
        await refused(accelerator, "length")
    await accelerator.write("DATA_UNIT_LENGTH", BLOCK)
    await accelerator.start(BLOCK + 1)
    await accelerator.wait_status(busy=0)
    assert await accelerator.errors() == {"length"}
    await accelerator.configure(XTS, "encrypt", 32)
    await accelerator.load_key(random.randbytes(32))
    await refused(accelerator, "unsupported")
    if 24 in accelerator.key_lengths:
        await accelerator.configure(XTS, "encrypt", 24)
        await accelerator.load_key(random.randbytes(24))
        await refused(accelerator, "unsupported")
        # With both loads in one write the data key of 192 bits is taken all the same.
        await accelerator.write_bytes("KEY", random.randbytes(24))
        await accelerator.command("load_key", "load_tweak_key")
        assert await accelerator.errors() == {"busy"}
        await accelerator.wait_status(key_pending=0, key_loaded=1, tweak_key_loaded=1)
        # A tweak key of 192 bits is refused, and the next message is right.
        await accelerator.write_bytes("KEY", random.randbytes(24))
        await accelerator.command("load_tweak_key")
        assert await accelerator.errors() == {"unsupported"}
        await accelerator.wait_status(key_pending=0, key_loaded=1, tweak_key_loaded=0)
        assert int(dut.key.value) == 0, "a refused key lingers"
        await accelerator.load_key(random.randbytes(24))
        await accelerator.wait_status(key_pending=0)
        await refused(accelerator, "no_key")
        await accelerator.configure(XTS, "encrypt", 16)
        await accelerator.load_keys(keys)
    if "decrypt" not in accelerator.directions:
        await accelerator.configure(XTS, "decrypt", 16)
        await refused(accelerator, "unsupported")
    # A data unit number is not limited as a counter is.
    await accelerator.configure(XTS, "encrypt", 16)
    await accelerator.load_keys(keys)
    await check_alive(accelerator, keys)
    await accelerator.configure("ctr", "encrypt", 16)
    await refused(accelerator, "counter")
    await check_alive(accelerator, keys)


@cocotb.test()
async def incomplete_tweak_keys(dut: Any) -> None:
    """A tweak key is refused while any of its words is missing."""
    accelerator, keys = await ready(dut)
    for size in (16, 32):
        keys = random_keys(size)
        await accelerator.configure(XTS, "encrypt", size)
        for missing in range(size // 4):
            for word in range(size // 4):
                if word != missing:
                    part = int.from_bytes(keys[1][4 * word : 4 * word + 4], "little")
                    await accelerator.write("KEY", part, word)
            await accelerator.command("load_tweak_key")
            assert await accelerator.errors() == {"no_key"}, (size, missing)
            assert (await accelerator.fields("STATUS"))["tweak_key_loaded"] == 0
        await accelerator.load_keys(keys)
        await check_alive(accelerator, keys)


@cocotb.test()
async def lengths_beyond_a_word(dut: Any) -> None:
    """All bits of both lengths count: of data units, and of messages of 4 GiB and more."""
    accelerator, keys = await ready(dut)
    # If the high bits were ignored, this would be a data unit of one block.
    for bit in (8, 16, 20, 24, 28, 31):
        await check(accelerator, keys, (1 << bit) + BLOCK, 3 * BLOCK)
    await check(accelerator, keys, (1 << 32) - BLOCK, 3 * BLOCK)
    # And this a message of one block: no tweak would come for its second block.
    for bit in (32, 36, 37, 63):
        await accelerator.configure(XTS, "encrypt", len(keys[0]), sink=True)
        await accelerator.load_iv(random.randbytes(BLOCK))
        await accelerator.write("DATA_UNIT_LENGTH", BLOCK)
        await accelerator.start((1 << bit) + BLOCK)
        await accelerator.send_part(random.randbytes(6 * BLOCK), 4 * BLOCK)
        await ClockCycles(dut.clk_i, 300)
        assert (await accelerator.fields("STATUS"))["busy"] == 1, bit
        assert not await accelerator.errors(), bit
        assert await accelerator.read_pair("SINK_BYTES") // BLOCK >= 4, bit
        await accelerator.give_up()
    # The length without a data unit counts down across the boundary of its words.
    await accelerator.write("DATA_UNIT_LENGTH", 2 * BLOCK)
    await accelerator.start(1 << 40)
    await ClockCycles(dut.clk_i, 5)
    left = accelerator.modes.gen_xts.u_xts.uncovered_q
    assert int(left.value) >= (1 << 36) - 4
    left.value = (1 << 32) + 3
    await accelerator.send_part(random.randbytes(6 * BLOCK), 4 * BLOCK)
    await ClockCycles(dut.clk_i, 300)
    assert int(left.value) in ((1 << 32) - 1, (1 << 32) - 3), hex(int(left.value))
    await accelerator.give_up()
    await check_alive(accelerator, keys)


@cocotb.test()
async def aborted(dut: Any) -> None:
    """An abort at many points; the keys stay and the tweaks start anew."""
    accelerator, keys = await ready(dut)
    for cycles in (0, 3, 9, 14, 22, 31, 60) if WHOLE else (3, 14, 60):
        await accelerator.configure(XTS, "encrypt", len(keys[0]))
        await accelerator.load_iv(random.randbytes(BLOCK))
        await accelerator.write("DATA_UNIT_LENGTH", 4 * BLOCK)
        await accelerator.start(64 * BLOCK)
        accelerator.send(random.randbytes(64 * BLOCK))
        await ClockCycles(dut.clk_i, cycles)
        accelerator.source.pause = True
        await accelerator.command("abort")
        await accelerator.wait_status(busy=0, done=0, key_loaded=1, tweak_key_loaded=1)
        accelerator.drop_streams()
        accelerator.stall("none")
        await accelerator.command("abort")  # also drop what arrived before the abort took effect
        await accelerator.wait_status(busy=0)
        await check_alive(accelerator, keys)


@cocotb.test()
async def forgotten(dut: Any) -> None:
    """After a zeroise no register or memory holds a word of either key, of a tweak or of data."""
    accelerator, keys = await ready(dut)
    # Data units that the message ends in, and short ones: then the next one's first tweak waits.
    for stall, unit_bytes in (("input", SECTOR), ("output", SECTOR), ("output", 4 * BLOCK)):
        number, data = random.getrandbits(128), random.randbytes(32 * BLOCK)
        answer = reference.xts("encrypt", keys, number, unit_bytes, data)
        first = number.to_bytes(BLOCK, "little")
        tweaks = []
        for unit in range(-(-len(data) // unit_bytes) + 1):
            at = ((number + unit) % (1 << 128)).to_bytes(BLOCK, "little")
            tweaks.append(reference.crypt("ecb", "encrypt", keys[1], b"", at).data)
            for _ in range(unit_bytes // BLOCK - 1):
                value = int.from_bytes(tweaks[-1], "little") << 1
                value = value ^ (0x87 | 1 << 128) if value >> 128 else value
                tweaks.append(value.to_bytes(BLOCK, "little"))
        secrets = [*keys, data, answer, *tweaks]
        await accelerator.load_iv(first)
        await accelerator.write("DATA_UNIT_LENGTH", unit_bytes)
        accelerator.sink.pause = stall == "output"
        await accelerator.start(len(data))
        accelerator.send(data[: BLOCK if stall == "input" else None])
        await ClockCycles(dut.clk_i, 300)
        there = residue.find(dut, [keys[1], *tweaks])
        assert any("u_xts" in path for path in there), "the search does not see the tweaks"
        if unit_bytes < SECTOR:
            assert any("next_q" in path for path in there), "no tweak waits for its data unit"
        accelerator.source.pause = True
        await ClockCycles(dut.clk_i, 2)
        await accelerator.command("zeroise")
        status = await accelerator.wait_status(zeroising=0)
        assert (status["key_loaded"], status["tweak_key_loaded"]) == (0, 0)
        accelerator.drop_streams()
        await ClockCycles(dut.clk_i, 2)
        await accelerator.command("abort")
        await accelerator.wait_status(busy=0)
        await Timer(1, "ns")
        found = residue.find(dut, secrets)
        assert not found, (stall, found)
        await accelerator.errors()
        await refused(accelerator, "no_key")
        accelerator.stall("none")
        await accelerator.load_keys(keys)
        await check_alive(accelerator, keys)


@cocotb.test()
async def full_rate(dut: Any) -> None:
    """Sectors of 512 bytes follow each other at the rate of the core."""
    accelerator, _ = await ready(dut)
    stream = BLOCK / accelerator.lanes
    for key_length, direction in itertools.product((16, 32), accelerator.directions):
        await accelerator.configure(XTS, direction, key_length)
        await accelerator.load_keys(random_keys(key_length))
        await accelerator.xts(0, SECTOR, bytes(BLOCK))  # waits for its keys
        cycles = []
        for sectors in (2, 3):
            await accelerator.xts(7, SECTOR, random.randbytes(sectors * SECTOR))
            cycles.append(await accelerator.read_pair("CYCLES"))
        each = (cycles[1] - cycles[0]) * BLOCK / SECTOR
        besides = cycles[0] - 2 * SECTOR // BLOCK * each
        text = f"xts {direction} {8 * key_length}: {each:.2f} n + {besides:.0f}"
        dut._log.warning(text)
        core = max(expected(accelerator, "ecb", direction, key_length))
        assert accelerator.asynchronous or each <= max(core, stream) + 0.05, text
