# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The outcome of an exploration: objectives of its candidates, and the front."""

from __future__ import annotations

from ciphermill.campaign.exploration import Candidate, Exploration, State
from ciphermill.campaign.explore.front import front_of, points_of
from ciphermill.design.expression import parse


def objectives_of(exploration: Exploration, candidate: Candidate) -> list[float]:
    """Return the values of the objectives of a measured candidate.

    Raises:
        ExpressionError: A figure is missing.
    """
    return [parse(one.expression).value(candidate.figures) for one in exploration.objectives]


def good_candidates(exploration: Exploration) -> list[Candidate]:
    """Return the measured candidates that fulfil every constraint, in their order."""
    limits = [parse(text) for text in exploration.constraints]
    return [
        one
        for one in exploration.candidates
        if one.state is State.MEASURED and all(limit.value(one.figures) for limit in limits)
    ]


def front_candidates(exploration: Exploration) -> list[Candidate]:
    """Return the candidates of the Pareto front, sorted by the first objective."""
    found = good_candidates(exploration)
    signs = [1.0 if one.direction == "minimise" else -1.0 for one in exploration.objectives]
    rows = [
        [sign * value for sign, value in zip(signs, objectives_of(exploration, one), strict=True)]
        for one in found
    ]
    front = front_of(points_of(rows, len(signs))) if rows else []
    return [found[row] for row in sorted(front, key=lambda row: rows[row])]
