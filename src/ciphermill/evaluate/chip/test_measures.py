# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The papers' measures, against their own figures and by hand."""

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
from support.netlists import ten_cells, uniform_activity

from ciphermill.design import Core, Direction, Measurement
from ciphermill.evaluate.chip.cells.power import estimate_power
from ciphermill.evaluate.chip.cells.timing import analyse_timing
from ciphermill.evaluate.chip.energy import CellEnergy, Phase
from ciphermill.evaluate.chip.implement import CellImplementation
from ciphermill.evaluate.chip.measures import (
    of_energy,
    of_routed,
    of_toggles,
    of_xc7,
    relative_energy,
    slices_xc7,
    with_merit,
)
from ciphermill.evaluate.chip.toggles import ToggleCount
from ciphermill.evaluate.chip.workloads import WORKLOADS
from ciphermill.toolchain.cell_synthesis import MappedNetlist, Strategy
from ciphermill.toolchain.cells import CellTarget
from ciphermill.toolchain.nextpnr import Family, Routed
from ciphermill.toolchain.yosys import AreaXc7

AES = Core(
    name="aes",
    algorithm="aes",
    key_sizes=(128, 256),
    directions=("encrypt",),
    block_bits=128,
    cycles_per_block=14,
    top="aes_core",
    folders=("aes",),
)


def _area(**counts: int) -> AreaXc7:
    names = ("lut", "lut_ram", "ff", "muxf7", "muxf8", "carry", "dsp", "block_ram")
    return AreaXc7(**{name: counts.get(name, 0) for name in names})


@pytest.mark.parametrize(
    ("area", "slices"),
    [
        (_area(lut=401), 101),  # four LUTs a slice
        (_area(lut=8, ff=81), 11),  # eight flip-flops
        (_area(lut=8, muxf7=7), 4),
        (_area(lut=8, muxf8=5), 5),
        (_area(lut=8, carry=6), 6),
        (_area(), 0),
    ],
)
def test_least_number_of_slices(area: AreaXc7, slices: int) -> None:
    assert slices_xc7(area) == slices


def test_xc7_has_no_clock_and_so_no_throughput() -> None:
    seen = of_xc7(AES, _area(lut=2000, ff=500, muxf7=300))
    assert (seen.key_bits, seen.operation, seen.target) == (256, "encrypt", "xc7")
    assert seen.merit_cycles_x_lut == 14 * 2000
    assert seen.merit_mb_s_per_mhz == pytest.approx(16 / 14)
    assert seen.clock_mhz is seen.throughput_mb_s is seen.merit_mb_s_per_lut is None
    assert seen.merit_mb_s_per_mhz_per_slice == pytest.approx(16 / 14 / 500)


def test_throughput_is_that_of_blocks_back_to_back() -> None:
    seen = of_routed(AES, Family.ECP5, Routed(1000, 600, 0, 0, 70.0))
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


def _energy(workload: str, key_bits: int) -> CellEnergy:
    """A netlist that takes 20 cycles for each of 50 blocks, at 100 MHz."""
    netlist = ten_cells()
    timing = analyse_timing(netlist, "clk")
    mapped = SimpleNamespace(clock_gates=1, area_um2=netlist.area_um2, gate_equivalents=20.0)
    made = CellImplementation(
        AES,
        CellTarget.NANGATE45,
        cast(MappedNetlist, mapped),
        netlist,
        timing,
        None,
        Strategy.AREA,
        100.0,
    )
    activity = uniform_activity(netlist, timing, period_ps=1e4, toggles_per_cycle=0.5)
    power = estimate_power(netlist, timing, activity)
    run = Phase("run", 1000, 50, power, power)
    spaced = replace(WORKLOADS["stream"], period_cycles={"aes": 774})
    asked = spaced if workload == "spaced" else WORKLOADS[workload]
    return CellEnergy(made, asked, key_bits, Direction.ENCRYPT, 100.0, (run,))


@pytest.mark.parametrize(
    ("workload", "key_bits", "cycles"),
    [
        ("stream", 256, 14),  # what the module says of its largest key
        ("spaced", 256, 14),  # whose blocks lie far apart
        ("stream", 128, 20),  # what the workload took with a smaller key
        ("keys", 128, None),
        ("spaced", 128, None),
    ],
)
def test_throughput_beside_an_energy_is_of_blocks_back_to_back(
    workload: str, key_bits: int, cycles: float | None
) -> None:
    seen = of_energy(_energy(workload, key_bits))
    assert (seen.key_bits, seen.cycles_per_block) == (key_bits, 20), "that of the run"
    assert seen.throughput_mb_s == (pytest.approx(100 * 16 / cycles) if cycles else None)
    assert (seen.merit_throughput_over_energy is None) == (cycles is None)


def test_a_module_that_says_no_cycles_has_those_of_the_stream() -> None:
    energy = _energy("stream", 256)
    silent = AES.model_copy(update={"cycles_per_block": None})
    made = replace(energy.implementation, module=silent)
    assert of_energy(replace(energy, implementation=made)).throughput_mb_s == 100 * 16 / 20


def test_toggles_are_of_the_key_and_direction_that_ran() -> None:
    count = ToggleCount(1000, 100, 10, 16, 128, Direction.DECRYPT, 50)
    seen = of_toggles(AES, "stream", count)
    assert (seen.key_bits, seen.operation, seen.cycles_per_block) == (128, "decrypt", 10)


def test_relative_energy_knows_size_and_activity() -> None:
    own = ToggleCount(1000, 10, 1, 10, 128, Direction.ENCRYPT, 50)
    twice = replace(own, toggles=2000)
    small, large = (Routed(lut, lut, 0, 0, 100.0) for lut in (100, 300))
    assert relative_energy(small, own, small, own) == 1
    assert relative_energy(small, twice, small, own) == pytest.approx(2)
    assert relative_energy(large, own, small, own) == pytest.approx(3)
    assert relative_energy(small, own, large, twice) == pytest.approx(1 / 6)
