# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Several pairs of streams: each transfer goes through its own, and one after the other."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from ciphermill_dv.stream_vectors import StreamVectors
from cocotb.triggers import ClockCycles, RisingEdge
from dma_driver import DESCRIPTOR_BYTES, REGISTERS, Host, Transfer
from memory_bus import PAGE, SIZE

HALF = SIZE // 2  # sources lie below, destinations above
PLACES = [0x400 + DESCRIPTOR_BYTES * n for n in (5, 0, 7, 2)]
SLOT = 1024
LONGEST = 700
MASK = 0x5A
SHARES = (0, 0, 0.5, 0.9)
"""Of the cycles in which a stream's sender or receiver pauses."""
NEVER = 1.0
LAST_NUMBER = 31
"""The greatest number that FLAGS.stream holds."""
PATIENCE = 400
"""Cycles in which a transfer that may begin has begun."""


def changed(data: bytes) -> bytes:
    """Return a message with every byte changed, as a peer sends it back."""
    return bytes(byte ^ MASK for byte in data)


class Engine(Host):
    """A DMA engine with several pairs of streams, its memory and its registers."""

    def __init__(self, dut: Any) -> None:
        super().__init__(dut)
        self.count = int(dut.Streams.value)
        self.vectors = StreamVectors(dut, self.count, self.lanes)
        self.active = 0
        """A bit for each stream that had TVALID out or TREADY in since it was set to zero."""

    async def begin(self) -> None:
        """Reset the engine, fill the memory at random, and watch the streams."""
        self.memory.data[:] = random.randbytes(SIZE)
        await self.reset()
        cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        while True:
            await RisingEdge(self.dut.clk_i)
            active = int(self.dut.m_axis_tvalid_o.value) | int(self.dut.s_axis_tready_o.value)
            assert active & (active - 1) == 0, f"streams {active:#b} at one time"
            self.active |= active

    def pause(self, seed: int | None) -> None:
        """Pause the memory and each stream as a seed says; None means no pauses."""
        self.bus.stall(seed)
        generator = random.Random(seed)
        for stream in self.vectors.streams:
            shares = (0, 0) if seed is None else generator.choices(SHARES, k=2)
            stream.source_idle, stream.sink_idle = shares

    def drop_streams(self) -> None:
        """Drop what all streams hold, as aborted channels do."""
        for stream in self.vectors.streams:
            stream.drop()

    async def works(self, number: int) -> None:
        """Run a transfer each way through a stream, and compare."""
        data = random.randbytes(LONGEST)
        source, destination = PAGE + 8, HALF + 9 * PAGE // 2 + 4
        await self.start(Transfer(source, destination, len(data), stream=number))
        sent = await self.vectors.receive(number)
        assert sent == self.memory.get(source, len(data))
        self.vectors.send(number, data)
        await self.wait_idle()
        assert await self.errors() == set()
        assert self.memory.get(destination, len(data)) == data


async def peer(engine: Engine, number: int, messages: list[bytes]) -> None:
    """Send each message of a stream back, changed, and remember it."""
    while True:
        message = await engine.vectors.receive(number)
        messages.append(message)
        engine.vectors.send(number, changed(message))


@cocotb.test()
async def the_last_stream_is_told(dut: Any) -> None:
    """CAPABILITY tells how many streams the build has."""
    engine = Engine(dut)
    await engine.begin()
    assert (await engine.fields("CAPABILITY"))["last_stream"] == engine.count - 1


@cocotb.test()
async def transfers_of_all_streams(dut: Any) -> None:
    """Transfers in a queue, each through a random stream, with idle and back-pressure."""
    engine = Engine(dut)
    await engine.begin()
    messages: list[list[bytes]] = [[] for _ in range(engine.count)]
    for number in range(engine.count):
        cocotb.start_soon(peer(engine, number, messages[number]))
    for turn in range(6):
        engine.pause(None if turn % 4 == 0 else random.getrandbits(32))
        transfers = [
            Transfer(
                PAGE + SLOT * n + random.randrange(0, 256, 4),
                HALF + SLOT * n + random.randrange(0, 256, 4),
                random.randint(1, LONGEST),
                stream=random.randrange(engine.count),
            )
            for n in range(6)
        ]
        wanted = bytearray(engine.memory.data)
        sent: list[list[bytes]] = [[] for _ in range(engine.count)]
        for transfer in transfers:
            data = engine.memory.get(transfer.source, transfer.length)
            sent[transfer.stream].append(data)
            wanted[transfer.destination : transfer.destination + len(data)] = changed(data)
            await engine.wait_status(ready=1)
            await engine.start(transfer)
        await engine.wait_idle()
        assert await engine.errors() == set()
        assert messages == sent
        assert engine.memory.data == wanted
        for received in messages:
            received.clear()


@cocotb.test()
async def all_senders_offer(dut: Any) -> None:
    """Data are taken from the stream of the transfer only, while every sender offers some."""
    engine = Engine(dut)
    await engine.begin()
    order = [number for number in range(engine.count) for _ in range(3)]
    random.shuffle(order)
    engine.pause(random.getrandbits(32))
    messages = [random.randbytes(random.randint(1, LONGEST)) for _ in order]
    for number, message in zip(order, messages, strict=True):
        engine.vectors.send(number, message)
    for n, (number, message) in enumerate(zip(order, messages, strict=True)):
        await engine.wait_status(ready=1)
        place = HALF + SLOT * n
        await engine.start(
            Transfer(destination=place, length=len(message), read=False, stream=number)
        )
    await engine.wait_idle()
    assert await engine.errors() == set()
    for n, message in enumerate(messages):
        assert engine.memory.get(HALF + SLOT * n, len(message)) == message, order[n]


@cocotb.test()
async def another_stream_waits(dut: Any) -> None:
    """A transfer begins when those of the stream before it are complete, and not earlier."""
    engine = Engine(dut)
    await engine.begin()
    for read, write in ((True, False), (False, True), (True, True)):
        first, second, third = random.sample(range(engine.count), 3)
        blocked = engine.vectors.streams[first]
        blocked.sink_idle = NEVER
        await ClockCycles(dut.clk_i, 2)
        engine.active = 0
        answer = random.randbytes(40)
        await engine.start(Transfer(PAGE, HALF, len(answer), read, write, stream=first))
        await engine.start(Transfer(PAGE + SLOT, HALF + SLOT, 100, stream=second))
        await ClockCycles(dut.clk_i, PATIENCE)
        status = await engine.fields("STATUS")
        assert status["busy"] == 1 and status["ready"] == 0
        assert (await engine.fields("FLAGS"))["stream"] == second
        # FLAGS may be written; the transfer that waits keeps its stream.
        await engine.start(Transfer(PAGE, HALF, 64, stream=third))
        assert await engine.errors() == {"busy"}
        assert engine.active & ~(1 << first) == 0, "another stream was served"
        blocked.sink_idle = 0
        if read:
            assert await engine.vectors.receive(first) == engine.memory.get(PAGE, len(answer))
        if write:
            engine.vectors.send(first, answer)
        message = await engine.vectors.receive(second)
        assert message == engine.memory.get(PAGE + SLOT, 100)
        if write:
            assert engine.memory.get(HALF, len(answer)) == answer, "not complete"
        engine.vectors.send(second, changed(message))
        await engine.wait_idle()
        assert engine.memory.get(HALF + SLOT, 100) == changed(message)
        assert engine.active == 1 << first | 1 << second
        assert await engine.errors() == set()


@cocotb.test()
async def the_last_beat_keeps_its_stream(dut: Any) -> None:
    """A complete transfer whose last beat was not taken holds the next stream up."""
    engine = Engine(dut)
    await engine.begin()
    assert engine.lanes > engine.data_bytes, "only a wider stream stores a beat"
    first, second = 0, engine.count - 1
    engine.vectors.streams[first].sink_idle = NEVER
    await ClockCycles(dut.clk_i, 2)
    engine.active = 0
    await engine.start(Transfer(PAGE, 0, engine.lanes, write=False, stream=first))
    await engine.start(Transfer(PAGE + SLOT, 0, 100, write=False, stream=second))
    await ClockCycles(dut.clk_i, PATIENCE)
    assert await engine.read("COMPLETED") == 1
    assert engine.active == 1 << first, "another stream was served"
    engine.vectors.streams[first].sink_idle = 0
    assert await engine.vectors.receive(first) == engine.memory.get(PAGE, engine.lanes)
    assert await engine.vectors.receive(second) == engine.memory.get(PAGE + SLOT, 100)
    await engine.wait_idle()
    assert await engine.errors() == set()


@cocotb.test()
async def a_chain_has_one_stream(dut: Any) -> None:
    """All transfers of a chain go through the stream that stood when it was started."""
    engine = Engine(dut)
    await engine.begin()
    for number in range(engine.count):
        engine.pause(random.getrandbits(32))
        engine.active = 0
        pieces = [
            Transfer(PAGE + SLOT * n, 0, 4 * engine.lanes, write=False, message_end=n == 3)
            for n in range(4)
        ]
        await engine.write("FLAGS", REGISTERS.pack("FLAGS", stream=number))
        await engine.start_chain(pieces, PLACES)
        await engine.write("FLAGS", REGISTERS.pack("FLAGS", stream=(number + 1) % engine.count))
        wanted = b"".join(engine.memory.get(piece.source, piece.length) for piece in pieces)
        assert await engine.vectors.receive(number) == wanted
        await engine.wait_idle()
        assert await engine.errors() == set()
        assert engine.active == 1 << number


@cocotb.test()
async def unknown_streams(dut: Any) -> None:
    """A transfer of a stream that is not there is refused, behind those before it."""
    engine = Engine(dut)
    await engine.begin()
    for number in (engine.count, LAST_NUMBER):
        engine.active = 0
        await engine.start(Transfer(PAGE, HALF, 64, stream=number))
        await engine.wait_idle()
        assert await engine.read("ERROR_DESCRIPTOR") == 1
        assert await engine.errors() == {"descriptor"}

        await engine.write("FLAGS", REGISTERS.pack("FLAGS", stream=number))
        await engine.start_chain([Transfer(PAGE, HALF, 64)], PLACES[:1])
        await engine.wait_idle()
        assert await engine.read("ERROR_DESCRIPTOR") == PLACES[0]
        assert await engine.errors() == {"descriptor"}
        assert engine.active == 0, "a stream was served"

        answer = random.randbytes(64)
        completed = await engine.read("COMPLETED")
        await engine.start(Transfer(PAGE, HALF, len(answer), stream=1))
        await engine.start(Transfer(PAGE, HALF, 64, stream=number))
        assert await engine.vectors.receive(1) == engine.memory.get(PAGE, len(answer))
        await ClockCycles(dut.clk_i, PATIENCE)
        assert await engine.errors() == set(), "the transfer before is not complete"
        engine.vectors.send(1, answer)
        await engine.wait_idle()
        assert await engine.errors() == {"descriptor"}
        assert await engine.read("COMPLETED") == completed + 1
        assert engine.memory.get(HALF, len(answer)) == answer
        for stream in range(engine.count):
            await engine.works(stream)


@cocotb.test()
async def abort_while_a_stream_waits(dut: Any) -> None:
    """An abort drops the transfer that waits for its stream, too."""
    engine = Engine(dut)
    await engine.begin()
    for first in range(engine.count):
        second = (first + 1) % engine.count
        engine.vectors.streams[first].sink_idle = NEVER
        await ClockCycles(dut.clk_i, 2)
        engine.active = 0
        completed = await engine.read("COMPLETED")
        await engine.start(Transfer(PAGE, HALF, LONGEST, stream=first))
        await engine.start(Transfer(PAGE, HALF, LONGEST, stream=second))
        await ClockCycles(dut.clk_i, random.randint(1, PATIENCE))
        await engine.write("CONTROL", REGISTERS.pack("CONTROL", abort=1))
        await engine.wait_idle()
        engine.pause(None)
        engine.drop_streams()
        await ClockCycles(dut.clk_i, PATIENCE)
        assert engine.active in (0, 1 << first), "a stream was served after the abort"
        assert await engine.read("COMPLETED") == completed
        for stream in range(engine.count):
            await engine.works(stream)
