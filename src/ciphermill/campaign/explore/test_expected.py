# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Predictions of figures that were not measured, and the choice that follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from ciphermill.campaign.exploration import StepRecord
from ciphermill.campaign.explore.choose import Chooser
from ciphermill.campaign.explore.expected import Expectation, Features
from ciphermill.campaign.explore.known import Goal, Known
from ciphermill.campaign.explore.plan import objective_of
from ciphermill.design.combinations import table_combinations
from ciphermill.design.expression import parse

FIELDS = [one.fields for one in table_combinations({"a": ["p", "q", "r"], "b": [1, 2, 3, 4]})]
NONE: list[Mapping[str, float]] = [{} for _ in FIELDS]
BY_A = np.array([{"p": 1.0, "q": 5.0, "r": 9.0}[str(one["a"])] for one in FIELDS])


def learned(rows: Sequence[int], values: np.ndarray, features: Features) -> Expectation:
    found = Expectation(features)
    found.learn(rows, values[list(rows)], 1.0)
    return found


def test_measured_values_are_expected_where_they_were_measured() -> None:
    rows = [0, 3, 5, 6, 9, 10]
    values = BY_A + np.arange(12) ** 2 / 10
    mean, sigma = learned(rows, values, Features.of(FIELDS, NONE)).predict()
    assert mean[rows] == pytest.approx(values[rows], abs=0.1)
    assert sigma[rows].max() < sigma[[1, 2, 4, 7, 8, 11]].min()


def test_a_field_that_decides_is_learned_from_a_few_candidates() -> None:
    # Two of each a, with different b.
    mean, _ = learned([0, 1, 6, 7, 8, 11], BY_A, Features.of(FIELDS, NONE)).predict()
    assert mean == pytest.approx(BY_A, abs=0.5)


def test_a_cheap_figure_in_proportion_is_followed_to_candidates_unlike_all_others() -> None:
    fields = [{"n": f"name {place}"} for place in range(12)]
    sizes = [{"size": 2.0 ** (place + 1)} for place in range(12)]
    values = 3 * np.log([one["size"] for one in sizes])
    mean, _ = learned(range(8), values, Features.of(fields, sizes)).predict()
    assert mean[8:] == pytest.approx(values[8:], rel=0.05)


def test_pending_candidates_change_the_certainty_and_not_the_expectation() -> None:
    found = learned([0, 3, 5, 6], BY_A, Features.of(FIELDS, NONE))
    (mean, sigma), (later, narrower) = found.predict(), found.predict([11])
    assert later == pytest.approx(mean, abs=0.01)
    assert narrower[11] < sigma[11] / 2
    assert (narrower <= sigma + 1e-9).all()


@pytest.mark.parametrize(
    ("fields", "rows", "values"),
    [
        (FIELDS, range(12), np.full(12, 7.0)),
        ([{}, {}], [0], np.array([3.0, 3.0])),
        ([{"n": 1}, {"n": 2}], [0, 1], np.array([0.0, 0.0])),
        ([{"n": 10.0**k} for k in range(-12, 13)], range(20), 10.0 ** np.arange(-12, 13)),
        ([{"n": None}, {"n": True}, {"n": -1}, {"n": [1]}, {"n": "x"}], range(4), np.arange(5.0)),
    ],
    ids=["all equal", "no fields", "zeros", "huge range", "mixed types"],
)
def test_degenerate_values_give_finite_predictions(
    fields: Sequence[Mapping[str, object]], rows: Sequence[int], values: np.ndarray
) -> None:
    features = Features.of(fields, [{} for _ in fields])
    mean, sigma = learned(rows, values, features).predict([len(fields) - 1])
    assert np.isfinite(mean).all()
    assert (sigma > 0).all()


def known_of(
    cheap: Sequence[Mapping[str, float]],
    dear: Mapping[int, Mapping[str, float]],
    goals: Sequence[str],
    limits: Sequence[str] = (),
    fields: Mapping[str, object] | None = None,
) -> Known:
    known = Known(
        table_combinations(fields or {"n": list(range(len(cheap)))}),
        [StepRecord("cheap"), StepRecord("dear", dear=True)],
        [Goal.of(objective_of(one)) for one in goals],
        [parse(one) for one in limits],
    )
    for index, figures in enumerate(cheap):
        known.figures[index]["cheap"] = figures
    for index, figures in dear.items():
        known.figures[index]["dear"] = figures
    known.settle()
    return known


def choice(known: Known, count: int = 9) -> list[int]:
    everyone = range(len(known.candidates))
    runners = [index for index in everyone if not known.is_done(index)]
    done = [index for index in everyone if known.is_done(index)]
    return Chooser(known).choose(runners, [*done, *runners], count)


@pytest.mark.parametrize(
    ("goal", "chosen"), [("a", [1]), ("max:a", [4]), ("a - 30", [1]), ("0 - a", [4])]
)
def test_of_one_objective_that_is_known_exactly_the_best_alone_is_worth_measuring(
    goal: str, chosen: list[int]
) -> None:
    cheap = [{"a": a} for a in (20.0, 10.0, 30.0, 10.2, 40.0, 39.5)]
    assert choice(known_of(cheap, {0: {"other": 1.0}}, [goal])) == chosen


def test_nothing_is_worth_measuring_where_the_best_is_measured() -> None:
    cheap = [{"a": 10.0}, {"a": 20.0}, {"a": 30.0}]
    assert choice(known_of(cheap, {0: {"other": 1.0}}, ["a"])) == []


def test_a_candidate_that_surely_breaks_a_constraint_is_not_chosen() -> None:
    cheap = [{"a": 30.0, "b": 1}, {"a": 10.0, "b": 9}, {"a": 20.0, "b": 2}]
    dear = {0: {"other": 1.0}}
    assert choice(known_of(cheap, dear, ["a"])) == [1]
    assert choice(known_of(cheap, dear, ["a"], ["b < 5"])) == [2]


def test_a_bad_finished_candidate_is_no_part_of_the_front() -> None:
    cheap = [{"a": 10.0, "b": 9}, {"a": 20.0, "b": 1}]
    assert choice(known_of(cheap, {0: {"other": 1.0}}, ["a"], ["b < 5"])) == [1]


def test_the_candidates_of_a_batch_are_different_and_at_most_as_many_as_asked() -> None:
    cheap = [{"a": float(a), "b": 12.0 - a} for a in range(1, 12)]
    known = known_of(cheap, {0: {"a": 1.0, "b": 11.0}}, ["a", "b"])
    assert len(choice(known, 3)) == len(set(choice(known, 3))) == 3
    assert choice(known, 3) == choice(known, 8)[:3]


KINDS = {"kind": ["x", "y"], "n": [0, 1, 2, 3, 4]}
"""Candidates 0 to 4 are of kind x, 5 to 9 of kind y; 4 and 9 are not measured below."""
MEASURED = (0, 1, 2, 3, 5, 6, 7, 8)


@pytest.mark.parametrize("goal", ["a", "max: 1000 / a"])
def test_an_estimate_that_is_off_by_a_factor_for_one_kind_is_corrected(goal: str) -> None:
    cheap = [{"a": a} for a in (20.0, 30.0, 40.0, 50.0, 12.0) * 2]
    factors = (10.0,) * 5 + (1.0,) * 5
    dear = {n: {"a": cheap[n]["a"] * factors[n]} for n in MEASURED}
    known = known_of(cheap, dear, [goal], fields=KINDS)
    assert choice(known) == [9]


def test_a_candidate_that_is_worse_by_an_estimate_that_was_right_is_not_chosen() -> None:
    cheap = [{"a": a} for a in (0.02, 0.03, 0.04, 0.05, 0.06) * 2]
    assert choice(known_of(cheap, {n: cheap[n] for n in MEASURED}, ["a"], fields=KINDS)) == []


def test_a_constraint_that_cheap_figures_break_and_dear_ones_fulfil_excludes_nothing() -> None:
    cheap = [{"a": a, "b": 20.0} for a in (20.0, 30.0, 40.0, 50.0, 12.0) * 2]
    dear = {n: {"b": 1.0} for n in MEASURED}
    assert choice(known_of(cheap, dear, ["a"], ["b < 5"], fields=KINDS)) != []


def test_a_constraint_on_a_dear_figure_is_learned_for_one_kind() -> None:
    cheap = [
        {"a": a, "b": 1.0} for a in (20.0, 30.0, 40.0, 50.0, 5.0, 20.0, 30.0, 40.0, 50.0, 12.0)
    ]
    dear = {n: {"b": 90.0 if n < 5 else 1.0} for n in MEASURED}
    assert choice(known_of(cheap, dear, ["a"], fields=KINDS)) == [4]
    assert choice(known_of(cheap, dear, ["a"], ["b < 5"], fields=KINDS)) == [9]


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("size", [1e-12, 1e160, 1.7e308])
def test_a_choice_does_not_depend_on_units(size: float) -> None:
    """Values have both signs, so that they have no logarithms."""

    def known(size: float) -> Known:
        cheap = [{"n": n} for n in range(8)]
        dear = {n: {"a": size * ((n - 3) / 8), "b": size * ((3 - n) / 8)} for n in (1, 4, 5)}
        return known_of(cheap, dear, ["a"], ["b < 0"], fields={"n": list(range(8))})

    assert choice(known(size)) == choice(known(1.0)) != []


def test_what_is_unknown_may_be_better_than_the_best_and_is_proposed_once() -> None:
    cheap = [{"a": 10.0} for _ in range(8)]
    found = choice(known_of(cheap, {0: {"c": 5.0}}, ["c"]), 5)
    assert len(found) == len(set(found)) == 5
