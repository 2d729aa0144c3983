# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Pages of explorations: stores in every state, the list, one that runs, its plot and its table."""

from __future__ import annotations

import doctest
import itertools
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from support import explorations as made
from support.pages import Client, served

from ciphermill.campaign.exploration import State
from ciphermill.campaign.store import SCHEMA_VERSION, Store
from ciphermill.report.exploration.standing import rank
from ciphermill.web import exploration_plot, explorations, plot, stored

NUMBERS = itertools.count()
LIST = "dashboard/explorations/live"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store") / "store.sqlite"


@pytest.fixture(scope="module")
def page(path: Path) -> Iterator[Client]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ciphermill.web.work.offered", lambda _: [])
        patch.setattr(stored, "LOCKED_S", 0.05)
        with served(store=str(path)) as client:
            yield client


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """A new store at the path that the pages read."""
    path.unlink(missing_ok=True)
    with Store(path) as opened:
        yield opened
    path.unlink(missing_ok=True)


def add(store: Store, name: str = "", *, ended: bool = True, count: int = 0) -> int:
    """Store an exploration of each state, or of so many measured candidates."""
    name = name or f"space-{next(NUMBERS)}"
    candidates = made.many(count) if count else made.grid()
    one = replace(made.exploration(candidates=candidates, ended=False), name=name)
    number = store.add_exploration(one, key=name)
    store.keep_candidates(number, candidates)
    if ended:
        store.end_exploration(number)
    return number


def text(page: Client, path: str) -> str:
    answer = page(path)
    assert answer.status == 200, answer
    return answer.body.decode()


def test_a_store_that_is_not_there_is_told_and_not_made(page: Client, path: Path) -> None:
    path.unlink(missing_ok=True)
    for part in (LIST, "dashboard/explorations/1", "dashboard/explorations/1/live"):
        assert "There is no results store at" in text(page, part)
    assert not path.exists()


def test_a_locked_store_is_told(page: Client, store: Store, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert "Another program has locked" in text(page, LIST)
    assert "has no exploration yet" in text(page, LIST)


def test_a_newer_store_and_another_file_are_told(page: Client, store: Store, path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    assert "newer ciphermill" in text(page, LIST)
    path.write_text("no database")
    assert "not a usable results store" in text(page, LIST)


def test_the_list_is_newest_first_and_paged(
    page: Client, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explorations, "LISTED", 2)
    numbers = [add(store, name) for name in ("a", "b", "c")]
    first, second = text(page, LIST), text(page, f"{LIST}?page=1")
    assert re.findall(r'id="one-(\d+)"', first) == [str(numbers[2]), str(numbers[1])]
    assert re.findall(r'id="one-(\d+)"', second) == [str(numbers[0])]
    assert "Page 1 of 2" in first and "data-again" not in first
    assert page(f"{LIST}?page=-1").status == 400


def test_one_that_runs_is_followed(page: Client, store: Store) -> None:
    number = add(store, "under-way", ended=False)
    with store.claim("under-way"):
        listed = text(page, LIST)
        assert 'data-again="2"' in listed and ">running</span>" in listed
        part = text(page, f"dashboard/explorations/{number}/live")
        assert 'data-again="2"' in part and ">running</span>" in part
        assert "remaining time not known yet" in part
        store.keep_candidate(number, made.measured(90, {"design.partition": "new"}, 1.0, 2.0))
        after = text(page, f"dashboard/explorations/{number}/live")
        assert "less than a minute left" in after
    store.end_exploration(number)
    done = text(page, f"dashboard/explorations/{number}/live")
    assert "data-again" not in done and "The exploration has ended with" in done


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ciphermill explore &", "<code>ciphermill explore &amp;</code>"),
        ("python mine", "<code>ciphermill.explore</code> continues it with the same call"),
    ],
)
def test_one_that_was_interrupted_has_the_command_that_continues_it(
    page: Client, store: Store, command: str, words: str
) -> None:
    one = replace(made.exploration(ended=False), command=command)
    number = store.add_exploration(one, key="killed")
    listed = text(page, LIST)
    assert 'data-again="10"' in listed and ">interrupted</span>" in listed
    part = text(page, f"dashboard/explorations/{number}/live")
    assert 'data-again="10"' in part and ">interrupted</span>" in part
    assert words in part
    assert 'data-say="Interrupted: 0 % of 36 candidates are done"' in part
    with store.claim("killed"):
        assert ">running</span>" in text(page, LIST)


def test_counts_by_state_are_those_of_the_candidates(page: Client, store: Store) -> None:
    number = add(store)
    grid = made.grid()
    part = text(page, f"dashboard/explorations/{number}/live")
    words = {State.REFUSED: "refused", State.DROPPED: "dropped", State.FAILED: "failed"}
    for state, word in words.items():
        count = sum(one.state is state for one in grid)
        assert f"<b>{count}</b> {word}" in part
    assert f"<b>{len(grid)} of 36 candidates</b>" in part
    assert store.states(number)[State.REFUSED] == sum(one.state is State.REFUSED for one in grid)


def test_the_plot_shows_the_chosen_objectives(page: Client, store: Store) -> None:
    number = add(store)
    part = f"dashboard/explorations/{number}/live"
    assert 'aria-label="area.lut over cycles.per_block' in text(page, part)
    turned = text(page, f"{part}?x=area.lut&y=cycles.per_block")
    assert 'aria-label="cycles.per_block over area.lut' in turned
    assert page(f"{part}?x=evil").status == 400
    ranking = rank(made.exploration(candidates=made.grid()))
    dots = turned.partition("</svg>")[0].count('class="dot front"')
    assert dots == len(ranking.front) > 1


def test_the_line_joins_what_no_other_beats() -> None:
    ranking = rank(made.exploration(candidates=made.grid()))
    names = ("cycles.per_block", "area.lut")
    corners = exploration_plot.front_line(ranking, names)
    front = sorted(one.known for one in ranking.front)
    assert corners[::2] == front
    # Less of both is better: between two designs the line runs at the worse of both.
    assert corners[1::2] == [(b[0], a[1]) for a, b in itertools.pairwise(front)]
    assert exploration_plot.front_line(ranking, ("cycles.per_block", "no.objective")) == []


def test_values_near_the_limits_of_floating_point_are_not_drawn() -> None:
    found = made.with_figures((1.0, 1e308, -1e308, 1e-300, 2.0), [9] * 5)
    ranking = rank(made.exploration(candidates=found))
    names = ("cycles.per_block", "area.lut")
    wide, _ = exploration_plot.plots(ranking, names, "")
    assert wide.count("<circle") == 2
    assert exploration_plot.front_line(ranking, names) == [(1.0, 9.0)]
    assert exploration_plot.lacking(ranking, names).startswith(
        "Not drawn: values of cycles.per_block beyond 1e+150 or nearer to 0 than 1e-150."
    )
    assert exploration_plot.lacking(ranking, ("area.lut", "area.lut")) == ""


def test_a_big_exploration_stays_bounded(page: Client, store: Store) -> None:
    number = add(store, count=900)
    part = text(page, f"dashboard/explorations/{number}/live")
    assert part.count('<tr class="row">') == explorations.ROWS
    assert "Page 1 of 18" in part
    assert part.count("<circle") == 2 * plot.MOST_DOTS
    assert "the best 800 are drawn" in part
    last = text(page, f"dashboard/explorations/{number}/live?page=17")
    assert last.count('<tr class="row">') == explorations.ROWS
    assert "There is no candidate on this page" in text(
        page, f"dashboard/explorations/{number}/live?page=18"
    )


def test_the_table_is_in_the_chosen_order(page: Client, store: Store) -> None:
    part = f"dashboard/explorations/{add(store)}/live"

    def places(order: str) -> list[str]:
        return re.findall(r'id="row-(\d+)"', text(page, f"{part}?order={order}"))

    assert places("best")[:2] == ["35", "29"]
    assert places("number")[:3] == ["0", "1", "2"]
    assert places("least%20area.lut")[0] == "1"
    assert places("most%20area.lut")[0] == "30"
    # Refused candidates have no area.
    assert set(places("most%20area.lut")[-6:]) == {"3", "4", "5", "6", "7", "8"}
    by_field = places("field%20design.soft_core")
    assert [by_field[0], by_field[-1]] == ["21", "8"], "ibex, the best first; vexriscv"
    paged = text(page, f"{part}?order=number&x=area.lut&y=area.lut")
    assert "Candidates, by number" in paged
    assert page(f"{part}?order=evil").status == 400


def test_a_candidate_leads_to_design_origin_and_neighbours(page: Client, store: Store) -> None:
    one = f"dashboard/explorations/{add(store)}"
    assert re.search(
        rf'href="[^"]*/{one}/candidates/26" tabindex="-1"><circle', text(page, one + "/live")
    )
    found = text(page, f"{one}/candidates/26")
    assert re.search(r"area\.lut</td>.*estimated</td>.*#origin-1", found)
    assert "<dt>Commit</dt><dd>0123abcd</dd>" in found
    assert "partition = &#34;mixcolumns&#34;" in found
    assert '<a href="17">subbytes</a>' in found and "0.560x" in found
    assert "None: only a failed measurement keeps one." in found
    assert "%Error: core.sv:12: timeout" in text(page, f"{one}/candidates/24")
    assert "It has no figures." in text(page, f"{one}/candidates/3")
    missing = page(f"{one}/candidates/99")
    assert (missing.status, "no candidate 99" in missing.json["error"]) == (404, True)


def test_one_that_does_not_exist_is_told(page: Client, store: Store) -> None:
    assert "has no exploration 7" in text(page, "dashboard/explorations/7")
    assert page("dashboard/explorations/x").status == 404


def test_the_full_report_is_saved(page: Client, store: Store) -> None:
    number = add(store)
    answer = page(f"dashboard/explorations/{number}/report")
    headers = {key.lower(): value for key, value in answer.headers.items()}
    saved = f'attachment; filename="exploration-{number}.html"'
    assert (answer.status, headers["content-disposition"]) == (200, saved)
    assert b"cycles.per_block" in answer.body
    missing = page("dashboard/explorations/99/report")
    assert (missing.status, "no exploration 99" in missing.json["error"]) == (404, True)


def test_names_of_a_store_cannot_break_the_page(page: Client, store: Store) -> None:
    number = add(store, "<script>alert(1)</script>")
    for part in (LIST, f"dashboard/explorations/{number}"):
        assert "<script>alert" not in text(page, part)
        assert "&lt;script&gt;alert" in text(page, part)


def test_an_exploration_without_candidates(page: Client, store: Store) -> None:
    one = replace(made.exploration(ended=False), constraints=())
    number = store.add_exploration(one, key="none")
    assert "Nothing is measured yet" in text(page, f"dashboard/explorations/{number}/live")
    assert "There is no candidate yet" in text(page, f"dashboard/explorations/{number}/live")


def test_examples() -> None:
    assert doctest.testmod(explorations).failed == 0
    assert doctest.testmod(plot).failed == 0
