# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``bench/search.py``: searches are made again with the figures of a stored grid."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ciphermill.campaign.explore.explore import Explorer, Settings
from ciphermill.campaign.explore.job import Result
from ciphermill.campaign.explore.plan import Work, plan_of_space
from ciphermill.campaign.explore.workers import threads
from ciphermill.campaign.store import Store
from ciphermill.design import CannotBeError, load_space
from ciphermill.design.combinations import Combination

FAILED = 4
"""The place of the candidate that fails."""
SPACE = """
kind = "space"
name = "small"

[design]
kind = "system"
partition = "software"
variant = ["portable", "table", "bitsliced"]
soft_core = ["picorv32", "vexriscv"]

[workload]
key_bits = [128, 256]
bytes = 64

[[step]]
name = "estimate"

[[step]]
name = "cycles"
dear = true

[[objective]]
minimise = "cycles.per_block"

[[objective]]
maximise = "1 / code.bytes"
"""


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "bench"))
    return importlib.import_module("search")


@pytest.fixture
def space(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SPACE)
    return path


@pytest.fixture
def store(space: Path, tmp_path: Path) -> Path:
    """A store with the grid of the space: of made-up figures; one candidate fails."""
    plan = plan_of_space(load_space(space))
    places = {one.digest: place for place, one in enumerate(plan.candidates)}

    def cheap(one: Combination) -> Work:
        return Work(lambda: Result({"cycles.per_block": 1000.0 / (1 + places[one.digest])}))

    def dear(one: Combination) -> Work:
        place = places[one.digest]
        if place == FAILED:
            return Work(lambda: Result(reason="it does not fit"))
        figures = {"cycles.per_block": 1100.0 / (1 + place), "code.bytes": 500.0 + place**2}
        return Work(lambda: Result(figures))

    steps = [replace(one, work=work) for one, work in zip(plan.steps, (cheap, dear), strict=True)]
    path = tmp_path / "grid.sqlite"
    with Store(path) as opened, threads(1) as workers:
        Explorer(replace(plan, steps=steps), Settings("grid"), store=opened).go(workers)
    return path


def test_the_grid_against_itself_is_whole(bench: Any, space: Path, store: Path) -> None:
    grid = bench.full_grid(store, "small")
    assert len(grid.good()) == 11
    found = bench.outcome(grid, grid)
    assert (found.dear, found.front) == (12, len(grid.front()))
    assert found.hypervolume == found.logarithmic == 1


def test_searches_get_the_figures_of_the_grid(bench: Any, space: Path, store: Path) -> None:
    found = bench.measure(str(space), store, 3, ["random", "guided"], batch=2)
    assert [(one.search, one.seed) for one in found] == [
        *(("random", seed) for seed in range(3)),
        ("guided", 0),
    ]
    for one in found:
        assert one.dear <= 4
        assert 0 < one.hypervolume <= 1
        assert 0 <= one.front <= 4


def test_a_store_without_the_grid_says_how_to_make_it(
    bench: Any, space: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    empty = tmp_path / "empty.sqlite"
    monkeypatch.setattr("sys.argv", ["search.py", str(space), "--store", str(empty)])
    assert bench.main() == 1
    assert f"ciphermill explore small --search grid --store {empty}" in capsys.readouterr().err


def test_the_grid_of_another_space_is_refused(bench: Any, space: Path, store: Path) -> None:
    space.write_text(SPACE.replace("bytes = 64", "bytes = 128"))
    with pytest.raises(CannotBeError, match="has not the candidate"):
        bench.measure(str(space), store, 1, ["random"], batch=2)
