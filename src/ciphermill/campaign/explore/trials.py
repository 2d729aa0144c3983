# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Trials of Optuna: candidates in the form that its samplers and tools read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import optuna
from optuna.distributions import CategoricalDistribution
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from ciphermill.campaign.explore.known import Known
from ciphermill.design.combinations import Combination

Choice = str | int | float | bool | None


class Trials:
    """The candidates of an exploration as trials."""

    def __init__(self, known: Known) -> None:
        """Take the values of each field from the candidates."""
        self._known = known
        self.distributions = distributions(known.candidates)
        self.directions = [
            StudyDirection.MINIMIZE if one.sign > 0 else StudyDirection.MAXIMIZE
            for one in known.goals
        ]

    def parameters(self, index: int) -> dict[str, Choice]:
        """Return the value of each field; None if the candidate does not have it."""
        fields = self._known.candidates[index].fields
        return {name: choice(fields.get(name)) for name in self.distributions}

    def running(self, index: int) -> FrozenTrial:
        """Return the trial of a candidate that is not measured yet."""
        return self._made(index, TrialState.RUNNING)

    def ended(self, index: int) -> FrozenTrial:
        """Return the trial of a candidate that was measured, at least by cheap steps.

        Objectives are rounded as ``Known`` has them, since Optuna compares values to the last
        bit. Of a candidate without dear measurements they are those by cheap figures, and the
        trial's attribute ``expected`` is true. A trial has failed if the candidate has, or if an
        objective is not known.
        """
        known = self._known
        done = known.is_done(index)
        if index in known.failed:
            return self._made(index, TrialState.FAIL)
        signed = known.values(index) if done else known.expected(index)
        if None in signed:
            return self._made(index, TrialState.FAIL)
        values = [(v or 0.0) * goal.sign for v, goal in zip(signed, known.goals, strict=True)]
        margins = known.margins(index, cheap=not done)
        limits = {
            one.text: margin
            for one, margin in zip(known.constraints, margins, strict=True)
            if margin is not None
        }
        return self._made(index, TrialState.COMPLETE, values, limits, expected=not done)

    def _made(
        self,
        index: int,
        state: TrialState,
        values: Sequence[float] | None = None,
        limits: Mapping[str, float] | None = None,
        **attributes: Any,
    ) -> FrozenTrial:
        return optuna.trial.create_trial(
            state=state,
            params=self.parameters(index),
            distributions=dict(self.distributions),
            values=values,
            constraints=dict(limits or {}) or None,
            user_attrs={"digest": self._known.candidates[index].digest, **attributes},
        )


def distributions(candidates: Sequence[Combination]) -> dict[str, CategoricalDistribution]:
    """Return the values of each field, in the order in which candidates have them."""
    names = dict.fromkeys(name for one in candidates for name in one.fields)
    return {
        name: CategoricalDistribution(
            list(dict.fromkeys(choice(one.fields.get(name)) for one in candidates))
        )
        for name in names
    }


def choice(value: Any) -> Choice:
    """Return a value that a categorical distribution can hold."""
    return value if isinstance(value, str | int | float | bool | None) else json.dumps(value)
