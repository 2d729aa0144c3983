# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Pareto fronts and their hypervolumes. Every objective is to be small."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""Points by row, objectives by column."""


def points_of(rows: Sequence[Sequence[float]], objectives: int) -> Points:
    """Return rows as an array, also if there are none."""
    return np.array(rows, dtype=np.float64).reshape(len(rows), objectives)


def front_of(points: Points) -> list[int]:
    """Return the rows that no other row dominates, in their order.

    A row dominates another if it is nowhere larger and somewhere smaller. Of equal rows all
    are in the front.
    """
    order = np.lexsort(points.T[::-1])
    front: list[int] = []
    for row in order:
        # In this order a row can only be dominated by an earlier one.
        earlier = points[front]
        one = points[row]
        if not ((earlier <= one).all(axis=1) & (earlier < one).any(axis=1)).any():
            front.append(int(row))
    return sorted(front)


def hypervolume(points: Points, reference: Sequence[float]) -> float:
    """Return the exact volume that points dominate, up to a reference point.

    By slices along the last objective. It suits the few objectives and the fronts of up to some
    hundred points that explorations have. (Optuna's own function is not public.)

    Args:
        points: Points by row. Those that are not below the reference everywhere add nothing.
        reference: The largest value of each objective that counts.
    """
    limit = np.asarray(reference, dtype=np.float64)
    inside = points[(points < limit).all(axis=1)]
    if not len(inside):
        return 0.0
    return _volume(inside[front_of(inside)], limit)


def _volume(front: Points, limit: NDArray[np.float64]) -> float:
    if front.shape[1] == 1:
        return float(limit[0] - front.min())
    front = front[np.argsort(front[:, -1], kind="stable")]
    if front.shape[1] == 2:
        # Sorted by the second objective: each point adds what is left of its predecessors.
        smallest = np.minimum.accumulate(front[:, 0])
        heights = np.diff(np.append(front[:, 1], limit[1]))
        return float(((limit[0] - smallest) * heights).sum())
    edges = np.append(front[:, -1], limit[-1])
    total = 0.0
    for count in range(1, len(front) + 1):
        height = edges[count] - edges[count - 1]
        if height > 0:
            below = front[:count, :-1]
            total += height * _volume(below[front_of(below)], limit[:-1])
    return total


def share(found: Points, full: Points) -> float:
    """Return the hypervolume of a front as a share of that of a full one.

    Objectives are scaled to the range of ``full``, whose largest values are the reference, a
    tenth of the range beyond them so that its ends count.
    """
    low, high = full.min(axis=0), full.max(axis=0)
    scale = np.where(high > low, high - low, 1.0)
    limit = [1.1] * full.shape[1]
    whole = hypervolume((full - low) / scale, limit)
    return hypervolume((found - low) / scale, limit) / whole
