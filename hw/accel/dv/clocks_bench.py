# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The accelerator at several ratios of its clocks: messages, aborts, and zeroises in sweeps."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import reference
from accelerator import BUS_PERIOD_PS, Accelerator
from ciphermill_dv import residue
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge, Timer
from reference import BLOCK

CORE_PERIODS_PS = (2_500, 9_940, 10_060, 40_000)
"""A core that is 4 times faster than the bus, about as fast, and 4 times slower."""
BLOCKS = 12


class Watch:
    """Checks in every bus cycle that no output beat leaves while none is allowed."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.quiet = False
        self.beats = 0
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        while True:
            await RisingEdge(self.dut.clk_i)
            await ReadOnly()
            if int(self.dut.m_axis_tvalid_o.value):
                self.beats += 1
                assert not self.quiet, "a beat leaves after a clear and before a message"


async def ready(dut: Any, core_period_ps: int) -> tuple[Accelerator, Watch]:
    """Return an accelerator after reset, and the monitor of its output."""
    accelerator = Accelerator(dut, core_period_ps)
    await accelerator.reset()
    return accelerator, Watch(dut)


async def check_message(accelerator: Accelerator, watch: Watch) -> bytes:
    """Load a new key and run a message; return the key."""
    watch.quiet = False
    key = random.randbytes(random.choice(accelerator.key_lengths))
    iv, data = random.randbytes(BLOCK), random.randbytes(BLOCKS * BLOCK)
    answer = reference.crypt("cbc", "encrypt", key, iv, data)
    assert await accelerator.crypt("cbc", "encrypt", key, iv, data) == answer.data
    assert not await accelerator.errors()
    return key


async def fill(accelerator: Accelerator, length: int) -> list[bytes]:
    """Start a message in CTR and give it data; return data and ciphertext."""
    key, iv, data = random.randbytes(16), random.randbytes(BLOCK), random.randbytes(length)
    await accelerator.configure("ctr", "encrypt", len(key))
    await accelerator.load_key(key)
    await accelerator.load_iv(iv)
    await accelerator.start(len(data))
    accelerator.send(data)
    return [key, data, reference.crypt("ctr", "encrypt", key, iv, data).data]


@cocotb.test()
@cocotb.parametrize(core_period_ps=CORE_PERIODS_PS)
async def no_beat_after_a_clear(dut: Any, core_period_ps: int) -> None:
    """After an abort or a zeroise at any moment, no beat of the message leaves."""
    accelerator, watch = await ready(dut, core_period_ps)
    for number, cycles in enumerate((5, 31, 60, 110, 180, 400)):
        command = ("abort", "zeroise")[number % 2]
        await fill(accelerator, 8 * BLOCKS * BLOCK)
        accelerator.sink.pause = number % 3 == 0
        await ClockCycles(dut.clk_i, cycles)
        accelerator.source.pause = True
        await accelerator.command(command)
        await accelerator.wait_status(busy=0, zeroising=0)
        watch.quiet = True
        accelerator.drop_streams()
        accelerator.stall("none")
        await accelerator.command("abort")  # also drop what arrived before the abort took effect
        await accelerator.wait_status(busy=0)
        await ClockCycles(dut.clk_i, 60)
        await check_message(accelerator, watch)
    assert watch.beats > 100, watch.beats


@cocotb.test()
@cocotb.parametrize(core_period_ps=CORE_PERIODS_PS)
async def idle_stays_silent(dut: Any, core_period_ps: int) -> None:
    """An abort of an idle device, whose memories hold the last message, sends nothing."""
    accelerator, watch = await ready(dut, core_period_ps)
    for cycles in range(8):
        await check_message(accelerator, watch)
        watch.quiet = True
        await Timer(random.randrange(BUS_PERIOD_PS), "ps")
        await ClockCycles(dut.clk_i, cycles)
        await accelerator.command("abort")
        await accelerator.wait_status(busy=0)
        await ClockCycles(dut.clk_i, 40)


@cocotb.test()
@cocotb.parametrize(core_period_ps=CORE_PERIODS_PS)
async def zeroise_in_the_sweep_of_an_abort(dut: Any, core_period_ps: int) -> None:
    """A zeroise that waits for an abort's sweep forgets everything, and the device goes on."""
    accelerator, watch = await ready(dut, core_period_ps)
    control = dut.gen_channel[0].u_channel.u_control
    waited = 0
    for cycles in (0, 0, 1, 2, 3, 5, 8, 13):
        secrets = await fill(accelerator, 8 * BLOCKS * BLOCK)
        accelerator.sink.pause = True
        await ClockCycles(dut.clk_i, 300)
        assert residue.find(dut.gen_channel[0], secrets)
        accelerator.source.pause = True
        await ClockCycles(dut.clk_i, 2)
        await accelerator.command("abort")
        await ClockCycles(dut.clk_i, cycles)
        await accelerator.command("zeroise")
        # The late ones find an idle device: it is enough that some had to wait.
        waited += int(control.zeroise_pending_q.value)
        status = await accelerator.wait_status(busy=0, zeroising=0)
        assert (status["key_loaded"], status["done"]) == (0, 0)
        watch.quiet = True
        accelerator.drop_streams()
        await ClockCycles(dut.clk_i, 2)
        await accelerator.command("abort")
        await accelerator.wait_status(busy=0)
        await Timer(1, "ns")
        found = residue.find(dut, secrets)
        assert not found, (cycles, found)
        accelerator.stall("none")
        await ClockCycles(dut.clk_i, 40)
        await check_message(accelerator, watch)
    dut._log.warning("zeroises that waited for a sweep: %d", waited)


@cocotb.test()
@cocotb.parametrize(core_period_ps=CORE_PERIODS_PS)
async def the_key_goes_whichever_comes_first(dut: Any, core_period_ps: int) -> None:
    """A zeroise and an abort in one write are a zeroise."""
    accelerator, watch = await ready(dut, core_period_ps)
    key = await check_message(accelerator, watch)
    assert residue.find(dut, [key])
    await accelerator.command("abort", "zeroise")
    status = await accelerator.wait_status(busy=0, zeroising=0)
    assert status["key_loaded"] == 0
    await Timer(1, "ns")
    assert not residue.find(dut, [key])
    await check_message(accelerator, watch)
