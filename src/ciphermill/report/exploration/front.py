# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The candidates that no other candidate beats."""

from __future__ import annotations

from collections.abc import Sequence


def front(points: Sequence[Sequence[float]]) -> list[int]:
    """Return the indices of the points that no other dominates; each number is to be small.

    >>> front([(1, 3), (2, 2), (2, 3), (3, 1), (2, 2)])
    [0, 1, 3, 4]
    """
    kept: list[int] = []
    for one in sorted(range(len(points)), key=lambda index: tuple(points[index])):
        # What dominates a point comes before it in this order.
        if not any(_dominates(points[other], points[one]) for other in kept):
            kept.append(one)
    return sorted(kept)


def _dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True)) and tuple(one) != tuple(other)
