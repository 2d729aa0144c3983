# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The page of all papers has each printed figure once, with a verdict that it deserves."""

import doctest
import importlib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from ciphermill.campaign.store import Store
from ciphermill.design import Measurement, Method
from ciphermill.design.streaming_platform import Input
from ciphermill.papers import PAPERS
from ciphermill.papers import compared as compared_module
from ciphermill.papers import overview as overview_module
from ciphermill.papers import page as page_module
from ciphermill.papers.compared import (
    Better,
    Compared,
    Figure,
    LeftOuts,
    Ours,
    PrintedTable,
    Standing,
    compared,
    printed_input,
)
from ciphermill.papers.entry import Entry
from ciphermill.papers.overview import overview, overview_page
from ciphermill.papers.published import place_of, printed_figure, printed_numbers, printed_way

PAPER = "aes-fpga-vs-gpu"
TOTAL = "fpga.total_throughput_mbit_s"
"""1,036 Mbit/s."""


def entry_of(paper: str) -> Entry:
    found: Entry = importlib.import_module(PAPERS[paper]).ENTRY
    return found


def test_examples() -> None:
    for module in (compared_module, overview_module, page_module):
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("paper", PAPERS)
def test_every_printed_number_is_in_exactly_one_row(paper: str) -> None:
    numbers = printed_numbers(paper)
    rows = compared(paper, entry_of(paper).comparison.tables(), [], 0.1, "")
    ways = [printed_way(paper, row.figure) for row in rows]
    seen = Counter(way for at in ways for way in numbers if way[: len(at)] == at)
    assert {place_of(paper, way) for way in numbers if way not in seen} == set()
    assert {place_of(paper, way) for way, times in seen.items() if times > 1} == set()


@pytest.mark.parametrize("paper", PAPERS)
def test_a_row_of_two_numbers_is_a_range(paper: str) -> None:
    for row in compared(paper, entry_of(paper).comparison.tables(), [], 0.1, ""):
        assert len(row.printed) == 1 or row.printed[0] < row.printed[1], row.figure
        assert len(row.printed) <= 2


@pytest.mark.parametrize("paper", PAPERS)
def test_each_number_has_a_place_of_its_own(paper: str) -> None:
    for way in printed_numbers(paper):
        assert printed_way(paper, place_of(paper, way)) == way


def test_a_place_of_one_table_of_an_array_means_no_other() -> None:
    assert printed_way(PAPER, "with_transfers.Nvidia GT 520") == ("with_transfers", 1)
    assert printed_figure(f"{PAPER}#with_transfers.Nvidia GT 520")["mbit_s"] == 520
    left_out = dict(LeftOuts.of(PAPER).reasons(PAPER))
    assert ("with_transfers", 1) in left_out
    assert ("with_transfers",) not in left_out


@pytest.mark.parametrize("paper", PAPERS)
def test_each_reason_is_needed(paper: str) -> None:
    rows = list(compared(paper, entry_of(paper).comparison.tables(), [], 0.1, ""))
    given = {row.why for row in rows}
    assert {one.why for one in LeftOuts.of(paper).left_out} <= given


def row_of(ours: Ours | None, better: Better = Better.MORE, place: str = TOTAL) -> Compared:
    """The row of a printed figure with this figure of ours."""
    figure: Figure[None] = Figure(place, "rate", "Mbit/s", better, lambda _: ours)
    rows = compared(PAPER, [PrintedTable("t", (figure,))], [(7, None)], 0.1, "run it")
    return next(row for row in rows if row.table)


MINE = Ours(1036, Method.SIMULATED, "ours")


@pytest.mark.parametrize(
    ("value", "better", "expected", "factor"),
    [
        (1036, Better.MORE, Standing.REPRODUCED, None),
        (1139, Better.MORE, Standing.REPRODUCED, None),
        (1141, Better.MORE, Standing.BEATEN, 1141 / 1036),
        (1141, Better.LESS, Standing.MISSED, 1141 / 1036),
        (518, Better.MORE, Standing.MISSED, 2),
        (518, Better.LESS, Standing.BEATEN, 2),
        (518, Better.NEITHER, Standing.MISSED, 2),
    ],
)
def test_the_verdict_follows_from_tolerance_and_direction(
    value: float, better: Better, expected: Standing, factor: float | None
) -> None:
    row = row_of(replace(MINE, value=value), better)
    assert (row.standing, row.run) == (expected, 7)
    assert row.factor == pytest.approx(factor)


@pytest.mark.parametrize(
    ("inputs", "same"),
    [
        ((printed_input(PAPER, TOTAL),), ()),
        ((printed_input(PAPER, "fpga"),), ()),  # a table around it
        ((printed_input(PAPER, "without_transfers.FPGA.mbit_s"),), ("without_transfers.FPGA",)),
        ((Input("a", "rate", "fitted"), Input("a", "time", "fitted")), ()),
    ],
)
@pytest.mark.parametrize("value", [1036, 5000])
def test_a_figure_made_from_the_printed_one_is_neither_reproduced_nor_beaten(
    inputs: tuple[Input, ...], same: tuple[str, ...], value: float
) -> None:
    alike = tuple(f"{PAPER}#{one}" for one in same)
    row = row_of(replace(MINE, value=value, inputs=inputs, same=alike))
    assert row.standing is Standing.FOLLOWS
    assert row.factor is None


def test_arithmetic_on_printed_figures_proves_nothing() -> None:
    row = row_of(replace(MINE, inputs=(printed_input(PAPER, "chunk_mb"),), arithmetic=True))
    assert row.standing is Standing.FOLLOWS


def test_other_inputs_leave_a_figure_its_verdict() -> None:
    inputs = printed_input(PAPER, "fpga.cycles_per_block"), Input("a", "time", "fitted")
    assert row_of(replace(MINE, inputs=inputs)).standing is Standing.REPRODUCED


def test_a_figure_that_is_left_out_gets_no_verdict_whatever_ours_is() -> None:
    mine = replace(MINE, unit="slices of another kind")
    row = row_of(mine, place="fpga.core_slices")
    assert row.standing is Standing.NOT_COMPARABLE
    assert row.why.startswith("A slice of a Virtex-E")
    assert (row.ours, row.ratio) == (mine, None)


def test_a_figure_of_another_unit_needs_a_reason() -> None:
    with pytest.raises(ValueError, match="say why"):
        row_of(replace(MINE, unit="slices"))


def board(rate_mb_s: float, **fields: object) -> Measurement:
    """A message on the paper's FPGA."""
    return Measurement.model_validate(
        {
            "design": "aes-fpga-paper",
            "platform": "celoxica-rc1000",
            "bytes": 1 << 23,
            "clock_mhz": 70,
            "clock_memory_mhz": 33,
            "throughput_mb_s": rate_mb_s,
            "method": "simulated",
            **fields,
        }
    )


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Two runs of the paper, the second with another clock, and one with a wrong output."""
    path = tmp_path / "s.sqlite"
    with Store(path) as opened:
        command = f"ciphermill paper {PAPER}"
        opened.add_run([board(130)], command=command)
        opened.add_run([board(200, clock_mhz=140)], command=f"{command} --core-mhz 140")
        opened.add_run([board(900, correct=False)], command=command)
        opened.add_run([board(500)], command="ciphermill weigh")
    return path


def total(path: Path) -> Compared:
    with Store(path) as opened:
        papers = overview(opened).papers
    return next(row for one in papers for row in one.rows if row.figure == TOTAL)


def test_ours_is_of_the_newest_run_of_the_paper_that_is_right_and_has_it(store: Path) -> None:
    row = total(store)
    assert row.ours is not None
    assert (row.run, row.ours.value, row.standing) == (1, 1040, Standing.REPRODUCED)
    with Store(store) as opened:
        opened.add_run([board(65)], command=f"ciphermill paper {PAPER} --no-area")
    row = total(store)
    assert (row.run, row.standing) == (5, Standing.MISSED)
    assert row.factor == pytest.approx(1036 / 520)


def test_the_page_has_every_figure_as_a_row(store: Path) -> None:
    with Store(store) as opened:
        found = overview(opened)
    rows = sum(one.count for one in found.papers)
    assert overview_page(found).count('<tr class="row" id=') == rows == len(found.to_json())


def test_json_has_the_same_keys_for_every_figure(store: Path) -> None:
    with Store(store) as opened:
        told = overview(opened).to_json()
    assert len({one["figure"] for one in told}) == len(told)
    assert {tuple(one) for one in told} == {tuple(told[0])}
    (mine,) = (one for one in told if one["figure"] == f"{PAPER}#{TOTAL}")
    assert (mine["published"], mine["ours"], mine["verdict"]) == (1036, 1040, "reproduced")
    assert mine["inputs"] == [f"published:{PAPER}#fpga.cycles_per_block"]


def test_without_measurements_each_row_says_what_to_run() -> None:
    found = overview(None)
    for one in found.papers:
        for row in one.with_(Standing.NOT_RUN):
            assert row.why.startswith(f"ciphermill paper {one.paper.name}")
    assert found.count(Standing.REPRODUCED) == found.count(Standing.BEATEN) == 0
    assert f"ciphermill paper {PAPER}" in overview_page(found)
