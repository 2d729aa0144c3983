# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Predicts a figure of the candidates that were not measured from those that were.

A Gaussian process over the fields, which are taken as they are: two candidates are the more
alike, the fewer fields differ, and each field has a weight of its own. Beside that, the
prediction is linear in the logarithms of the cheap figures, so energy can follow from area and
cycles. Weights are those under which the measured values are most likely (Rasmussen and
Williams, Gaussian Processes for Machine Learning, 2006, algorithm 2.1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_WEIGHTS = (0.02, 0.1, 0.3, 1.0, 3.0)
"""Weights of a field: 3 makes two candidates that differ in it nearly independent."""
_LINEAR = (0.0, 0.3, 1.0, 3.0)
"""Variances of the linear part, beside 1 for that of the fields."""
_NOISE = 1e-3
"""Variance of what neither part explains, beside 1."""
_FEWEST = 4
"""Fewer measured values than these do not choose weights."""
_MOST = 400
"""Of more measured values, the latest are used: time grows with the third power."""


@dataclass(frozen=True)
class Features:
    """What is known of every candidate before dear measurements."""

    codes: NDArray[np.int64]
    """The value of each field as a number, by candidate and field."""
    linear: Floats
    """Logarithms of positive cheap figures, and fields that are numbers; each with a mean of 0
    and a variance of 1, and 0 where it is unknown."""

    @classmethod
    def of(
        cls, fields: Sequence[Mapping[str, object]], figures: Sequence[Mapping[str, float]]
    ) -> Features:
        """Return the features of candidates.

        Args:
            fields: The fields of each candidate.
            figures: The cheap figures of each candidate.
        """
        names = sorted({name for one in fields for name in one})
        columns = []
        for name in names:
            values = [repr(one.get(name)) for one in fields]
            places = {value: place for place, value in enumerate(dict.fromkeys(values))}
            columns.append([places[value] for value in values])
        # Which figures are there tells candidates apart as a field does.
        kinds = [tuple(sorted(one)) for one in figures]
        different = {kind: place for place, kind in enumerate(dict.fromkeys(kinds))}
        columns.append([different[kind] for kind in kinds])
        numbers = [
            [_logarithm(one.get(name)) for one in figures]
            for name in sorted({name for one in figures for name in one})
        ]
        numbers += [[_logarithm(one.get(name)) for one in fields] for name in names]
        scaled = [column for values in numbers if (column := _scaled(values)) is not None]
        linear = np.array(scaled, dtype=np.float64).reshape(len(scaled), len(fields)).T
        return cls(np.array(columns, dtype=np.int64).T, linear)

    def taken(self, rows: Sequence[int]) -> Features:
        """Return the features of some candidates."""
        return Features(self.codes[rows], self.linear[rows])


class Expectation:
    """Predicts one value of every candidate."""

    def __init__(self, features: Features) -> None:
        """Begin without measured values: fields and linear part count alike."""
        self._features = features
        fields = features.codes.shape[1]
        self._weights = np.full(fields, 0.3)
        self._linear = 1.0
        self._rows: list[int] = []
        self._values: Floats = np.zeros(0)
        self._mean = 0.0
        self._scale = 1.0

    def learn(self, rows: Sequence[int], values: Floats, spread: float) -> None:
        """Take the measured values, and choose the weights under which they are most likely.

        Args:
            rows: The measured candidates.
            values: Their values.
            spread: The standard deviation to expect as long as few values are known.
        """
        rows, known = list(rows)[-_MOST:], values[-_MOST:]
        enough = len(rows) >= _FEWEST
        self._mean = float(known.mean()) if len(rows) else 0.0
        self._scale = max(float(known.std()), 1e-3 * spread, 1e-12) if enough else spread
        self._rows, self._values = rows, (known - self._mean) / self._scale
        if enough:
            self._choose_weights()

    def predict(self, pending: Sequence[int] = ()) -> tuple[Floats, Floats]:
        """Return the expected value of every candidate, and its standard deviation.

        Args:
            pending: Candidates that will be measured before the next prediction, which
                makes their surroundings more certain.
        """
        everything = self._features
        rows = [*self._rows, *pending]
        prior = 1.0 + self._linear * _mean_square(everything.linear)
        if not rows:
            flat = np.zeros(len(everything.codes))
            return flat + self._mean, np.sqrt(prior) * self._scale
        seen = everything.taken(rows)
        cross = self._kernel(everything, seen, self._weights, self._linear)
        values = self._values
        if pending:
            # A pending candidate is taken to give what is expected of it: the mean stays.
            mean, _ = self.predict()
            values = np.append(values, (mean[list(pending)] - self._mean) / self._scale)
        factor = np.linalg.cholesky(
            self._kernel(seen, seen, self._weights, self._linear) + _NOISE * np.eye(len(rows))
        )
        half = np.linalg.solve(factor, cross.T)
        mean = half.T @ np.linalg.solve(factor, values)
        variance = np.maximum(prior - (half**2).sum(axis=0), _NOISE)
        return mean * self._scale + self._mean, np.sqrt(variance) * self._scale

    def _choose_weights(self) -> None:
        """Improve one weight after the other, twice."""
        best = self._likelihood(self._weights, self._linear)
        for _ in range(2):
            for field in range(len(self._weights)):
                for value in _WEIGHTS:
                    tried = self._weights.copy()
                    tried[field] = value
                    found = self._likelihood(tried, self._linear)
                    if found > best + 1e-9:
                        best, self._weights = found, tried
            for value in _LINEAR:
                found = self._likelihood(self._weights, value)
                if found > best + 1e-9:
                    best, self._linear = found, value

    def _likelihood(self, weights: Floats, linear: float) -> float:
        """Return the logarithm of the likelihood of the measured values, up to a constant."""
        seen = self._features.taken(self._rows)
        kernel = self._kernel(seen, seen, weights, linear) + _NOISE * np.eye(len(self._rows))
        factor = np.linalg.cholesky(kernel)
        half = np.linalg.solve(factor, self._values)
        return float(-0.5 * half @ half - np.log(np.diag(factor)).sum())

    @staticmethod
    def _kernel(one: Features, other: Features, weights: Floats, linear: float) -> Floats:
        differ = np.zeros((len(one.codes), len(other.codes)))
        for field, weight in enumerate(weights):
            differ += weight * (one.codes[:, None, field] != other.codes[None, :, field])
        found: Floats = np.exp(-differ)
        if linear and one.linear.shape[1]:
            found = found + linear * (one.linear @ other.linear.T) / one.linear.shape[1]
        return found


def _mean_square(linear: Floats) -> Floats:
    if not linear.shape[1]:
        return np.zeros(len(linear))
    found: Floats = (linear**2).mean(axis=1)
    return found


def _logarithm(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return None
    return math.log(value)


def _scaled(values: Sequence[float | None]) -> list[float] | None:
    """Return values with a mean of 0 and a variance of 1; None if they are all alike."""
    known = np.array([value for value in values if value is not None])
    if not len(known) or known.std() < 1e-9:
        return None
    mean, deviation = known.mean(), known.std()
    return [0.0 if value is None else float((value - mean) / deviation) for value in values]
