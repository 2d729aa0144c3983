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


@pytest.mark.parametrize("reference", [(3,), (2, 3), (2, 3, 5), (2, 3, 5, 7)])
def test_the_volume_of_one_point_is_that_of_its_box(reference: tuple[int, ...]) -> None:
    points = points_of([[1] * len(reference)], len(reference))
    assert hypervolume(points, reference) == pytest.approx(np.prod(np.array(reference) - 1))


def test_a_share_does_not_depend_on_units_nor_on_an_objective_that_never_varies() -> None:
    full = points_of([[0, 10, 5], [4, 4, 5], [10, 0, 5]], 3)
    part = share(full[[0, 2]], full)
    assert part == pytest.approx(share(full[[0, 2], :2], full[:, :2]))
    assert part == pytest.approx(
        share(full[[0, 2]] * [1e9, 1e-9, 3] - 7, full * [1e9, 1e-9, 3] - 7)
    )
