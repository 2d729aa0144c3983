# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import optuna
import pytest

from ciphermill import explore
from ciphermill.campaign.exploration import Exploration, Objective, State, StepRecord
from ciphermill.campaign.explore import search
from ciphermill.campaign.explore.explore import Explorer, Settings
from ciphermill.campaign.explore.front import points_of, share
from ciphermill.campaign.explore.job import measure_fields
from ciphermill.campaign.explore.known import Goal
from ciphermill.campaign.explore.plan import Plan, Step, Work
from ciphermill.campaign.explore.workers import threads
from ciphermill.campaign.store import Location, Store
from ciphermill.design import CannotBeError
from ciphermill.design.combinations import Combination, table_combinations
from ciphermill.design.expression import parse
from ciphermill.toolchain.errors import DiskFull

TABLE = {
    "partition": ["software", "round", "iterative", "unrolled", "dma"],
    "core": ["a", "b", "c"],
    "interface": ["narrow", "wide"],
    "optimisation": ["2", "3", "s"],
}
OBJECTIVES = ("cycles", "energy")


def effect(seed: int, *what: Any) -> float:
    return random.Random(repr((seed, what))).gauss(0, 1)


def cheap(seed: int, fields: Mapping[str, Any]) -> dict[str, float]:
    """An area, and an estimate of cycles that is off by a factor for each partition."""
    logarithm = math.log(dear(seed, fields)["cycles"])
    error = 0.15 * effect(seed, "estimate", fields["partition"])
    noise = 0.03 * effect(seed, "noise", *fields.values())
    own = {"area": 3.0, "core": 0.5}
    area = 7 - 0.5 * logarithm
    area += sum(own.get(n, 0.2) * effect(seed, "area", n, v) for n, v in fields.items())
    return {"cycles": math.exp(logarithm + error + noise), "area": math.exp(area)}


def dear(seed: int, fields: Mapping[str, Any]) -> dict[str, float]:
    size = {"partition": 1.5, "core": 0.5}
    cycles = 6 + sum(size.get(n, 0.2) * effect(seed, n, v) for n, v in fields.items())
    cycles += 0.2 * effect(seed, fields["partition"], fields["interface"])
    energy = 0.5 * cycles + 0.6 * effect(seed, "energy", fields["core"])
    energy -= 0.9 * effect(seed, "partition", fields["partition"])
    energy += 0.05 * effect(seed, "more", *fields.values())
    return {"cycles": math.exp(cycles), "energy": math.exp(energy)}


class Counted:
    """A step whose calls are counted, which can break off like a killed process."""

    def __init__(self, measure: Any, stop_after: int | None = None, slow: bool = False) -> None:
        self.measure, self.stop_after, self.slow = measure, stop_after, slow
        self.calls: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, fields: Mapping[str, Any]) -> Mapping[str, float]:
        with self._lock:
            if self.stop_after is not None and self.calls.total() >= self.stop_after:
                raise KeyboardInterrupt
            self.calls[repr(fields)] += 1
        if self.slow:
            # Later calls end earlier.
            time.sleep(0.002 * (hash(repr(fields)) % 7))
        found: Mapping[str, float] = self.measure(fields)
        return found


def plan_of(seed: int, one: Any = None, other: Any = None, objectives: Any = OBJECTIVES) -> Plan:
    def step(name: str, measure: Any, is_dear: bool) -> Step:
        return Step(
            StepRecord(name, is_dear),
            lambda found: Work(partial(measure_fields, measure, found.fields)),
        )

    return Plan(
        "trial",
        table_combinations(TABLE),
        [],
        [
            step("estimate", one or partial(cheap, seed), False),
            step("run", other or partial(dear, seed), True),
        ],
        [Goal.of(Objective(text)) for text in objectives],
        [parse("cycles < 100000")],
        "code",
    )


def run(plan: Plan, store: Store | None = None, jobs: int = 1, **how: Any) -> Exploration:
    with threads(jobs) as workers:
        return Explorer(plan, Settings(**how), store=store).go(workers)


def dear_count(found: Exploration) -> int:
    return sum("run" in one.steps for one in found.candidates)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
@pytest.mark.parametrize("objectives", [("cycles", "area"), ("cycles", "energy", "area")])
def test_a_guided_search_finds_the_front_with_a_third_of_the_dear_measurements(
    seed: int, objectives: tuple[str, ...]
) -> None:
    full = run(plan_of(seed, objectives=objectives), search="grid")
    found = run(plan_of(seed, objectives=objectives))
    points = [
        points_of([x.objectives_of(one) for one in x.good()], len(objectives))
        for x in (found, full)
    ]
    assert dear_count(full) == full.total == 90
    assert dear_count(found) <= 30
    assert share(*points) >= 0.98


def test_candidates_with_the_same_build_wait_for_the_first_and_then_run_together() -> None:
    table = {"build": ["a", "b"], "n": [1, 2, 3]}
    began: list[str] = []
    firsts, others = (threading.Barrier(2, timeout=10) for _ in range(2))

    def measure(fields: Mapping[str, Any]) -> Mapping[str, float]:
        began.append(fields["build"])
        if fields["n"] == 1:
            firsts.wait()
        elif fields["build"] == "a":
            others.wait()
        return {"cost": fields["n"]}

    def work(found: Combination) -> Work:
        job = partial(measure_fields, measure, found.fields)
        return Work(job, build=str(found.fields["build"]))

    step = Step(StepRecord("run", dear=True), work)
    goals = [Goal.of(Objective("cost"))]
    plan = Plan("trial", table_combinations(table), [], [step], goals, [], "code")
    found = run(plan, jobs=2, search="grid")
    assert [one.state for one in found.candidates] == [State.MEASURED] * 6
    assert sorted(began[:2]) == ["a", "b"]


def test_a_build_that_fails_is_tried_by_the_next_candidate_alone() -> None:
    third_began = threading.Event()

    def measure(fields: Mapping[str, Any]) -> Mapping[str, float]:
        if fields["n"] == 1:
            raise ValueError("no build")
        if fields["n"] == 2 and third_began.wait(0.5):
            raise ValueError("the third candidate did not wait")
        third_began.set()
        return {"cost": fields["n"]}

    def work(found: Combination) -> Work:
        return Work(partial(measure_fields, measure, found.fields), build="one")

    step = Step(StepRecord("run", dear=True), work)
    goals = [Goal.of(Objective("cost"))]
    plan = Plan("trial", table_combinations({"n": [1, 2, 3]}), [], [step], goals, [], "code")
    found = run(plan, jobs=2, search="grid")
    assert [one.state for one in found.candidates] == [State.FAILED, *[State.MEASURED] * 2]


def test_a_small_budget_is_not_spent_in_one_batch() -> None:
    found = [run(plan_of(1), budget=5, batch=batch) for batch in (1, 8)]
    one, other = ([c.digest for c in each.candidates if "run" in c.steps] for each in found)
    assert len(one) == 5
    assert one == other


def test_proposals_do_not_depend_on_the_number_of_workers_nor_on_which_ends_first() -> None:
    alone = run(plan_of(1))
    several = run(plan_of(1, other=Counted(partial(dear, 1), slow=True)), jobs=4)
    for one, other in zip(alone.candidates, several.candidates, strict=True):
        assert (one.digest, one.place, one.state, one.figures) == (
            other.digest,
            other.place,
            other.state,
            other.figures,
        )


@pytest.mark.parametrize("stop_after", [0, 9])
def test_a_killed_exploration_continues_and_measures_nothing_twice(
    tmp_path: Path, stop_after: int
) -> None:
    whole = run(plan_of(2))
    estimate = Counted(partial(cheap, 2))
    broken = Counted(partial(dear, 2), stop_after=stop_after)
    with Store(Location.of(tmp_path / "s.sqlite")) as store:
        with pytest.raises(KeyboardInterrupt):
            run(plan_of(2, estimate, broken), store)
        assert store.explorations()[0].ended is False
    again = Counted(partial(dear, 2))
    with Store(Location.of(tmp_path / "s.sqlite")) as store:
        found = run(plan_of(2, estimate, again), store)
        kept = store.exploration(found.number)
        assert [one.number for one in store.explorations()] == [1]
    assert set(estimate.calls.values()) == {1}
    assert broken.calls.total() + again.calls.total() == dear_count(whole)
    assert [(one.digest, one.state) for one in kept.candidates] == [
        (one.digest, one.state) for one in whole.candidates
    ]
    assert kept.ended
    study = optuna.load_study(study_name="trial 1", storage=f"sqlite:///{tmp_path / 's.sqlite'}")
    digests = [one.user_attrs["digest"] for one in study.trials]
    assert len(digests) == len(set(digests)) == dear_count(whole)


def test_what_an_interrupted_run_has_kept_counts_before_it_is_proposed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    broken = Counted(partial(dear, 2), stop_after=9)
    with Store(tmp_path / "s.sqlite") as store:
        for _ in range(2):
            explorer = Explorer(plan_of(2, other=broken), Settings(), store=store)
            with pytest.raises(KeyboardInterrupt), threads(1) as workers:
                explorer.go(workers)
            assert explorer.there == 90 + 9
            monkeypatch.setattr(search.Guided, "propose", interrupted)


def test_a_full_disk_ends_the_exploration_and_no_candidate_has_failed(tmp_path: Path) -> None:
    full = {2}

    def measure(fields: Mapping[str, Any]) -> Mapping[str, float]:
        if fields["n"] in full:
            raise DiskFull("no space left on the disk of build")
        return {"cost": fields["n"]}

    def go() -> Exploration:
        return explore(
            {"n": [1, 2, 3]}, measure, minimise=["cost"], search="grid", store=tmp_path / "s",
        )  # fmt: skip

    with pytest.raises(DiskFull):
        go()
    full.clear()
    found = go()
    assert (found.number, [one.state for one in found.candidates]) == (1, [State.MEASURED] * 3)


PROGRAM = """
import sys, time
from pathlib import Path
from ciphermill import explore

calls = Path(sys.argv[1])

def measure(fields):
    time.sleep(0.02)
    with calls.open("a") as file:
        file.write(f"{fields['n']}\\n")
    return {"cost": fields["n"] * 7 % 31}

found = explore(
    {"n": list(range(30))}, measure, minimise=["cost"], search="random", budget=20,
    store=sys.argv[2],
)
print(found.number, len(found.front()), sum(one.state == "measured" for one in found.candidates))
"""


def test_a_process_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    calls, store = tmp_path / "calls", tmp_path / "s.sqlite"
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, str(program), str(calls), str(store)]
    with subprocess.Popen(command) as killed:
        while not calls.exists() or len(calls.read_text().splitlines()) < 5:
            assert killed.poll() is None
            time.sleep(0.01)
        killed.kill()
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    number, front, measured = map(int, ended.stdout.split())
    assert (number, measured) == (1, 20)
    assert front >= 1
    counts = Counter(calls.read_text().splitlines())
    assert len(counts) == 20
    # Each worker may have had a call in hand, and a result that was not stored yet.
    assert counts.total() <= 20 + 2 * (os.cpu_count() or 1)


def test_a_failed_candidate_is_kept_with_its_log_and_measured_again_only_if_asked(
    tmp_path: Path,
) -> None:
    calls = Counter[int]()
    mode = {"fails": True, "stops": True}

    def measure(fields: Mapping[str, Any]) -> Mapping[str, float]:
        calls[fields["n"]] += 1
        if fields["n"] == 1 and mode["fails"]:
            raise ValueError("no route")
        if fields["n"] == 5 and mode["stops"]:
            raise KeyboardInterrupt
        return {"cost": fields["n"]}

    def go(**how: Any) -> Exploration:
        return explore(
            {"n": [3, 1, 2, 5]}, measure, minimise=["cost"], search="grid",
            store=tmp_path / "s.sqlite", **how,
        )  # fmt: skip

    with pytest.raises(KeyboardInterrupt):
        go()
    with pytest.raises(KeyboardInterrupt):
        go()
    assert calls == {3: 1, 1: 1, 2: 1, 5: 2}
    mode["stops"] = False
    mode["fails"] = False
    found = go(retry_failed=True)
    assert calls == {3: 1, 1: 2, 2: 1, 5: 3}
    assert [one.fields["n"] for one in found.front()] == [1]


def test_a_failed_candidate_is_never_good() -> None:
    def measure(fields: Mapping[str, Any]) -> Mapping[str, float]:
        if fields["n"] < 3:
            raise ValueError("does not fit\nin detail")
        return {"cost": fields["n"] if fields["n"] < 5 else math.nan}

    found = explore({"n": [1, 2, 3, 4, 5]}, measure, minimise=["cost"], search="grid")
    states = [one.state for one in found.candidates]
    assert states == [State.FAILED, State.FAILED, State.MEASURED, State.MEASURED, State.FAILED]
    assert found.candidates[0].reason == "measure: ValueError: does not fit"
    assert "in detail" in found.candidates[0].log
    assert [one.fields["n"] for one in found.front()] == [3]


def test_a_missing_figure_of_an_objective_is_a_failure_of_the_candidate() -> None:
    found = explore(
        {"n": [1, 2]}, lambda fields: {"cost": 1} if fields["n"] == 1 else {"coss": 1},
        minimise=["cost"], search="grid",
    )  # fmt: skip
    assert [one.state for one in found.candidates] == [State.MEASURED, State.FAILED]
    assert "cost was not measured" in found.candidates[1].reason


def test_a_random_search_takes_the_same_sample_for_the_same_seed() -> None:
    def places(seed: int) -> list[Any]:
        found = explore(
            {"n": {"from": 1, "to": 30}}, lambda fields: {"cost": fields["n"]},
            minimise=["cost"], search="random", seed=seed,
        )  # fmt: skip
        return [one.fields["n"] for one in found.candidates]

    assert places(1) == places(1) != places(2)
    assert len(places(1)) == 10


def test_a_search_with_the_estimator_measures_its_sample_with_every_step() -> None:
    one, other, again = (run(plan_of(1), search="tpe", seed=seed) for seed in (5, 6, 5))
    assert len(one.candidates) == dear_count(one) == 30
    assert len({found.digest for found in one.candidates}) == 30
    taken = [[found.digest for found in each.candidates] for each in (one, other, again)]
    assert taken[0] == taken[2] != taken[1]


def test_the_estimator_learns_from_results() -> None:
    """With the results of another world it asks for other candidates, after the same beginning."""
    one, other = (run(plan_of(world), search="tpe", seed=5) for world in (1, 2))
    taken = [[found.digest for found in each.candidates] for each in (one, other)]
    assert taken[0][:8] == taken[1][:8]
    assert taken[0] != taken[1]


def test_a_search_with_the_estimator_ends_when_every_candidate_is_measured() -> None:
    assert dear_count(run(plan_of(1), search="tpe", budget=1000)) == 90


def test_a_large_space_is_sampled_and_the_samples_follow_from_the_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ciphermill.campaign.explore.explore.EVERY", 20)
    assert search.EVERY > 20
    first, again = (run(plan_of(3), budget=10, batch=2) for _ in range(2))
    assert [one.digest for one in first.candidates] == [one.digest for one in again.candidates]
    assert len(first.candidates) < 90
    assert 0 < dear_count(first) <= 10
    assert len({one.digest for one in first.candidates}) == len(first.candidates)


def test_an_unknown_search_is_refused() -> None:
    with pytest.raises(CannotBeError, match="no search is called 'gird'"):
        run(plan_of(1), search="gird")
