# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The coprocessors with one round: whole AES blocks with the loop in the bench, as in C."""

from __future__ import annotations

import cocotb
from ciphermill_dv import residue
from ciphers import AES, INVERSE_SBOX, SBOX, exclusive_or, round_keys
from coprocessor import (
    BUSY,
    CONTROL,
    DATA_IN,
    DATA_OUT,
    DECRYPT,
    ENCRYPT,
    ERROR,
    ID,
    KEY,
    MAP,
    ZEROISE,
    Coprocessor,
    id_word,
)

FINAL = MAP.mask("CONTROL", "final_round")
STALLS = ("never", "sparse", "alternate", "heavy")


async def started(dut) -> Coprocessor:
    device = Coprocessor(dut, limit=1)
    await device.start()
    return device


async def block_by_rounds(device: Coprocessor, direction: int, key: bytes, block: bytes) -> bytes:
    """Return a block encrypted or decrypted, round by round."""
    keys = round_keys(key)
    if direction == DECRYPT:
        keys.reverse()
    table = INVERSE_SBOX if direction == DECRYPT else SBOX
    linear = device.dut._name == "coprocessor_linear_layer"
    state = exclusive_or(block, keys[0])
    await device.bus.write_word(CONTROL, direction)
    for n, round_key in enumerate(keys[1:], 1):
        if n == len(keys) - 1:
            await device.bus.write_word(CONTROL, direction | FINAL)
        await device.bus.write(KEY, round_key)
        await device.bus.write(DATA_IN, state.translate(table) if linear else state)
        state = await device.bus.read(DATA_OUT, 16)
    return state


@cocotb.test()
async def whole_blocks_of_every_key_size(dut):
    device = await started(dut)
    for pattern in STALLS:
        device.bus.pause(pattern)
        for size in AES.key_bytes:
            for direction in (ENCRYPT, DECRYPT):
                key, block = device.random.randbytes(size), device.random.randbytes(16)
                found = await block_by_rounds(device, direction, key, block)
                assert found == AES.reference(direction, key, block), (size, direction)
    assert not await device.status() & (ERROR | BUSY)


@cocotb.test()
async def a_round_key_serves_until_the_next(dut):
    """A round key stays for the next state, and a new one changes the result."""
    device = await started(dut)
    state = device.random.randbytes(16)
    results = []
    for n in range(4):
        if n % 2 == 0:
            await device.bus.write(KEY, device.random.randbytes(16))
        await device.bus.write(DATA_IN, state)
        results.append(await device.bus.read(DATA_OUT, 16))
    assert results[0] == results[1] != results[2] == results[3]


@cocotb.test()
async def registers_and_errors(dut):
    device = await started(dut)
    bus = device.bus
    kind = dut._name.removeprefix("coprocessor_")
    assert await bus.read_word(ID) == id_word(kind)
    assert await device.status() == 0
    await bus.write(DATA_IN, bytes(16))
    assert await device.status() == ERROR, "a state without a round key"
    await bus.write_word(CONTROL, ZEROISE)
    assert await bus.read(DATA_OUT, 16) == bytes(16)
    assert await device.status() == ERROR, "a read with nothing in flight"
    await bus.write_word(CONTROL, ZEROISE)
    await bus.write(KEY, bytes(16))
    await bus.write(DATA_IN, bytes(16))
    assert not await device.status() & ERROR
    await bus.write(DATA_IN, b"\xff" * 16)
    assert await device.status() & ERROR, "a second state in flight"
    # The result is still that of the first state.
    expected = b"\x63" * 16 if dut._name == "coprocessor_round" else bytes(16)
    assert await bus.read(DATA_OUT, 16) == expected


@cocotb.test()
async def a_round_takes_two_cycles(dut):
    device = await started(dut)
    await device.bus.write(KEY, bytes(16))
    start = device.bus.cycles
    await device.bus.write(DATA_IN, bytes(16))
    await device.bus.read(DATA_OUT, 16)
    assert device.bus.cycles - start <= 2 * 16 // device.bus.width + 1


@cocotb.test()
async def zeroise_and_reset_leave_no_secret(dut):
    device = await started(dut)
    for way in ("zeroise", "reset"):
        key, state, part = (device.random.randbytes(16) for _ in range(3))
        await device.bus.write(KEY, key)
        await device.bus.write(DATA_IN, state)
        await device.bus.write_word(KEY, int.from_bytes(part[:4], "little"))
        await device.bus.write_word(DATA_IN, int.from_bytes(part[4:8], "little"))
        await device.bus.step()
        assert residue.find(dut, [key, part])
        if way == "zeroise":
            await device.bus.write_word(CONTROL, ZEROISE)
        else:
            await device.start()
        await device.bus.write_word(ID, 0)
        await device.bus.read_word(ID)
        left = residue.find(dut, [key, state, part])
        assert not [path for path in left if not path.endswith(("_i", "data"))], left
        kept = frozenset({"direction_q", "final_q"})  # the operation of the state
        assert not residue.nonzero_registers(dut.u_round, kept), way
        await device.bus.write(DATA_IN, bytes(16))
        assert await device.status() & ERROR, "the round key is still there"
        await device.bus.write_word(CONTROL, ZEROISE)
