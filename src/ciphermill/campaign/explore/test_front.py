# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermill.campaign.explore.front import front_of, hypervolume, points_of, share

SIDE = 5


@st.composite
def grids(draw: st.DrawFn) -> np.ndarray:
    objectives = draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(*[st.integers(0, SIDE) for _ in range(objectives)]), max_size=7))
    return points_of(rows, objectives)


@settings(max_examples=40)
@given(grids())
def test_the_hypervolume_of_whole_numbers_is_the_count_of_dominated_cells(
    points: np.ndarray,
) -> None:
    objectives = points.shape[1]
    cells = itertools.product(range(SIDE), repeat=objectives)
    wanted = sum(any((one <= np.array(cell)).all() for one in points) for cell in cells)
    assert hypervolume(points, [SIDE] * objectives) == pytest.approx(wanted)


@settings(max_examples=40)
@given(grids())
def test_a_front_has_exactly_the_rows_that_none_dominates(points: np.ndarray) -> None:
    def beats(one: np.ndarray, other: np.ndarray) -> bool:
        return bool((one <= other).all() and (one < other).any())

    wanted = [n for n, row in enumerate(points) if not any(beats(one, row) for one in points)]
    assert front_of(points) == wanted


def test_the_share_of_a_front_without_its_middle_is_less_than_one() -> None:
    full = points_of([[0, 10], [4, 4], [10, 0], [9, 9]], 2)
    assert share(full, full) == 1
    assert share(full[[0, 2]], full) < 0.5
