# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The system registers at the borders of their words: counters, timer, interrupts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
from ciphermill_dv.registers import RegisterMap
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge

SOC = Path(__file__).resolve().parents[1]
MAP = RegisterMap(SOC / "soc_system.rdl")
BASE = RegisterMap(SOC / "soc.rdl").address("system")
CONSOLE, TIMER_LOW, TIMER_HIGH, TIMER_COMPARE = (
    MAP.address(name) for name in ("CONSOLE", "TIMER_LOW", "TIMER_HIGH", "TIMER_COMPARE")
)
INTERRUPT_ENABLE, INTERRUPT_PENDING, MEASURE, IDLE = (
    MAP.address(name) for name in ("INTERRUPT_ENABLE", "INTERRUPT_PENDING", "MEASURE", "IDLE")
)
COUNTERS = ("cycles", "processor", "bus", "accelerator", "instructions", "transactions")
BORDERS = (2**8, 2**16, 2**31, 2**32, 2**48, 2**63, 2**64)


class System:
    """The registers, driven on the local bus."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut

    async def start(self) -> None:
        """Reset everything."""
        dut = self.dut
        for name in ("waiting", "computing", "retired", "transfer", "beat", "request"):
            getattr(dut, f"{name}_i").value = 0
        dut.interrupt_i.value = 0
        cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start())
        dut.rst_ni.value = 0
        await ClockCycles(dut.clk_i, 3)
        dut.rst_ni.value = 1
        await RisingEdge(dut.clk_i)

    async def access(self, offset: int, word: int | None = None) -> int:
        """Write a word, or read one, in one cycle."""
        write = int(word is not None)
        # valid, write, following, address, data, strobes (soc_pkg::request_t).
        request = 1 << 70 | write << 69 | (BASE | offset) << 36 | (word or 0) << 4 | 0xF
        self.dut.request_i.value = request
        await RisingEdge(self.dut.clk_i)
        answer = int(self.dut.response_o.value)
        self.dut.request_i.value = 0
        assert answer >> 32, "an access takes one cycle"
        return answer & 0xFFFF_FFFF

    async def counter(self, name: str) -> int:
        """Read a stopped counter of 64 bits."""
        low, high = (MAP.address(f"{name.upper()}_{word}") for word in ("LOW", "HIGH"))
        return await self.access(low) | await self.access(high) << 32


@cocotb.test()
async def counters_carry_over_every_border(dut: Any) -> None:
    """Each counter counts on beyond 32 bits, and CYCLES is the sum of the three shares."""
    system = System(dut)
    await system.start()
    shares = {"processor": (0, 0), "bus": (1, 0), "accelerator": (1, 1)}
    for border in BORDERS:
        for share, (waiting, computing) in shares.items():
            await system.access(MEASURE, 1)
            dut.retired_i.value = dut.transfer_i.value = dut.beat_i.value = 1
            dut.waiting_i.value, dut.computing_i.value = waiting, computing
            for name, below in ((share, 2), ("instructions", 2), ("transactions", 3)):
                getattr(dut.u_counters, f"{name}_q").value = border - below
            await ClockCycles(dut.clk_i, 4)
            dut.retired_i.value = dut.transfer_i.value = dut.beat_i.value = 0
            await system.access(MEASURE, 0)
            found = {name: await system.counter(name) for name in COUNTERS}
            # Where the value was set depends on the simulator by a cycle; what counts is that
            # all of them have passed the border together.
            counted = (found["instructions"] - (border - 2)) % 2**64
            assert 3 <= counted <= 5, found
            assert (found["transactions"] - (border - 3)) % 2**64 == 2 * counted, found
            cycles = (found[share] - (border - 2)) % 2**64
            assert counted <= cycles <= counted + 2, found
            assert found["cycles"] == sum(found[name] for name in shares) % 2**64, found
            assert all(found[name] <= 2 for name in shares if name != share), found


@cocotb.test()
async def measure_clears_runs_and_stops(dut: Any) -> None:
    """MEASURE = 1 clears every counter; = 0 stops them; IDLE counts as waiting."""
    system = System(dut)
    await system.start()
    dut.retired_i.value = dut.transfer_i.value = dut.beat_i.value = 1
    for name in COUNTERS[1:]:
        getattr(dut.u_counters, f"{name}_q").value = 2**64 - 1
    await RisingEdge(dut.clk_i)
    await system.access(MEASURE, 1)
    await system.access(IDLE, 1)
    await ClockCycles(dut.clk_i, 5)
    await system.access(MEASURE, 0)
    await ClockCycles(dut.clk_i, 2)
    found = {name: await system.counter(name) for name in COUNTERS}
    assert found["cycles"] == found["instructions"] == found["transactions"] // 2, found
    assert found["processor"] <= 2 and found["bus"] >= 5 and not found["accelerator"], found
    await system.access(IDLE, 0)
    assert {name: await system.counter(name) for name in COUNTERS} == found, "they stand"


@cocotb.test()
async def timer_at_the_borders_of_its_low_word(dut: Any) -> None:
    """The high word carries; an interrupt is due from its cycle on, for 2^31 cycles."""
    system = System(dut)
    await system.start()
    for high in (0, 1, 0xFFFF_FFFE):
        dut.timer_q.value = high << 32 | 0xFFFF_FFF0
        await RisingEdge(dut.clk_i)
        await system.access(TIMER_COMPARE, 0x10)
        assert not await system.access(INTERRUPT_PENDING) & 1, "due in another round"
        await ClockCycles(dut.clk_i, 0x30)
        assert await system.access(TIMER_HIGH) == high + 1
        assert await system.access(INTERRUPT_PENDING) & 1
        await system.access(INTERRUPT_PENDING, 1)
        assert not await system.access(INTERRUPT_PENDING) & 1, "disarmed"
    for compare in (0, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF):
        await system.access(TIMER_COMPARE, compare)
        for after, wanted in ((-8, 0), (4, 1), (2**31 - 16, 1), (2**31 + 4, 0)):
            dut.timer_q.value = (compare + after) % 2**64
            await RisingEdge(dut.clk_i)
            assert await system.access(INTERRUPT_PENDING) & 1 == wanted, (hex(compare), after)
    # The exact cycles in which it rises and falls.
    await system.access(INTERRUPT_ENABLE, 1)
    for compare in (0, 0x7FFF_FFFF, 0x8000_0000):
        await system.access(TIMER_COMPARE, compare)
        for start in (compare - 4, compare + 2**31 - 4):
            dut.timer_q.value = start % 2**64
            await RisingEdge(dut.clk_i)
            for _ in range(8):
                await RisingEdge(dut.clk_i)
                due = (int(dut.timer_q.value) - compare) % 2**32 < 2**31
                assert int(dut.interrupt_o.value) == due


@cocotb.test()
async def each_interrupt_has_its_own_enable(dut: Any) -> None:
    """Every source is seen in its bit, and reaches the processor if that bit is enabled."""
    system = System(dut)
    await system.start()
    for enabled in range(16):
        await system.access(INTERRUPT_ENABLE, enabled)
        for sources in range(8):
            dut.interrupt_i.value = sources
            await RisingEdge(dut.clk_i)
            assert await system.access(INTERRUPT_PENDING) == sources << 1
            assert int(dut.interrupt_o.value) == sources << 1 & enabled
    dut.interrupt_i.value = 0
    await system.access(TIMER_COMPARE, 0)
    for enabled in range(16):
        await system.access(INTERRUPT_ENABLE, enabled)
        await RisingEdge(dut.clk_i)
        assert int(dut.interrupt_o.value) == enabled & 1
