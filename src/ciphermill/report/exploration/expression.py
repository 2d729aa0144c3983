# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Values of a stored exploration's objectives and constraints."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

from ciphermill.design.expression import Expression, ExpressionError, parse


def value_of(expression: str, figures: Mapping[str, float]) -> float | None:
    """Return an expression's value; None if a figure is missing or the value is not finite.

    A figure of the same name counts first: an objective function of a user's own may give any.

    >>> value_of("cycles.total / 2", {"cycles.total": 30.0})
    15.0
    """
    if expression in figures:
        found = float(figures[expression])
        return found if math.isfinite(found) else None
    parsed = _parsed(expression)
    try:
        return None if parsed is None else parsed.value(figures)
    except ExpressionError:
        return None


def names_in(expression: str) -> tuple[str, ...]:
    """Return the figures that an expression names.

    >>> names_in("area.lut < 4 * area.ff")
    ('area.lut', 'area.ff')
    """
    parsed = _parsed(expression)
    return () if parsed is None else parsed.names


@cache
def _parsed(expression: str) -> Expression | None:
    try:
        return parse(expression)
    except ExpressionError:
        return None
