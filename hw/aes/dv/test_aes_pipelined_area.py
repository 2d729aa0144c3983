# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area of the pipelined AES core on Xilinx 7-series, beside the open reference."""

from __future__ import annotations

import pytest
from ciphermill_dv.simulate import rtl_sources

from ciphermill.toolchain.yosys import synthesise_xc7

REFERENCE_LUTS = 12_164
"""tiny_aes 128, encryption only, yosys 0.70 ``synth_xilinx -family xc7 -flatten``."""


@pytest.mark.synthesis
def test_smaller_than_the_reference_that_only_encrypts_with_128_bits() -> None:
    area = synthesise_xc7(rtl_sources("aes"), "aes_pipelined", {"Directions": 1, "KeySizes": 1})
    assert area.block_ram == area.lut_ram == 0
    # 200 S-boxes of 32 LUTs are the least: fewer would mean that logic was lost.
    assert 6_400 < area.lut < 0.9 * REFERENCE_LUTS, area


@pytest.mark.synthesis
@pytest.mark.parametrize(("block_ram", "expected"), [(0, 0), (1, 2)])
def test_block_ram_is_used_only_where_it_was_asked_for(block_ram: int, expected: int) -> None:
    """Four S-boxes with a register behind them, and block RAM at yosys' disposal."""
    parameters = {"Bytes": 4, "Registered": 1, "BlockRam": block_ram}
    area = synthesise_xc7(
        rtl_sources("aes"), "aes_pipelined_substitute", parameters, block_ram=True
    )
    assert area.block_ram == expected
    assert area.lut_ram == 0
