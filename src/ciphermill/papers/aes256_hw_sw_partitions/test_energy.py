# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The power of the AES-256 paper's designs, from made-up figures."""

from types import SimpleNamespace
from typing import cast

import pytest
from support.reports import invented_system

from ciphermill.design import Measurement, Partition, SoftCore, make_run
from ciphermill.papers.aes256_hw_sw_partitions.conclusions import ENERGY
from ciphermill.papers.aes256_hw_sw_partitions.experiment import powered_runs
from ciphermill.papers.aes256_hw_sw_partitions.published import TEXTS
from ciphermill.papers.aes256_hw_sw_partitions.published import load as load_partitions_paper
from ciphermill.papers.aes256_hw_sw_partitions.report import (
    energy_sections,
    published_nj_per_byte,
)
from ciphermill.papers.aes256_hw_sw_partitions.view import PartitionsView
from ciphermill.papers.plan import not_taken
from ciphermill.papers.systems import Powers

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


def view(stored: list[Measurement]) -> PartitionsView:
    """What the functions look at."""
    powers = Powers(stored, lambda seen: Partition(seen.partition or ""))
    return cast(PartitionsView, SimpleNamespace(paper=PAPER, powers=powers))


def invented(**changes: float) -> PartitionsView:
    powers = LIKE_THE_PAPERS | {Partition(name): power for name, power in changes.items()}
    stored: list[Measurement] = []
    for name, accelerator_mw in powers.items():
        one = make_run({"partition": name, "bytes": 64}, "test")
        stored += invented_system(one, CYCLES[name], accelerator_mw).measurements()
    return view(stored)


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
    found = list(ENERGY(invented(**changes), TEXTS))
    assert [one.holds for one in found] == verdicts
    assert [len(one.evidence) for one in found] == [5, 2, 4]
    assert all(one.rule for one in found)


def test_ours_stand_beside_theirs() -> None:
    (section,) = energy_sections(invented())
    rows = {row[0]: dict(zip(section.columns, row, strict=True)) for row in section.rows}
    # 5 mW for 4.8 us, 64 bytes.
    assert rows["iterative"]["mW"] == "5.00"
    assert rows["iterative"]["nJ/byte"] == "0.375"
    assert rows["iterative"]["published W"] == "0.395"
    assert rows["software"]["static mW"] == "3.00"


def test_what_the_coprocessors_take_is_told() -> None:
    same = list(ENERGY(invented(round=1.0), TEXTS))[1]
    # 1 of 5 mW, and 0.1 of 4.1.
    assert "coprocessor takes 20% and 2%" in same.reason


def test_the_papers_energy_is_power_times_time() -> None:
    # 0.395 W, 50,500 cycles at 100 MHz, 1,600 bytes.
    energy = published_nj_per_byte(PAPER, Partition.ITERATIVE)
    assert energy == pytest.approx(0.395 * 505e-6 / 1600 * 1e9)


def test_without_a_library_it_is_said() -> None:
    why = "no cell library nangate45: get it"
    runs = powered_runs(PAPER, SoftCore.VEXRISCV)
    missing = view([not_taken(one.system, None, one.workload, why) for one in runs])
    assert list(energy_sections(missing)) == []
    found = list(ENERGY(missing, TEXTS))
    assert [one.holds for one in found] == [None] * 3
    assert "get it" in found[0].figures
    found = list(ENERGY(view([]), TEXTS))
    assert [one.holds for one in found] == [None] * 3
    assert "--no-energy" in found[0].figures
