# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The plot of an exploration's page: candidates over two objectives, and the front of both."""

from __future__ import annotations

from ciphermill.campaign.exploration import Objective
from ciphermill.campaign.explore.front import front_of, points_of
from ciphermill.report.exploration.expression import value_of
from ciphermill.report.exploration.plot_data import Axis, is_drawn, left_out
from ciphermill.report.exploration.standing import (
    KIND_WORDS,
    Kind,
    Ranking,
    Standing,
    losses,
    shown,
)
from ciphermill.web.plot import MOST_DOTS, Dot, scatter


def axes(ranking: Ranking) -> list[str]:
    """Return what the plot can show: objectives, then figures that they and constraints name."""
    return list(ranking.goals)


def plots(ranking: Ranking, chosen: tuple[str, str], pages: str) -> tuple[str, str]:
    """Return the plot of two objectives or figures, for a wide and for a narrow screen.

    Args:
        ranking: The candidates.
        chosen: What is across, and what is up.
        pages: Address of the candidates' pages, without their numbers.
    """
    dots = []
    for one in ranking.best_first[:MOST_DOTS]:
        x, y = (value_of(name, one.candidate.figures) for name in chosen)
        if is_drawn(x) and is_drawn(y):
            words = f"{x:g}, {y:g}: {KIND_WORDS[one.kind]}; {_fields(one)}"
            dots.append(Dot(x, y, one.kind.value, words, f"{pages}{one.candidate.place}"))
    dots.reverse()
    line = front_line(ranking, chosen)
    return scatter(dots, chosen, line), scatter(dots, chosen, line, narrow=True)


def lacking(ranking: Ranking, chosen: tuple[str, str]) -> str:
    """Return a sentence on values that the plot does not draw; empty if it draws all."""
    return left_out(ranking, [Axis(name, "figure") for name in dict.fromkeys(chosen)])


def front_line(ranking: Ranking, chosen: tuple[str, str]) -> list[tuple[float, float]]:
    """Return the corners of the front of two objectives: what is reached with nothing better."""
    by_name = {one.expression: one for one in ranking.objectives}
    if chosen[0] == chosen[1] or not all(name in by_name for name in chosen):
        return []
    goals: list[Objective] = [by_name[name] for name in chosen]
    points = []
    for one in ranking.of(Kind.FRONT, Kind.GOOD):
        values = [value_of(name, one.candidate.figures) for name in chosen]
        if all(map(is_drawn, values)):
            points.append(tuple(filter(is_drawn, values)))
    small = points_of([losses(point, goals) for point in points], len(goals))
    best = sorted({points[one] for one in front_of(small)})
    corners: list[tuple[float, float]] = []
    for x, y in best:
        if corners:
            # Between two designs, only the worse of both is reached.
            maximised = goals[0].direction == "maximise"
            corners.append((corners[-1][0], y) if maximised else (x, corners[-1][1]))
        corners.append((x, y))
    return corners


def _fields(one: Standing) -> str:
    return ", ".join(
        f"{name.rpartition('.')[2]} {shown(value)}" for name, value in one.candidate.fields.items()
    )
