# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Channels that share cores: right results, and no channel blocks or sees another."""

from __future__ import annotations

import itertools
import random
from typing import Any

import cocotb
import reference
import register_map
from channels_device import Device
from ciphermill_dv import residue
from cocotb.triggers import ClockCycles, Combine, Timer
from cocotbext.axi import AxiResp
from reference import BLOCK

PIPELINED, SERIAL = 1, 2
# The most cycles that a core needs for a block, and for a key that decrypts.
BLOCK_CYCLES = {0: 15, PIPELINED: 1, SERIAL: 61}
TURN_CYCLES = {0: 256, PIPELINED: 128, SERIAL: 1024}
KEY_CYCLES = {0: 32, PIPELINED: 16, SERIAL: 140}


def choose(device: Device) -> tuple[str, str, bytes]:
    """Return a mode, a direction and a key at random."""
    key = random.randbytes(random.choice((16, 24, 32)))
    return random.choice(("ecb", "cbc", "ctr")), random.choice(reference.DIRECTIONS), key


async def together(*runs: Any) -> None:
    """Run coroutines side by side until all have ended."""
    await Combine(*[cocotb.start_soon(run) for run in runs])


@cocotb.test()
async def registers(dut: Any) -> None:
    """Each channel has registers of its own; addresses behind the last channel fail."""
    device = Device(dut)
    await device.reset()
    ivs = [random.randbytes(BLOCK) for _ in range(device.channels)]
    for n, iv in enumerate(ivs):
        await device.axil.write(device.address(n, "IV"), iv)
    for n, iv in enumerate(ivs):
        assert (await device.axil.read(device.address(n, "IV"), BLOCK)).data == iv
        assert (await device.read(n, "IDENTIFICATION")).to_bytes(4, "little") == b"CMIL"
        told = register_map.unpack("CHANNELS", await device.read(n, "CHANNELS"))
        assert told == {"count": device.channels, "cores": device.cores, "index": n}
    # Writes and reads of different channels at once, address before data and after it.
    device.stall_registers(seed=5)
    ivs = [random.randbytes(BLOCK) for _ in ivs]

    async def write(n: int) -> None:
        await device.axil.write(device.address(n, "IV"), ivs[n])

    async def read(n: int) -> None:
        assert (await device.read(n, "IDENTIFICATION")).to_bytes(4, "little") == b"CMIL"

    await together(*[access(n) for n in range(device.channels) for access in (write, read)])
    for n, iv in enumerate(ivs):
        assert (await device.axil.read(device.address(n, "IV"), BLOCK)).data == iv
    if device.channels & device.channels - 1:
        behind = 256 * device.channels
        assert (await device.axil.read(behind, 4)).resp == AxiResp.DECERR
        assert (await device.axil.write(behind, bytes(4))).resp == AxiResp.DECERR
    assert (await device.axil.read(256 + 0xFC, 4)).resp == AxiResp.SLVERR
    assert (await device.read(1, "IDENTIFICATION")).to_bytes(4, "little") == b"CMIL"


@cocotb.test()
async def mixed(dut: Any) -> None:
    """All channels at once, each with its own modes, keys, lengths and stalls."""
    device = Device(dut)
    await device.reset()
    rounds = 4

    async def host(channel: int) -> None:
        stream = device.streams[channel]
        mode, direction, key = choose(device)
        for round_ in range(rounds):
            if random.random() < 0.7:  # else the key stays
                mode, direction, key = choose(device)
            stream.source_idle = random.choice((0, 0, 0.5, 0.9))
            stream.sink_idle = random.choice((0, 0, 0.5, 0.9))
            length = random.choice((16, 32, 80, 320, 480))
            if mode == "ctr":
                length -= random.randrange(16)
            if round_ == channel % rounds:
                aad = random.randbytes(random.choice((0, 5, 32)))
                await device.gcm(channel, direction, key, aad, random.randbytes(length - 3))
                continue
            await device.run(channel, mode, direction, key, random.randbytes(length))

    await together(*[host(channel) for channel in range(device.channels)])


@cocotb.test()
async def who_stalls_stalls_alone(dut: Any) -> None:
    """Channels without input, or whose output waits, stop no other channel."""
    device = Device(dut)
    await device.reset()
    blocks = 40
    kinds = [("cbc", "encrypt"), ("ecb", "encrypt"), ("ctr", "encrypt"), ("cbc", "decrypt")]
    stalled = range(device.channels - 1)
    queued = []
    for n in stalled:
        mode, direction = kinds[n % 4]
        key, data = random.randbytes(32), random.randbytes(16 * blocks)
        iv = await device.prepare(n, mode, direction, key)
        await device.start(n, len(data))
        if n % 2:
            device.streams[n].source_idle = 1
        else:
            device.streams[n].sink_idle = 1
        device.send(n, data)
        queued.append(reference.crypt(mode, direction, key, iv, data).data)
    for mode, direction in kinds:
        data = random.randbytes(16 * blocks)
        await device.run(device.channels - 1, mode, direction, random.randbytes(16), data)
    for n in stalled:
        device.streams[n].source_idle = device.streams[n].sink_idle = 0
    for n in stalled:
        assert await device.receive(n) == queued[n]


@cocotb.test()
async def everyone_comes_to_it(dut: Any) -> None:
    """A channel waits no longer than one turn of each other channel."""
    device = Device(dut)
    await device.reset()
    block, turn = BLOCK_CYCLES[device.architecture], TURN_CYCLES[device.architecture]
    busy = min(device.channels, 4)
    sharers = -(-busy // device.cores)
    bound = (sharers - 1) * (turn + KEY_CYCLES[device.architecture]) + 64 + 2 * sharers * block
    kinds = [("ecb", "decrypt"), ("cbc", "encrypt"), ("ctr", "encrypt"), ("cbc", "decrypt")]
    answers = []
    for n in range(busy):
        # One such message alone would hold the core for longer than another channel may wait.
        key, data = random.randbytes(32), random.randbytes(BLOCK * (3 * bound // (2 * block)))
        if kinds[n] == ("cbc", "encrypt"):
            data = data[: BLOCK * 40]
        iv = await device.prepare(n, *kinds[n], key)
        answers.append(reference.crypt(*kinds[n], key, iv, data).data)
        device.streams[n].source_idle = 1
        await device.start(n, len(data))
        device.send(n, data)
    begin = device.cycle
    for stream in device.streams:
        stream.source_idle = 0
    for n, answer in enumerate(answers):
        assert await device.receive(n) == answer, n
        cycles = [begin, *device.streams[n].beats_out]
        gaps = [after - before for before, after in itertools.pairwise(cycles)]
        assert max(gaps) <= bound, (n, max(gaps), bound)


async def in_the_middle(device: Device, victim: int, key: bytes) -> tuple[bytes, list[Any]]:
    """Begin a long message on one channel, and messages that must come out right on the others."""
    data = random.randbytes(200 * BLOCK)
    await device.prepare(victim, "cbc", "encrypt", key)
    await device.start(victim, len(data))
    device.send(victim, data)
    others = []
    for n in range(device.channels):
        if n == victim:
            continue
        mode, direction, other = choose(device)
        text = random.randbytes(160 * BLOCK)
        others.append(cocotb.start_soon(device.run(n, mode, direction, other, text)))
    await ClockCycles(device.dut.clk_i, 40 + 60 * device.channels)
    assert not all(run.done() for run in others)
    return data, others


@cocotb.test()
async def zeroise_amid_others(dut: Any) -> None:
    """A zeroise clears one channel's key and data everywhere; messages of the others go on."""
    device = Device(dut)
    await device.reset()
    key, victim = random.randbytes(32), 1
    data, others = await in_the_middle(device, victim, key)
    found = residue.find(dut, [key])
    assert any("u_share" in path for path in found), "the search does not see the keys"
    device.streams[victim].drop()
    await device.command(victim, "zeroise")
    await device.wait(victim, zeroising=0)
    await Timer(1, "ns")
    found = residue.find(dut, [key, data])
    assert not found, found
    await Combine(*others)
    assert not device.streams[victim].messages
    device.streams[victim].drop()
    await device.run(victim, "ecb", "decrypt", random.randbytes(16), random.randbytes(48))


@cocotb.test()
async def zeroise_all(dut: Any) -> None:
    """Zeroises of all channels, close together, clear everything and leave all channels ready."""
    device = Device(dut)
    await device.reset()
    secrets = []
    for n, stream in enumerate(device.streams):
        secrets += [random.randbytes(32), random.randbytes(64 * BLOCK)]
        await device.prepare(n, "ctr", "encrypt", secrets[-2])
        await device.start(n, len(secrets[-1]))
        stream.sink_idle = n % 2
        device.send(n, secrets[-1])
    await ClockCycles(dut.clk_i, 200)
    for n in range(device.channels):
        device.streams[n].drop()
        await device.command(n, "zeroise")
    for n in range(device.channels):
        await device.wait(n, zeroising=0, busy=0, key_loaded=0)
    await Timer(1, "ns")
    found = residue.find(dut, secrets)
    assert not found, found
    for stream in device.streams:
        stream.drop()
        stream.sink_idle = 0
    key = random.randbytes(24)
    await together(
        *[
            device.run(n, "cbc", "encrypt", key, random.randbytes(96))
            for n in range(device.channels)
        ]
    )


@cocotb.test()
async def abort_amid_others(dut: Any) -> None:
    """An abort drops one channel's message and no other's; its key stays."""
    device = Device(dut)
    await device.reset()
    key = random.randbytes(32)
    _, others = await in_the_middle(device, 0, key)
    device.streams[0].drop()
    await device.command(0, "abort")
    await device.wait(0, busy=0, key_loaded=1)
    device.streams[0].drop()
    iv, data = random.randbytes(BLOCK), random.randbytes(5 * BLOCK)
    await device.axil.write(device.address(0, "IV"), iv)
    await device.start(0, len(data))
    device.send(0, data)
    assert await device.receive(0) == reference.crypt("cbc", "encrypt", key, iv, data).data
    await Combine(*others)
