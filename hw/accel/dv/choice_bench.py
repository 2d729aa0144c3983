# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Arbitration of a shared core: no channel waits longer than the turns of the others."""

from __future__ import annotations

from typing import Any

import cocotb
from ciphermill_dv.parameters import parameter
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

CHANNELS = parameter("Channels", 2)
TURN_CYCLES = parameter("TurnCycles", 128)
ALL = (1 << CHANNELS) - 1
# A turn may be followed by a cycle in which a key is handed over.
WAIT_CYCLES = (CHANNELS - 1) * (TURN_CYCLES + 2) + CHANNELS


async def longest_waits(dut: Any, decrypts: int) -> list[int]:
    """Let all channels request the core all the time; return the longest wait of each."""
    dut.rst_ni.value = 0
    dut.decrypts_i.value = decrypts
    await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    waited, longest = [0] * CHANNELS, [0] * CHANNELS
    for _ in range(4 * WAIT_CYCLES):
        await FallingEdge(dut.clk_i)
        valid = bool(dut.current_valid_o.value)
        current = int(dut.current_o.value)
        dut.issue_i.value = int(valid)
        for n in range(CHANNELS):
            waited[n] = 0 if valid and n == current else waited[n] + 1
            longest[n] = max(longest[n], waited[n])
    return longest


@cocotb.test()
async def no_channel_starves(dut: Any) -> None:
    """Each channel gets its turns, whichever channels encrypt and whichever decrypt."""
    cocotb.start_soon(Clock(dut.clk_i, 2, unit="ns").start())
    for name in ("replaced_i", "chains_i", "expected_i", "issue_i"):
        getattr(dut, name).value = 0
    dut.wants_i.value = ALL
    dut.run_i.value = 1
    dut.key_ready_i.value = 1
    for decrypts in range(ALL + 1):
        longest = await longest_waits(dut, decrypts)
        assert max(longest) <= WAIT_CYCLES, f"decrypting {decrypts:0{CHANNELS}b}: {longest}"


async def begin(dut: Any, decrypts: int) -> None:
    """Reset the arbiter while all channels request the core and no key can be handed over."""
    for name in ("replaced_i", "chains_i", "expected_i", "issue_i", "key_ready_i", "rst_ni"):
        getattr(dut, name).value = 0
    dut.decrypts_i.value = decrypts
    dut.wants_i.value = ALL
    dut.run_i.value = 1
    await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1


@cocotb.test()
async def a_reset_begins_anew(dut: Any) -> None:
    """After a reset the core has no key, and the turns always begin with the same channel."""
    cocotb.start_soon(Clock(dut.clk_i, 2, unit="ns").start())
    for decrypts in (0, ALL):
        firsts = set()
        for turns in (1, 2, 3):
            await begin(dut, decrypts)
            for _ in range(3):
                assert not int(dut.current_valid_o.value)
                await FallingEdge(dut.clk_i)
            dut.key_ready_i.value = 1
            await FallingEdge(dut.clk_i)
            assert int(dut.current_valid_o.value)
            firsts.add(int(dut.current_o.value))
            dut.issue_i.value = 1
            for _ in range(turns * (TURN_CYCLES + 2)):
                await FallingEdge(dut.clk_i)
        assert len(firsts) == 1, firsts


@cocotb.test()
async def who_wants_alone_gets_the_core(dut: Any) -> None:
    """A channel that withdraws its request never keeps the core from another."""
    cocotb.start_soon(Clock(dut.clk_i, 2, unit="ns").start())
    for decrypts in (0, ALL, ALL // 3):
        await begin(dut, decrypts)
        dut.key_ready_i.value = 1
        for channel in [*range(CHANNELS), *reversed(range(CHANNELS))]:
            dut.wants_i.value = 1 << channel
            dut.issue_i.value = 0
            for _ in range(4):
                await FallingEdge(dut.clk_i)
                has_it = int(dut.current_valid_o.value) and int(dut.current_o.value) == channel
                dut.issue_i.value = int(has_it)
            assert has_it, channel
