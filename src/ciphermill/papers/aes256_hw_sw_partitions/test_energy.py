# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The power of the AES-256 paper's designs, from made-up figures."""

import pytest
from support.reports import invented_system

from ciphermill.design import Partition, Run, SoftCore, System, Workload, make_run
from ciphermill.evaluate.chip.activity.simulation import SimulationError
from ciphermill.evaluate.chip.system_energy import SystemEnergy
from ciphermill.papers.aes256_hw_sw_partitions import experiment_energy as partitions_energy
from ciphermill.papers.aes256_hw_sw_partitions.energy import (
    energy_conclusions,
    energy_sections,
    published_nj_per_byte,
)
from ciphermill.papers.aes256_hw_sw_partitions.experiment_energy import (
    PartitionsEnergy,
    run_partitions_energy,
)
from ciphermill.papers.aes256_hw_sw_partitions.published import load as load_partitions_paper
from ciphermill.toolchain.cells import CellTarget
from ciphermill.toolchain.errors import ClockMissed, ToolError

PAPER = load_partitions_paper()
CYCLES = {
    Partition.SOFTWARE: 24_000,
    Partition.UNROLLED: 240,
    Partition.ITERATIVE: 240,
    Partition.ROUND: 4_000,
    Partition.LINEAR_LAYER: 8_000,
}
LIKE_THE_PAPERS = {
    Partition.SOFTWARE: 0.0,
    Partition.UNROLLED: 12.0,
    Partition.ITERATIVE: 1.0,
    Partition.ROUND: 0.1,
    Partition.LINEAR_LAYER: 0.1,
}
"""Power of the accelerators in mW with which all conclusions hold."""


def system(name: Partition, accelerator_mw: float) -> SystemEnergy:
    one = make_run({"partition": name, "bytes": 64}, "test")
    return invented_system(one, CYCLES[name], accelerator_mw)


def invented(**changes: float) -> PartitionsEnergy:
    powers = LIKE_THE_PAPERS | {Partition(name): power for name, power in changes.items()}
    systems = {name: system(name, power) for name, power in powers.items()}
    return PartitionsEnergy(SoftCore.VEXRISCV, CellTarget.NANGATE45, systems, {}, ())


@pytest.mark.parametrize(
    ("changes", "verdicts"),
    [
        ({}, [True, True, True]),
        # A round that takes more than all rounds.
        ({"round": 20.0}, [False, False, True]),
        # The linear layer takes a little less than a round: the order is kept.
        ({"round": 0.5}, [True, False, True]),
        ({"iterative": 4.0}, [True, True, False]),
    ],
)
def test_verdicts_follow_from_the_figures(changes: dict[str, float], verdicts: list[bool]) -> None:
    found = list(energy_conclusions(PAPER, invented(**changes)))
    assert [one.holds for one in found] == verdicts
    assert [len(one.evidence) for one in found] == [5, 2, 4]
    assert all(one.rule for one in found)


def test_ours_stand_beside_theirs() -> None:
    (section,) = energy_sections(PAPER, invented())
    rows = {row[0]: dict(zip(section.columns, row, strict=True)) for row in section.rows}
    # 5 mW for 4.8 us, 64 bytes.
    assert rows["iterative"]["mW"] == "5.00"
    assert rows["iterative"]["nJ/byte"] == "0.375"
    assert rows["iterative"]["published W"] == "0.395"
    assert rows["software"]["static mW"] == "3.00"


def test_what_the_coprocessors_take_is_told() -> None:
    same = list(energy_conclusions(PAPER, invented(round=1.0)))[1]
    # 1 of 5 mW, and 0.1 of 4.1.
    assert "coprocessor takes 20% and 2%" in same.reason


def test_the_papers_energy_is_power_times_time() -> None:
    # 0.395 W, 50,500 cycles at 100 MHz, 1,600 bytes.
    energy = published_nj_per_byte(PAPER, Partition.ITERATIVE)
    assert energy == pytest.approx(0.395 * 505e-6 / 1600 * 1e9)


def test_without_a_library_nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_found() -> CellTarget:
        raise ToolError("no cell library nangate45: get it")

    monkeypatch.setattr(partitions_energy, "first_library", none_found)
    energy = run_partitions_energy(PAPER, SoftCore.VEXRISCV)
    assert list(energy_sections(PAPER, energy)) == []
    found = list(energy_conclusions(PAPER, energy))
    assert [one.holds for one in found] == [None] * 3
    assert "get it" in found[0].figures
    assert [one.holds for one in energy_conclusions(PAPER, None)] == [None] * 3


def test_a_design_that_misses_the_clock_is_said_and_the_others_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def one_energy(run_system: System, workload: Workload, *_: object, **__: object) -> object:
        if run_system.partition is Partition.UNROLLED:
            raise ClockMissed("aes_unrolled in osu018 reaches 12 MHz, not 50")
        return invented_system(Run(run_system, workload), 1000, 1.0)

    monkeypatch.setattr(partitions_energy, "system_energy", one_energy)
    energy = run_partitions_energy(PAPER, SoftCore.PICORV32, target=CellTarget.OSU018)
    order, same, little = energy_conclusions(PAPER, energy)
    assert order.holds is None
    assert "12 MHz, not 50" in order.figures
    assert (same.holds, little.holds) == (True, True)
    (section,) = energy_sections(PAPER, energy)
    (row,) = (row for row in section.rows if row[0] == "unrolled")
    assert row[1:6] == ("-",) * 5
    assert row[6] == "1.275"
    assert "unrolled was not taken: aes_unrolled in osu018 reaches" in section.notes[-1]
    assert len([one for one in energy.measurements if one.scope is None]) == 4


def test_cells_that_do_something_else_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def differs(*_: object, **__: object) -> SystemEnergy:
        raise SimulationError("front: in clock 7 response_o is 0x1, and was 0x0 in the system")

    monkeypatch.setattr(partitions_energy, "system_energy", differs)
    with pytest.raises(SimulationError, match="in clock 7"):
        run_partitions_energy(PAPER, SoftCore.PICORV32, target=CellTarget.NANGATE45)


def test_every_design_is_run_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Run] = []

    def one_energy(run_system: object, workload: object, *_: object, **__: object) -> SystemEnergy:
        run = Run(run_system, workload)  # type: ignore[arg-type]
        seen.append(run)
        return invented_system(run, 1000, 1.0)

    monkeypatch.setattr(partitions_energy, "system_energy", one_energy)
    energy = run_partitions_energy(PAPER, SoftCore.IBEX, target=CellTarget.NANGATE45)
    assert [one.system.partition for one in seen] == [one.name for one in PAPER.partition]
    assert energy.soft_core is SoftCore.PICORV32
    assert {one.system.soft_core for one in seen} == {SoftCore.PICORV32}
    whole = [one for one in energy.measurements if one.scope is None]
    assert [one.partition for one in whole] == [one.name for one in PAPER.partition]
