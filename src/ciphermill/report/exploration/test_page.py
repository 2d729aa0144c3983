# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Pages, plots and tables of explorations say what the candidates say."""

import csv
import doctest
import importlib
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console
from support.explorations import (
    CYCLES,
    ENERGY,
    LUTS,
    RATE,
    exploration,
    grid,
    many,
    measured,
    unmeasured,
    with_figures,
)

from ciphermill.campaign.exploration import Candidate, Objective, State
from ciphermill.report.exploration import page as page_module
from ciphermill.report.exploration.export import columns_of, write_csv, write_parquet
from ciphermill.report.exploration.page import exploration_page, write_exploration_page
from ciphermill.report.exploration.plot_files import write_plots
from ciphermill.report.exploration.standing import Kind, rank
from ciphermill.report.exploration.table import LOGS_CHARACTERS, summary
from ciphermill.report.exploration.why import knee, neighbours_of, recommended, sentence

EVIL = "</script><img src=x onerror=alert(1)>\"'&\x1b[31m\0\ud800$x^2$"


def well_formed(page: str) -> str:
    """Return a page without its scripts, after a check that it is well-formed."""
    text = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    ElementTree.fromstring(re.sub(r"<!DOCTYPE html>|<meta [^>]*>", "", text))
    return text


def drawn(page: str) -> dict[str, object]:
    found = re.search(r'id="exploration-data">(.*?)</script>', page, re.DOTALL)
    assert found
    told: dict[str, object] = json.loads(found[1])
    return told


def test_examples() -> None:
    for name in ("design_text", "expression", "standing", "text"):
        module = importlib.import_module(f"ciphermill.report.exploration.{name}")
        assert doctest.testmod(module).failed == 0


def test_the_front_is_of_good_candidates_alone() -> None:
    ranking = rank(exploration(candidates=grid()))
    assert [one.candidate.place for one in ranking.front] == [35, 29, 34, 28, 26, 17, 25, 2, 1]
    outside = ranking.of(Kind.OUTSIDE)
    assert [one.reason for one in outside] == ["it breaks area.lut < 4500"] * 4
    assert len(ranking.of(Kind.FAILED, Kind.REFUSED, Kind.DROPPED)) == 10


def test_an_objective_to_be_large_is_better_when_larger() -> None:
    one, other = measured(0, {"a": 1}, 100.0, 50), measured(1, {"a": 2}, 50.0, 50)
    ranking = rank(exploration(RATE, candidates=(one, other)))
    assert [standing.candidate.place for standing in ranking.front] == [1]


def test_last_bits_decide_neither_the_front_nor_the_knee_point() -> None:
    """0.1 + 0.2 is larger than 0.3 by its last bit."""
    cycles = (0.1 + 0.2, 0.3, 0.3)
    found = tuple(measured(n, {"a": n}, one, 50) for n, one in enumerate(cycles))
    ranking = rank(exploration(candidates=found))
    assert [one.candidate.place for one in ranking.front] == [0, 1, 2]
    assert exploration(candidates=found).front() == list(found)
    middle = knee(ranking)
    assert middle
    assert middle.candidate.place == 0
    points = drawn(exploration_page(exploration(candidates=found)))["points"]
    assert isinstance(points, list)
    assert {point[2] for point in points} == {0.3}


def test_each_choice_has_its_cost_against_its_neighbours() -> None:
    ranking = rank(exploration(candidates=grid()))
    (found,) = neighbours_of(ranking, [one for one in ranking.front if one.candidate.place == 26])
    said = [sentence(ranking, one).removeprefix("design.") for one in found]
    assert said == [
        "partition mixcolumns instead of software: refused, not measured: The partition software "
        "has no interface to choose",
        "partition mixcolumns instead of subbytes: cycles.per_block 0.560x, area.lut 1.21x",
        "partition mixcolumns instead of iterative: cycles.per_block 11.7x, area.lut 0.590x",
        "interface custom-instruction instead of axi-lite: cycles.per_block 0.450x, area.lut 1.04x",
        "interface custom-instruction instead of axi4-128: not proposed by the search",
        "soft_core vexriscv instead of ibex: failed: The firmware hung after 1,000,000 cycles",
        "soft_core vexriscv instead of picorv32: cycles.per_block 0.346x, area.lut 1.30x",
    ]


def test_a_choice_of_another_variant_has_the_cost_of_the_nearest() -> None:
    """A stream has no bus to choose: no candidate differs in the partition alone."""
    fields: tuple[dict[str, object], ...] = (
        {"partition": "iterative", "bus": "local"},
        {"partition": "iterative", "bus": "axi"},
        {"partition": "stream", "depth": 4},
        {"partition": "stream", "depth": 2},
    )
    found = [measured(n, own, 100.0 / (n + 1), 50 * (n + 1)) for n, own in enumerate(fields)]
    ranking = rank(replace(exploration(candidates=tuple(found)), total=4))
    (first,) = neighbours_of(ranking, [one for one in ranking.front if one.candidate.place == 0])
    assert [sentence(ranking, one) for one in first] == [
        "partition iterative instead of stream: cycles.per_block 4.00x, area.lut 0.250x; "
        "the nearest; differs in bus and depth too",
        "bus local instead of axi: cycles.per_block 2.00x, area.lut 0.500x",
    ]


def test_a_combination_that_the_space_lacks_was_not_left_out_by_the_search() -> None:
    found = (measured(0, {"a": 1, "b": 1}, 9.0, 9), measured(1, {"a": 2, "b": 2}, 8.0, 10))
    ranking = rank(replace(exploration(candidates=found), total=2))
    (first, _) = neighbours_of(ranking, ranking.front)
    assert {one.note for one in first} == {"not in the space"}


def test_a_reason_names_another_candidate_by_its_place() -> None:
    good = measured(7, {"a": 1}, 1.0, 1)
    lost = unmeasured(measured(9, {"a": 2}, 9.0, 9), State.DROPPED, f"candidate {good.digest} won")
    text = well_formed(exploration_page(exploration(candidates=(good, lost))))
    assert 'candidate <a href="#candidate-7">7</a> won' in text
    assert rank(exploration(candidates=(lost,))).standings[0].reason == lost.reason


def test_the_knee_is_nearest_to_the_best_of_every_objective() -> None:
    corners = ((10.0, 1000), (60.0, 60), (1000.0, 10), (900.0, 30))
    candidates = tuple(measured(n, {"a": n}, *one) for n, one in enumerate(corners))
    ranking = rank(exploration(candidates=candidates))
    best, middle = recommended(ranking), knee(ranking)
    assert best is not None and best.candidate.place == 0
    assert middle is not None and middle.candidate.place == 1


@pytest.mark.parametrize("objectives", [(CYCLES, LUTS), (CYCLES, LUTS, ENERGY)])
def test_a_page_has_every_candidate(objectives: tuple[Objective, ...]) -> None:
    page = exploration_page(exploration(*objectives, candidates=grid()))
    text = well_formed(page)
    for one in grid():
        assert f'id="candidate-{one.place}"' in text
    assert "For the least cycles.per_block within area.lut &lt; 4500, build candidate 35" in text
    assert "%Error: core.sv:12: timeout" in text, "the log"
    assert "cycles.per_block: simulated." in text, "the method"
    assert "0123abcd" in text, "the commit"
    told = drawn(page)
    assert 'partition = "iterative"' in told["details"]["lines"]  # type: ignore[index]
    assert len(told["points"]) == len(grid())  # type: ignore[arg-type]


def test_a_page_of_an_exploration_in_progress_says_so() -> None:
    waiting = unmeasured(measured(1, {"a": 2}, 1.0, 1), State.WAITING)
    begun = exploration(ended=False, candidates=(measured(0, {"a": 1}, 9.0, 9), waiting))
    text = well_formed(exploration_page(begun))
    assert "<strong>So far: </strong>Build candidate 0 (a 1)" in text
    assert "is not finished; 2 of 36 candidates were proposed: 1 on the front, 1 waiting" in text


@pytest.mark.parametrize(
    ("candidates", "words"),
    [
        ((), "No candidate was proposed yet."),
        (tuple(unmeasured(one, State.WAITING) for one in grid()[:3]), "has all of its measurem"),
        (tuple(unmeasured(one, State.FAILED, "No.") for one in grid()[:3]), "Every candidate fail"),
        ((measured(0, {}, 1.0, 9000),), "Every measured candidate breaks a constraint"),
    ],
)
def test_a_page_without_a_good_candidate_says_why(
    candidates: tuple[Candidate, ...], words: str, tmp_path: Path
) -> None:
    assert words in well_formed(exploration_page(exploration(candidates=candidates)))
    ranking = rank(exploration(candidates=candidates))
    write_csv(ranking, tmp_path / "c.csv")
    write_parquet(ranking, tmp_path / "c.parquet")
    assert len(write_plots(ranking, tmp_path, "svg")) == 2


def test_two_thousand_candidates_make_a_page_below_3_mb() -> None:
    candidates = [replace(one, log="x" * 9_000) if one.place < 100 else one for one in many(2_000)]
    page = exploration_page(exploration(CYCLES, LUTS, ENERGY, candidates=tuple(candidates)))
    assert len(page.encode()) < 3_000_000
    assert page.count("x" * 100) <= LOGS_CHARACTERS / 100


def test_hostile_names_and_logs_are_text(tmp_path: Path) -> None:
    one = measured(0, {EVIL: EVIL, "b": 1}, 9.0, 9)
    other = replace(
        unmeasured(measured(1, {EVIL: "x", "b": 1}, 9.0, 9), State.FAILED, EVIL), log=EVIL
    )
    hostile = replace(exploration(candidates=(one, other)), name=EVIL, command=EVIL)
    write_exploration_page(hostile, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<img" not in page
    assert page.count("</script>") == 2
    ranking = rank(hostile)
    write_csv(ranking, tmp_path / "c.csv")
    write_parquet(ranking, tmp_path / "c.parquet")
    assert len(write_plots(ranking, tmp_path, "svg")) == 2


def test_the_policy_admits_the_script_of_the_page_alone() -> None:
    page = exploration_page(exploration(candidates=grid()))
    assert f'content="{page_module.content_policy()}"'.replace("'", "&#39;") in page
    assert f"<script>{page_module.script()}</script>" in page
    assert not re.search(r' (on\w+|src|style)="', page)


def test_a_csv_has_a_row_for_each_candidate(tmp_path: Path) -> None:
    ranking = rank(exploration(Objective("cycles.per_block * area.lut"), candidates=grid()))
    write_csv(ranking, tmp_path / "c.csv")
    with (tmp_path / "c.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["place"]) for row in rows] == [one.place for one in grid()]
    first = rows[0]
    assert first["field:design.partition"] == "software"
    assert float(first["cycles.per_block * area.lut"]) == 4000.0 * 2400
    assert first["cycles.per_block * area.lut:method"] == "simulated, estimated"
    assert (first["area.lut:method"], first["area.lut:commit"]) == ("estimated", "0123abcd")
    assert first["energy.pj_per_bit:method"] == "not stated"
    told = {"run": "7", "seed": "1", "search": "guided", "commit": "0123abcd"}
    assert {name: first[name] for name in told} == told
    assert first["tools"] == "verilator 5.048, yosys 0.70"
    assert first["command"] == "ciphermill explore aes-on-a-soft-core"
    refused = next(row for row in rows if row["state"] == "refused")
    assert (refused["area.lut"], refused["good"]) == ("", "false")
    assert refused["reason"] == "The partition software has no interface to choose."


def test_a_figure_that_is_called_as_a_column_keeps_its_own() -> None:
    one = replace(measured(0, {"a": 1}, 9.0, 9), figures={"seed": 5.0, "place": 6.0})
    columns = columns_of(rank(exploration(Objective("seed"), candidates=(one,))))
    assert (columns["seed"], columns["figure:seed"]) == ([1], [5.0])
    assert (columns["place"], columns["figure:place"]) == ([0], [6.0])


def test_figures_of_a_function_have_the_command_of_the_exploration() -> None:
    one = replace(measured(0, {"a": 1}, 9.0, 9), measurements=())
    columns = columns_of(rank(exploration(candidates=(one,))))
    assert (columns["commit"], columns["command"]) == ([""], [exploration().command])


def test_plots_say_where_they_come_from_and_lead_to_the_page(tmp_path: Path) -> None:
    ranking = rank(exploration(candidates=grid()))
    svg, parallel = write_plots(ranking, tmp_path / "plots", "svg", tmp_path / "a page.html")
    about = "aes-on-a-soft-core: exploration 7, 2 January 2026, 03:04 UTC, commit 0123abcd: "
    for path in (svg, parallel):
        root = ElementTree.parse(path).getroot()
        assert root[0].text == f"{about}ciphermill explore aes-on-a-soft-core"
        links = re.findall(r'xlink:href="([^"]*candidate[^"]*)"', path.read_text())
        assert "../a%20page.html#candidate-35" in links
    png, _ = write_plots(ranking, tmp_path / "plots", "png")
    assert about.encode() in png.read_bytes()
    (alone, _) = write_plots(ranking, tmp_path, "svg")
    assert b"#candidate" not in alone.read_bytes(), "there is no page"


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    "cycles",
    [(1e308, 1.5e308, 2.0), (-1e308, 1e308, 0.0), (1e-320, 1e308, 1.0), (1.7e308,) * 3],
)
def test_values_near_the_limits_of_floating_point_are_not_drawn(
    cycles: tuple[float, ...], tmp_path: Path
) -> None:
    ranking = rank(exploration(candidates=with_figures(cycles, (50, 49, 48))))
    told = "Not drawn: values of cycles.per_block beyond 1e+150 or nearer to 0 than 1e-150."
    front, parallel = write_plots(ranking, tmp_path, "svg")
    for path in (front, parallel):
        assert str(ElementTree.parse(path).getroot()[0].text).startswith(told)
        assert told in path.read_text().partition("</title>")[2]
    assert told in well_formed(exploration_page(ranking.exploration))
    assert "Not drawn" not in exploration_page(exploration(candidates=grid()))
    assert "inf" not in "".join(
        sentence(ranking, one) for row in neighbours_of(ranking, ranking.front) for one in row
    )


def test_the_knee_point_of_values_as_large_as_can_be() -> None:
    """The distance of the first objective's ends is more than floating point can hold."""
    found = with_figures((-1.6e308, -1.2e308, 0, 1.6e308), (90, 50, 41, 40))
    middle = knee(rank(exploration(candidates=found)))
    assert middle
    assert middle.candidate.place == 1


def test_a_figure_with_the_name_of_a_column_leaves_that_column_as_it_is(tmp_path: Path) -> None:
    figures = {"place": 7.0, "reason": 8.0, "c": 1.0, "c:method": 9.0, "field:a": 5.0}
    one = replace(measured(3, {"a": 1}, 1.0, 1), figures=figures)
    write_csv(rank(exploration(Objective("c"), candidates=(one,), constraints=())), tmp_path / "c")
    with (tmp_path / "c").open(newline="") as file:
        [row] = csv.DictReader(file)
    assert (row["place"], row["reason"], row["field:a"]) == ("3", "", "1")
    assert (row["figure:place"], row["figure:field:a"]) == ("7.0", "5.0")
    assert (row["c"], row["c:method"], row["figure:c:method"]) == ("1.0", "not stated", "9.0")


def test_texts_of_others_are_no_markup_on_a_terminal() -> None:
    one = measured(0, {"[bold]a": "[/]", "b": "\x1b[31mred"}, 1.0, 1)
    hostile = replace(exploration(candidates=(one,)), name="[/red] \x1b[2J")
    out = io.StringIO()
    for part in summary(rank(hostile)):
        Console(file=out, width=200).print(part)
    shown = out.getvalue()
    assert "\x1b" not in shown
    assert "[/red] : the guided search" in shown
    assert "Build candidate 0 ([bold]a [/], b red)" in shown


def test_parquet_has_the_columns_of_csv_with_types(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    ranking = rank(exploration(candidates=many(3)))
    write_parquet(ranking, tmp_path / "c.parquet")
    table = parquet.read_table(tmp_path / "c.parquet")
    assert table.column_names == list(columns_of(ranking))
    assert str(table.schema.field("field:design.width").type) == "int64"
    assert table.column("area.lut").to_pylist() == [one.figures["area.lut"] for one in many(3)]
