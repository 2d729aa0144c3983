# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Searches for the highest clock that meets timing, by synthesis for shorter and shorter periods.

A synthesis for a target period gives a netlist whose shortest period may be longer or
shorter than the target. So there is a period that was reached (the best of all netlists)
and a target that no netlist met; the search halves the ratio between the two, on a
logarithmic scale, until they are within the tolerance. The result is what these tools reach
with this effort, not a bound: a netlist may miss one target and another one reach a shorter
target.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

TOLERANCE = 0.02
"""Relative difference, at the end, between the period that was reached and the longest one that
was missed."""
FIRST_SHARE = 0.6
"""While no target was missed, the next target is this share of the best period so far."""
MOST_PROBES = 12

Result = TypeVar("Result")


@dataclass(frozen=True)
class Found(Generic[Result]):
    """The end of a search."""

    period_ps: float
    """The shortest period that was reached."""
    missed_ps: float
    """The longest period that was missed; 0 if none was."""
    result: Result
    """The netlist that reaches it."""
    probes: int
    """The number of syntheses, without the first."""


def find_clock(
    first: Result,
    synthesise: Callable[[float], Result],
    period_of: Callable[[Result], float],
) -> Found[Result]:
    """Search for the shortest period.

    Args:
        first: The netlist to begin with, for a clock that is easily met.
        synthesise: Makes the netlist for a period in ps.
        period_of: Returns the shortest period of a netlist, in ps.

    Raises:
        ValueError: No period bounds the first netlist.
    """
    best, reached = first, period_of(first)
    if not reached > 0:
        raise ValueError("no path of the first netlist bounds its clock")
    in_vain: list[float] = []
    missed, probes = 0.0, 0
    while probes < MOST_PROBES and reached > (1 + TOLERANCE) * missed:
        asked = math.sqrt(reached * missed) if missed else FIRST_SHARE * reached
        probes += 1
        result = synthesise(asked)
        period = period_of(result)
        if period > asked:
            in_vain.append(asked)
        if 0 < period < reached:
            best, reached = result, period
        # A target that was missed once and then reached by another netlist is no bound.
        missed = max((period for period in in_vain if period < reached), default=0.0)
    return Found(reached, missed, best, probes)
