# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Chooses which candidates get dear measurements: those from which the front can gain most.

For each candidate in the race the dear objectives are predicted (``expected``), a few
standard deviations on the good side. It is worth the hypervolume that the front would gain
if it were as good as that. Candidates of a batch are chosen one after the other: those that were
chosen are taken to be as good as predicted, so the batch does not crowd together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ciphermill.campaign.explore.expected import Expectation, Features, Floats
from ciphermill.campaign.explore.known import Known

HOPE = 1.5
"""Standard deviations by which an objective is taken to be better than expected."""
SAMPLES = 8192
"""Points with which the gain in hypervolume is counted; a smaller gain than one is none."""
_UNKNOWN = 1.0
"""Standard deviation of the logarithm of an objective of which nothing is known."""


class Chooser:
    """Predicts objectives and constraints, and remembers the weights that fitted."""

    def __init__(self, known: Known) -> None:
        """Choose among the candidates of an exploration."""
        self._known = known

    def choose(self, runners: Sequence[int], pool: Sequence[int], count: int) -> list[int]:
        """Return the candidates that are worth most, the best first.

        Args:
            runners: Candidates that may be chosen.
            pool: Candidates that are finished or may be chosen; predictions use these.
            count: The most to return. Fewer are returned if no other can improve the front.
        """
        known = self._known
        rows = list(pool)
        place = {index: row for row, index in enumerate(rows)}
        open_rows = np.array([place[index] for index in runners], dtype=np.int64)
        features = Features.of(
            [known.candidates[i].fields for i in rows], [known.merged(i, cheap=True) for i in rows]
        )
        done = [place[index] for index in rows if known.is_done(index)]
        objectives = [_Objective(known, rows, done, features, n) for n in range(len(known.goals))]
        limits = [_Limit(known, rows, done, features, n) for n in range(len(known.constraints))]
        good = [row for row in done if known.holds(rows[row])]
        chosen: list[int] = []
        while len(chosen) < min(count, len(runners)):
            predicted = [one.predict(chosen) for one in objectives]
            mean = np.stack([one for one, _ in predicted], axis=1)
            hoped = np.stack([one - HOPE * sigma for one, sigma in predicted], axis=1)
            possible = np.ones(len(rows), dtype=bool)
            for limit in limits:
                possible &= limit.possible(chosen)
            candidates = [r for r in open_rows if r not in chosen and possible[r]]
            if not candidates:
                break
            gain = _gains(mean, hoped, [*good, *chosen], candidates)
            best = int(np.argmax(gain))
            if gain[best] <= 0:
                break
            chosen.append(int(candidates[best]))
        return [rows[row] for row in chosen]


class _Objective:
    """Predicts an objective: as a factor on its cheap value, if it has one."""

    def __init__(
        self, known: Known, rows: Sequence[int], done: Sequence[int], features: Features, which: int
    ) -> None:
        goal = known.goals[which]
        cheap = [known.expected(index)[which] for index in rows]
        true = [known.values(rows[row])[which] for row in done]
        self._exact = known.lasts(goal.expected) and goal.expected is goal.expression
        self._exact &= None not in cheap
        numbers = [*true, *(value for value in cheap if value is not None)]
        scale = all(value * goal.sign > 0 for value in numbers)
        own = _logarithms(true, goal.sign) if scale else np.array(true)
        base = _filled(cheap, features, goal.sign if scale else None)
        if not scale:
            size = _size(numbers)
            own, base = own / size, base / size
        self._base = base
        self._expectation = Expectation(features)
        if self._exact:
            return
        proportional = any(value is not None for value in cheap)
        spread = np.log1p(goal.tolerance) if proportional else _UNKNOWN
        if not scale:
            typical = float(np.std(own)) or 1.0
            spread = goal.tolerance * float(np.abs(base).mean()) if proportional else typical
        spread = max(float(spread), 1e-6)
        self._expectation.learn(done, own - base[list(done)], spread)

    def predict(self, pending: Sequence[int]) -> tuple[Floats, Floats]:
        if self._exact:
            return self._base, np.zeros(len(self._base))
        mean, sigma = self._expectation.predict(pending)
        return self._base + mean, sigma


class _Limit:
    """Predicts how far a constraint is from breaking."""

    def __init__(
        self, known: Known, rows: Sequence[int], done: Sequence[int], features: Features, which: int
    ) -> None:
        cheap = [known.margins(index, cheap=True)[which] for index in rows]
        true = [known.margins(rows[row], cheap=False)[which] or 0.0 for row in done]
        size = _size([*true, *(value for value in cheap if value is not None)])
        self._base = _filled(cheap, features, None) / size
        self._exact = known.lasts(known.constraints[which]) and None not in cheap
        self._expectation = Expectation(features)
        spread = max(float(np.abs(self._base).mean()), 1e-6)
        self._expectation.learn(done, np.array(true) / size - self._base[list(done)], spread)

    def possible(self, pending: Sequence[int]) -> NDArray[np.bool_]:
        if self._exact:
            return self._base <= 0
        mean, sigma = self._expectation.predict(pending)
        found: NDArray[np.bool_] = self._base + mean - HOPE * sigma <= 0
        return found


def _size(values: Sequence[float]) -> float:
    """Return a power of two, by which values are divided exactly so that the largest is about 1.

    So a prediction does not depend on units, and squares of large values do not overflow.
    """
    largest = max(map(abs, values), default=0.0)
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if largest else 1.0


def _logarithms(values: Sequence[float], sign: float) -> Floats:
    """Return the logarithms of values of one sign, so that small is good."""
    found: Floats = sign * np.log(np.abs(np.array(values, dtype=np.float64)))
    return found


def _filled(values: Sequence[float | None], features: Features, sign: float | None) -> Floats:
    """Return the values of all candidates; an unknown one is the mean of those most alike.

    Args:
        values: By candidate.
        features: Of all candidates.
        sign: The sign of values whose logarithms are to be returned; None: as they are.
    """
    there = [row for row, value in enumerate(values) if value is not None]
    found = np.zeros(len(values))
    if not there:
        return found
    known = np.array([values[row] for row in there], dtype=np.float64)
    found[there] = known if sign is None else sign * np.log(np.abs(known))
    for row in set(range(len(values))) - set(there):
        alike = (features.codes[there] == features.codes[row]).sum(axis=1)
        found[row] = found[there][alike == alike.max()].mean()
    return found


def _gains(mean: Floats, hoped: Floats, front: Sequence[int], candidates: Sequence[int]) -> Floats:
    """Return the hypervolume that the front gains from each candidate, in samples.

    The samples are evenly spread (Roberts, The Unreasonable Effectiveness of Quasirandom
    Sequences, 2018), and the same each time.
    """
    wished = hoped[candidates]
    own = mean[list(front)]
    everything = np.concatenate([own, wished, mean[candidates]])
    low, high = np.concatenate([own, wished]).min(axis=0), everything.max(axis=0)
    size = np.where(high > low, high - low, 1.0)
    samples = low + _evenly_spread(mean.shape[1]) * 1.05 * size
    for one in own:
        samples = samples[~(samples >= one).all(axis=1)]
    return np.array([(samples >= one).all(axis=1).sum() for one in wished], dtype=np.float64)


def _evenly_spread(dimensions: int) -> Floats:
    golden = 2.0
    for _ in range(40):
        golden = (1 + golden) ** (1 / (dimensions + 1))
    steps = golden ** -np.arange(1, dimensions + 1)
    found: Floats = (0.5 + np.arange(SAMPLES)[:, None] * steps) % 1.0
    return found
