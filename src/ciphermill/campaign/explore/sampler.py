# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Finds candidates with Optuna's tree-structured Parzen estimator.

The estimator is for several objectives (Ozaki et al., Multiobjective Tree-Structured Parzen
Estimator, 2022). It proposes a value of each field; the candidate that differs in the fewest
fields from that, and was not proposed before, is the next one, since not all combinations exist.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna

from ciphermill.campaign.explore.known import Known
from ciphermill.campaign.explore.search import random_order
from ciphermill.campaign.explore.trials import Trials
from ciphermill.design.measurement import digest

MOST_TRIALS = 1000
"""Trials that the estimator learns from, the latest ones: its time grows with their number."""


class Sampler:
    """Candidates of a space, the most promising first."""

    def __init__(self, known: Known, seed: int) -> None:
        """Begin without any results.

        Args:
            known: The results, as they come.
            seed: The random state of each candidate follows from it and from the candidate's place.
        """
        self._known = known
        self._seed = seed
        self._trials = Trials(known)
        self._names = list(self._trials.distributions)
        self._places: list[dict[Any, int]] = [
            {value: place for place, value in enumerate(self._trials.distributions[name].choices)}
            for name in self._names
        ]
        order = random_order(len(known.candidates), seed)
        self._codes = np.array(
            [self._coded(self._trials.parameters(index)) for index in order], dtype=np.int64
        ).reshape(len(order), len(self._names))
        self._order = order
        self._open = np.ones(len(order), dtype=bool)
        self._told: list[int] = []

    def next(self, count: int) -> list[int]:
        """Return candidates that were not returned before; fewer if no more are left."""
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        study = optuna.create_study(directions=self._trials.directions)
        for index in self._told[-MOST_TRIALS:]:
            study.add_trial(self._trials.ended(index))
        found: list[int] = []
        while len(found) < count and self._open.any():
            place = len(self._told) + len(found)
            state = int(digest(self._seed, place)[:8], 16)
            study.sampler = optuna.samplers.TPESampler(
                seed=state, multivariate=True, constant_liar=True
            )
            asked = study.ask(dict(self._trials.distributions))
            index = self._nearest(asked.params)
            # The estimator is told of the candidate instead of what it asked for.
            study.tell(asked, state=optuna.trial.TrialState.FAIL)
            study.add_trial(self._trials.running(index))
            found.append(index)
        self._told += found
        return found

    def _coded(self, values: dict[str, Any]) -> list[int]:
        return [
            places[values[name]] for name, places in zip(self._names, self._places, strict=True)
        ]

    def _nearest(self, values: dict[str, Any]) -> int:
        differ = (self._codes != self._coded(values)).sum(axis=1)
        row = int(np.argmin(np.where(self._open, differ, len(self._names) + 1)))
        self._open[row] = False
        return self._order[row]
