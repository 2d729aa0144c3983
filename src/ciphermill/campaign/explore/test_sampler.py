# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Candidates that Optuna's estimator asks for: each once, reproducibly, and better ones first."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import optuna
import pytest
from optuna.trial import FrozenTrial, TrialState

from ciphermill.campaign.exploration import StepRecord
from ciphermill.campaign.explore import sampler as subject
from ciphermill.campaign.explore.known import Goal, Known
from ciphermill.campaign.explore.plan import objective_of
from ciphermill.campaign.explore.sampler import Sampler
from ciphermill.campaign.explore.search import random_order
from ciphermill.design.combinations import table_combinations

TABLE = {name: [0, 1, 2, 3] for name in "abcde"}
"""The cost is the sum of all fields: 7.5 on average."""


def known_of(table: dict[str, Any] = TABLE) -> Known:
    goals = [Goal.of(objective_of("cost"))]
    return Known(table_combinations(table), [StepRecord("run", dear=True)], goals, [])


def measured(known: Known, sampler: Sampler, batches: int, count: int = 4) -> list[int]:
    """Return the candidates of some batches, of which each is measured before the next."""
    found: list[int] = []
    for _ in range(batches):
        new = sampler.next(count)
        for index in new:
            cost = sum(known.candidates[index].fields.values())
            known.figures[index]["run"] = {"cost": float(cost)}
        found += new
    return found


def mean_cost(known: Known, indexes: list[int]) -> float:
    costs = [known.figures[index]["run"]["cost"] for index in indexes]
    return math.fsum(costs) / len(costs)


def test_every_candidate_is_returned_once_and_then_none() -> None:
    known = known_of({"a": [0, 1, 2], "b": [0, 1]})
    sampler = Sampler(known, 0)
    assert sorted(measured(known, sampler, 2)) == list(range(6))
    assert sampler.next(4) == []


@pytest.mark.parametrize("seed", range(3))
def test_later_candidates_are_better_than_a_random_sample(seed: int) -> None:
    known = known_of()
    found = measured(known, Sampler(known, seed), 15)
    assert mean_cost(known, found[-16:]) < 5.5


def test_candidates_follow_from_the_seed_and_from_the_results() -> None:
    one, same, other = (known_of() for _ in range(3))
    found = measured(one, Sampler(one, 1), 6)
    assert measured(same, Sampler(same, 1), 6) == found
    assert measured(other, Sampler(other, 2), 6) != found
    untold = Sampler(known_of(), 1)
    assert [index for _ in range(6) for index in untold.next(4)] != found


def test_candidates_of_a_batch_are_asked_for_each_with_its_own_state_beside_those_that_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was asked for is no trial that runs: the candidate taken instead is."""
    given: list[dict[str, Any]] = []
    studies: list[optuna.Study] = []
    estimator, create = optuna.samplers.TPESampler, optuna.create_study

    def noted(**named: Any) -> optuna.samplers.BaseSampler:
        if named:  # a study that is made has one of its own
            given.append(named)
        return estimator(**named)

    def made(**named: Any) -> optuna.Study:
        studies.append(create(**named))
        return studies[-1]

    monkeypatch.setattr(optuna.samplers, "TPESampler", noted)
    monkeypatch.setattr(optuna, "create_study", made)
    for seed in (1, 2):
        known = known_of()
        measured(known, Sampler(known, seed), 2)
    assert len({one["seed"] for one in given}) == len(given) == 16
    assert all(one["constant_liar"] for one in given)
    states = Counter(one.state for one in studies[1].trials)
    assert states == {TrialState.COMPLETE: 4, TrialState.RUNNING: 4, TrialState.FAIL: 4}


def test_only_the_latest_trials_are_learned_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "MOST_TRIALS", 4)
    told: list[int] = []
    known = known_of()
    sampler = Sampler(known, 0)
    ended = sampler._trials.ended

    def noted(index: int) -> FrozenTrial:
        told.append(index)
        return ended(index)

    monkeypatch.setattr(sampler._trials, "ended", noted)
    found = measured(known, sampler, 4)
    assert told == found[:12]


def test_the_nearest_open_candidate_is_taken_the_first_by_the_seed() -> None:
    known = known_of({"a": [0, 1, 2], "b": [0, 1, 2]})
    sampler = Sampler(known, 5)
    order = random_order(9, 5)
    nearest = [sampler._nearest({"a": 1, "b": 2}) for _ in range(9)]
    fields = [known.candidates[index].fields for index in nearest]
    differ = [(one["a"] != 1) + (one["b"] != 2) for one in fields]
    assert differ == [0, 1, 1, 1, 1, 2, 2, 2, 2]
    for part in (nearest[1:5], nearest[5:]):
        assert part == sorted(part, key=order.index)
