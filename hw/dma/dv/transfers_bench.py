# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Every byte goes to its destination once, and no other byte of memory changes."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any

import cocotb
from ciphermill_dv.parameters import parameter
from cocotb.triggers import ClockCycles
from dma_driver import DESCRIPTOR_BYTES, REGISTERS, Engine, Transfer
from memory_bus import PAGE, SIZE, Watch

HALF = SIZE // 2  # sources lie below, destinations above
CHAINS = range(0x0800, 0x1000, DESCRIPTOR_BYTES)
FREE = range(PAGE, HALF)
MASK = 0x5A
ANY_BYTE = bool(parameter("ByteAlignment", 0))
STEP = 1 if ANY_BYTE else 4  # between the addresses that are allowed
RANDOM_TRANSFERS = 18
RANDOM_CHAINS = 4


def changed(data: bytes) -> bytes:
    """Return a message with every byte changed, as the peer sends it back."""
    return bytes(byte ^ MASK for byte in data)


async def peer(engine: Engine, messages: list[bytes]) -> None:
    """Send each message back, changed, and remember it."""
    while True:
        frame = await engine.sink.recv(compact=False)
        data = bytes(b for b, keep in zip(frame.tdata, frame.tkeep, strict=True) if keep)
        messages.append(data)
        engine.send(changed(data))


def messages_of(memory: bytes, transfers: Sequence[Transfer]) -> list[bytes]:
    """Return the messages that transfers send, those without a byte left out."""
    messages, current = [], b""
    for transfer in transfers:
        if transfer.read:
            current += memory[transfer.source : transfer.source + transfer.length]
        if transfer.read and transfer.message_end and transfer.length:
            messages.append(current)
            current = b""
    return messages


def expected_memory(memory: bytes, transfers: Sequence[Transfer]) -> bytes:
    """Return the memory after transfers whose messages come back changed, in order."""
    result = bytearray(memory)
    stream = changed(b"".join(messages_of(memory, transfers)))
    at = 0
    for transfer in transfers:
        if transfer.write:
            begin = transfer.destination
            result[begin : begin + transfer.length] = stream[at : at + transfer.length]
            at += transfer.length
    assert at == len(stream)
    return bytes(result)


class Harness:
    """An engine, its peer, and memory full of random bytes."""

    def __init__(self, dut: Any) -> None:
        self.engine = Engine(dut)
        self.messages: list[bytes] = []
        self.completed = 0

    async def begin(self) -> None:
        """Reset the engine and start the peer and the watch."""
        self.engine.memory.data[:] = random.randbytes(SIZE)
        await self.engine.reset()
        self.watch = Watch(self.engine.dut, int(self.engine.dut.BurstBeats.value))
        cocotb.start_soon(peer(self.engine, self.messages))

    async def check(self, before: bytes, transfers: Sequence[Transfer]) -> None:
        """Wait for the end of transfers and compare everything that they did."""
        engine = self.engine
        await engine.wait_idle()
        assert await engine.errors() == set()
        self.completed += len(transfers)
        assert await engine.read("COMPLETED") == self.completed
        assert self.messages == messages_of(before, transfers)
        self.messages.clear()
        after, wanted = bytes(engine.memory.data), expected_memory(before, transfers)
        wrong = [n for n in range(SIZE) if after[n] != wanted[n]]
        assert not wrong, f"wrong bytes {[hex(n) for n in wrong[:8]]} of {len(wrong)}: {transfers}"


def random_length() -> int:
    """Return a length that is short, or around a burst or a page, or anything."""
    around = random.choice((16, 64, 256, 1024))
    return random.choice(
        (random.randint(1, 40), around + random.randint(-5, 5), random.randint(1, 700))
    )


def random_span(low: int, length: int) -> int:
    """Return an aligned address in a half of the memory, often just before a page's end."""
    if random.random() < 0.5:
        page = random.randrange(low + 2 * PAGE, low + HALF - 2 * PAGE, PAGE)
        return page - random.randrange(0, min(length, 256) + STEP, STEP) // STEP * STEP
    return random.randrange(low + PAGE, low + HALF - length, STEP)


@cocotb.test()
async def what_it_is(dut: Any) -> None:
    """The constant registers tell the build; an address without a register fails."""
    engine = Engine(dut)
    await engine.reset()
    assert await engine.read("IDENTIFICATION") == int.from_bytes(b"CMDM", "little")
    assert await engine.fields("VERSION") == {"patch": 0, "minor": 1, "major": 1}
    assert await engine.fields("CAPABILITY") == {
        "data_bytes": engine.data_bytes,
        "stream_bytes": engine.lanes,
        "descriptors": 8,
        "last_stream": 0,
        "any_byte": int(ANY_BYTE),
    }
    assert await engine.fields("GEOMETRY") == {
        "burst_beats": int(dut.BurstBeats.value),
        "fifo_beats": int(dut.FifoBeats.value),
    }
    for address in (0x38, 0x7C, 0x88, 0xFC):
        assert (await engine.axil.read(address, 4)).resp != 0
    assert max(REGISTERS.address(name) for name in REGISTERS.names()) < 0x100


@cocotb.test()
async def the_only_stream(dut: Any) -> None:
    """In a device with one stream FLAGS.stream stays zero, whatever is written there."""
    harness = Harness(dut)
    await harness.begin()
    transfer = Transfer(PAGE, HALF, 100, stream=1)
    before = bytes(harness.engine.memory.data)
    await harness.engine.start(transfer)
    await harness.check(before, [transfer])
    assert (await harness.engine.fields("FLAGS"))["stream"] == 0


@cocotb.test()
async def transfers_by_registers(dut: Any) -> None:
    """Random lengths and alignments, with and without stalls on every channel."""
    harness = Harness(dut)
    await harness.begin()
    for n in range(RANDOM_TRANSFERS):
        harness.engine.stall(None if n % 4 == 0 else random.getrandbits(32))
        length = random_length()
        transfer = Transfer(random_span(0, length), random_span(HALF, length), length)
        before = bytes(harness.engine.memory.data)
        await harness.engine.start(transfer)
        await harness.check(before, [transfer])


@cocotb.test()
async def every_alignment(dut: Any) -> None:
    """Each place of the first word or byte, on both sides, with lengths about one beat."""
    harness = Harness(dut)
    await harness.begin()
    places = range(0, harness.engine.data_bytes, STEP)
    for source in places:
        for destination in places:
            for length in random.sample(range(1, 2 * harness.engine.data_bytes + 2), 2):
                transfer = Transfer(PAGE + source, HALF + PAGE + destination, length)
                before = bytes(harness.engine.memory.data)
                await harness.engine.start(transfer)
                await harness.check(before, [transfer])


def random_chain(piece: int) -> list[Transfer]:
    """Return transfers in pieces and whole, one way and both, and some that do nothing."""
    transfers: list[Transfer] = []
    for _ in range(random.randint(1, 5)):
        kind = random.choice(("whole", "whole", "pieces", "one way", "nothing"))
        length = random_length()
        source, destination = random_span(0, length), random_span(HALF, length)
        if kind == "whole":
            transfers.append(Transfer(source, destination, length))
        elif kind == "pieces":
            for _ in range(random.randint(1, 3)):
                size = piece * random.randint(1, 20)
                transfers.append(
                    Transfer(random_span(0, size), random_span(HALF, size), size, message_end=False)
                )
            transfers.append(Transfer(source, destination, length))
        elif kind == "one way":
            transfers.append(Transfer(source, 0, length, write=False))
            transfers.append(Transfer(0, destination, length, read=False))
        else:
            transfers.append(Transfer(source, destination, 0))
            transfers.append(Transfer(1, 1, 3, read=False, write=False, message_end=False))
    return transfers


def apart(transfers: Sequence[Transfer]) -> bool:
    """Tell whether no two transfers write the same byte."""
    spans = sorted((t.destination, t.length) for t in transfers if t.write)
    return all(a + n <= b for (a, n), (b, _) in itertools.pairwise(spans))


@cocotb.test()
async def chains(dut: Any) -> None:
    """Random chains, their descriptors anywhere, more of them than fit in flight."""
    harness = Harness(dut)
    await harness.begin()
    piece = 1 if ANY_BYTE else harness.engine.lanes
    for n in range(RANDOM_CHAINS):
        harness.engine.stall(None if n % 3 == 0 else random.getrandbits(32))
        transfers = random_chain(piece)
        while not apart(transfers):
            transfers = random_chain(piece)
        places = random.sample(CHAINS, len(transfers))
        harness.engine.put_chain(transfers, places)
        before = bytes(harness.engine.memory.data)
        await harness.engine.write("CHAIN", places[0])
        await harness.check(before, transfers)


@cocotb.test()
async def far_memory(dut: Any) -> None:
    """Answers that take hundreds of cycles: bursts are under way each way, and all is right."""
    harness = Harness(dut)
    await harness.begin()
    engine = harness.engine
    burst, room = int(dut.BurstBeats.value), int(dut.FifoBeats.value)
    length = 10 * burst * engine.data_bytes
    transfer = Transfer(PAGE + 4, HALF + 8, length)
    before = bytes(engine.memory.data)
    engine.bus.channels["r"].pause = True
    await engine.start(transfer)
    await ClockCycles(dut.clk_i, 400)
    engine.bus.channels["r"].pause = False
    engine.bus.channels["b"].pause = True  # a write is answered long after its data came
    await ClockCycles(dut.clk_i, 400 + 4 * length // min(engine.lanes, engine.data_bytes))
    engine.bus.channels["b"].pause = False
    await harness.check(before, [transfer])
    assert min(8, room // burst) <= harness.watch.reads_ahead <= 8
    assert harness.watch.writes_ahead == 8


@cocotb.test(skip=ANY_BYTE)  # mover_bench.py does it there
async def transfer_of_almost_all_addresses(dut: Any) -> None:
    """A length above 2^31; the bench skips its middle, a multiple of the memory's size."""
    harness = Harness(dut)
    await harness.begin()
    engine = harness.engine
    short, skipped = 1000, 2**32 - 4 * SIZE
    before = bytes(engine.memory.data)
    engine.bus.channels["ar"].pause = True
    await engine.start(Transfer(PAGE, HALF, skipped + short))
    await ClockCycles(dut.clk_i, 20)
    # Reads wait for the memory and writes for the stream, so nothing moves now.
    beats = skipped // engine.data_bytes
    mover = dut.u_mover
    reads, writes = mover.u_read.gen_words.u_align, mover.u_write.gen_words.u_align
    for bursts in (mover.u_read.u_bursts, mover.u_write.u_bursts):
        bursts.remaining_q.value = int(bursts.remaining_q.value) - beats
        bursts.beat_q.value = int(bursts.beat_q.value) + beats
    for funnel in (reads.u_funnel, writes.u_funnel):
        funnel.count_q.value = int(funnel.count_q.value) + beats
    writes.beat_q.value = int(writes.beat_q.value) + skipped // engine.lanes
    await ClockCycles(dut.clk_i, 1)
    engine.bus.channels["ar"].pause = False
    await harness.check(before, [Transfer(PAGE, HALF, short)])
    # Nothing is left of the skipped transfer: the next one has its own data and end.
    before = bytes(engine.memory.data)
    await engine.start(Transfer(PAGE + 8, HALF + 4, short))
    await harness.check(before, [Transfer(PAGE + 8, HALF + 4, short)])


@cocotb.test()
async def count_of_transfers(dut: Any) -> None:
    """COMPLETED counts modulo 2^32 and carries through each of its bytes."""
    harness = Harness(dut)
    await harness.begin()
    engine = harness.engine
    for border in (2**8, 2**16, 2**24, 2**31, 2**32):
        dut.u_csr.completed_q.value = border - 1
        await ClockCycles(dut.clk_i, 1)
        for n in range(2):
            await engine.start(Transfer(PAGE, HALF, 0))
            await engine.wait_idle()
            assert await engine.read("COMPLETED") == (border + n) % 2**32


@cocotb.test()
async def queue_of_register_transfers(dut: Any) -> None:
    """Transfers are taken while others run, as long as STATUS.ready is one."""
    harness = Harness(dut)
    await harness.begin()
    engine = harness.engine
    transfers = [Transfer(PAGE + 4 * n, HALF + 256 * n, 16 * n + 5) for n in range(14)]
    before = bytes(engine.memory.data)
    engine.sink.pause = True
    taken = 0
    for transfer in transfers:
        await engine.start(transfer)
        taken += 1
        if not (await engine.fields("STATUS"))["ready"]:
            break
    assert 8 <= taken < len(transfers), "some wait, and some find no place"
    await engine.start(transfers[taken])
    assert await engine.errors() == {"busy"}
    assert (await engine.fields("STATUS"))["busy"] == 1
    engine.sink.pause = False
    await harness.check(before, transfers[:taken])


@cocotb.test()
async def end_of_the_address_space(dut: Any) -> None:
    """A transfer may end with the last byte of the address space."""
    harness = Harness(dut)
    await harness.begin()
    engine = harness.engine
    data = engine.memory.get(2**32 - 100, 100)
    await engine.start(Transfer(2**32 - 100, HALF - 3 * PAGE, 100))
    await engine.wait_idle()
    assert engine.memory.get(HALF - 3 * PAGE, 100) == changed(data)
    await engine.start(Transfer(HALF - 3 * PAGE, 2**32 - 100, 100))
    await engine.wait_idle()
    assert engine.memory.get(2**32 - 100, 100) == data
    assert await engine.errors() == set()


@cocotb.test()
async def interrupts(dut: Any) -> None:
    """The interrupt line follows its enables; only transfers that ask for it set `done`."""
    harness = Harness(dut)
    await harness.begin()
    engine = harness.engine
    places = list(CHAINS)[:3]
    pieces = [Transfer(FREE[0], HALF + 64 * n, 32, interrupt=n == 1) for n in range(3)]
    await engine.start_chain(pieces, places)
    await engine.wait_idle()
    assert await engine.fields("INTERRUPT_STATE") == {"done": 1, "error": 0}
    assert int(dut.interrupt_o.value) == 0
    await engine.write("INTERRUPT_ENABLE", REGISTERS.pack("INTERRUPT_ENABLE", done=1))
    await engine.cycles_until(lambda: int(dut.interrupt_o.value) == 1, 10)
    await engine.write("INTERRUPT_STATE", REGISTERS.pack("INTERRUPT_STATE", done=1))
    await engine.cycles_until(lambda: int(dut.interrupt_o.value) == 0, 10)

    await engine.start(Transfer(FREE[0], HALF, 64))
    await engine.wait_idle()
    assert int(dut.interrupt_o.value) == 0
    await engine.start(Transfer(FREE[0], HALF, 64, interrupt=True))
    await engine.cycles_until(lambda: int(dut.interrupt_o.value) == 1, 1000)
    assert int(dut.busy_o.value) == 0, "complete before the line rises"
