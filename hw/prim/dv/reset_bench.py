# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Reset and clear of the primitives, for every register and at any moment."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from ciphermill_dv.residue import nonzero_registers
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, ReadOnly, RisingEdge

CONTROL = frozenset(["run_q", "memory", "word_q", "wipe_q", "block_o"])
"""Names that a reset does not zero: a sweep runs after it and empties the memory, the first clock
empties the read register of a block RAM, and the converter of 128 bits passes blocks on."""
CLEARED = ("u_fifo", "u_cross", "u_narrow", "u_widen")
"""Primitives of the harness that a clear empties, besides the converters."""
ASSERTIONS = frozenset(["write_clear_q", "read_clear_q"])
"""State of the crossing's assertions: a clear is under way."""
CROSSING = frozenset(["meta_q", "middle_q", "data_q", "start_q", "address_q", "run_q", "memory"])
CROSSING |= {"wipe_q"} | ASSERTIONS
"""Registers that a clear leaves: synchronisers follow later, and sweeps run."""


def inputs(dut: Any) -> list[Any]:
    """Return the data inputs of the harness: all but clocks, resets and clears."""
    return [
        child
        for child in dut
        if child._name.endswith("_i") and not child._name.endswith(("clk_i", "clear_i"))
    ]


def set_inputs(dut: Any, zero: bool = False) -> None:
    """Give every data input a random value, or zero."""
    for signal in inputs(dut):
        signal.value = 0 if zero else random.getrandbits(len(signal))


async def begin(dut: Any) -> None:
    """Start the clocks and reset everything."""
    set_inputs(dut, zero=True)
    dut.clear_i.value = dut.b_clear_i.value = 0
    dut.a_rst_ni.value = dut.b_rst_ni.value = 0
    cocotb.start_soon(Clock(dut.a_clk_i, 10_000, unit="ps").start())
    cocotb.start_soon(Clock(dut.b_clk_i, 7_310, unit="ps").start())
    await ClockCycles(dut.a_clk_i, 3)
    dut.a_rst_ni.value = dut.b_rst_ni.value = 1
    await ClockCycles(dut.a_clk_i, 12)


async def busy(dut: Any, cycles: int) -> None:
    """Give random inputs for some cycles, changed between the edges of one of the clocks."""
    for _ in range(cycles):
        await FallingEdge(dut.a_clk_i)
        set_inputs(dut)


@cocotb.test()
async def reset_zeroes_every_register(dut: Any) -> None:
    """In a reset, begun at any moment, no register holds anything."""
    await begin(dut)
    for _ in range(20):
        await busy(dut, random.randint(20, 40))
        assert len(nonzero_registers(dut, CONTROL)) > 10, "the check of registers sees nothing"
        dut.a_rst_ni.value = dut.b_rst_ni.value = 0
        await ReadOnly()
        assert nonzero_registers(dut, CONTROL) == []
        await RisingEdge(dut.a_clk_i)
        set_inputs(dut, zero=True)
        await ClockCycles(dut.a_clk_i, 2)
        dut.a_rst_ni.value = dut.b_rst_ni.value = 1
        await ClockCycles(dut.a_clk_i, 12)


@cocotb.test()
async def nothing_comes_out_after_a_reset(dut: Any) -> None:
    """From the reset on, nothing is valid until something has been given."""
    await begin(dut)
    outputs = [child for child in dut if child._name.endswith("valid_o")]
    for _ in range(20):
        await busy(dut, random.randint(20, 40))
        dut.a_rst_ni.value = dut.b_rst_ni.value = 0
        set_inputs(dut, zero=True)
        await ClockCycles(dut.b_clk_i, random.randint(2, 5))
        dut.a_rst_ni.value = dut.b_rst_ni.value = 1
        for _ in range(16):
            await RisingEdge(dut.b_clk_i)
            assert [signal._name for signal in outputs if int(signal.value)] == []
            assert int(dut.pulse_o.value) == 0


@cocotb.test()
async def clear_zeroes_data_and_pointers(dut: Any) -> None:
    """A clear of one clock empties converters and slices; one that is held, FIFOs too."""
    await begin(dut)
    scopes = [getattr(dut, name) for name in CLEARED]
    for _ in range(20):
        await busy(dut, random.randint(20, 40))
        dut.clear_i.value = dut.b_clear_i.value = 1
        await RisingEdge(dut.a_clk_i)
        await FallingEdge(dut.a_clk_i)
        assert [r for child in dut.gen_width for r in nonzero_registers(child, CONTROL)] == []
        await ClockCycles(dut.b_clk_i, 2)
        await FallingEdge(dut.a_clk_i)
        assert [r for scope in scopes for r in nonzero_registers(scope, CROSSING)] == []
        await ClockCycles(dut.a_clk_i, 14)
        dut.clear_i.value = dut.b_clear_i.value = 0


@cocotb.test()
async def a_stream_without_valid_is_zero(dut: Any) -> None:
    """Blocks that are not valid yet do not show on the stream."""
    await begin(dut)
    for _ in range(20):
        dut.spread_block_i.value = random.getrandbits(len(dut.spread_block_i))
        dut.spread_bytes_i.value = random.getrandbits(len(dut.spread_bytes_i))
        dut.spread_valid_i.value = 0
        await FallingEdge(dut.a_clk_i)
        for name in ("spread_tdata_o", "spread_tkeep_o", "spread_tlast_o", "spread_tvalid_o"):
            assert int(getattr(dut, name).value) == 0, name


@cocotb.test()
async def the_first_clock_of_a_reset_empties_what_was_read(dut: Any) -> None:
    """The read register of a block RAM has no asynchronous reset: one clock empties it."""
    if not int(dut.BlockRam.value):
        return
    await begin(dut)
    words = [dut.u_fifo.gen_block_ram.word_q, dut.u_cross.gen_block_ram.word_q]
    held = 0
    for _ in range(20):
        await busy(dut, random.randint(20, 40))
        held += any(int(word.value) for word in words)
        dut.a_rst_ni.value = dut.b_rst_ni.value = 0
        for clock in (dut.a_clk_i, dut.b_clk_i):
            await RisingEdge(clock)
        await FallingEdge(dut.a_clk_i)
        assert not any(int(word.value) for word in words)
        dut.a_rst_ni.value = dut.b_rst_ni.value = 1
        await ClockCycles(dut.a_clk_i, 12)
    assert held > 10, "the registers held nothing before"
