# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area: LUTs on Xilinx 7-series, and gate equivalents where there is a cell library."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from ciphermill_dv.simulate import rtl_sources

from ciphermill.toolchain.yosys import synthesise_xc7

sys.path.insert(0, str(Path(__file__).parent))
from gate_equivalents import find_library, gate_equivalents

MINIMAL_LIMIT = 1_680
"""Gate equivalents at Nangate 45 nm; the paper's 1,570 are of a 180 nm library."""
MINIMAL_FLOOR = 1_100
"""Its 149 flip-flops and 69 XORs with the key cannot be fewer: below, logic was lost."""


@pytest.mark.synthesis
def test_the_smallest_iterative_core() -> None:
    library = find_library()
    if library is None:
        pytest.skip("no Nangate 45 nm library (CIPHERMILL_PDK_PATH)")
    found = gate_equivalents(library, "present_minimal", rtl_sources("present"))
    assert MINIMAL_FLOOR < found <= MINIMAL_LIMIT


@pytest.mark.synthesis
def test_luts_of_the_iterative_core() -> None:
    found = synthesise_xc7(rtl_sources("present"), "present_core", {"Directions": 1, "KeySizes": 1})
    assert 200 < found.lut <= 260, found
    assert found.block_ram == 0 and found.lut_ram == 0, found
