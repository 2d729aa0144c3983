# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The clock search, against tools whose limit is known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermill.evaluate.chip.clock_search import MOST_PROBES, TOLERANCE, find_clock


@given(st.floats(50, 20_000), st.floats(0.05, 1.0), st.floats(0, 0.1))
def test_comes_within_the_tolerance(first: float, share: float, better: float) -> None:
    """A tool that reaches what it is asked for, or somewhat better, down to a limit."""
    limit = first * share
    made: list[float] = []

    def synthesise(asked: float) -> float:
        made.append(asked)
        return max(limit, asked * (1 - better))

    found = find_clock(first, synthesise, lambda period: period)
    assert limit <= found.period_ps <= limit * (1 + TOLERANCE) * 1.0001
    assert found.result == found.period_ps
    assert found.probes == len(made) <= MOST_PROBES


def test_best_of_all_netlists_counts() -> None:
    """Asked for too much, a tool may still do better than before."""
    answers = {600: 900.0}
    found = find_clock(1000.0, lambda asked: answers.get(round(asked), 950.0), lambda p: p)
    assert found.period_ps == 900.0
    assert 0.97 * 900 < found.missed_ps < 900


def test_what_was_missed_by_chance_bounds_nothing() -> None:
    """A tool that misses 800 when asked for it, and reaches 760 when asked for less."""
    asked_for: list[float] = []

    def synthesise(asked: float) -> float:
        asked_for.append(asked)
        return 990.0 if asked > 790 else max(asked, 760.0)

    found = find_clock(1000.0, synthesise, lambda period: period)
    assert found.period_ps <= 760 * (1 + TOLERANCE)
    assert found.missed_ps < 760


def test_tool_that_gets_worse_keeps_the_first() -> None:
    found = find_clock(1000.0, lambda asked: 3000.0 - asked, lambda period: period)
    assert (found.period_ps, found.result) == (1000.0, 1000.0)


def test_no_bound_is_refused() -> None:
    with pytest.raises(ValueError, match="no path"):
        find_clock(0.0, lambda asked: asked, lambda period: period)
