# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Users of the streams that break a rule: an assertion of the RTL must stop each simulation."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from streams_bench import Streams

CORE_PERIOD_PS = 9_940


@cocotb.test()
async def a_beat_changes(dut: Any) -> None:
    """The data of a beat change while it waits for TREADY."""
    await Streams(dut).reset(CORE_PERIOD_PS)
    dut.s_axis_tvalid_i.value = 1
    for _ in range(100):  # no block is taken, so the memory fills
        await RisingEdge(dut.bus_clk_i)
    assert not int(dut.s_axis_tready_o.value)
    dut.s_axis_tdata_i.value = 1
    await ClockCycles(dut.bus_clk_i, 3)


@cocotb.test()
async def a_beat_is_withdrawn(dut: Any) -> None:
    """A beat that waits for TREADY is withdrawn, and another is taken without a clear."""
    await Streams(dut).reset(CORE_PERIOD_PS)
    dut.s_axis_tvalid_i.value = 1
    for _ in range(100):
        await RisingEdge(dut.bus_clk_i)
    assert not int(dut.s_axis_tready_o.value)
    dut.s_axis_tvalid_i.value = 0
    await ClockCycles(dut.bus_clk_i, 3)
    dut.s_axis_tvalid_i.value = 1
    dut.in_ready_i.value = 1
    await ClockCycles(dut.bus_clk_i, 100)


@cocotb.test()
async def a_clear_ends_early(dut: Any) -> None:
    """The clear falls before both sides are cleared."""
    await Streams(dut).reset(CORE_PERIOD_PS)
    dut.clear_i.value = 1
    await ClockCycles(dut.core_clk_i, 3)
    dut.clear_i.value = 0
    await ClockCycles(dut.core_clk_i, 3)


@cocotb.test()
async def a_clear_comes_early(dut: Any) -> None:
    """A second clear begins before the first one is released."""
    await Streams(dut).reset(CORE_PERIOD_PS)
    dut.clear_i.value = 1
    await RisingEdge(dut.core_clk_i)
    while not int(dut.cleared_o.value):
        await RisingEdge(dut.core_clk_i)
    dut.clear_i.value = 0
    await ClockCycles(dut.core_clk_i, 2)
    dut.clear_i.value = 1
    await ClockCycles(dut.core_clk_i, 3)
