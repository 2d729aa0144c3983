# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Block coprocessors with a key expansion of their own, on any bus: AES and PRESENT."""

from __future__ import annotations

import cocotb
from bus import RegisterBus
from ciphermill_dv import residue
from ciphermill_dv.parameters import parameter
from coprocessor import (
    ACCEPTS,
    AVAILABLE,
    BUSY,
    CAPABILITY,
    CONTROL,
    DATA_IN,
    DATA_OUT,
    ERROR,
    ERRORS,
    ID,
    KEY,
    MAGIC,
    MAP,
    STATUS,
    VERSION,
    ZEROISE,
    Coprocessor,
    id_word,
)

STALLS = ("never", "sparse", "alternate", "heavy")


async def started(dut, **options) -> Coprocessor:
    device = Coprocessor(dut, **options)
    await device.start()
    return device


async def drain(device: Coprocessor) -> None:
    while device.expected:
        await device.pull()


@cocotb.test()
async def registers_read_as_the_map_says(dut):
    device = await started(dut)
    bus = device.bus
    identity = {
        "coprocessor_unrolled": "unrolled" + "_pipelined" * bool(parameter("BlocksInFlight", 0)),
        "coprocessor_iterative": "iterative",
        "front_harness": "iterative",
        "coprocessor_present": ("present_iterative", "present_unrolled", "present_serial")[
            parameter("Architecture", 0)
        ],
    }[dut._name]
    assert await bus.read_word(ID) == id_word(identity)
    assert await bus.read_word(VERSION) == MAP.pack("VERSION", major=2)
    assert await bus.read_word(CAPABILITY) == device.limit
    assert await bus.read_word(CONTROL) == 0
    for value in (0xF, 0x0, 0x5, 0xA):
        await bus.write_word(CONTROL, 0xFFFF_FE00 | value)
        assert await bus.read_word(CONTROL) == value
    await device.control(device.sizes[0], device.directions[0])
    await bus.write_word(ID, 0xFFFF_FFFF)
    await bus.write_word(STATUS, 0xFFFF_FFFF)
    for n in range(4):
        await bus.write_word(KEY + 4 * n, 0xFFFF_FFFF)
    await device.settle()
    assert await bus.read_word(ID) == id_word(identity)
    for address in (KEY, KEY + 12, DATA_IN, 0x00C, 0x014, 0x040, 0x0FC, 0x300, 0xFFC):
        assert await bus.read_word(address) == 0, hex(address)
    assert not await device.status() & ERROR


@cocotb.test()
async def words_with_low_strobes_are_left_out(dut):
    device = await started(dut)
    if not isinstance(device.bus, RegisterBus):
        return
    await device.settle()
    for strobe in range(15):
        await device.bus.write(CONTROL, b"\x0f\x0f\x0f\x0f", strobe)
        assert await device.bus.read_word(CONTROL) == 0
    await device.load_random_key()
    block = device.random.randbytes(device.cipher.block_bytes)
    last = device.cipher.block_bytes - 4
    for n in range(0, last, 4):
        await device.bus.write(DATA_IN + n, block[n : n + 4])
        await device.bus.write(DATA_IN + n, b"\xff" * 4, 7)
    await device.bus.write(DATA_IN + last, b"\xff" * 4, 14)
    assert not await device.status() & (BUSY | AVAILABLE)
    await device.bus.write(DATA_IN + last, block[last:])
    device.expected.append(device.cipher.reference(device.direction, device.key, block))
    await device.pull()


@cocotb.test()
async def a_key_without_its_last_word_is_none(dut):
    """For each key size: only a complete write of the last word loads the key."""
    device = await started(dut)
    last_word = device.cipher.block_bytes - 4
    for size in device.sizes:
        await device.zeroise()
        await device.settle()
        await device.control(size, device.directions[0])
        words = -(-device.cipher.key_bytes[size] // 4)
        for n in range(8):
            if n != words - 1:
                await device.bus.write(KEY + 4 * n, device.random.randbytes(4))
        if isinstance(device.bus, RegisterBus):
            for strobe in (0, 1, 7, 8, 14):
                await device.bus.write(KEY + 4 * (words - 1), b"\xff" * 4, strobe)
        await device.settle()
        await device.bus.write_word(DATA_IN + last_word, 1)
        assert await device.status() == ERROR, size


@cocotb.test()
async def words_of_a_key_are_those_of_this_key(dut):
    """A word that was not written counts as zero, not as that of the key before."""
    device = await started(dut)
    for size in device.sizes:
        count = device.cipher.key_bytes[size]
        words = -(-count // 4)
        for n in range(words):
            await device.load_key(device.random.randbytes(count))
            key = bytearray(count)
            for place in {n, words - 1}:
                word = device.random.randbytes(4)
                await device.bus.write(KEY + 4 * place, word)
                key[4 * place : 4 * place + 4] = word[: count - 4 * place]
            device.key = bytes(key)
            await device.push()
            await device.pull()


@cocotb.test()
async def a_key_right_after_a_zeroise_waits(dut):
    """A key's last word in the cycle after a zeroise waits for the end of the sweep."""
    device = await started(dut)
    for size in device.sizes:
        await device.load_random_key()
        count = device.cipher.key_bytes[size]
        words = -(-count // 4)
        word = device.random.randbytes(4)
        await device.control(size, device.directions[0], ZEROISE)
        await device.bus.write(KEY + 4 * (words - 1), word)
        device.key = (bytes(4 * (words - 1)) + word)[:count]
        await device.settle()
        await device.push()
        await device.pull()
    assert not await device.status() & ERROR


@cocotb.test()
async def words_of_a_block_are_those_of_this_block(dut):
    """A word that was not written counts as zero, not as that of an earlier block."""
    device = await started(dut)
    size = device.cipher.block_bytes
    for before in ("a block", "a part", "reset"):
        if before == "reset":
            await device.bus.write_word(DATA_IN, device.random.getrandbits(32))
            await device.start()
            await device.settle()
        await device.load_random_key()
        if before == "a block":
            await device.push()
            await device.pull()
        elif before == "a part":
            await device.bus.write_word(DATA_IN, device.random.getrandbits(32))
            await device.zeroise()
            await device.settle()
            await device.load_random_key()
        word = device.random.randbytes(4)
        await device.bus.write(DATA_IN + size - 4, word)
        block = bytes(size - 4) + word
        device.expected.append(device.cipher.reference(device.direction, device.key, block))
        await device.pull()


@cocotb.test()
async def random_traffic_with_every_stall_pattern(dut):
    """Keys, directions, pushes and pulls in every order that a driver may use."""
    device = await started(dut)
    for pattern in STALLS:
        device.bus.pause(pattern)
        await device.load_random_key()
        for _ in range(60 if pattern != "heavy" else 25):
            action = device.random.random()
            if action < 0.08:
                await device.load_random_key()
            elif action < 0.2:
                await device.turn(device.random.choice(device.directions))
            elif action < 0.6 and len(device.expected) < device.limit:
                await device.push()
            elif device.expected:
                await device.pull()
        await drain(device)
    assert not await device.status() & (ERROR | AVAILABLE | BUSY)


@cocotb.test()
async def all_blocks_in_flight_and_several_keys_between(dut):
    """With all blocks in flight and unused keys in between, no transfer hangs."""
    device = await started(dut)
    for _ in range(3):
        await device.load_random_key()
        await device.turn(device.random.choice(device.directions))
        for _ in range(device.limit):
            await device.push()
            if device.random.random() < 0.5:
                await device.load_random_key()
        for _ in range(3):
            await device.load_random_key()
        assert not await device.status() & ACCEPTS
        await drain(device)
    assert not await device.status() & ERROR


@cocotb.test()
async def bursts_and_wide_beats(dut):
    device = await started(dut, seed=2)
    places = device.bus.width // device.cipher.block_bytes
    for pattern in STALLS:
        device.bus.pause(pattern)
        await device.load_random_key()
        for _ in range(4):
            await device.push(1 << min(device.limit, 16).bit_length() - 1)
            while len(device.expected) >= max(places, 1) and places > 1:
                await device.pull_wide()
            await drain(device)
    # Several registers of a line in one beat.
    line = await device.bus.read(0, min(device.bus.width, 16))
    if len(line) == 16:
        assert int.from_bytes(line[:2], "little") == MAGIC
        assert int.from_bytes(line[8:12], "little") == device.limit, "CAPABILITY"
        line = await device.bus.read(CONTROL, 16)
        status = int.from_bytes(line[STATUS - CONTROL :][:4], "little")
        assert status & (BUSY | ERROR) == 0


@cocotb.test()
async def status_and_interrupt_follow_a_block(dut):
    device = await started(dut)
    await device.settle()
    assert await device.status() == 0
    await device.load_random_key()
    await device.wait_status(ACCEPTS, ACCEPTS)
    assert int(dut.irq_o.value) == 0
    await device.push()
    for _ in range(100):
        if int(dut.irq_o.value):
            break
        await device.bus.step()
    assert int(dut.irq_o.value) == 1 and int(dut.busy_o.value) == 0
    assert await device.status() & (AVAILABLE | BUSY) == AVAILABLE
    await device.pull()
    await device.bus.step()
    assert int(dut.irq_o.value) == 0
    assert not await device.status() & AVAILABLE


@cocotb.test()
async def what_would_wait_for_ever_is_an_error(dut):
    device = await started(dut)
    await device.settle()
    last = device.cipher.block_bytes - 4
    # No key, and nothing in flight.
    await device.bus.write_word(DATA_IN + last, 1)
    assert await device.status() == ERROR
    for word in range(0, device.cipher.block_bytes, 4):
        await device.zeroise()
        assert await device.bus.read_word(DATA_OUT + word) == 0, "in the cycle after a zeroise"
    await device.zeroise()
    await device.settle()
    assert await device.status() == 0
    assert await device.bus.read_word(DATA_OUT + last) == 0
    assert await device.status() == ERROR
    assert await device.bus.read_word(ERRORS) == 1
    await device.bus.write_word(ERRORS, 0xFFFF_FFFE)
    assert await device.status() == ERROR, "a bit that is not one was cleared"
    await device.bus.write_word(ERRORS, 1)
    assert await device.bus.read_word(ERRORS) == 0
    assert await device.status() == 0
    assert await device.bus.read_word(DATA_OUT + last) == 0
    # An error stays set and changes no result.
    await device.load_random_key()
    for _ in range(device.limit):
        await device.push()
    assert await device.status() & ERROR
    for _ in range(2):
        await device.bus.write_word(DATA_IN + last, 1)
    await drain(device)
    # A push beyond the limit.
    await device.zeroise()
    await device.load_random_key()
    for _ in range(device.limit):
        await device.push()
    assert not await device.status() & ERROR
    await device.bus.write_word(DATA_IN + last, 1)
    assert await device.status() & ERROR
    await drain(device)
    # A key size or a direction that does not exist or that the build lacks.
    for size in {0, 1, 2, 3} - set(device.sizes):
        await device.zeroise()
        await device.control(size, device.directions[0])
        await device.bus.write(KEY, bytes(16))
        for n in range(16, 32, 4):
            await device.bus.write(KEY + n, bytes(4))
        assert await device.status() & ERROR, size
    for direction in {0, 1} - set(device.directions):
        await device.zeroise()
        await device.load_random_key()
        await device.turn(direction)
        await device.bus.write_word(DATA_IN + last, 1)
        assert await device.status() & ERROR


@cocotb.test()
async def zeroise_and_reset_leave_no_secret(dut):
    device = await started(dut)
    for way in ("zeroise", "reset", "zeroise"):
        device.bus.pause("never")
        key = device.random.randbytes(device.cipher.key_bytes[device.sizes[-1]])
        await device.load_key(key)
        for _ in range(device.limit):
            await device.push()
        await device.load_key(key)
        results = list(device.expected)
        # Parts of a key and a block.
        half = device.random.randbytes(8)
        await device.bus.write_word(KEY, int.from_bytes(half[:4], "little"))
        await device.bus.write_word(DATA_IN, int.from_bytes(half[4:], "little"))
        secrets = [key[: len(key) & ~3], half, *results]
        assert residue.find(dut, secrets), "nothing to find: the search is blind"
        if way == "zeroise":
            await device.zeroise()
        else:
            await device.start()
            device.expected.clear()
        await device.settle()
        # The last bus data are not secrets left in the device.
        await device.bus.write_word(ID, 0)
        await device.bus.read_word(ID)
        left = [path for path in residue.find(dut, secrets) if not path.endswith(("_i", "data"))]
        assert not left, left
        # There is nothing to read, and no key.
        assert not await device.status() & (AVAILABLE | ERROR)
        await device.bus.write_word(DATA_IN + device.cipher.block_bytes - 4, 1)
        assert await device.status() & ERROR
        await device.load_random_key()
        await device.push()
        await device.pull()


def cycles_to_result(device: Coprocessor) -> int:
    """Return the README's cycles from the last word of a block to its result."""
    rounds = 10 + 2 * device.sizes[0]
    in_flight = parameter("BlocksInFlight", 2)
    if device.dut._name == "coprocessor_unrolled":
        return 11 + 2 * device.sizes[-1] if in_flight else 3
    if device.dut._name == "coprocessor_present":
        rounds = (32, 1)[parameter("Architecture", 0)]
    return rounds + 1 + (in_flight > 1)


@cocotb.test()
async def cycles_of_a_block(dut):
    """The exact cycles that registers and queue add to those of the core."""
    device = await started(dut)
    await device.load_key(device.random.randbytes(device.cipher.key_bytes[device.sizes[0]]))
    await device.settle()
    # The key expansion, which a first block to decrypt waits for.
    await device.push()
    await device.pull()
    if not isinstance(device.bus, RegisterBus):
        return
    await device.push()
    cycles = 0
    while not int(dut.irq_o.value):
        await device.bus.step()
        cycles += 1
        assert int(dut.busy_o.value) != int(dut.irq_o.value), "busy or done, one of the two"
        assert cycles < 100
    assert cycles == cycles_to_result(device), cycles
    await device.pull()
