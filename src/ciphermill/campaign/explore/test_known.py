# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What follows from the figures of candidates, and candidates as trials of Optuna."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from optuna.study import StudyDirection
from optuna.trial import TrialState

from ciphermill.campaign.exploration import StepRecord
from ciphermill.campaign.explore.known import Goal, Known
from ciphermill.campaign.explore.plan import objective_of
from ciphermill.campaign.explore.trials import Trials
from ciphermill.design.combinations import table_combinations
from ciphermill.design.expression import parse

STEPS = (StepRecord("guess"), StepRecord("more"), StepRecord("run", dear=True))
FIGURES = ({"a": 8.0, "b": 1.0}, {"c": 3.0}, {"a": 5.0})


def known_of(
    steps_done: Sequence[int],
    goals: Sequence[str] = ("a", "max:c"),
    limits: Sequence[str] = (),
    steps: Sequence[StepRecord] = STEPS,
    figures: Sequence[Mapping[str, float]] = FIGURES,
) -> Known:
    """Return candidates that each have so many of the steps, with the same figures."""
    found = Known(
        table_combinations({"n": list(range(len(steps_done)))}),
        steps,
        [Goal.of(objective_of(one)) for one in goals],
        [parse(one) for one in limits],
    )
    for index, count in enumerate(steps_done):
        for step, own in zip(steps[:count], figures, strict=False):
            found.figures[index][step.name] = own
    found.settle()
    return found


def test_a_candidate_is_done_with_all_steps_and_in_the_race_with_all_cheap_ones() -> None:
    known = known_of([0, 1, 2, 3, 3])
    known.failed.add(4)
    assert [known.has_cheap(one) for one in range(5)] == [False, False, True, True, False]
    assert [known.is_done(one) for one in range(5)] == [False, False, False, True, False]
    known.failed.add(2)
    assert not known.has_cheap(2)


def test_of_two_steps_with_the_same_figure_the_later_counts() -> None:
    known = known_of([3])
    assert known.merged(0) == {"a": 5.0, "b": 1.0, "c": 3.0}
    assert known.merged(0, cheap=True) == {"a": 8.0, "b": 1.0, "c": 3.0}
    assert (known.values(0), known.expected(0)) == ([5.0, -3.0], [8.0, -3.0])


def test_a_goal_without_its_cheap_figure_is_not_expected() -> None:
    assert known_of([1]).expected(0) == [8.0, None]


def test_a_figure_lasts_if_no_finished_candidate_has_it_of_a_dear_step() -> None:
    one, other = parse("b + c"), parse("a + c")
    before = known_of([2, 2])
    assert not before.lasts(one), "nothing is known before a dear step is done"
    after = known_of([2, 3])
    assert (after.lasts(one), after.lasts(other)) == (True, False)
    without = known_of([2], steps=STEPS[:2])
    assert not without.lasts(one)


def test_a_candidate_is_good_if_it_is_finished_and_fulfils_every_constraint() -> None:
    assert known_of([2, 3], limits=["a < 6"]).good() == [1]
    assert known_of([3], limits=["a < 6", "c > 3"]).good() == []
    assert known_of([3], limits=["a < 6", "c > 2"]).good() == [0]


def test_margins_are_those_of_cheap_figures_or_of_all() -> None:
    known = known_of([3, 1], limits=["a < 6", "c < 9"])
    assert known.margins(0, cheap=True) == [2.0, -6.0]
    assert known.margins(0, cheap=False) == [-1.0, -6.0]
    assert known.margins(1, cheap=True) == [2.0, None]


def test_only_a_constraint_on_figures_that_last_is_broken_for_good() -> None:
    known = known_of([3, 2], limits=["a < 1", "1 / (b - 1) < 5", "c < 2"])
    broken = known.broken(1)
    assert broken is not None
    assert broken.text == "c < 2", "a may change, and the second one has no value"
    assert known_of([3, 2], limits=["a < 1"]).broken(1) is None


def test_a_trial_has_the_values_and_margins_that_the_candidate_has_so_far() -> None:
    known = known_of([3, 2], limits=["a < 6", "d < 9"])
    trials = Trials(known)
    assert trials.directions == [StudyDirection.MINIMIZE, StudyDirection.MAXIMIZE]
    done, cheap = trials.ended(0), trials.ended(1)
    for one, values, margin in ((done, [5.0, 3.0], -1.0), (cheap, [8.0, 3.0], 2.0)):
        assert one.state is TrialState.COMPLETE
        assert one.values == values
        assert one.constraints == {"a < 6": margin}, "d is not known"
    expected = [one.user_attrs["expected"] for one in (done, cheap)]
    assert expected == [False, True]
    digests = [one.user_attrs["digest"] for one in (done, cheap)]
    assert digests == [one.digest for one in known.candidates]
    assert [one.params for one in (done, cheap)] == [{"n": 0}, {"n": 1}]


def test_a_trial_of_a_candidate_that_failed_or_lacks_an_objective_has_failed() -> None:
    known = known_of([3, 1, 0])
    known.failed.add(0)
    trials = Trials(known)
    assert [trials.ended(one).state for one in (0, 1)] == [TrialState.FAIL] * 2
    assert trials.running(2).state is TrialState.RUNNING


@pytest.mark.parametrize(
    ("values", "choices"),
    [
        ([3, 1, 2], (3, 1, 2)),
        (["b", "a"], ("b", "a")),
        ([["a"], [3], None], ('["a"]', "[3]", None)),
        ([True, "true", 0.5], (True, "true", 0.5)),
    ],
)
def test_a_parameter_has_the_values_of_the_field_in_their_order(
    values: list[object], choices: tuple[object, ...]
) -> None:
    known = Known(table_combinations({"n": values}), STEPS, [], [])
    trials = Trials(known)
    assert trials.distributions["n"].choices == choices
    assert [trials.parameters(one)["n"] for one in range(len(values))] == list(choices)
