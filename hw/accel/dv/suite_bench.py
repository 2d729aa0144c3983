# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Channels with different algorithms: each computes its own, and none disturbs another."""

from __future__ import annotations

import hashlib
import hmac
import random
from collections.abc import Callable, Coroutine
from typing import Any

import ascon_reference as ascon
import cocotb
import ecc_reference as ecc
import present_modes
import reference
import register_map
from channels_device import Device
from ciphermill_dv import residue
from cocotb.triggers import ClockCycles, Combine, Timer
from ecc_curves import P256
from reference import AEAD, BLOCK, DIGEST

AES, PRESENT, ASCON, CURVES, SECOND_AES, SHA2 = range(6)
"""Channels of the build: their digits of ChannelCores are 0, 4, 1, 3, 0 and 2."""
STALLS = (0, 0, 0.5, 0.9)


def pick(device: Device, channel: int) -> None:
    """Give a channel's streams other shares of idle and back-pressure."""
    stream = device.streams[channel]
    stream.source_idle, stream.sink_idle = random.choice(STALLS), random.choice(STALLS)


async def configure(device: Device, channel: int, **fields: int) -> None:
    """Write CONFIGURATION."""
    await device.write(channel, "CONFIGURATION", register_map.pack("CONFIGURATION", **fields))


async def finished(device: Device, channel: int, wanted: bytes) -> None:
    """Take the output of a message, compare it, and wait for the end."""
    assert await device.receive(channel) == wanted, channel
    await device.wait(channel, busy=0, done=1)
    assert not device.streams[channel].messages, "more output than the message has"


async def aes(device: Device, channel: int) -> None:
    """Run a message of AES: a mode of SP 800-38A or GCM."""
    key, direction = random.randbytes(random.choice((16, 32))), random.choice(reference.DIRECTIONS)
    if random.random() < 0.3:
        await device.gcm(channel, direction, key, random.randbytes(20), random.randbytes(77))
        return
    mode = random.choice(reference.MODES)
    await device.run(channel, mode, direction, key, random.randbytes(16 * random.randint(1, 20)))


async def present(device: Device, channel: int) -> None:
    """Run a message of PRESENT."""
    key, iv = random.randbytes(random.choice((10, 16))), random.randbytes(present_modes.BLOCK)
    mode, direction = random.choice(reference.MODES), random.choice(reference.DIRECTIONS)
    data = random.randbytes(8 * random.randint(1, 9))
    await device.configure(channel, mode, direction, len(key), width=1)
    await device.load(channel, key, iv)
    await device.start(channel, len(data))
    device.send(channel, data)
    answer = present_modes.crypt(mode, direction, key, iv, data)
    await finished(device, channel, answer.data)


async def ascon_aead(device: Device, channel: int) -> None:
    """Encrypt a message by Ascon, or hash one."""
    data, aad = random.randbytes(random.randint(1, 90)), random.randbytes(random.randint(0, 40))
    if random.random() < 0.5:
        await configure(device, channel, mode=reference.NUMBERS[DIGEST])
        await device.start(channel, len(data))
        device.send(channel, data)
        await finished(device, channel, ascon.hash256(data))
        return
    key, nonce = random.randbytes(BLOCK), random.randbytes(BLOCK)
    await device.configure(channel, AEAD, "encrypt", len(key))
    await device.load(channel, key, nonce)
    await device.write(channel, "AAD_LENGTH_LOW", len(aad))
    await device.start(channel, len(data))
    device.send(channel, aad)
    device.send(channel, data)
    coded, tag = ascon.encrypt(key, nonce, aad, data)
    await finished(device, channel, coded)
    assert (await device.axil.read(device.address(channel, "TAG"), BLOCK)).data == tag


async def sha2(device: Device, channel: int) -> None:
    """Hash a message by SHA-256 or SHA-512, under a key or without."""
    data, key = random.randbytes(random.randint(0, 300)), random.randbytes(random.choice((0, 33)))
    name = random.choice(("sha256", "sha512"))
    number = {"sha256": "sha_256", "sha512": "sha_512"}[name]
    await configure(
        device,
        channel,
        mode=reference.NUMBERS[DIGEST],
        hash=register_map.values("CONFIGURATION", "hash")[number],
        authenticate=int(bool(key)),
    )
    await device.write(channel, "AAD_LENGTH_LOW", len(key))
    await device.start(channel, len(data))
    device.send(channel, key)
    device.send(channel, data)
    wanted = hmac.digest(key, data, name) if key else hashlib.new(name, data).digest()
    await finished(device, channel, wanted)


async def public_key(device: Device, channel: int) -> None:
    """Compute the public key of a private key on P-256."""
    private = random.randrange(1, P256.n)
    await configure(device, channel, operation=ecc.PUBLIC, curve=P256.code)
    await device.start(channel, P256.bytes)
    device.send(channel, private.to_bytes(P256.bytes))
    stream = device.streams[channel]
    while not stream.messages:  # without polling, since it takes 10^5 cycles
        stream.arrived.clear()
        await stream.arrived.wait()
    wanted = b"".join(n.to_bytes(P256.bytes) for n in P256.multiply(private, P256.g))
    await finished(device, channel, wanted)


async def refused_point(device: Device, channel: int) -> None:
    """Offer the point at infinity, which is refused without a result."""
    await configure(device, channel, operation=ecc.AGREE, curve=P256.code)
    await device.start(channel, 3 * P256.bytes)
    device.send(channel, (1).to_bytes(P256.bytes) + bytes(2 * P256.bytes))
    status = await device.wait(channel, busy=0)
    assert status["outcome"] == 5 and not status["done"]


HOSTS: dict[int, tuple[Callable[[Device, int], Coroutine[Any, Any, None]], ...]] = {
    AES: (aes, sha2),
    PRESENT: (present,),
    ASCON: (ascon_aead,),
    CURVES: (refused_point,),
    SECOND_AES: (aes,),
    SHA2: (sha2,),
}
"""What each channel can run; the build has SHA-2 beside AES in the first one."""


@cocotb.test()
async def capabilities(dut: Any) -> None:
    """Each channel tells its own algorithm, keys and cores."""
    device = Device(dut)
    await device.reset()
    block_cipher = {"ecb", "cbc", "ctr", "bypass", "encrypt", "decrypt"}
    sha = {"sha2_32", "sha2_64"}
    aes_bits = block_cipher | {"gcm", "key_128", "key_192", "key_256"}
    wanted = {
        AES: (0, aes_bits | sha),
        PRESENT: (4, block_cipher | {"key_80", "key_128"}),
        ASCON: (1, {"aead", "digest", "encrypt", "decrypt", "key_128"}),
        CURVES: (3, {"p_256", "architecture"}),  # the fast build
        SECOND_AES: (0, aes_bits),
        SHA2: (2, sha),
    }
    for channel, (algorithm, bits) in wanted.items():
        told = register_map.unpack("CAPABILITY", await device.read(channel, "CAPABILITY"))
        assert told.pop("algorithm") == algorithm
        assert {name for name, value in told.items() if value} == bits | {"sink"}, channel
        told = register_map.unpack("CHANNELS", await device.read(channel, "CHANNELS"))
        assert told == {"count": 6, "cores": 1, "index": channel}


@cocotb.test()
async def algorithms_are_refused_elsewhere(dut: Any) -> None:
    """A channel refuses a message of the algorithm of another channel."""
    device = Device(dut)
    await device.reset()
    digest, aead, gcm = (reference.NUMBERS[mode] for mode in (DIGEST, AEAD, "gcm"))
    for channel, mode, hash_ in (
        (AES, aead, 0),
        (PRESENT, gcm, 0),
        (PRESENT, digest, 2),
        (ASCON, digest, 2),
        (SECOND_AES, digest, 2),
        (SHA2, digest, 0),
        (SHA2, 0, 0),
    ):
        await configure(device, channel, mode=mode, hash=hash_)
        # The field is zero where there is no SHA-2, so that an Ascon channel would hash.
        if channel == ASCON:
            await configure(device, channel, mode=0)
        await device.start(channel, 16)
        await device.wait(channel, busy=0, done=0)
        error = register_map.unpack("ERROR", await device.read(channel, "ERROR"))
        assert error["unsupported"], (channel, mode)


@cocotb.test()
async def interleaved(dut: Any) -> None:
    """Messages on all channels at once, with idle and back-pressure on streams and registers."""
    device = Device(dut)
    await device.reset()
    device.stall_registers(seed=3)

    async def host(channel: int) -> None:
        for _ in range(5):
            pick(device, channel)
            await random.choice(HOSTS[channel])(device, channel)

    await Combine(*[cocotb.start_soon(host(channel)) for channel in HOSTS])


@cocotb.test()
async def beside_a_curve(dut: Any) -> None:
    """An operation on a curve gives its result while every other channel works."""
    device = Device(dut)
    await device.reset()
    curve = cocotb.start_soon(public_key(device, CURVES))
    for channel in HOSTS.keys() - {CURVES}:
        for _ in range(2):
            await random.choice(HOSTS[channel])(device, channel)
    assert not curve.done()
    await curve


@cocotb.test()
async def zeroise_amid_others(dut: Any) -> None:
    """A zeroise clears one channel's key and data; messages of the others go on."""
    device = Device(dut)
    await device.reset()
    for victim, mode, key_bytes in (
        (AES, "cbc", 32),
        (PRESENT, "cbc", 16),
        (ASCON, AEAD, 16),
        (SECOND_AES, "ctr", 16),
    ):
        key, data = random.randbytes(key_bytes), random.randbytes(200 * BLOCK)
        await device.configure(victim, mode, "encrypt", key_bytes)
        if victim == PRESENT:
            await device.configure(victim, mode, "encrypt", key_bytes, width=1)
        await device.load(victim, key, random.randbytes(BLOCK))
        await device.start(victim, len(data))
        device.send(victim, data)
        others = [
            cocotb.start_soon(run(device, channel))
            for channel, (run, *_) in HOSTS.items()
            if channel != victim
        ]
        await ClockCycles(dut.clk_i, 150)
        secrets = [key, key[::-1], data]
        assert residue.find(dut, secrets), "the search does not see key and data"
        device.streams[victim].drop()
        await device.command(victim, "zeroise")
        await device.wait(victim, zeroising=0)
        await Timer(1, "ns")
        found = residue.find(dut, secrets)
        assert not found, (victim, found)
        await Combine(*others)
        device.streams[victim].drop()
        await HOSTS[victim][0](device, victim)
