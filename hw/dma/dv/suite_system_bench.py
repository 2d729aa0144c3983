# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A suite behind one DMA engine: messages of AES, SHA-2, PRESENT and ECC, a stream for each."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import cocotb
import ecc_reference as ecc
import present_reference as present
from cocotb.triggers import FallingEdge, with_timeout
from ecc_curves import P256
from memory_bus import PAGE
from system_bench import ACCEL, DMA, ECB, System, encrypted

CHANNELS = AES, SHA2, PRESENT, CURVES = range(4)
"""Of the build; each has the stream of the engine with its number."""
MODES = ACCEL.values("CONFIGURATION", "mode")
HASHES = ACCEL.values("CONFIGURATION", "hash")
KEY_SIZES = ACCEL.values("CONFIGURATION", "key_size")
PRESENT_KEY = bytes(range(0x40, 0x50))
PRESENT_BLOCK = 8
SEEDS = (None, 1, 2, 3)
"""Of the stalls of the memory's channels; None has none."""
TIMEOUT_US = 3_000


@dataclass(frozen=True)
class Message:
    """A message that a channel waits for: its place and length, and where its answer goes."""

    channel: int
    source: int
    length: int
    destination: int
    answer: bytes


class Suite(System):
    """Both devices and a memory; messages of all channels."""

    async def reset(self) -> None:
        """Reset both and wait for the sweep of every channel."""
        await super().reset()
        for channel in CHANNELS:
            await self.idle(channel)

    async def begin(self, mode: int = ECB) -> None:
        """Reset both devices and load the keys."""
        await super().begin(mode)
        word = ACCEL.pack("CONFIGURATION", mode=ECB, key_size=KEY_SIZES["bits_128"])
        await self.accel("CONFIGURATION", word, PRESENT)
        key = 256 * PRESENT + ACCEL.address("KEY")
        await self.buses["accel"].write(key, PRESENT_KEY)
        await self.accel("CONTROL", ACCEL.pack("CONTROL", load_key=1), PRESENT)
        await self.idle(PRESENT)

    async def status(self, channel: int) -> dict[str, int]:
        """Return STATUS of a channel."""
        address = 256 * channel + ACCEL.address("STATUS")
        return ACCEL.unpack("STATUS", await self.buses["accel"].read_dword(address))

    async def idle(self, channel: int) -> dict[str, int]:
        """Wait until a channel has no message, sweep or key to take; return its STATUS."""

        async def poll() -> dict[str, int]:
            while True:
                status = await self.status(channel)
                if not (status["busy"] or status["zeroising"] or status["key_pending"]):
                    return status

        return await with_timeout(poll(), TIMEOUT_US, "us")

    async def started(self, message: Message) -> Message:
        """Start a message in its channel."""
        await self.accel("MESSAGE_LENGTH_LOW", message.length, message.channel)
        await self.accel("CONTROL", ACCEL.pack("CONTROL", start=1), message.channel)
        return message

    async def aes(self, place: int) -> Message:
        """Start a message of AES-256 in ECB."""
        data = random.randbytes(16 * random.randint(1, 12))
        self.memory.put(place, data)
        message = Message(AES, place, len(data), place + PAGE // 2, encrypted(data))
        return await self.started(message)

    async def sha2(self, place: int) -> Message:
        """Start a digest of SHA-256 or SHA-512."""
        data = random.randbytes(random.randint(1, 300))
        name = random.choice(("sha256", "sha512"))
        self.memory.put(place, data)
        number = HASHES[name.replace("sha", "sha_")]
        word = ACCEL.pack("CONFIGURATION", mode=MODES["digest"], hash=number)
        await self.accel("CONFIGURATION", word, SHA2)
        answer = hashlib.new(name, data).digest()
        return await self.started(Message(SHA2, place, len(data), place + PAGE // 2, answer))

    async def present(self, place: int) -> Message:
        """Start a message of PRESENT in ECB."""
        data = random.randbytes(PRESENT_BLOCK * random.randint(1, 9))
        self.memory.put(place, data)
        blocks = [data[at : at + PRESENT_BLOCK] for at in range(0, len(data), PRESENT_BLOCK)]
        answer = b"".join(
            present.reference(
                present.ENCRYPT, 128, int.from_bytes(PRESENT_KEY), int.from_bytes(block)
            ).to_bytes(PRESENT_BLOCK)
            for block in blocks
        )
        return await self.started(Message(PRESENT, place, len(data), place + PAGE // 2, answer))

    async def curves(self, place: int) -> Message:
        """Start the computation of a public key on P-256."""
        private = random.randrange(1, P256.n)
        self.memory.put(place, private.to_bytes(P256.bytes))
        word = ACCEL.pack("CONFIGURATION", operation=ecc.PUBLIC, curve=P256.code)
        await self.accel("CONFIGURATION", word, CURVES)
        outcome, point = ecc.answer(P256, ecc.PUBLIC, [private])
        assert outcome == ecc.GOOD
        answer = b"".join(number.to_bytes(P256.bytes) for number in point)
        return await self.started(Message(CURVES, place, P256.bytes, place + PAGE // 2, answer))

    async def move(
        self, channel: int, length: int, source: int | None = None, destination: int | None = None
    ) -> None:
        """Ask for a transfer of a channel's stream when the engine takes one."""

        async def ready() -> None:
            while True:
                status = await self.buses["dma"].read_dword(DMA.address("STATUS"))
                if DMA.unpack("STATUS", status)["ready"]:
                    return

        await with_timeout(ready(), TIMEOUT_US, "us")
        await self.transfer(length, source, destination, stream=channel)

    async def give(self, message: Message) -> None:
        """Move a message into its channel."""
        await self.move(message.channel, message.length, source=message.source)

    async def take(self, message: Message) -> None:
        """Move the answer of a message into memory."""
        await self.move(message.channel, len(message.answer), destination=message.destination)

    async def finished(self, message: Message) -> None:
        """Wait for the end of a message, and compare its answer."""
        status = await self.idle(message.channel)
        assert status["done"] == 1, message
        await self.transfers_ended()
        got = self.memory.get(message.destination, len(message.answer))
        assert got == message.answer, message

    async def transfers_ended(self) -> None:
        """Wait until the engine has no transfer, and expect no error of it."""

        async def poll() -> None:
            while True:
                status = await self.buses["dma"].read_dword(DMA.address("STATUS"))
                if not DMA.unpack("STATUS", status)["busy"]:
                    return

        await with_timeout(poll(), TIMEOUT_US, "us")
        assert await self.buses["dma"].read_dword(DMA.address("ERROR")) == 0

    def quick(self) -> list[Callable[[int], Awaitable[Message]]]:
        """Return what starts a message, for each channel whose messages are short."""
        return [self.aes, self.sha2, self.present]


@cocotb.test()
async def the_engine_has_a_stream_for_each_channel(dut: Any) -> None:
    """The numbers of streams and channels that both devices tell are the same."""
    suite = Suite(dut)
    await suite.begin()
    capability = await suite.buses["dma"].read_dword(DMA.address("CAPABILITY"))
    channels = await suite.buses["accel"].read_dword(ACCEL.address("CHANNELS"))
    last = DMA.unpack("CAPABILITY", capability)["last_stream"]
    assert last + 1 == ACCEL.unpack("CHANNELS", channels)["count"] == len(CHANNELS)


@cocotb.test()
async def one_after_the_other(dut: Any) -> None:
    """Messages of all channels in any order, whatever the memory's channels do."""
    suite = Suite(dut)
    await suite.begin()
    for seed in SEEDS:
        suite.bus.stall(seed)
        for start in random.sample(suite.quick(), 3) + random.sample(suite.quick(), 3):
            message = await start(PAGE)
            await suite.give(message)
            await suite.take(message)
            await suite.finished(message)


@cocotb.test()
async def all_in_a_queue(dut: Any) -> None:
    """Messages that were started together leave and enter memory one after the other."""
    suite = Suite(dut)
    await suite.begin()
    for seed in SEEDS:
        suite.bus.stall(seed)
        starts = random.sample(suite.quick(), 3)
        messages = [await start(PAGE * (2 * n + 1)) for n, start in enumerate(starts)]
        for message in messages:
            await suite.give(message)
            await suite.take(message)
        for message in messages:
            await suite.finished(message)


@cocotb.test()
async def beside_a_curve(dut: Any) -> None:
    """While a channel computes a public key, the engine serves the others."""
    suite = Suite(dut)
    await suite.begin()
    suite.bus.stall(SEEDS[1])
    curve = await suite.curves(9 * PAGE)
    await suite.give(curve)
    for start in suite.quick():
        message = await start(PAGE)
        await suite.give(message)
        await suite.take(message)
        await suite.finished(message)
    assert (await suite.status(CURVES))["busy"] == 1, "the operation was no longer under way"
    suite.bus.stall(None)
    await suite.take(curve)
    await with_timeout(FallingEdge(dut.dma_busy_o), TIMEOUT_US, "us")
    await suite.finished(curve)
