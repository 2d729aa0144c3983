# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area of the cores on Xilinx 7-series, and of the smallest in gate equivalents."""

from __future__ import annotations

import pytest
from ciphermill_dv.simulate import rtl_sources

from ciphermill.toolchain.cell_synthesis import Strategy, synthesise_cells
from ciphermill.toolchain.cells import CellTarget, liberty_file
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.rtl import RtlSource
from ciphermill.toolchain.yosys import AreaXc7, synthesise_xc7

pytestmark = pytest.mark.synthesis

ITERATIVE, SERIAL = 0, 2
ITERATIVE_LIMIT = 3_000
"""LUTs; the secworks core, synthesised the same way, takes 3,969 (and 73 cycles a block)."""


def area(**parameters: int) -> AreaXc7:
    return synthesise_xc7(RtlSource("aes_core", rtl_sources("aes"), parameters))


def test_iterative_is_within_its_limit() -> None:
    found = area(Architecture=ITERATIVE)
    assert found.block_ram == 0
    # Both memories of 32 round keys in LUT-RAM, and no LUT-RAM besides.
    assert found.lut_ram == 2 * 22 * 4, found
    # 16 S-boxes of 48 LUTs and 4 of 32 are the minimum: fewer would mean that logic was lost.
    assert 16 * 48 + 4 * 32 < found.lut <= ITERATIVE_LIMIT, found


@pytest.mark.parametrize("key_storage", [0, 1])
def test_serial_is_the_smallest(key_storage: int) -> None:
    found = area(Architecture=SERIAL, KeyStorage=key_storage)
    assert found.block_ram == 0
    assert 4 * 48 < found.lut < area(Architecture=ITERATIVE).lut / 2, found


def test_a_module_apart_is_added_as_often_as_it_is_there() -> None:
    """The table of the S-box stays apart in any case: four times, with the same cells."""
    source = RtlSource("aes_sbox_steered", rtl_sources("aes"), {"Bytes": 4})
    whole = synthesise_xc7(source)
    assert whole.lut > 4 * 32
    assert synthesise_xc7(source, apart=["aes_field_inverse_table"]) == whole
    with pytest.raises(ToolError, match="aes_sbox_steered contains none of aes_core, ghash: "):
        synthesise_xc7(source, apart=["ghash", "aes_core"])


def test_apart_only_what_crosses_the_ports_changes() -> None:
    source = RtlSource("aes_core", rtl_sources("aes"), {"Architecture": SERIAL})
    whole, apart = synthesise_xc7(source), synthesise_xc7(source, apart=["aes_serial_keys"])
    assert abs(apart.lut - whole.lut) < 0.1 * whole.lut, (apart, whole)
    assert 0 <= apart.ff - whole.ff < 16, (apart, whole)
    assert apart.lut_ram == whole.lut_ram


REFERENCE_LUTS = 12_164
"""tiny_aes 128, encryption only, yosys 0.70 ``synth_xilinx -family xc7 -flatten``."""


def test_smaller_than_the_reference_that_only_encrypts_with_128_bits() -> None:
    area = synthesise_xc7(
        RtlSource("aes_pipelined", rtl_sources("aes"), {"Directions": 1, "KeySizes": 1})
    )
    assert area.block_ram == area.lut_ram == 0
    # 200 S-boxes of 32 LUTs are the least: fewer would mean that logic was lost.
    assert 6_400 < area.lut < 0.9 * REFERENCE_LUTS, area


@pytest.mark.parametrize(("block_ram", "expected"), [(0, 0), (1, 2)])
def test_block_ram_is_used_only_where_it_was_asked_for(block_ram: int, expected: int) -> None:
    """Four S-boxes with a register behind them, and block RAM at yosys' disposal."""
    parameters = {"Bytes": 4, "Registered": 1, "BlockRam": block_ram}
    area = synthesise_xc7(
        RtlSource("aes_pipelined_substitute", rtl_sources("aes"), parameters, block_ram=True)
    )
    assert area.block_ram == expected
    assert area.lut_ram == 0


GHASH_DIGIT = 4
GHASH_LIMIT = 600
"""LUTs; hw/ghash/README.md says 551."""


def test_a_digit_of_four_bits_is_small() -> None:
    found = synthesise_xc7(RtlSource("ghash", rtl_sources("ghash"), {"Digit": GHASH_DIGIT}))
    # Four products of two bits for each of 128 sums, and as many additions of a block, cannot
    # take fewer: less would mean that logic was lost.
    assert 3 * 128 < found.lut <= GHASH_LIMIT, found
    # Key, product, factor and hash, and the control.
    assert 4 * 128 <= found.ff <= 4 * 128 + 16, found
    assert found.block_ram == 0 and found.lut_ram == 0, found


MINIMAL_LIMITS = {CellTarget.OSU018: 1_420, CellTarget.NANGATE45: 1_680}
"""Gate equivalents of the smallest core; the paper has 1,570 at 180 nm."""
CLOCK_MHZ = 100.0
FLIP_FLOPS = 149
XORS = 69
"""Flip-flops, the key's included. Fewer, or less area than the paper's, would mean lost logic."""


@pytest.mark.parametrize("target", MINIMAL_LIMITS)
def test_the_smallest_iterative_core(target: CellTarget) -> None:
    try:
        library = liberty_file(target)
    except ToolError as error:
        pytest.skip(str(error))
    found = synthesise_cells(
        RtlSource("present_minimal", rtl_sources("present"), {}),
        library,
        clock_mhz=CLOCK_MHZ,
        strategy=Strategy.AREA,
    )
    assert sum(count for cell, count in found.cells.items() if "DFF" in cell) == FLIP_FLOPS
    floor = found.gate_equivalents * found.sequential_um2 / found.area_um2 + 1.5 * XORS
    assert floor < found.gate_equivalents <= MINIMAL_LIMITS[target]


def test_luts_of_the_iterative_core() -> None:
    found = synthesise_xc7(
        RtlSource("present_core", rtl_sources("present"), {"Directions": 1, "KeySizes": 1})
    )
    assert 200 < found.lut <= 260, found
    assert found.block_ram == 0 and found.lut_ram == 0, found


def test_luts_of_the_iterative_ascon_core() -> None:
    found = synthesise_xc7(RtlSource("ascon_core", rtl_sources("prim", "ascon"), {}))
    # A round is five sums and five products of two words, and the rest takes more.
    assert 5 * 64 * 4 < found.lut <= 2_200, found
    # State, key and output register, and the control.
    assert 320 + 128 + 128 <= found.ff <= 620, found
    assert found.block_ram == 0 and found.lut_ram == 0, found


SHA_256_LIMIT = 2_300
"""LUTs; secworks/sha256, synthesised the same way, takes 2,369."""


def test_sha_256_is_within_its_limit() -> None:
    found = synthesise_xc7(RtlSource("sha2_core", rtl_sources("prim", "sha2"), {"WordSizes": 1}))
    # The words of the schedule, the hash value and the working variables.
    assert found.ff > 16 * 32 + 8 * 32 + 7 * 32
    # A bit of the schedule's new word, of the round's e and a, and of six hash words is a LUT
    # each at the least: fewer would mean that logic was lost.
    assert 32 * 9 < found.lut <= SHA_256_LIMIT, found
    assert found.block_ram == 0 and found.lut_ram == 0, found
