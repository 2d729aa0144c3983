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


@cocotb.test()
async def the_register_is_visible(dut):
    assert "u_register.data_q" in _paths(dut)


@cocotb.test()
async def the_register_is_hidden(dut):
    assert "u_register.data_q" not in _paths(dut)
