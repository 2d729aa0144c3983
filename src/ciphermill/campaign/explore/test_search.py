# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Which candidates a guided search proposes, on plans of functions."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest

from ciphermill.campaign.exploration import Exploration, Objective, State, StepRecord
from ciphermill.campaign.explore.explore import Explorer, Settings, Status
from ciphermill.campaign.explore.job import Measure, Result, measure_fields
from ciphermill.campaign.explore.known import Goal
from ciphermill.campaign.explore.plan import Plan, Step, Work
from ciphermill.campaign.explore.search import random_order
from ciphermill.campaign.explore.workers import threads
from ciphermill.design.combinations import Combination, table_combinations
from ciphermill.design.expression import parse

TABLE = {"a": list(range(8)), "b": list(range(8))}


def cost(fields: Mapping[str, Any]) -> Mapping[str, float]:
    return {"cost": (fields["a"] - 3) ** 2 + fields["b"] + 1, "size": 20 - fields["b"]}


def explored(
    *steps: tuple[StepRecord, Measure],
    table: Mapping[str, Any] = TABLE,
    goals: tuple[str, ...] = ("cost",),
    limits: tuple[str, ...] = (),
    told: list[Status] | None = None,
    **how: Any,
) -> Exploration:
    def work(measure: Measure) -> Any:
        return lambda candidate: Work(partial(measure_fields, measure, candidate.fields))

    plan = Plan(
        "trial",
        table_combinations(table),
        [],
        [Step(record, work(measure)) for record, measure in steps],
        [Goal.of(Objective(one)) for one in goals],
        [parse(one) for one in limits],
        "code",
    )
    statuses = told if told is not None else []
    with threads(1) as workers:
        return Explorer(plan, Settings(**how), told=statuses.append).go(workers)


CHEAP, DEAR = StepRecord("cheap"), StepRecord("dear", dear=True)


def test_each_seed_has_an_order_of_its_own_also_a_negative_one() -> None:
    orders = {tuple(random_order(64, seed)) for seed in range(-3, 4)}
    assert len(orders) == 7
    assert all(sorted(order) == list(range(64)) for order in orders)
    assert random_order(64, -1) == random_order(64, -1)
    # Seeds from 0 on keep the orders that explorations of earlier versions had.
    expected = list(range(64))
    random.Random(1).shuffle(expected)
    assert random_order(64, 1) == expected


def in_state(found: Exploration, state: State) -> int:
    return sum(one.state is state for one in found.candidates)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a space of more than 20 candidates for a large one."""
    monkeypatch.setattr("ciphermill.campaign.explore.explore.EVERY", 20)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("budget", [1, 30, 50, 200])
def test_a_large_space_without_dear_steps_gets_as_many_measurements_as_the_budget(
    budget: int,
) -> None:
    told: list[Status] = []
    found = explored((CHEAP, cost), told=told, batch=4, budget=budget)
    assert in_state(found, State.MEASURED) == len(found.candidates) == min(budget, 64)
    assert {one.total for one in told} == {min(budget, 64)}


def test_a_small_space_without_dear_steps_is_measured_whole() -> None:
    assert in_state(explored((CHEAP, cost), budget=3), State.MEASURED) == 64


@pytest.mark.usefixtures("large")
def test_a_large_space_gets_four_cheap_measurements_for_a_dear_one() -> None:
    told: list[Status] = []
    found = explored(
        (CHEAP, lambda fields: {"guess": fields["a"] + 1}), (DEAR, cost),
        goals=("cost", "size"), told=told, batch=4, budget=8,
    )  # fmt: skip
    assert in_state(found, State.MEASURED) <= 8
    assert len(found.candidates) <= 4 * (8 + 4)
    assert told[0].total == 4 * 8 + 8


@pytest.mark.parametrize("jobs", [1, 4])
def test_works_with_the_same_result_are_done_once(jobs: int) -> None:
    """Candidates that differ in b alone have the same work; one of them fails each time."""
    calls: Counter[int] = Counter()

    def measure(a: int) -> Result:
        calls[a] += 1
        time.sleep(0.002)
        return Result(reason="no") if a == 5 else Result({"cost": a + 1.0}, seconds=1.0)

    def work(candidate: Combination) -> Work:
        a = candidate.fields["a"]
        return Work(partial(measure, a), same=str(a))

    plan = Plan(
        "trial", table_combinations(TABLE), [], [Step(DEAR, work)],
        [Goal.of(Objective("cost"))], [], "code",
    )  # fmt: skip
    told: list[Status] = []
    with threads(jobs) as workers:
        found = Explorer(plan, Settings("grid"), told=told.append).go(workers)
    assert calls == {a: 8 if a == 5 else 1 for a in range(8)}
    measured = [one for one in found.candidates if one.state is State.MEASURED]
    assert len(measured) == 56
    assert all(one.figures == {"cost": one.fields["a"] + 1.0} for one in measured)
    # Only the measurement that was made has a time.
    assert sum(bool(one.seconds) for one in measured) == 7
    assert [told[-1].done, told[-1].total] == [64, 64]
