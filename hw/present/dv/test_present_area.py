# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area: LUTs on Xilinx 7-series, and gate equivalents where there is a cell library."""

from __future__ import annotations

import pytest
from ciphermill_dv.simulate import rtl_sources

from ciphermill.toolchain.cell_synthesis import Strategy, synthesise_cells
from ciphermill.toolchain.cells import CellTarget, liberty_file
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.yosys import synthesise_xc7

MINIMAL_LIMITS = {CellTarget.OSU018: 1_420, CellTarget.NANGATE45: 1_680}
"""Gate equivalents of the smallest core; the paper has 1,570 at 180 nm."""
CLOCK_MHZ = 100.0
FLIP_FLOPS = 149
XORS = 69
"""With the key: fewer cannot be, and less area than theirs says that logic was lost."""


@pytest.mark.synthesis
@pytest.mark.parametrize("target", MINIMAL_LIMITS)
def test_the_smallest_iterative_core(target: CellTarget) -> None:
    try:
        library = liberty_file(target)
    except ToolError as error:
        pytest.skip(str(error))
    found = synthesise_cells(
        rtl_sources("present"),
        "present_minimal",
        {},
        library,
        clock_mhz=CLOCK_MHZ,
        strategy=Strategy.AREA,
    )
    assert sum(count for cell, count in found.cells.items() if "DFF" in cell) == FLIP_FLOPS
    floor = found.gate_equivalents * found.sequential_um2 / found.area_um2 + 1.5 * XORS
    assert floor < found.gate_equivalents <= MINIMAL_LIMITS[target]


@pytest.mark.synthesis
def test_luts_of_the_iterative_core() -> None:
    found = synthesise_xc7(rtl_sources("present"), "present_core", {"Directions": 1, "KeySizes": 1})
    assert 200 < found.lut <= 260, found
    assert found.block_ram == 0 and found.lut_ram == 0, found
