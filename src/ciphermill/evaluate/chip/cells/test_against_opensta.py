# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Timing and power of mapped netlists beside OpenSTA's, where it and the cells are here."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.netlists import uniform_activity
from support.opensta import StaPower, internal_mw, sta_power, sta_timing

from ciphermill.design import find_home
from ciphermill.design.measurement import PathStep
from ciphermill.evaluate.chip.cells.netlist import Netlist, read_netlist
from ciphermill.evaluate.chip.cells.power import Energy, Kind, estimate_power
from ciphermill.evaluate.chip.cells.timing import Timing, analyse_timing
from ciphermill.evaluate.chip.cells.verilog import port_bits, to_verilog
from ciphermill.toolchain.cell_synthesis import synthesise_cells
from ciphermill.toolchain.cells import CELLS, CellTarget, find_library, liberty_file
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.liberty import read_library
from ciphermill.toolchain.rtl import RtlSource, folder_sources

CLOCK = "clk_i"
PERIOD_PS = 10_000.0
TOGGLES = 0.1

pytestmark = pytest.mark.synthesis


@dataclass(frozen=True)
class Case:
    """A netlist, its timing here, and where OpenSTA finds it."""

    netlist: Netlist
    timing: Timing
    liberty: Path
    verilog: Path
    clock: str
    wire_ff: float
    gated: bool


@pytest.fixture(
    scope="module", params=[(target, gated) for target in CellTarget for gated in (False, True)]
)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    target, gated = request.param
    if shutil.which("sta") is None:
        pytest.skip("OpenSTA is missing: apt install opensta")
    try:
        find_library(target)
    except ToolError as error:
        pytest.skip(str(error))
    if gated and target is CellTarget.OSU018:
        pytest.skip("the library has no clock gates")
    liberty = liberty_file(target)
    mapped = synthesise_cells(
        RtlSource(
            "present_core",
            folder_sources([find_home() / "hw" / "present" / "rtl"]),
            {"Architecture": 0, "Directions": 1, "KeySizes": 1},
        ),
        liberty,
        clock_mhz=100,
        clock_gates=gated,
    )
    wire_ff = CELLS[target].wire_ff_per_fanout
    netlist = read_netlist(mapped.json, read_library(liberty))
    verilog = tmp_path_factory.mktemp("opensta") / "top.v"
    verilog.write_text(to_verilog(netlist), encoding="utf-8")
    timing = analyse_timing(netlist, CLOCK, wire_ff_per_fanout=wire_ff)
    return Case(netlist, timing, liberty, verilog, port_bits(netlist)[CLOCK, 0], wire_ff, gated)


def test_the_longest_path_is_the_same(case: Case) -> None:
    theirs = sta_timing(
        case.liberty, case.verilog, "top", case.clock, wire_ff_per_fanout=case.wire_ff
    )
    assert case.timing.clock_period_ps == pytest.approx(theirs.clock_period_ps, rel=0.005)
    indices = {instance.name: k for k, instance in enumerate(case.netlist.instances)}

    def their_pin(step: PathStep) -> str:
        instance, _, pin = step.pin.rpartition("/")
        return f"u{indices[instance]}/{pin}" if step.cell else step.pin

    ours = {their_pin(step): step.arrival_ps for step in case.timing.longest_path if step.cell}
    for step in theirs.path:
        if step.pin in ours:
            assert ours[step.pin] == pytest.approx(step.arrival_ps, rel=0.005)
    end = case.timing.longest_path[-1]
    if end.cell and theirs.path[-1].pin == their_pin(end):
        assert case.timing.setup_ps == pytest.approx(theirs.setup_ps, rel=0.01, abs=0.1)
    # Paths of equal length, such as two bits' of a register, may part.
    assert len(ours.keys() & {step.pin for step in theirs.path}) >= len(ours) // 2


@pytest.fixture(scope="module")
def theirs(case: Case) -> dict[str, StaPower]:
    return dict(
        sta_power(
            case.liberty,
            case.verilog,
            "top",
            case.clock,
            wire_ff_per_fanout=case.wire_ff,
            period_ps=PERIOD_PS,
            toggles_per_cycle=TOGGLES,
            by_instance=True,
        )
    )


def total(powers: dict[str, StaPower], part: str) -> float:
    return float(sum(getattr(power, part) for power in powers.values()))


def test_switching_and_leakage_are_within_five_per_cent(
    case: Case, theirs: dict[str, StaPower]
) -> None:
    activity = uniform_activity(
        case.netlist, case.timing, period_ps=PERIOD_PS, toggles_per_cycle=TOGGLES
    )
    power = estimate_power(case.netlist, case.timing, activity)
    cells = sum(power.instances, Energy())
    assert len(theirs) == len(power.instances)
    assert power.milliwatts(cells.switching_fj) == pytest.approx(
        total(theirs, "switching_mw"), rel=0.05
    )
    assert power.milliwatts(cells.leakage_fj) == pytest.approx(
        total(theirs, "leakage_mw"), rel=0.05
    )
    assert power.by_kind[Kind.SEQUENTIAL].total_fj > 0


def test_internal_power_by_their_rules_is_within_five_per_cent(
    case: Case, theirs: dict[str, StaPower]
) -> None:
    ours = internal_mw(case.netlist, case.timing, period_ps=PERIOD_PS, toggles_per_cycle=TOGGLES)
    # Behind a clock gate they take the slew of a gate that drives all its flip-flops
    # by itself, where we take the clock to be ideal, as a clock tree makes it.
    gated = {net for net in case.timing.clock.nets if case.netlist.drivers[net] is not None}
    same = [
        (value, theirs[f"u{index}"].internal_mw)
        for index, (instance, value) in enumerate(zip(case.netlist.instances, ours, strict=True))
        if index in case.timing.clock.instances or not gated & set(instance.pins.values())
    ]
    assert len(same) > len(ours) // 2
    assert sum(a for a, _ in same) == pytest.approx(sum(b for _, b in same), rel=0.05)
    largest = max(b for _, b in same)
    for value, their in same:
        assert value == pytest.approx(their, rel=0.05, abs=0.02 * largest)


def test_a_gated_netlist_has_clock_gates(case: Case) -> None:
    assert bool(case.timing.clock.instances) == case.gated
