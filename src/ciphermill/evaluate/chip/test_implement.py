# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""From a module to cells and energy, on the smallest core and a library that is here."""

from dataclasses import replace
from pathlib import Path

import pytest

from ciphermill.evaluate.chip import recorded
from ciphermill.evaluate.chip.activity.activity import read_saif
from ciphermill.evaluate.chip.energy import measure_energy, quietest
from ciphermill.evaluate.chip.implement import (
    CellImplementation,
    Options,
    fastest_cells,
    implement_cells,
)
from ciphermill.evaluate.chip.measures import of_cells
from ciphermill.evaluate.chip.workloads import WORKLOADS
from ciphermill.toolchain.cell_synthesis import Strategy
from ciphermill.toolchain.cells import CELLS, CellTarget, find_library
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.modules import find_core

pytestmark = pytest.mark.synthesis
TARGETS = tuple(CellTarget)

SLOW = replace(WORKLOADS["keys"], blocks=10, clock_mhz=20.0)


@pytest.fixture(scope="module")
def target() -> CellTarget:
    for target in TARGETS:
        try:
            find_library(target)
        except ToolError:
            continue
        return target
    pytest.skip("no cell library: set CIPHERMILL_PDK_PATH, or apt install qflow-tech-osu018")


@pytest.fixture(scope="module")
def made(target: CellTarget) -> CellImplementation:
    return implement_cells(find_core("present-minimal"), target, 100)


def test_a_slow_clock_is_met_by_the_smallest(made: CellImplementation) -> None:
    assert made.meets_clock
    assert made.strategy is Strategy.AREA


def test_own_analysis_and_opensta_agree(made: CellImplementation) -> None:
    if made.sta_period_ps is None:
        pytest.skip("OpenSTA is not installed: apt install opensta")
    assert made.sta_period_ps == pytest.approx(made.timing.clock_period_ps, rel=0.01)
    assert made.timing_by == "opensta"
    origin = of_cells(made).provenance
    assert origin and origin.tools["opensta"]


def test_search_is_faster_and_larger(made: CellImplementation) -> None:
    found = fastest_cells(made, options=Options(strategy=Strategy.BALANCED))
    assert found.period_ps < 0.97 * made.period_ps
    assert found.result.mapped.area_um2 > made.mapped.area_um2
    assert found.result.period_ps == pytest.approx(found.period_ps, rel=0.01)


def test_clock_that_cannot_be_met_is_said(target: CellTarget) -> None:
    made = implement_cells(
        find_core("present-minimal"), target, 50_000, options=Options(strategy=Strategy.AREA)
    )
    assert not made.meets_clock
    assert 10 < made.clock_mhz < 50_000


def test_energy_with_and_without_glitches(made: CellImplementation, tmp_path: Path) -> None:
    saif = tmp_path / "run.saif"
    energy = measure_energy(made, SLOW, saif=saif)
    assert energy.clock_mhz == pytest.approx(20), "the workload's own clock"
    with_glitches, settled = energy.pj_per_bit(), energy.pj_per_bit(glitches=False)
    assert with_glitches is not None
    assert settled is not None
    assert settled < with_glitches < 5 * settled
    run = energy.phase("run")
    assert run is not None
    assert run.blocks == 10
    assert energy.pj_per_block() == pytest.approx(64 * with_glitches)
    assert run.power.energy_pj == pytest.approx(10 * 64 * with_glitches)
    assert read_saif(saif).duration_ps == pytest.approx(run.power.duration_ps)


def test_a_whole_accelerator_of_what_takes_messages_has_energy_in_cells_of_45_nm() -> None:
    try:
        find_library(CellTarget.NANGATE45)
    except ToolError as error:
        pytest.skip(str(error))
    module = find_core("ascon-iterative-stream")
    made = implement_cells(module, CellTarget.NANGATE45, 300)
    energy = measure_energy(made, WORKLOADS["stream"])
    assert energy.clock_mhz == pytest.approx(300, rel=0.001)
    bit, run = energy.pj_per_bit(), energy.phase("run")
    assert bit is not None
    assert run is not None
    assert run.cycles < 10 * run.blocks, "blocks back to back, a register access apart"
    assert energy.block_bits == 128
    assert 12.1 < 8 * bit < 60, "more a byte than its core alone"


def test_activity_of_a_workload_without_blocks_is_that_of_idling(
    made: CellImplementation, tmp_path: Path
) -> None:
    saif = tmp_path / "idle.saif"
    idle = replace(WORKLOADS["idle"], idle_cycles=50)
    energy = measure_energy(made, idle, saif=saif)
    assert energy.shown is not None
    assert (energy.shown.name, energy.pj_per_bit()) == ("idle", None)
    assert read_saif(saif).duration_ps == pytest.approx(energy.shown.power.duration_ps)
    assert quietest([made], idle) is made


def test_second_run_is_read_from_the_cache(
    made: CellImplementation, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = measure_energy(made, SLOW)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("simulated again")

    monkeypatch.setattr(recorded, "GateSimulation", refuse)
    again = measure_energy(made, SLOW)
    assert again.phases == first.phases
    with pytest.raises(AssertionError, match="simulated again"):
        measure_energy(made, replace(SLOW, seed=123_456))
    facts = replace(CELLS[made.target], wire_ff_per_fanout=9.0)
    monkeypatch.setattr(recorded, "CELLS", {made.target: facts})
    with pytest.raises(AssertionError, match="simulated again"):
        measure_energy(made, SLOW)
