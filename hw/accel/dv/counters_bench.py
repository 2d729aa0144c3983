# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The counters of a message alone: each counts its own cycles, and all start from zero."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

COUNTS = ("cycles_o", "stall_input_o", "stall_output_o", "sink_bytes_o")


def counts(dut: Any) -> tuple[int, ...]:
    """Return what the counters show."""
    return tuple(int(getattr(dut, name).value) for name in COUNTS)


async def run(dut: Any, cycles: int, busy: int = 0, stalls: int = 0, sunk: int = 0) -> None:
    """Give the counters so many cycles; ``sunk`` is the bytes of a beat that the sink takes."""
    dut.busy_i.value = busy
    dut.stall_i.value = stalls
    dut.sink_valid_i.value = int(sunk > 0)
    dut.sink_bytes_i.value = max(sunk - 1, 0)
    for _ in range(cycles):
        await FallingEdge(dut.clk_i)


@cocotb.test()
async def each_counts_and_a_start_clears_all(dut: Any) -> None:
    """Counters are zero after a reset and after a start, and then count cycle by cycle."""
    cocotb.start_soon(Clock(dut.clk_i, 2, unit="ns").start())
    dut.rst_ni.value = 0
    dut.started_i.value = 0
    await run(dut, 2)
    dut.rst_ni.value = 1
    await run(dut, 1)
    assert counts(dut) == (0, 0, 0, 0)
    for message in range(3):
        dut.started_i.value = 1
        await run(dut, 1, busy=1, stalls=3, sunk=16)
        dut.started_i.value = 0
        assert counts(dut) == (0, 0, 0, 0), message
        await run(dut, 5, busy=1)
        assert counts(dut) == (5, 0, 0, 0)
        one, other = [], []
        for stalls, seen in ((1, one), (2, other)):
            before = counts(dut)
            await run(dut, 3, busy=1, stalls=stalls)
            seen.extend(now - then for now, then in zip(counts(dut), before, strict=True))
        assert sorted((one, other)) == [[3, 0, 3, 0], [3, 3, 0, 0]]
        await run(dut, 2, sunk=7)
        await run(dut, 1, sunk=16)
        await run(dut, 4)
        assert counts(dut) == (11, 3, 3, 2 * 7 + 16)
