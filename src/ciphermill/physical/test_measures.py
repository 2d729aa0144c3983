# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The papers' measures, against their own figures and by hand."""

import pytest

from ciphermill.design import Measurement, Module
from ciphermill.toolchain.nextpnr import Family, Routed
from ciphermill.toolchain.yosys import AreaXc7

from .measures import of_routed, of_xc7, relative_energy, slices_xc7, with_merit
from .toggles import ToggleCount

AES = Module(
    name="aes",
    cipher="aes",
    key_sizes=(128, 256),
    directions=("encrypt",),
    block_bits=128,
    cycles_per_block=14,
    top="aes_core",
    folders=("aes",),
)


def _area(**counts: int) -> AreaXc7:
    names = ("lut", "lut_ram", "ff", "muxf7", "muxf8", "carry4", "dsp", "block_ram")
    return AreaXc7(**{name: counts.get(name, 0) for name in names})


@pytest.mark.parametrize(
    ("area", "slices"),
    [
        (_area(lut=401), 101),  # four LUTs a slice
        (_area(lut=8, ff=81), 11),  # eight flip-flops
        (_area(lut=8, muxf7=7), 4),
        (_area(lut=8, muxf8=5), 5),
        (_area(lut=8, carry4=6), 6),
        (_area(), 0),
    ],
)
def test_least_number_of_slices(area: AreaXc7, slices: int) -> None:
    assert slices_xc7(area) == slices


def test_xc7_has_no_clock_and_so_no_throughput() -> None:
    seen = of_xc7(AES, _area(lut=2000, ff=500, muxf7=300), None)
    assert (seen.key_bits, seen.direction, seen.target) == (256, "encrypt", "xc7")
    assert seen.merit_clocks_x_lut == 14 * 2000
    assert seen.merit_mb_s_per_mhz == pytest.approx(16 / 14)
    assert seen.clock_mhz is seen.throughput_mb_s is seen.merit_mb_s_per_lut is None


def test_throughput_is_that_of_blocks_back_to_back() -> None:
    seen = of_routed(AES, Family.ECP5, Routed(1000, 600, 0, 0, 70.0, 300, 500), None)
    assert seen.throughput_mb_s == pytest.approx(70e6 / 14 * 16 / 1e6)
    assert seen.merit_mb_s_per_lut == pytest.approx(70e6 / 14 * 16 / 1e6 / 1000)


def test_figure_of_merit_of_the_crypto_suite_paper() -> None:
    """Its table V from its table IV: 1,339.53 Mbit/s at 0.00656 mJ a Mbit give 204,119.6."""
    cycles = 128 * 300 / 1339.53
    seen = with_merit(
        Measurement(
            clock_mhz=300, cycles_per_block=cycles, energy_pj_per_bit=6.56, method="simulated"
        ),
        AES,
    )
    assert seen.merit_throughput_over_energy == pytest.approx(204_119.6, rel=1e-3)


def test_relative_energy_knows_size_and_activity() -> None:
    own = ToggleCount(
        toggles=1000, clocks=10, blocks=1, block_bytes=10, nets=50, by_scope={"top": 1000}
    )
    twice = ToggleCount(
        toggles=2000, clocks=10, blocks=1, block_bytes=10, nets=50, by_scope={"top": 2000}
    )
    small, large = (Routed(lut, lut, 0, 0, 100.0, 0, 0) for lut in (100, 300))
    assert relative_energy(small, own, small, own) == 1
    assert relative_energy(small, twice, small, own) == pytest.approx(2)
    assert relative_energy(large, own, small, own) == pytest.approx(3)
    assert relative_energy(small, own, large, twice) == pytest.approx(1 / 6)
