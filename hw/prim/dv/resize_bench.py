# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The stream resizer: 32 bits to 128, and those to 64, beside a model of a few lines."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any

import cocotb
from ciphermill_dv.stall import PATTERNS
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge

Beat = tuple[int, int, int]
"""Data, bytes less one, last."""

IN, MIDDLE, OUT = 4, 16, 8


async def begin(dut: Any) -> None:
    """Start the clock and reset."""
    dut.resize_valid_i.value = dut.resize_ready_i.value = 0
    dut.clear_i.value = dut.b_clear_i.value = 0
    dut.a_rst_ni.value = dut.b_rst_ni.value = 0
    cocotb.start_soon(Clock(dut.a_clk_i, 10, unit="ns").start())
    await ClockCycles(dut.a_clk_i, 3)
    dut.a_rst_ni.value = dut.b_rst_ni.value = 1
    await ClockCycles(dut.a_clk_i, 2)


def beats_of(data: bytes, width: int) -> list[Beat]:
    """Return the beats of a packet, all full but the last one."""
    parts = [data[n : n + width] for n in range(0, len(data), width)]
    return [
        (int.from_bytes(part, "little"), len(part) - 1, int(n + 1 == len(parts)))
        for n, part in enumerate(parts)
    ]


async def put(dut: Any, beats: Sequence[Beat], pauses: Iterator[bool]) -> None:
    """Give beats, each until it is taken."""
    for data, count, last in beats:
        while next(pauses):
            await RisingEdge(dut.a_clk_i)
        dut.resize_valid_i.value = 1
        dut.resize_data_i.value, dut.resize_bytes_i.value = data, count
        dut.resize_last_i.value = last
        await RisingEdge(dut.a_clk_i)
        while not int(dut.resize_ready_o.value):
            await RisingEdge(dut.a_clk_i)
        dut.resize_valid_i.value = 0


class Taps:
    """The beats after each converter, and the cycles that they took."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.middle: list[Beat] = []
        self.out: list[Beat] = []
        self.cycles = 0

    def _beat(self, prefix: str) -> Beat:
        data, count, last = (
            int(getattr(self.dut, f"{prefix}_{part}_o").value) for part in ("data", "bytes", "last")
        )
        return data, count, last

    async def run(self, wanted: int, pauses: Iterator[bool]) -> None:
        """Take as many beats at the end as wanted."""
        dut = self.dut
        while len(self.out) < wanted:
            dut.resize_ready_i.value = int(not next(pauses))
            await RisingEdge(dut.a_clk_i)
            self.cycles += 1
            assert self.cycles < 20_000
            if int(dut.middle_valid_o.value) and int(dut.middle_ready_o.value):
                self.middle.append(self._beat("middle"))
            if int(dut.resize_valid_o.value) and int(dut.resize_ready_i.value):
                self.out.append(self._beat("resize"))
        dut.resize_ready_i.value = 0


async def transfer(
    dut: Any, packets: Sequence[bytes], into: Iterator[bool], out: Iterator[bool]
) -> int:
    """Send packets through and compare both widths; return the cycles."""

    def expected(width: int) -> list[Beat]:
        return [beat for packet in packets for beat in beats_of(packet, width)]

    taps = Taps(dut)
    cocotb.start_soon(put(dut, expected(IN), into))
    await taps.run(len(expected(OUT)), out)
    assert taps.middle == expected(MIDDLE)
    assert taps.out == expected(OUT)
    return taps.cycles


@cocotb.test()
async def every_length(dut: Any) -> None:
    """Packets of every length around a beat, under every pair of stall patterns."""
    await begin(dut)
    for into, out in itertools.product(PATTERNS, PATTERNS):
        lengths = random.sample(range(1, 2 * MIDDLE + 2), 6)
        packets = [random.randbytes(length) for length in lengths]
        pauses = [PATTERNS[name](random.Random(random.random())) for name in (into, out)]
        await transfer(dut, packets, *pauses)


@cocotb.test()
async def a_beat_a_clock(dut: Any) -> None:
    """Without stalls only a wide beat takes a second cycle, since it leaves in two parts."""
    await begin(dut)
    never = PATTERNS["never"](random.Random(1))
    count = 64
    cycles = await transfer(dut, [random.randbytes(count * IN)], never, never)
    assert cycles <= count + count * IN // MIDDLE * (MIDDLE // OUT - 1) + 4


@cocotb.test()
async def clear_drops(dut: Any) -> None:
    """A clear in the middle of a beat leaves nothing of it."""
    await begin(dut)
    never = PATTERNS["never"](random.Random(1))
    await put(dut, beats_of(random.randbytes(MIDDLE), IN)[:-1], never)
    assert int(dut.middle_data_o.value) != 0
    dut.clear_i.value = 1
    await ClockCycles(dut.a_clk_i, 4)
    assert int(dut.middle_data_o.value) == 0
    assert int(dut.resize_valid_o.value) == 0
    await ClockCycles(dut.a_clk_i, 10)  # as long as the sweep of the asynchronous FIFO
    dut.clear_i.value = 0
    await transfer(dut, [random.randbytes(MIDDLE + 3)], never, never)
