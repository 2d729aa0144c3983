# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The mover alone: scatter lists at any address, errors of each side, aborts, fetches."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import cocotb
from ciphermill_dv.residue import find
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiStreamFrame
from memory_bus import PAGE
from mover_driver import Command, Mover, beats_of

RATE = 0.95
Cut = list[Command]


class Places:
    """Chooses addresses: anywhere, about 2^32 and at the end, often across or before a page.

    No byte is written twice or read as well, so that the order of accesses does not matter.
    """

    def __init__(self, mover: Mover) -> None:
        self.mover = mover
        self.granule = 1 if mover.any_byte else 4
        self.used: list[range] = []
        space = mover.space
        self.bases = [random.randrange(0, space, PAGE) for _ in range(6)]
        self.bases += [2**32 - PAGE, space - 2 * PAGE, space - PAGE]
        if space > 2**32:
            self.bases += [2**32, 2**32 + PAGE]

    def _candidate(self, length: int, lane: int | None) -> int:
        base = random.choice(self.bases) + random.randrange(PAGE)
        if random.random() < 0.3:
            base = base // PAGE * PAGE - random.randint(0, length)  # across the page's end
        if self.used and random.random() < 0.3:
            base = random.choice(self.used).stop  # a neighbour
        if lane is None:
            return base // self.granule * self.granule
        return base // self.mover.data_bytes * self.mover.data_bytes + lane

    def take(self, length: int, lane: int | None = None) -> int:
        """Return an address for a span, in a lane of the bus if one is asked for."""
        for _ in range(10_000):
            span = range(at := self._candidate(length, lane), at + length)
            inside = span.start >= 0 and span.stop <= self.mover.space
            if inside and all(
                span.stop <= other.start or other.stop <= span.start for other in self.used
            ):
                self.used.append(span)
                return at
        raise AssertionError("no place is left")

    def cut(self, length: int, most: int = 6) -> Cut:
        """Return commands for the pieces of a message, some of which may move nothing."""
        unit = 1 if self.mover.any_byte else self.mover.lanes
        ends = sorted(
            random.choice((random.randrange(length), length // unit * unit)) // unit * unit
            for _ in range(random.randrange(most))
        )
        sizes = [b - a for a, b in zip([0, *ends], [*ends, length], strict=True)]
        while not sizes[-1]:  # the last one with bytes ends the message
            sizes.pop()
        commands = []
        for n, size in enumerate(sizes):
            end = n == len(sizes) - 1
            commands.append(Command(self.take(size) if size else 1, size, message_end=end))
            if random.random() < 0.1 and not end:
                commands.append(Command(self.take(8), 8, message_end=True, skip=True))
        return commands


class Plan:
    """Messages in both directions, and what must come of them."""

    def __init__(self, mover: Mover, places: Places) -> None:
        self.mover = mover
        self.places = places
        self.reads: Cut = []
        self.writes: Cut = []
        self.expected: list[bytes] = []
        self.wanted: dict[int, int] = {}
        """The bytes that memory has afterwards, by address."""

    def fetch(self, commands: Sequence[Command]) -> None:
        """Read a message."""
        self.reads += commands
        spans = [c for c in commands if c.span]
        self.expected.append(b"".join(self.mover.memory.first(c.address, c.length) for c in spans))
        self.mover.read(*commands)

    def store(self, commands: Sequence[Command]) -> None:
        """Write a message."""
        self.writes += commands
        data = random.randbytes(sum(len(c.span) for c in commands))
        stream = iter(data)
        for command in commands:
            self.wanted.update(zip(command.span, stream, strict=False))
        self.mover.send(data)
        self.mover.write(*commands)

    async def check(self) -> None:
        """Wait for the end and compare streams, memory, and every access to it."""
        mover, memory = self.mover, self.mover.memory
        await mover.idle()
        assert mover.messages == self.expected
        assert mover.current == b""
        assert mover.done == {"read": len(self.reads), "write": len(self.writes)}
        assert memory.reads == beats_of(mover, self.reads), "other beats were read"
        assert memory.written == [byte for c in self.writes for byte in c.span], "other strobes"
        check_memory(mover, self.wanted)
        for name in ("read_error", "write_failed", "framing_error"):
            assert not mover.level(name), name
        mover.messages, memory.reads, memory.written = [], [], []
        mover.done = {"read": 0, "write": 0}


def check_memory(mover: Mover, wanted: dict[int, int]) -> None:
    """Compare every page that was touched with its first content and the bytes that changed."""
    right = {n: bytearray(mover.memory.first(n * PAGE, PAGE)) for n in mover.memory.pages}
    for address, byte in wanted.items():
        right[address // PAGE][address % PAGE] = byte
    for number, page in mover.memory.pages.items():
        wrong = [
            hex(number * PAGE + n)
            for n, (a, b) in enumerate(zip(page, right[number], strict=True))
            if page != right[number] and a != b
        ]
        assert not wrong, f"wrong bytes: {len(wrong)}, {wrong[:8]}"


async def begin(dut: Any) -> Mover:
    """Return a mover after reset."""
    mover = Mover(dut)
    await mover.begin()
    return mover


async def works(mover: Mover) -> None:
    """Move some messages each way and compare everything."""
    places = Places(mover)
    places.bases = [random.randrange(2**20, mover.space - 2**20, PAGE) for _ in range(2)]
    plan = Plan(mover, places)
    for length in (3, mover.lanes, 150):
        plan.fetch(places.cut(length))
        plan.store(places.cut(length))
    await plan.check()


def random_length() -> int:
    """Return a length that is short, or around a burst or a page, or anything."""
    return random.choice(
        (
            random.randint(1, 70),
            random.choice((64, 256, 512)) + random.randint(-5, 5),
            random.randint(1, 900),
            random.choice((PAGE, PAGE, 2 * PAGE)) + random.randint(-40, 40),
        )
    )


# ---------------------------------------------------------------- what it moves


@cocotb.test()
async def every_pair_of_alignments(dut: Any) -> None:
    """Each lane that a span may begin in, on both sides, before and behind another piece."""
    mover = await begin(dut)
    places = Places(mover)
    places.bases = [random.randrange(2**32, 2**33, 16 * PAGE) % mover.space for _ in range(40)]
    step, unit = (1, 1) if mover.any_byte else (4, mover.lanes)
    for source in range(0, mover.data_bytes, step):
        plan = Plan(mover, places)
        for destination in range(0, mover.data_bytes, step):
            front, length = (random.randint(1, 70 // unit) * unit for _ in range(2))
            tail = random.randint(1, 70)
            other = random.randrange(0, mover.data_bytes, step)
            for give, lanes in (
                (plan.fetch, (source, destination, other)),
                (plan.store, (destination, source, other)),
            ):
                pieces = (front, length, tail)
                give(
                    [
                        Command(places.take(size, lane), size, message_end=n == 2)
                        for n, (size, lane) in enumerate(zip(pieces, lanes, strict=True))
                    ]
                )
        await plan.check()
        places.used.clear()
        mover.memory.pages.clear()


@cocotb.test()
async def every_length(dut: Any) -> None:
    """Lengths 1 to 70, whole and as a piece within a message, at random places."""
    mover = await begin(dut)
    places = Places(mover)
    unit = 1 if mover.any_byte else mover.lanes
    plan = Plan(mover, places)
    for length in range(1, 71):
        inner = -(-length // unit) * unit
        for give in (plan.fetch, plan.store):
            give([Command(places.take(length), length)])
            give(
                [
                    Command(places.take(size), size, message_end=n == 2)
                    for n, size in enumerate((unit, inner, length))
                ]
            )
    await plan.check()


@cocotb.test()
async def scatter_lists(dut: Any) -> None:
    """Random pieces on both sides, with idle and back-pressure on every stream and channel."""
    mover = await begin(dut)
    for n in range(8):
        places = Places(mover)
        mover.memory.pages.clear()
        mover.stall(None if n % 4 == 0 else random.getrandbits(32))
        plan = Plan(mover, places)
        for _ in range(6):
            plan.fetch(places.cut(random_length()))
            plan.store(places.cut(random_length()))
        await plan.check()


@cocotb.test()
async def ends_of_the_address_space(dut: Any) -> None:
    """A span may end with the last byte, and one that runs past it goes on at address 0."""
    mover = await begin(dut)
    memory, space = mover.memory, mover.space
    step = 1 if mover.any_byte else 4
    for past in (0, step, 300):
        if past and space == 2**32:
            break
        length = 600 + past
        at = space - 600
        data = random.randbytes(length)
        mover.send(data)
        mover.write(Command(at, length))
        await mover.idle()
        assert memory.get(at, 600) + memory.get(0, past) == data
        assert len(memory.written) == length
        memory.written.clear()
        mover.read(Command(at, length))
        await mover.idle()
        assert mover.messages.pop() == data


@cocotb.test()
async def almost_all_of_32_bits(dut: Any) -> None:
    """The longest commands begin in the last lane; the bench skips their middle."""
    mover = await begin(dut)
    lane = mover.data_bytes - (1 if mover.any_byte else 4)
    length = 2**32 - 1
    begin_at, short = (2**31 if mover.space > 2**32 else 0) + lane, 2 * PAGE
    if mover.space == 2**32:
        length -= lane
    mover.sink.pause = True
    mover.read(Command(begin_at, length))
    await ClockCycles(dut.clk_i, 2 * int(dut.FifoBeats.value) + 100)
    # The first beats have come and wait for the stream. The last pages shall follow them.
    beats = (lane + length - 1) // mover.data_bytes - (2 * short // mover.data_bytes)
    bursts = dut.u_read.u_bursts
    remaining = int(bursts.remaining_q.value)
    assert remaining > beats
    bursts.remaining_q.value = remaining - beats
    bursts.beat_q.value = int(bursts.beat_q.value) + beats
    align = dut.u_read.gen_bytes if mover.any_byte else dut.u_read.gen_words
    if mover.any_byte:
        part = min(mover.data_bytes, mover.lanes)
        counter, skipped = align.u_align.u_slices, beats * (mover.data_bytes // part)
    else:
        counter, skipped = align.u_align.u_funnel, beats
    counter.count_q.value = int(counter.count_q.value) + skipped
    await ClockCycles(dut.clk_i, 1)
    mover.sink.pause = False
    await mover.idle()
    (message,) = mover.messages
    assert len(message) == length - beats * mover.data_bytes
    tail = begin_at + length - short
    assert message[-short:] == mover.memory.get(tail, short)
    mover.messages, mover.memory.reads, mover.done = [], [], {"read": 0, "write": 0}
    await works(mover)


@cocotb.test()
async def directions_are_independent(dut: Any) -> None:
    """More reads than the queue holds pass while no write is given, and the other way round."""
    mover = await begin(dut)
    places = Places(mover)
    plan = Plan(mover, places)
    for _ in range(24):
        plan.fetch([Command(places.take(40), 40)])
    await plan.check()
    plan = Plan(mover, places)
    for _ in range(24):
        plan.store([Command(places.take(40), 40)])
    await plan.check()


@cocotb.test()
async def rates(dut: Any) -> None:
    """Long pieces move a beat a cycle of the slower of bus and stream, at any alignment."""
    mover = await begin(dut)
    step = 1 if mover.any_byte else 4
    narrow = min(mover.data_bytes, mover.lanes)
    lanes = random.sample(range(0, mover.data_bytes, step), min(4, mover.data_bytes // step))
    for lane in (0, mover.data_bytes - step, *lanes):
        size = 120 * narrow if mover.any_byte else 120 * mover.lanes
        mover.memory.pages.clear()
        places = Places(mover)
        plan = Plan(mover, places)
        pieces = [Command(places.take(size, lane), size, message_end=n == 3) for n in range(4)]
        plan.fetch(pieces)
        await mover.until(lambda: mover.level("m_axis_tvalid"))
        cycles = await mover.until(lambda: bool(mover.messages))
        await plan.check()
        plan = Plan(mover, places)
        plan.store([Command(places.take(size, lane), size, message_end=n == 3) for n in range(4)])
        await mover.until(lambda: mover.level("s_axis_tready"))
        writes = await mover.until(lambda: mover.done["write"] == 4)
        await plan.check()
        least = 4 * size // narrow
        dut._log.warning(f"lane {lane}: {least} beats, read {cycles}, written {writes} cycles")
        assert RATE * cycles <= least
        assert RATE * (writes - 2 * int(dut.BurstBeats.value) - 20) <= least


# ---------------------------------------------------------------- errors


def pieces_of(mover: Mover, places: Places, messages: int = 3) -> list[Cut]:
    """Return messages in several pieces, none of which is empty."""
    unit = 1 if mover.any_byte else mover.lanes
    lists = []
    for _ in range(messages):
        sizes = [random.randint(1, 90 // unit) * unit for _ in range(3)]
        sizes[-1] = random.randint(1, 90)
        lists.append(
            [Command(places.take(size), size, message_end=n == 2) for n, size in enumerate(sizes)]
        )
    return lists


@cocotb.test()
async def read_errors(dut: Any) -> None:
    """No byte leaves from a bad beat on; what came before, and all writes, are completed."""
    mover = await begin(dut)
    for round_ in range(3):
        places = Places(mover)
        reads = pieces_of(mover, places)
        commands = [command for message in reads for command in message]
        for number, command in enumerate(commands):
            mover.stall(random.getrandbits(32) if round_ else None)
            plan = Plan(mover, places)
            for cut in pieces_of(mover, places):
                plan.store(cut)
            bad = random.choice((command.span[0], command.span[-1], random.choice(command.span)))
            mover.memory.refuse_reads = range(bad, bad + 1)
            # Of the same beat another command may need bytes.
            beat = bad // mover.data_bytes
            first = next(
                n
                for n, c in enumerate(commands)
                if c.span[0] // mover.data_bytes <= beat <= c.span[-1] // mover.data_bytes
            )
            mover.read(*commands)
            await mover.until(lambda: mover.level("read_error"))
            await ClockCycles(dut.clk_i, 200)
            while mover.done["write"] < len(plan.writes):
                await ClockCycles(dut.clk_i, 1)
            assert mover.level("read_error") and mover.done["read"] == first
            whole = sum(c.message_end for c in commands[:first])
            sent = b"".join(mover.messages) + mover.current
            right = b"".join(mover.memory.get(c.address, c.length) for c in commands[: first + 1])
            start = max(commands[first].address, beat * mover.data_bytes)
            good = sum(c.length for c in commands[:first]) + start - commands[first].address
            assert len(mover.messages) == whole, number
            assert sent == right[: len(sent)] and len(sent) <= good
            # Bytes that do not fill a beat may wait for those that are lost.
            assert good - len(sent) < mover.lanes + mover.data_bytes
            check_memory(mover, plan.wanted)
            await mover.abort()
            places.used.clear()
            places.used += [c.span for c in commands]
            mover.stall(None)
            mover.memory.pages.clear()
        await works(mover)
        mover.memory.pages.clear()


@cocotb.test()
async def write_errors(dut: Any) -> None:
    """The command at fault is the first without a done, and no later one has a done."""
    mover = await begin(dut)
    for n in range(18):
        mover.memory.pages.clear()
        places = Places(mover)
        mover.stall(random.getrandbits(32) if n % 3 else None)
        plan = Plan(mover, places)
        for cut in pieces_of(mover, places):
            plan.store(cut)
        number = n % len(plan.writes)
        span = plan.writes[number].span
        bad = random.choice((span[0], span[-1]))
        mover.memory.refuse_writes = range(bad, bad + 1)
        await mover.until(lambda: mover.level("write_failed"))
        assert mover.write_errors == 1 and mover.done["write"] == number
        await ClockCycles(dut.clk_i, 600)
        assert mover.level("write_failed") and mover.done["write"] == number
        assert mover.write_errors == 1
        before = [byte for c in plan.writes[:number] for byte in c.span]
        assert all(mover.memory.get(byte, 1)[0] == plan.wanted[byte] for byte in before)
        assert set(mover.memory.written) <= set(plan.wanted)
        await mover.abort()
        mover.stall(None)
        mover.memory.pages.clear()
        await works(mover)


def spoil(mover: Mover, kind: str, data: bytes) -> tuple[AxiStreamFrame, int]:
    """Return a frame that breaks its message, and the byte from which on it is wrong."""
    lanes = mover.lanes
    if kind == "early":
        length = random.randint(1, len(data) - 1)
        # TLAST is wrong with the last byte of a whole beat, else TKEEP with the next byte.
        return AxiStreamFrame(tdata=data[:length]), length - (length % lanes == 0)
    if kind == "more":  # in the last beat, so that TLAST is right
        return AxiStreamFrame(tdata=data + bytes(1)), len(data) - 1
    if kind == "late":
        return AxiStreamFrame(tdata=data + bytes(random.randint(1, 40))), len(data) - 1
    keep = [1] * len(data)
    hole = random.randrange(len(data))
    if hole == len(data) - 1 and hole % lanes == 0 and hole:
        hole -= 1
    keep[hole] = 0
    return AxiStreamFrame(tdata=data, tkeep=keep), hole


@cocotb.test()
async def framing_errors(dut: Any) -> None:
    """A wrong end or a gap: the pieces before are written and done, nothing after."""
    mover = await begin(dut)
    for n in range(20):
        kind = ("early", "late", "more", "hole")[n // 2 % 4]
        mover.memory.pages.clear()
        places = Places(mover)
        mover.stall(random.getrandbits(32) if n % 2 else None)
        plan = Plan(mover, places)
        first, second, third = pieces_of(mover, places)
        while kind == "more" and sum(c.length for c in second) % mover.lanes == 0:
            first, second, third = pieces_of(mover, places)
        plan.store(first)
        length = sum(c.length for c in second)
        data = random.randbytes(length)
        frame, wrong = spoil(mover, kind, data)
        mover.source.send_nowait(frame)
        mover.send(random.randbytes(sum(c.length for c in third)))
        mover.write(*second, *third)
        await mover.until(lambda: mover.level("framing_error"))
        at, good = 0, 0
        stream = iter(data)
        maybe: dict[int, int] = {}
        for command in second:
            bytes_ = dict(zip(command.span, stream, strict=False))
            at += command.length
            if at <= wrong:
                good += 1
                plan.wanted.update(bytes_)
            else:
                maybe.update(bytes_)
        assert mover.done["write"] == len(first) + good, (n, wrong)
        await ClockCycles(dut.clk_i, 300)
        assert mover.level("framing_error")
        for byte in mover.memory.written:  # bursts before the wrong byte may have been written
            if byte not in plan.wanted:
                plan.wanted[byte] = maybe[byte]
        check_memory(mover, plan.wanted)
        await mover.abort()
        mover.stall(None)
        mover.memory.pages.clear()
        await works(mover)


@cocotb.test()
async def framing_error_behind_many(dut: Any) -> None:
    """All writes that can wait for their answers are counted before the error is told."""
    mover = await begin(dut)
    places = Places(mover)
    plan = Plan(mover, places)
    mover.bus.channels["b"].pause = True
    for _ in range(17):
        plan.store([Command(places.take(4), 4)])
    mover.send(bytes(2))
    mover.write(Command(places.take(4), 4))
    await ClockCycles(dut.clk_i, 400)
    assert not mover.level("framing_error") and mover.done["write"] == 0
    mover.bus.channels["b"].pause = False
    await mover.until(lambda: mover.level("framing_error"))
    assert mover.done["write"] == 17
    check_memory(mover, plan.wanted)
    await mover.abort()
    mover.memory.pages.clear()
    await works(mover)


# ---------------------------------------------------------------- stopping


@cocotb.test()
async def aborts(dut: Any) -> None:
    """After an abort at any moment what was done is in memory, and the next messages are right."""
    mover = await begin(dut)
    for n in range(30):
        mover.memory.pages.clear()
        places = Places(mover)
        mover.stall(random.getrandbits(32))
        plan = Plan(mover, places)
        for _ in range(4):
            plan.fetch(places.cut(random.randint(1, 600)))
            plan.store(places.cut(random.randint(1, 600)))
        await ClockCycles(dut.clk_i, random.randint(0, 12 * (n + 1)))
        done = mover.done
        written = mover.memory.written
        await mover.abort()
        complete = [byte for c in plan.writes[: done["write"]] for byte in c.span]
        assert all(mover.memory.get(byte, 1)[0] == plan.wanted[byte] for byte in complete)
        assert set(written) <= set(plan.wanted)
        mover.stall(None)
        mover.memory.pages.clear()
        await works(mover)


@cocotb.test()
async def abort_waits_for_the_bus(dut: Any) -> None:
    """While answers are outstanding nothing is dropped, and a done and an error still come."""
    mover = await begin(dut)
    places = Places(mover)
    for refuse in (False, True):
        plan = Plan(mover, places)
        mover.bus.channels["b"].pause = mover.bus.channels["r"].pause = True
        plan.store([Command(places.take(20), 20)])
        plan.fetch([Command(places.take(20), 20)])
        if refuse:
            span = plan.writes[0].span
            mover.memory.refuse_writes = range(span[0], span[-1] + 1)
        await ClockCycles(dut.clk_i, 60)
        dut.abort_i.value = 1
        await ClockCycles(dut.clk_i, 1)
        dut.abort_i.value = 0
        for _ in range(200):
            await ClockCycles(dut.clk_i, 1)
            assert not mover.level("dropped")
        assert mover.level("stopping") and mover.level("busy")
        assert not mover.level("read_ready") and not mover.level("write_ready")
        mover.bus.channels["b"].pause = mover.bus.channels["r"].pause = False
        await mover.until(lambda: mover.level("dropped"))
        assert mover.done["write"] == (0 if refuse else 1)
        assert bool(mover.write_errors) == refuse  # each burst of it may fail
        await mover.until(lambda: not mover.level("stopping"))
        assert not mover.messages and not mover.current
        await mover.abort()
        mover.memory.pages.clear()
        await works(mover)


@cocotb.test()
async def nothing_is_left(dut: Any) -> None:
    """After an abort no register or memory of the mover holds a word of the data."""
    mover = await begin(dut)
    size = 8 * mover.lanes
    at = 5 * PAGE
    mover.sink.pause = True
    mover.bus.channels["w"].pause = True
    secret = random.randbytes(size)
    mover.send(secret + secret[:3])
    mover.read(Command(at, size, message_end=False))
    mover.write(Command(at + PAGE, size, message_end=False))
    await ClockCycles(dut.clk_i, 300)
    secrets = [mover.memory.get(at, size), secret]
    assert find(dut, secrets), "the search would find data that are there"
    mover.bus.channels["w"].pause = False
    await mover.abort()
    mover.sink.pause = False
    await fetch(mover, 0, 1)  # other data on the memory bus
    mover.memory.reads.clear()
    assert [path for path in find(dut, secrets) if "s_axis" not in path] == []
    mover.memory.pages.clear()
    await works(mover)


# ---------------------------------------------------------------- fetches


async def fetch(mover: Mover, address: int, beats: int) -> tuple[bytes, list[bool]]:
    """Return the data of a fetch, and which of its beats had an error."""
    dut = mover.dut
    dut.fetch_address_i.value = address
    dut.fetch_beats_i.value = beats - 1
    dut.fetch_valid_i.value = 1
    await mover.until(lambda: mover.level("fetch_ready"))
    dut.fetch_valid_i.value = 0
    data, errors = b"", []
    while True:
        await mover.until(lambda: mover.level("fetched_valid"))
        data += int(dut.fetched_data_o.value).to_bytes(mover.data_bytes, "little")
        errors.append(mover.level("fetched_error"))
        if mover.level("fetched_last"):
            return data, errors


@cocotb.test()
async def fetches_between_data(dut: Any) -> None:
    """Fetches of any number of beats get their own data, between those of reads."""
    mover = await begin(dut)
    places = Places(mover)
    for n in range(3):
        mover.stall(random.getrandbits(32) if n else None)
        for _ in range(6):
            mover.read(*places.cut(random.randint(1, 900)))
            beats = random.randint(1, int(dut.BurstBeats.value))
            page = random.randrange(0, mover.space, PAGE)
            at = page + random.randrange(0, PAGE - beats * mover.data_bytes, mover.data_bytes)
            refused = random.random() < 0.3
            mover.memory.refuse_reads = range(at, at + 1) if refused else range(0)
            data, errors = await fetch(mover, at, beats)
            assert errors == [refused and not n for n in range(beats)]
            skip = mover.data_bytes if refused else 0
            assert data[skip:] == mover.memory.get(at, len(data))[skip:]
        await mover.idle()
        assert not mover.level("read_error")
    await mover.abort()
    await works(mover)
