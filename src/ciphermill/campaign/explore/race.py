# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The race: which candidates are out by their cheap measurements, and why.

A candidate is out if it breaks a constraint by a figure that no dear step replaces, or if another
one is better in every objective by more than the tolerance. An objective that no dear step
changes is compared as it is. If cheap figures do not give some objective, no candidate is
beaten by another: it may be the best one there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ciphermill.campaign.explore.front import front_of, points_of
from ciphermill.campaign.explore.known import Known
from ciphermill.design.expression import Expression


def dropped(known: Known, seen: Sequence[int]) -> dict[int, str]:
    """Return the candidates that are out of the race, each with the reason as a sentence.

    The race is run anew each time: if a candidate turns out to be bad, those that it had beaten
    are back.

    Args:
        known: The figures.
        seen: Candidates with all cheap steps.
    """
    out: dict[int, str] = {}
    runners = []
    for index in seen:
        if index in known.failed:
            continue
        broken = known.broken(index)
        if broken is not None:
            if not known.is_done(index):
                out[index] = _breaks(known, index, broken)
        elif not known.is_done(index) or known.holds(index):
            runners.append(index)
    rows = {index: known.expected(index) for index in runners}
    full = [index for index in runners if None not in rows[index]]
    if not full or any(None in row for index, row in rows.items() if known.is_done(index)):
        return out
    values = points_of([[v or 0.0 for v in rows[i]] for i in full], len(known.goals))
    lasting = np.array([known.lasts(one.expected) for one in known.goals])
    tolerance = np.array([one.tolerance for one in known.goals])
    front = front_of(values)
    best = values[front]
    for index, row in zip(full, values, strict=True):
        if known.is_done(index):
            continue
        gap = row - best
        size = np.maximum(np.abs(row), np.abs(best))
        clear = gap > tolerance * size
        beaten = np.where(lasting, gap >= 0, clear).all(axis=1) & clear.any(axis=1)
        if beaten.any():
            winner = full[front[int(np.argmax(beaten))]]
            out[index] = _beaten(known, index, winner)
    return out


def _breaks(known: Known, index: int, constraint: Expression) -> str:
    figures = known.merged(index)
    told = ", ".join(f"{name} is {figures[name]:,.6g}" for name in constraint.names)
    return f"It breaks the constraint {constraint.text}: {told}."


def _beaten(known: Known, index: int, winner: int) -> str:
    own, other = known.merged(index, cheap=True), known.merged(winner, cheap=True)
    told = "; ".join(
        f"{expected.text} is {expected.value(own):,.6g}, there {expected.value(other):,.6g}"
        for expected in (goal.expected for goal in known.goals)
    )
    name = known.candidates[winner].digest
    return f"By cheap figures, candidate {name} is better in every objective: {told}."
