# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Fits a straight line to measured points, with the largest error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Fit:
    """``y = intercept + slope * x``, by least squares."""

    intercept: float
    slope: float
    worst_error: float
    """The largest distance of a point from the line, in the unit of y."""
    worst_relative_error: float
    """The largest distance over the point's own y."""

    def at(self, x: float) -> float:
        """Return the line's y."""
        return self.intercept + self.slope * x


def linear_fit(xs: Sequence[float], ys: Sequence[float]) -> Fit:
    """Fit a line by least squares.

    >>> linear_fit([1, 2, 3], [12, 14, 16])
    Fit(intercept=10.0, slope=2.0, worst_error=0.0, worst_relative_error=0.0)

    Raises:
        ValueError: There are fewer than two different x.
    """
    if len(xs) != len(ys) or len(set(xs)) < 2:
        raise ValueError("a line needs points at two different places or more")
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / spread
    intercept = mean_y - slope * mean_x
    errors = [abs(y - intercept - slope * x) for x, y in zip(xs, ys, strict=True)]
    relative = max((e / abs(y) for e, y in zip(errors, ys, strict=True) if y), default=0.0)
    return Fit(intercept, slope, max(errors), relative)
