# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area of the iterative and the serial AES core on Xilinx 7-series."""

from __future__ import annotations

import pytest
from ciphermill_dv.simulate import rtl_sources

from ciphermill.toolchain.yosys import AreaXc7, synthesise_xc7

ITERATIVE_MOST_LUTS = 3_000
"""Both directions, three key sizes, RAM in LUTs counted; secworks/aes has 3,969."""


def area(architecture: int, sbox: int) -> AreaXc7:
    return synthesise_xc7(
        rtl_sources("aes"), "aes_core", {"Architecture": architecture, "SBox": sbox}
    )


@pytest.mark.synthesis
def test_iterative_core_keeps_to_its_area_and_the_serial_one_is_smaller() -> None:
    iterative = area(0, 0)
    assert iterative.block_ram == 0
    # The S-boxes alone are 20 tables of 32 LUTs: fewer would mean that logic was lost.
    assert 640 < iterative.lut <= ITERATIVE_MOST_LUTS, iterative
    # Round keys of two banks, and the copy for first keys.
    assert iterative.lut_ram > 0
    serial = area(2, 1)
    assert serial.block_ram == 0
    assert 200 < serial.lut < iterative.lut, serial
