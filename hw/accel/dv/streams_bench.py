# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The streams between two clocks: data, clears at any moment, and clears in a row."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, Timer, with_timeout

BUS_PERIOD_PS = 10_000
CORE_PERIODS_PS = (1_000, 2_500, 9_940, 10_060, 40_000, 90_000)
"""A core that is 10 and 4 times faster than the bus, almost as fast, and 4 and 9 times slower."""
CLEARS = 60
BEAT_BYTES = 4
BLOCK = 16
TIMEOUT_US = 200


class Streams:
    """A host on the bus, an engine on the core's clock, and what each may still receive.

    ``to_bus`` has the beats that the engine gave and the host has not seen yet, ``to_core`` the
    blocks the other way. Both are emptied while the bus is isolated: what was inside before is
    gone, and must never come out.
    """

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.to_bus: deque[tuple[int, bool]] = deque()
        self.to_core: deque[int] = deque()
        self.gathered = b""
        self.seen = {"beats": 0, "blocks": 0, "ends": 0, "pulses": 0}
        self.sends = True
        self.block = 0

    async def start(self, core_period_ps: int) -> None:
        """Start both clocks, reset, clear, and begin to send and take."""
        await self.reset(core_period_ps)
        for process in (self.host_sends, self.host_takes, self.engine_gives, self.engine_takes):
            cocotb.start_soon(process())

    async def reset(self, core_period_ps: int) -> None:
        """Start both clocks, reset, and run the first clear."""
        dut = self.dut
        for name in ("s_axis_tdata_i", "s_axis_tlast_i", "s_axis_tvalid_i", "m_axis_tready_i"):
            getattr(dut, name).value = 0
        for name in ("in_ready_i", "out_valid_i", "out_i", "bus_rst_ni", "core_rst_ni"):
            getattr(dut, name).value = 0
        dut.s_axis_tkeep_i.value = (1 << BEAT_BYTES) - 1
        dut.clear_i.value = 1
        cocotb.start_soon(Clock(dut.bus_clk_i, BUS_PERIOD_PS, unit="ps").start())
        cocotb.start_soon(Clock(dut.core_clk_i, core_period_ps, unit="ps").start())
        await Timer(3 * max(BUS_PERIOD_PS, core_period_ps), "ps")
        await RisingEdge(dut.core_clk_i)
        dut.core_rst_ni.value = 1
        await RisingEdge(dut.bus_clk_i)
        dut.bus_rst_ni.value = 1
        await self.clear()

    # ------------------------------------------------------------ the host

    async def host_sends(self) -> None:
        """Send beats with gaps, and note the blocks that the device takes."""
        dut = self.dut
        valid = False
        while True:
            if not valid:
                word = random.getrandbits(8 * BEAT_BYTES)
                valid = self.sends and random.random() < 0.8
                dut.s_axis_tdata_i.value = word
                dut.s_axis_tvalid_i.value = int(valid)
            await RisingEdge(dut.bus_clk_i)
            if int(dut.bus_isolate.value):
                assert not int(dut.s_axis_tready_o.value), "a beat is taken in a clear"
                self.gathered = b""
                self.to_core.clear()
            elif valid and int(dut.s_axis_tready_o.value):
                valid = False
                self.gathered += word.to_bytes(BEAT_BYTES, "little")
                if len(self.gathered) == BLOCK:
                    self.to_core.append(int.from_bytes(self.gathered, "little"))
                    self.gathered = b""

    async def host_takes(self) -> None:
        """Take beats with back-pressure: they must come in the engine's order."""
        dut = self.dut
        while True:
            ready = random.random() < 0.7
            dut.m_axis_tready_i.value = int(ready)
            await RisingEdge(dut.bus_clk_i)
            if int(dut.bus_isolate.value):
                assert not int(dut.m_axis_tvalid_o.value), "a beat leaves in a clear"
                self.to_bus.clear()
            elif int(dut.m_axis_tvalid_o.value):
                assert self.to_bus, "a beat from before the last clear"
                beat = int(dut.m_axis_tdata_o.value), bool(int(dut.m_axis_tlast_o.value))
                assert beat == self.to_bus[0]
                if ready:
                    self.to_bus.popleft()
                    self.seen["beats"] += 1
                    self.seen["ends"] += beat[1]

    # ------------------------------------------------------------ the engine

    async def engine_gives(self) -> None:
        """Give blocks, some of which end a message, and note the beats that they make."""
        dut = self.dut
        while True:
            uses = not int(dut.clear_i.value) and int(dut.released_o.value)
            valid = self.sends and uses and random.random() < 0.4
            data, last = random.getrandbits(8 * BLOCK), self.block % 5 == 4
            dut.out_i.value = int(last) << 132 | 15 << 128 | data
            dut.out_valid_i.value = int(valid)
            await RisingEdge(dut.core_clk_i)
            if valid and int(dut.out_ready_o.value):
                self.block += 1
                words = data.to_bytes(BLOCK, "little")
                for n in range(0, BLOCK, BEAT_BYTES):
                    word = int.from_bytes(words[n : n + BEAT_BYTES], "little")
                    self.to_bus.append((word, last and n + BEAT_BYTES == BLOCK))
            self.seen["pulses"] += int(dut.last_beat_o.value)

    async def engine_takes(self) -> None:
        """Take blocks with back-pressure: they must come in the host's order."""
        dut = self.dut
        while True:
            ready = random.random() < 0.5
            dut.in_ready_i.value = int(ready)
            await RisingEdge(dut.core_clk_i)
            if not int(dut.in_valid_o.value):
                continue
            assert not int(dut.clear_i.value), "a block comes in a clear"
            assert self.to_core, "a block from before the last clear"
            data = int(dut.in_o.value) & (1 << 8 * BLOCK) - 1
            assert data == self.to_core[0]
            if ready:
                self.to_core.popleft()
                self.seen["blocks"] += 1

    # ------------------------------------------------------------ clears

    async def clear(self) -> None:
        """Clear by the rules of the module; check both sides in the middle and at the end."""
        dut = self.dut

        async def until(name: str) -> None:
            while not int(getattr(dut, name).value):
                await RisingEdge(dut.core_clk_i)

        dut.clear_i.value = 1
        await RisingEdge(dut.core_clk_i)
        await with_timeout(until("cleared_o"), TIMEOUT_US, "us")
        found = [path for path, value in self.contents() if value]
        assert not found, f"not cleared: {found}"
        dut.clear_i.value = 0
        await RisingEdge(dut.core_clk_i)
        await RisingEdge(dut.core_clk_i)
        await with_timeout(until("released_o"), TIMEOUT_US, "us")
        assert not int(dut.bus_isolate.value), "the bus is not released"

    def contents(self) -> list[tuple[str, int]]:
        """Return every word and pointer of both FIFOs and of the gathering of beats."""
        two_clocks = self.dut.gen_two_clocks
        held = [("block_q", int(self.dut.u_gather.gen_gather.block_q.value))]
        for fifo in (two_clocks.u_in, two_clocks.u_out):
            for name in ("write_q", "write_gray_q", "read_q", "read_gray_q"):
                held.append((f"{fifo._name}.{name}", int(getattr(fifo, name).value)))
            if int(self.dut.BlockRamFifos.value):
                held.append((f"{fifo._name}.word_q", int(fifo.gen_block_ram.word_q.value)))
            for index in fifo.memory.range:
                held.append((f"{fifo._name}.memory[{index}]", int(fifo.memory[index].value)))
        return held


@cocotb.test()
@cocotb.parametrize(core_period_ps=CORE_PERIODS_PS)
async def data_goes_through(dut: Any, core_period_ps: int) -> None:
    """Without a clear every block arrives once and in order, and every end of a message."""
    streams = Streams(dut)
    await streams.start(core_period_ps)
    await Timer(200 * max(BUS_PERIOD_PS, core_period_ps), "ps")
    streams.sends = False
    await Timer(100 * max(BUS_PERIOD_PS, core_period_ps), "ps")
    assert not streams.to_bus and not streams.to_core
    assert streams.seen["beats"] > 50 and streams.seen["blocks"] > 10, streams.seen
    assert streams.seen["ends"] == streams.seen["pulses"] > 2, streams.seen


@cocotb.test()
@cocotb.parametrize(core_period_ps=CORE_PERIODS_PS)
async def clears(dut: Any, core_period_ps: int) -> None:
    """After a clear at any moment both sides are empty and nothing from before it comes out."""
    streams = Streams(dut)
    await streams.start(core_period_ps)
    held = 0
    for number in range(CLEARS):
        # Between clears there is time for data; or for none, as when a zeroise waits for the
        # sweep of an abort.
        cycles = random.choice((1, 2, 3, 20, 60))
        await ClockCycles(dut.core_clk_i if number % 2 else dut.bus_clk_i, cycles)
        await RisingEdge(dut.core_clk_i)
        held += any(value for _, value in streams.contents())
        await streams.clear()
    assert held > CLEARS // 4, "the clears found nothing to clear"
    await ClockCycles(dut.bus_clk_i, 200)
    assert streams.seen["beats"] > 20 and streams.seen["blocks"] > 5, streams.seen


@cocotb.test()
async def a_glitch_clears_nothing(dut: Any) -> None:
    """A glitch of the clear between two edges of its clock, at an edge of the other one."""
    streams = Streams(dut)
    await streams.start(4 * BUS_PERIOD_PS + 60)
    for _ in range(10):
        # The memory still holds data that was sent: pointers reset to zero would repeat it.
        streams.sends = True
        await ClockCycles(dut.core_clk_i, random.randrange(20, 40))
        streams.sends = False
        await ClockCycles(dut.core_clk_i, 60)
        assert not streams.to_bus and not streams.to_core
        await RisingEdge(dut.core_clk_i)
        await RisingEdge(dut.bus_clk_i)
        await Timer(BUS_PERIOD_PS // 2, "ps")
        dut.clear_i.value = 1
        await RisingEdge(dut.bus_clk_i)
        await Timer(1, "ns")
        dut.clear_i.value = 0
        await ClockCycles(dut.core_clk_i, 30)
