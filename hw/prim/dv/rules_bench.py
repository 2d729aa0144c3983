# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A source that breaks the rules of a stream: every test here must end with an assertion."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from prim_bench import begin


@cocotb.test()
async def an_offer_that_changes(dut: Any) -> None:
    """The payload changes while it waits."""
    await begin(dut)
    dut.skid_valid_i.value = 1
    for word in range(4):
        dut.skid_data_i.value = word
        await RisingEdge(dut.a_clk_i)


@cocotb.test()
async def an_offer_that_is_withdrawn(dut: Any) -> None:
    """Valid falls while the word waits."""
    await begin(dut)
    dut.skid_valid_i.value = 1
    await ClockCycles(dut.a_clk_i, 3)
    dut.skid_valid_i.value = 0
    await ClockCycles(dut.a_clk_i, 3)


@cocotb.test()
async def a_clear_that_ends_early(dut: Any) -> None:
    """The writer's clear of an asynchronous FIFO ends before its sweep."""
    await begin(dut)
    dut.clear_i.value = dut.b_clear_i.value = 1
    await ClockCycles(dut.a_clk_i, 3)
    dut.clear_i.value = 0
    await ClockCycles(dut.a_clk_i, 3)
