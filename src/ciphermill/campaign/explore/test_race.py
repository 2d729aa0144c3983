# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Mapping, Sequence

from ciphermill.campaign.exploration import StepRecord
from ciphermill.campaign.explore.known import Goal, Known
from ciphermill.campaign.explore.plan import objective_of
from ciphermill.campaign.explore.race import dropped
from ciphermill.design.combinations import table_combinations
from ciphermill.design.expression import parse

CHEAP, DEAR = StepRecord("cheap"), StepRecord("dear", dear=True)


def race(
    cheap: Sequence[Mapping[str, float]],
    dear: Mapping[int, Mapping[str, float]],
    objectives: list[str],
    limit: str | None = None,
    tolerance: float = 0.1,
) -> dict[int, str]:
    """Run a race of candidates with cheap figures, of which some have dear ones."""
    known = Known(
        table_combinations({"n": list(range(len(cheap)))}),
        [CHEAP, DEAR],
        [Goal.of(objective_of(one), tolerance=tolerance) for one in objectives],
        [parse(limit)] if limit else [],
    )
    for index, figures in enumerate(cheap):
        known.figures[index]["cheap"] = figures
    for index, figures in dear.items():
        known.figures[index]["dear"] = figures
    known.settle()
    return dropped(known, range(len(cheap)))


def test_a_candidate_that_is_worse_by_more_than_the_tolerance_is_out_and_told_why() -> None:
    out = race([{"a": 100}, {"a": 105}, {"a": 120}], {}, ["a"])
    assert list(out) == [2]
    assert "a is 120, there 100" in out[2]


def test_values_are_told_with_their_own_signs() -> None:
    assert "a is -3, there -9" in race([{"a": -9}, {"a": -3}], {}, ["a"])[1]
    assert "a is 0, there 9" in race([{"a": 9}, {"a": 0}], {}, ["max:a"])[1]
    assert "a is 9, there 0" in race([{"a": 9}, {"a": 0}], {}, ["a"])[0]


def test_equal_candidates_stay_also_without_a_tolerance() -> None:
    assert not race([{"a": 100}, {"a": 100}], {}, ["a"], tolerance=0)
    assert list(race([{"a": 100}, {"a": 101}], {}, ["a"], tolerance=0)) == [1]


def test_values_that_differ_in_their_last_bits_are_equal() -> None:
    assert 0.1 + 0.2 > 0.3
    assert not race([{"a": 0.1 + 0.2}, {"a": 0.3}], {}, ["a"], tolerance=0)
    assert not race([{"a": 0.1 + 0.2}, {"a": 0.3}], {}, ["max:a"], tolerance=0)
    assert list(race([{"a": 0.3 + 1e-9}, {"a": 0.3}], {}, ["a"], tolerance=0)) == [0]


def test_a_finished_candidate_beats_others_and_is_never_out_itself() -> None:
    cheap = [{"a": 100}, {"a": 200}, {"a": 300}]
    assert list(race(cheap, {0: {"a": 100}, 1: {"a": 200}}, ["a"])) == [2]


def test_nothing_is_beaten_while_a_finished_candidate_cannot_be_compared() -> None:
    cheap = [{"a": 100, "b": 1}, {"a": 900, "b": 9}, {"a": 50}]
    assert list(race(cheap, {}, ["a", "b"])) == [1]
    assert not race(cheap, {2: {"b": 5}}, ["a", "b"])


def test_a_candidate_that_is_better_in_one_objective_stays() -> None:
    assert not race([{"a": 100, "b": 200}, {"a": 300, "b": 100}], {}, ["a", "b"])


def test_an_objective_that_cheap_figures_do_not_give_keeps_everyone_in() -> None:
    assert not race([{"a": 100}, {"a": 900}], {}, ["a", "c"])


def test_a_figure_that_no_dear_step_replaces_is_compared_without_a_tolerance() -> None:
    cheap = [{"a": 100, "b": 100}, {"a": 101, "b": 150}]
    assert not race(cheap, {}, ["a", "b"])
    assert list(race([*cheap, {"a": 1, "b": 900}], {2: {"b": 900}}, ["a", "b"])) == [1]


def test_equal_figures_that_last_do_not_keep_a_candidate_in() -> None:
    cheap = [{"a": 100, "b": 100}, {"a": 150, "b": 100}, {"a": 1, "b": 900}]
    assert list(race(cheap, {2: {"a": 1}}, ["a", "b"])) == [1]


def test_a_constraint_counts_once_dear_steps_are_known_not_to_replace_its_figure() -> None:
    cheap = [{"a": 100, "b": 5}, {"a": 100, "b": 50}]
    assert not race(cheap, {}, ["a"], "b < 10")
    out = race(cheap, {0: {"a": 99}}, ["a"], "b < 10")
    assert out == {1: "It breaks the constraint b < 10: b is 50."}
    assert not race(cheap, {0: {"a": 99, "b": 5}}, ["a"], "b < 10")


def test_those_beaten_by_a_candidate_that_turns_out_bad_are_back() -> None:
    cheap = [{"a": 100, "b": 1}, {"a": 200, "b": 1}]
    assert list(race(cheap, {}, ["a"], "b < 10")) == [1]
    assert not race(cheap, {0: {"a": 100, "b": 20}}, ["a"], "b < 10")
