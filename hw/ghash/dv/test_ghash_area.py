# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area of the smallest GHASH unit that follows an AES core, on Xilinx 7-series."""

from __future__ import annotations

import pytest
from ciphermill_dv.simulate import rtl_sources

from ciphermill.toolchain.yosys import synthesise_xc7

DIGIT = 4
LIMIT = 600
"""LUTs; hw/ghash/README.md says 551."""


@pytest.mark.synthesis
def test_a_digit_of_four_bits_is_small() -> None:
    found = synthesise_xc7(rtl_sources("ghash"), "ghash", {"Digit": DIGIT})
    # Four products of two bits for each of 128 sums, and as many additions of a block, cannot
    # take fewer: less would mean that logic was lost.
    assert 3 * 128 < found.lut <= LIMIT, found
    # Key, product, factor and hash, and the control.
    assert 4 * 128 <= found.ff <= 4 * 128 + 16, found
    assert found.block_ram == 0 and found.lut_ram == 0, found
