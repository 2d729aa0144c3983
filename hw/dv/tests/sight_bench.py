# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Bench of ``sight_fixture``: which signals a bench sees."""

import cocotb
from ciphermill_dv.residue import signals


def _paths(dut):
    return {path for path, _ in signals(dut)}


@cocotb.test()
async def ports_are_visible(dut):
    assert {"clk_i", "data_i", "data_o"} <= _paths(dut)


REGISTERS = {"data_q", "high_q", "low_q", "memory[0]", "memory[1]", "flags_q[0]", "flags_q[1]"}


def _below(dut):
    return {path.removeprefix("u_register.") for path in _paths(dut) if "." in path}


@cocotb.test()
async def registers_and_memories_are_visible(dut):
    assert _below(dut) == REGISTERS


@cocotb.test()
async def everything_is_visible(dut):
    assert _below(dut) >= REGISTERS | {"inverted", "data_i"}


@cocotb.test()
async def nothing_below_is_visible(dut):
    assert _below(dut) == set()
