# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The primitives, each beside a model of a few lines, with every stall pattern."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any

import cocotb
from ciphermill_dv.stall import PATTERNS
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge, with_timeout

A_PS, B_PS = 10_000, 7_310
STREAMS = ("fifo", "cross", "skid", "word")
CLOCKS = {"fifo": "aa", "cross": "ab", "skid": "aa", "word": "ab"}
BLOCK = 16


async def begin(dut: Any, b_ps: int = B_PS, wait: bool = True) -> None:
    """Start the clocks, reset everything, and wait for the sweeps."""
    for name in STREAMS:
        getattr(dut, f"{name}_valid_i").value = 0
        getattr(dut, f"{name}_ready_i").value = 0
        getattr(dut, f"{name}_data_i").value = 0
    for name in ("gather_tvalid_i", "gather_ready_i", "spread_valid_i", "spread_tready_i"):
        getattr(dut, name).value = 0
    dut.clear_i.value = dut.b_clear_i.value = dut.pulse_i.value = 0
    dut.a_rst_ni.value = dut.b_rst_ni.value = 0
    cocotb.start_soon(Clock(dut.a_clk_i, A_PS, unit="ps").start())
    cocotb.start_soon(Clock(dut.b_clk_i, b_ps, unit="ps").start())
    await ClockCycles(dut.a_clk_i, 4)
    dut.a_rst_ni.value = dut.b_rst_ni.value = 1
    if wait:
        await ClockCycles(dut.a_clk_i, 20)


async def put(dut: Any, name: str, items: Sequence[int], pauses: Iterator[bool]) -> None:
    """Give words to a stream; the payload holds until it is taken."""
    clock = getattr(dut, f"{CLOCKS[name][0]}_clk_i")
    valid, ready, data = (
        getattr(dut, f"{name}_{part}") for part in ("valid_i", "ready_o", "data_i")
    )
    for item in items:
        while next(pauses):
            valid.value = 0
            await RisingEdge(clock)
        valid.value, data.value = 1, item
        await RisingEdge(clock)
        while not int(ready.value):
            await RisingEdge(clock)
    valid.value = 0


async def take(dut: Any, name: str, count: int, pauses: Iterator[bool]) -> list[int]:
    """Take words from a stream; they hold until taken, and data are zero without valid."""
    clock = getattr(dut, f"{CLOCKS[name][1]}_clk_i")
    valid, ready, data = (
        getattr(dut, f"{name}_{part}") for part in ("valid_o", "ready_i", "data_o")
    )
    got: list[int] = []
    waiting: int | None = None
    while len(got) < count:
        ready.value = int(not next(pauses))
        await RisingEdge(clock)
        if int(valid.value):
            value = int(data.value)
            assert waiting in (None, value), f"{name}: the payload changed before it was taken"
            waiting = None if int(ready.value) else value
            if waiting is None:
                got.append(value)
        else:
            assert waiting is None, f"{name}: valid fell before it was taken"
            if name in ("fifo", "cross"):
                assert int(data.value) == 0, f"{name}: data without valid"
    ready.value = 0
    return got


@cocotb.test()
async def order_under_stalls(dut: Any) -> None:
    """Nothing is lost, doubled or reordered, whichever side pauses."""
    await begin(dut)
    for name, (into, out) in itertools.product(STREAMS, itertools.product(PATTERNS, PATTERNS)):
        items = [random.getrandbits(64) for _ in range(40)]
        pauses_in, pauses_out = (PATTERNS[p](random.Random(random.random())) for p in (into, out))
        cocotb.start_soon(put(dut, name, items, pauses_in))
        got = await with_timeout(take(dut, name, len(items), pauses_out), 200, "us")
        assert got == items, (name, into, out)


async def cycles_of(dut: Any, name: str, count: int) -> int:
    """Return the cycles of the source that a run of words takes without stalls."""
    never = PATTERNS["never"]
    cycles = 0

    async def watch() -> None:
        nonlocal cycles
        while True:
            await RisingEdge(dut.a_clk_i)
            cycles += 1

    watcher = cocotb.start_soon(watch())
    cocotb.start_soon(put(dut, name, range(1, count + 1), never(random.Random(1))))
    await take(dut, name, count, never(random.Random(1)))
    watcher.cancel()
    return cycles


@cocotb.test()
async def a_word_a_clock(dut: Any) -> None:
    """FIFO and skid buffer pass a word each cycle, the crossing one each slower cycle."""
    await begin(dut)
    assert await cycles_of(dut, "fifo", 100) <= 103 + int(dut.BlockRam.value)
    assert await cycles_of(dut, "skid", 100) <= 101, "a skid buffer adds no cycle"
    assert await cycles_of(dut, "cross", 100) <= 110, "written by the slower clock"


@cocotb.test()
async def crossing_to_a_slow_clock(dut: Any) -> None:
    """The asynchronous FIFO fills up to its depth and no further, and drains at B's rate."""
    await begin(dut, b_ps=23_170)
    never, items = PATTERNS["never"], [random.getrandbits(64) for _ in range(64)]
    cocotb.start_soon(put(dut, "cross", items, never(random.Random(1))))
    await ClockCycles(dut.a_clk_i, 40)
    assert int(dut.cross_ready_o.value) == 0
    assert await take(dut, "cross", 64, never(random.Random(1))) == items


@cocotb.test()
async def depth(dut: Any) -> None:
    """A FIFO takes as many words as it is deep."""
    await begin(dut)
    for name, words in (("fifo", 5), ("cross", 8), ("skid", 1)):
        accepted = 0
        getattr(dut, f"{name}_valid_i").value = 1
        for _ in range(20):
            await RisingEdge(dut.a_clk_i)
            accepted += int(getattr(dut, f"{name}_ready_o").value)
        getattr(dut, f"{name}_valid_i").value = 0
        assert accepted == words, name


@cocotb.test()
async def clear_sweeps(dut: Any) -> None:
    """A clear drops the content and overwrites every word; so does a reset."""
    await begin(dut)
    memories = {"fifo": dut.u_fifo.memory, "cross": dut.u_cross.memory}
    for way in ("clear", "reset"):
        items = [random.getrandbits(64) | 1 for _ in range(9)]
        for name in ("fifo", "cross"):
            writer = cocotb.start_soon(put(dut, name, items, PATTERNS["never"](random.Random(1))))
            await ClockCycles(dut.a_clk_i, 12)
            writer.cancel()
            getattr(dut, f"{name}_valid_i").value = 0
            getattr(dut, f"{name}_data_i").value = 0
        await ClockCycles(dut.a_clk_i, 1)
        for name, memory in memories.items():
            assert all(int(memory[n].value) for n in memory.range), f"{name} was not full"
        if way == "clear":
            dut.clear_i.value = dut.b_clear_i.value = 1
            await ReadOnly()
            assert int(dut.fifo_busy_o.value) == int(dut.cross_busy_o.value) == 1
            await ClockCycles(dut.a_clk_i, 14)
            dut.clear_i.value = dut.b_clear_i.value = 0
        else:
            dut.a_rst_ni.value = dut.b_rst_ni.value = 0
            await ClockCycles(dut.a_clk_i, 2)
            dut.a_rst_ni.value = dut.b_rst_ni.value = 1
            await ClockCycles(dut.a_clk_i, 2)
            assert int(dut.fifo_busy_o.value) == int(dut.cross_busy_o.value) == 1
            assert int(dut.fifo_ready_o.value) == int(dut.cross_ready_o.value) == 0
            await ClockCycles(dut.a_clk_i, 14)
        for memory in memories.values():
            assert not any(int(memory[n].value) for n in memory.range), way
        for name in ("fifo", "cross"):
            assert int(getattr(dut, f"{name}_valid_o").value) == 0
            cocotb.start_soon(put(dut, name, items, PATTERNS["never"](random.Random(1))))
            got = await take(dut, name, len(items), PATTERNS["sparse"](random.Random(1)))
            assert got == items, (name, way)


@cocotb.test()
async def pulses(dut: Any) -> None:
    """Each pulse arrives as one pulse."""
    await begin(dut)
    for b_pulses in (1, 5):
        seen = 0

        async def watch() -> None:
            nonlocal seen
            while True:
                await RisingEdge(dut.b_clk_i)
                seen += int(dut.pulse_o.value)

        watcher = cocotb.start_soon(watch())
        for _ in range(b_pulses):
            dut.pulse_i.value = 1
            await RisingEdge(dut.a_clk_i)
            dut.pulse_i.value = 0
            await ClockCycles(dut.a_clk_i, 3)
        await ClockCycles(dut.a_clk_i, 6)
        watcher.cancel()
        assert seen == b_pulses


@cocotb.test()
async def reset_release(dut: Any) -> None:
    """The synchronised reset falls at once and rises with its own clock."""
    await begin(dut)
    assert int(dut.synchronised_rst_no.value) == 1
    await RisingEdge(dut.a_clk_i)
    dut.a_rst_ni.value = 0
    await ReadOnly()
    assert int(dut.synchronised_rst_no.value) == 0
    await ClockCycles(dut.a_clk_i, 2)
    dut.a_rst_ni.value = 1
    edges = 0
    while not int(dut.synchronised_rst_no.value):
        await RisingEdge(dut.b_clk_i)
        await ReadOnly()
        edges += 1
    assert edges == int(dut.SyncStages.value)


# ---------------------------------------------------------------- converters


def beats(data: bytes, lanes: int) -> list[tuple[int, int, int]]:
    """Return data, keep and last of each beat of a message."""
    chunks = [data[n : n + lanes] for n in range(0, len(data), lanes)]
    return [
        (int.from_bytes(chunk, "little"), (1 << len(chunk)) - 1, int(n == len(chunks) - 1))
        for n, chunk in enumerate(chunks)
    ]


def blocks(data: bytes) -> list[tuple[int, int, int]]:
    """Return data, bytes less one and last of each block of a message."""
    chunks = [data[n : n + BLOCK] for n in range(0, len(data), BLOCK)]
    return [
        (int.from_bytes(chunk, "little"), len(chunk) - 1, int(n == len(chunks) - 1))
        for n, chunk in enumerate(chunks)
    ]


def lane_of(vector: Any, index: int, width: int) -> int:
    """Return one converter's part of a packed array."""
    return (int(vector.value) >> (index * width)) & ((1 << width) - 1)


class Converter:
    """Both sides of one converter in the harness, as valid/ready streams of tuples."""

    def __init__(self, dut: Any, index: int, kind: str) -> None:
        self.dut, self.index = dut, index
        if kind == "gather":
            into = (("gather_tdata_i", 128), ("gather_tkeep_i", 16), ("gather_tlast_i", 1))
            out = (("gather_block_o", 128), ("gather_bytes_o", 4), ("gather_last_o", 1))
            names = ("gather_tvalid_i", "gather_tready_o", "gather_valid_o", "gather_ready_i")
        else:
            into = (("spread_block_i", 128), ("spread_bytes_i", 4), ("spread_last_i", 1))
            out = (("spread_tdata_o", 128), ("spread_tkeep_o", 16), ("spread_tlast_o", 1))
            names = ("spread_valid_i", "spread_ready_o", "spread_tvalid_o", "spread_tready_i")
        self.into = [(getattr(dut, name), width) for name, width in into]
        self.out = [(getattr(dut, name), width) for name, width in out]
        self.valid_i, self.ready_o, self.valid_o, self.ready_i = (getattr(dut, n) for n in names)

    async def put(self, items: Sequence[tuple[int, ...]], pauses: Iterator[bool]) -> None:
        """Give tuples to the converter."""
        bit = 1 << self.index
        for item in items:
            while next(pauses):
                self.valid_i.value = 0
                await RisingEdge(self.dut.a_clk_i)
            self.valid_i.value = bit
            for (signal, width), value in zip(self.into, item, strict=True):
                signal.value = value << (self.index * width)
            await RisingEdge(self.dut.a_clk_i)
            while not int(self.ready_o.value) & bit:
                await RisingEdge(self.dut.a_clk_i)
        self.valid_i.value = 0

    async def take(self, count: int, pauses: Iterator[bool]) -> list[tuple[int, ...]]:
        """Take tuples from the converter."""
        bit = 1 << self.index
        got: list[tuple[int, ...]] = []
        while len(got) < count:
            self.ready_i.value = 0 if next(pauses) else bit
            await RisingEdge(self.dut.a_clk_i)
            if int(self.valid_o.value) & int(self.ready_i.value) & bit:
                got.append(tuple(lane_of(signal, self.index, width) for signal, width in self.out))
        self.ready_i.value = 0
        return got


@cocotb.test()
async def conversion(dut: Any) -> None:
    """Messages of every length up to five blocks, in 32, 64 and 128 bits, both ways."""
    await begin(dut)
    for index, kind in itertools.product(range(3), ("gather", "spread")):
        lanes = 4 << index
        converter = Converter(dut, index, kind)
        for into, out in (("never", "never"), ("sparse", "heavy"), ("heavy", "sparse")):
            messages = [random.randbytes(length) for length in range(1, 5 * BLOCK + 1, 3)]
            as_beats = [beat for message in messages for beat in beats(message, lanes)]
            as_blocks = [block for message in messages for block in blocks(message)]
            given, wanted = (as_beats, as_blocks) if kind == "gather" else (as_blocks, as_beats)
            pauses_in, pauses_out = (PATTERNS[p](random.Random(lanes)) for p in (into, out))
            cocotb.start_soon(converter.put(given, pauses_in))
            got = await with_timeout(converter.take(len(wanted), pauses_out), 500, "us")
            assert got == wanted, (lanes, kind, into, out)


@cocotb.test()
async def conversion_rate(dut: Any) -> None:
    """A converter moves a beat each cycle."""
    await begin(dut)
    for index, kind in itertools.product(range(3), ("gather", "spread")):
        data = random.randbytes(64 * BLOCK)
        as_beats, as_blocks = beats(data, 4 << index), blocks(data)
        given, wanted = (as_beats, as_blocks) if kind == "gather" else (as_blocks, as_beats)
        converter = Converter(dut, index, kind)
        never = PATTERNS["never"]
        start = cocotb.utils.get_sim_time("ps")
        cocotb.start_soon(converter.put(given, never(random.Random(1))))
        await converter.take(len(wanted), never(random.Random(1)))
        cycles = (cocotb.utils.get_sim_time("ps") - start) / A_PS
        assert cycles <= len(as_beats) + 3, (index, kind)


@cocotb.test()
async def malformed(dut: Any) -> None:
    """A TKEEP with gaps, empty, or not full before the last beat marks the block as bad."""
    await begin(dut)
    for index in range(3):
        lanes = 4 << index
        full = (1 << lanes) - 1
        converter = Converter(dut, index, "gather")
        converter.out.append((dut.gather_malformed_o, 1))
        bad = [
            [(0, 0, 1)],
            [(0, 0b10, 1)],
            [(0, 0b101, 1)],
            [(0, full >> 1, 0), (0, full, 1)],
            [(0, full, 0), (0, full & ~1, 1)],
        ]
        good = [[(0, full, 0), (0, 0b11, 1)], [(0, full, 1)], [(0, 1, 1)]]
        for message, wanted in [(m, 1) for m in bad] + [(m, 0) for m in good]:
            count = -(-len(message) * lanes // BLOCK)
            cocotb.start_soon(converter.put(message, PATTERNS["never"](random.Random(1))))
            got = await converter.take(count, PATTERNS["never"](random.Random(1)))
            assert max(block[3] for block in got) == wanted, (lanes, message)
