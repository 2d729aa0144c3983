# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The highest clock that meets timing, by synthesis for tighter and tighter periods.

A synthesis is asked for a period and gives a netlist with a shortest period of its
own, which may miss what was asked or do better. So there is a period that was
reached (the best of all netlists) and one that no netlist met; the search
halves the ratio between the two, on a logarithmic scale, until they are within
the tolerance. It finds what these tools reach with this effort, not a bound: a
netlist that was missed at one period is now and then reached at a shorter one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

TOLERANCE = 0.02
"""Ratio, less one, of the period asked in vain to the one reached at the end."""
FIRST_SHARE = 0.6
"""While no period was missed, the next one is this share of the best so far."""
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
    """What reaches it."""
    probes: int
    """Syntheses that were made, the first not counted."""


def find_clock(
    first: Result,
    synthesise: Callable[[float], Result],
    period_of: Callable[[Result], float],
) -> Found[Result]:
    """Search for the shortest period.

    Args:
        first: A netlist to begin with, made for a clock that is easily met.
        synthesise: Makes the netlist for a period in ps.
        period_of: Says the shortest period of a netlist, in ps.

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
        # What was missed once and reached later by chance bounds nothing.
        missed = max((period for period in in_vain if period < reached), default=0.0)
    return Found(reached, missed, best, probes)
