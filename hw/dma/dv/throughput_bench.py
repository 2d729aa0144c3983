# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Cycles of the engine: rates of long transfers, and the overhead of a transfer."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge
from dma_driver import DESCRIPTOR_BYTES, Engine, Transfer
from memory_bus import PAGE, SIZE, Watch

HALF = SIZE // 2
BEATS = 512  # of the slower of bus and stream, in a long transfer
RATE = 0.95
FIRST_BEAT = 13  # cycles from the write of LENGTH to the first beat on the stream, 128 bits wide


def signal(dut: Any, name: str) -> bool:
    """Tell whether a signal is high."""
    return int(getattr(dut, name).value) == 1


async def cycles_between(dut: Any, begin: str, end: str) -> int:
    """Return the cycles from the first one with a signal high to the first with another."""
    count = 0
    running = False
    for _ in range(20_000):
        await RisingEdge(dut.clk_i)
        running = running or signal(dut, begin)
        if running and signal(dut, end):
            return count
        count += running
    raise AssertionError(f"{end} never came")


def length_of(engine: Engine) -> int:
    """Return the bytes of a long transfer."""
    return BEATS * min(engine.data_bytes, engine.lanes)


def gathered(engine: Engine) -> int:
    """Return the beats that pass on the slower side with the first beat of the faster one."""
    return max(engine.lanes, engine.data_bytes) // min(engine.lanes, engine.data_bytes)


@cocotb.test()
async def read_rate(dut: Any) -> None:
    """Memory to stream moves data at 95 % or more of the slower of bus and stream."""
    engine = Engine(dut)
    await engine.reset()
    for offset in (0, engine.data_bytes - 4):
        await engine.start(Transfer(PAGE + offset, 0, length_of(engine), write=False))
        cycles = await cycles_between(dut, "m_axis_tvalid_o", "m_axis_tlast_o")
        cycles += gathered(engine)
        dut._log.warning(f"read, offset {offset}: {BEATS} beats in {cycles} cycles")
        assert RATE * cycles <= BEATS
        await engine.receive()
        await engine.wait_idle()


@cocotb.test()
async def write_rate(dut: Any) -> None:
    """Stream to memory moves data at 95 % or more of the slower of bus and stream."""
    engine = Engine(dut)
    await engine.reset()
    length = length_of(engine)
    for offset in (0, engine.data_bytes - 4):
        await engine.start(Transfer(0, HALF + offset, length, read=False))
        data = random.randbytes(length)
        engine.send(data)
        cycles = await cycles_between(dut, "s_axis_tvalid_i", "s_axis_tlast_i")
        cycles += gathered(engine)
        dut._log.warning(f"write, offset {offset}: {BEATS} beats in {cycles} cycles")
        assert RATE * cycles <= BEATS
        await engine.wait_idle()
        assert engine.memory.get(HALF + offset, length) == data


@cocotb.test()
async def both_at_once(dut: Any) -> None:
    """The two directions do not slow each other."""
    engine = Engine(dut)
    await engine.reset()
    length = length_of(engine)
    engine.memory.data[:] = random.randbytes(SIZE)
    data = random.randbytes(length)
    engine.send(data)
    await engine.start(Transfer(PAGE, HALF, length))
    cycles = await cycles_between(dut, "m_axis_tvalid_o", "m_axis_tlast_o")
    cycles += gathered(engine)
    await engine.cycles_until(lambda: not signal(dut, "busy_o"))
    dut._log.warning(f"both: {BEATS} beats in {cycles} cycles")
    assert RATE * cycles <= BEATS
    assert engine.memory.get(HALF, length) == data
    assert await engine.receive() == engine.memory.get(PAGE, length)


@cocotb.test()
async def start_and_end(dut: Any) -> None:
    """The first beat comes soon after the start, and the end soon after the last response."""
    engine = Engine(dut)
    await engine.reset()
    await engine.write("SOURCE", PAGE)
    await engine.write("DESTINATION", HALF)
    engine.send(random.randbytes(64))
    write = cocotb.start_soon(engine.write("LENGTH", 64))
    first = await cycles_between(dut, "s_axil_wvalid_i", "m_axis_tvalid_o")
    await write
    gathering = max(0, engine.lanes // engine.data_bytes - 1)
    dut._log.warning(f"start to first beat: {first} cycles, {gathering} of them to fill it")
    assert first - gathering <= FIRST_BEAT
    while not (signal(dut, "m_axi_bvalid_i") and signal(dut, "m_axi_bready_o")):
        await RisingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
    assert not signal(dut, "busy_o"), "complete in the cycle after the last response"


@cocotb.test()
async def short_transfers_in_a_chain(dut: Any) -> None:
    """Descriptors are read ahead: a chain of short transfers hardly leaves the bus idle."""
    engine = Engine(dut)
    await engine.reset()
    watch = Watch(dut, int(dut.BurstBeats.value))
    count, beats = 12, 32
    length = beats * max(engine.data_bytes, engine.lanes)
    transfers = [Transfer(PAGE + 64 * n, 0, length, write=False) for n in range(count)]
    places = [DESCRIPTOR_BYTES * n for n in range(count)]
    engine.put_chain(transfers, places)
    await engine.write("CHAIN", places[0])
    await engine.cycles_until(lambda: signal(dut, "m_axis_tvalid_o"))
    watch.reset()
    await engine.cycles_until(lambda: not signal(dut, "busy_o"))
    data = count * length // min(engine.data_bytes, engine.lanes)
    extra = (watch.cycles - data) / count
    dut._log.warning(f"chain: {extra:.1f} cycles a transfer besides its data")
    assert extra <= 16 // min(16, engine.data_bytes) + 6
