# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Cycles of the core that messages take, by the accelerator's own counters."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import reference
from accelerator import BUS_PERIOD_PS, CORE_PERIOD_PS, Accelerator
from cocotb.triggers import ClockCycles
from reference import BLOCK

ITERATIVE, PIPELINED, SERIAL = range(3)
# Blocks of two messages; FIFOs and core cannot hold the shorter one.
BLOCKS = {ITERATIVE: (24, 40), PIPELINED: (40, 72), SERIAL: (24, 32)}
ROUNDS = {16: 10, 24: 12, 32: 14}


def expected(accelerator: Accelerator, mode: str, direction: str, key_length: int) -> range:
    """Return the cycles a block that a mode may take."""
    feedback = mode == "cbc" and direction == "encrypt"
    rounds = ROUNDS[key_length]
    if accelerator.architecture == ITERATIVE:
        return range(rounds, rounds + (2 if feedback else 1))
    if accelerator.architecture == PIPELINED:
        latency = 14 * int(accelerator.dut.StagesPerRound.value) + 1
        return range(latency, latency + 1) if feedback else range(1, 2)
    column = 4 * (rounds + 1)
    return range(column, column + (2 if feedback else 1))


async def cycles_a_block(accelerator: Accelerator, sink: bool = False) -> tuple[float, float]:
    """Return the cycles of each further block of a message, and the fixed cycles of a message."""
    cycles = []
    few, many = BLOCKS[accelerator.architecture]
    await accelerator.message(bytes(BLOCK), sink)  # the first may wait for its key
    for blocks in (few, many):
        await accelerator.message(random.randbytes(blocks * BLOCK), sink)
        cycles.append(await accelerator.read_pair("CYCLES"))
    each = (cycles[1] - cycles[0]) / (many - few)
    return each, cycles[0] - few * each


@cocotb.test()
async def full_rate(dut: Any) -> None:
    """Every mode runs at the rate of its core, or of the stream where that is slower."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    stream = BLOCK / accelerator.lanes
    if accelerator.asynchronous:
        stream *= BUS_PERIOD_PS / CORE_PERIOD_PS
    for mode in reference.MODES:
        for direction in accelerator.directions:
            for key_length in accelerator.key_lengths:
                await accelerator.configure(mode, direction, key_length)
                await accelerator.load_key(random.randbytes(key_length))
                await accelerator.load_iv(random.randbytes(BLOCK))
                cycles, besides = await cycles_a_block(accelerator)
                text = f"{mode} {direction} {8 * key_length}: {cycles:.2f} n + {besides:.0f}"
                dut._log.warning(text)
                allowed = expected(accelerator, mode, direction, key_length)
                # Between two clocks, the start and the end are seen a few cycles apart.
                spread = 4 / 16 if accelerator.asynchronous else 0
                assert min(allowed) - spread <= cycles, text
                assert cycles <= max(max(allowed), 1.05 * stream) + spread, text


@cocotb.test()
async def bypass_rate(dut: Any) -> None:
    """The bypass moves a beat a cycle of the bus, to the host and to the sink."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    stream = BLOCK / accelerator.lanes
    if accelerator.asynchronous:
        stream *= BUS_PERIOD_PS / CORE_PERIOD_PS
    for sink in (False, True):
        await accelerator.configure(bypass=True, sink=sink)
        cycles, besides = await cycles_a_block(accelerator, sink)
        dut._log.warning(f"bypass, sink {sink}: {cycles:.2f} n + {besides:.0f}")
        assert abs(cycles - stream) <= 0.05 * stream


@cocotb.test()
async def keystream_is_prefetched(dut: Any) -> None:
    """CTR makes keystream before data comes, and never more than the message needs."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    key_length = max(accelerator.key_lengths)
    key, iv = random.randbytes(key_length), random.randbytes(BLOCK)
    await accelerator.configure("ctr", "encrypt", key_length)
    await accelerator.load_key(key)
    used = 0
    for blocks in (1, 4):
        await accelerator.load_iv(iv)
        data = random.randbytes(blocks * BLOCK)
        await accelerator.start(len(data))
        await ClockCycles(dut.clk_i, 600)
        used = await accelerator.read_pair("IV_BLOCKS")
        assert used == blocks
        accelerator.send(data)
        begin = await accelerator.cycles_until(lambda: int(dut.s_axis_tvalid_i.value) == 1)
        spent = await accelerator.cycles_until(
            lambda: int(dut.m_axis_tvalid_o.value & dut.m_axis_tlast_o.value) == 1
        )
        beats = blocks * BLOCK // accelerator.lanes
        crossing = 12 if accelerator.asynchronous else 6
        assert spent <= beats + crossing, (begin, spent)
        answer = reference.crypt("ctr", "encrypt", key, iv, data)
        assert await accelerator.receive() == answer.data
        await accelerator.wait_status(busy=0)


@cocotb.test()
async def counters(dut: Any) -> None:
    """CYCLES, STALL_INPUT and STALL_OUTPUT agree with the bench's own counts."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    key_length = max(accelerator.key_lengths)
    await accelerator.configure("ecb", "encrypt", key_length)
    await accelerator.load_key(random.randbytes(key_length))

    data = random.randbytes(8 * BLOCK)
    await accelerator.message(data)  # the first may wait for its key
    await accelerator.message(data)
    quick = await accelerator.read_pair("CYCLES")
    assert await accelerator.read("STALL_OUTPUT") == 0

    accelerator.source.pause = True
    await accelerator.start(len(data))
    accelerator.send(data)
    await ClockCycles(dut.clk_i, 1000)
    accelerator.source.pause = False
    await accelerator.receive()
    await accelerator.wait_status(busy=0)
    assert await accelerator.read("STALL_INPUT") >= 990
    assert await accelerator.read_pair("CYCLES") - quick >= 900

    data = random.randbytes(32 * BLOCK)
    accelerator.sink.pause = True
    await accelerator.start(len(data))
    accelerator.send(data)
    await ClockCycles(dut.clk_i, 3000)
    running = await accelerator.read_pair("CYCLES")
    assert running >= 3000
    assert await accelerator.read("STALL_OUTPUT") > 100
    accelerator.sink.pause = False
    await accelerator.receive()
    await accelerator.wait_status(busy=0)
    total = await accelerator.read_pair("CYCLES")
    assert total > running
    await ClockCycles(dut.clk_i, 20)
    assert await accelerator.read_pair("CYCLES") == total, "it stands after the message"
