# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area of the iterative and the serial core on Xilinx 7-series, all key sizes, both ways."""

from __future__ import annotations

import pytest
from ciphermill_dv.simulate import rtl_sources

from ciphermill.toolchain.yosys import AreaXc7, synthesise_xc7

ITERATIVE, SERIAL = 0, 2
ITERATIVE_LIMIT = 3_000
"""LUTs; the secworks core, synthesised the same way, takes 3,969 (and 73 clocks a block)."""


def area(**parameters: int) -> AreaXc7:
    return synthesise_xc7(rtl_sources("aes"), "aes_core", parameters)


@pytest.mark.synthesis
def test_iterative_is_within_its_limit() -> None:
    found = area(Architecture=ITERATIVE)
    assert found.block_ram == 0
    # Both memories of 32 round keys in LUT-RAM, and no LUT-RAM besides.
    assert found.lut_ram == 2 * 22 * 4, found
    # 16 S-boxes of 48 LUTs and 4 of 32 cannot be fewer: less would mean that logic was lost.
    assert 16 * 48 + 4 * 32 < found.lut <= ITERATIVE_LIMIT, found


@pytest.mark.synthesis
@pytest.mark.parametrize("key_storage", [0, 1])
def test_serial_is_the_smallest(key_storage: int) -> None:
    found = area(Architecture=SERIAL, KeyStorage=key_storage)
    assert found.block_ram == 0
    assert 4 * 48 < found.lut < area(Architecture=ITERATIVE).lut / 2, found
