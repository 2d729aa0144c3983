# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The Pareto front of two objectives as a drawing, for files."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from ciphermill.campaign.exploration import Objective
from ciphermill.campaign.explore.front import front_of, points_of
from ciphermill.report import plots
from ciphermill.report.dot_plot import short
from ciphermill.report.exploration.plot_data import is_drawn
from ciphermill.report.exploration.standing import (
    KIND_WORDS,
    Kind,
    Ranking,
    Standing,
    losses,
)
from ciphermill.report.exploration.text import plain_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

WIDE = 10.0
"""Ratio of the largest to the smallest value from which an axis is logarithmic."""
FEW_POWERS = 100.0
"""Ratio below which a logarithmic axis has ticks between the powers of ten."""
LOOKS = {
    Kind.FRONT: ("D", plots.SERIES[2], True),
    Kind.GOOD: ("o", plots.SERIES[1], True),
    Kind.OUTSIDE: ("s", plots.SERIES[4], False),
    Kind.WAITING: ("+", plots.SERIES[0], True),
    Kind.DROPPED: ("v", plots.SERIES[0], False),
    Kind.FAILED: ("x", plots.SERIES[5], True),
    Kind.REFUSED: ("_", plots.SERIES[0], True),
}
"""Marker and colour of each kind, and whether it is filled."""
_HEIGHT_INCHES = 5.4


def front_plot(ranking: Ranking, x: int, y: int, page: str = "") -> Figure:
    """Draw the candidates over two objectives, and the front of these two as a step line.

    Args:
        ranking: The candidates.
        x: Index of the objective across.
        y: Index of the objective up.
        page: Address of the page, to which the candidates lead.
    """
    figure = plots.new_figure(_HEIGHT_INCHES, narrow=False)
    panel = figure.subplots()
    for kind in reversed(Kind):
        drawn = [
            one for one in ranking.of(kind) if is_drawn(one.values[x]) and is_drawn(one.values[y])
        ]
        if drawn:
            marker, colour, filled = LOOKS[kind]
            panel.scatter(
                [one.values[x] or 0.0 for one in drawn],
                [one.values[y] or 0.0 for one in drawn],
                s=52 if kind is Kind.FRONT else 32,
                marker=marker,
                facecolors=colour if filled else "none",
                edgecolors=colour if marker not in "+x_" else None,
                label=f"{KIND_WORDS[kind]}: {len(drawn)}",
                urls=[row_address(one, page) for one in drawn],
                zorder=3,
            )
    axes = ((panel.xaxis, x), (panel.yaxis, y))
    for axis, index in axes:
        _scale(panel, axis, [one.values[index] for one in ranking.standings])
    _steps(panel, ranking, x, y)
    plots.style(panel)
    panel.grid(axis="y", color=plots.GRID, linewidth=0.8)
    panel.set_xlabel(axis_label(ranking.objectives[x]), color=plots.MUTED, fontsize=9)
    panel.set_ylabel(axis_label(ranking.objectives[y]), color=plots.MUTED, fontsize=9)
    add_legend(figure, panel)
    return figure


def row_address(one: Standing, page: str) -> str | None:
    """Return the address of a candidate's row on the page; None without a page."""
    return f"{page}#candidate-{one.candidate.place}" if page else None


def add_legend(figure: Figure, panel: Axes) -> None:
    """Put a legend above a plot, the best kind first; they were drawn in the other order."""
    handles, labels = panel.get_legend_handles_labels()
    if labels:
        entries = dict(zip(reversed(labels), reversed(handles), strict=True))
        plots.legend(figure, 4, entries)


def axis_label(objective: Objective) -> str:
    """Return an objective's name and its better end."""
    better = "more" if objective.direction == "maximise" else "less"
    return plain_text(f"{objective.expression} ({better} is better)")


def is_wide(values: list[float]) -> bool:
    """Whether values differ so much that small ones need a logarithmic scale."""
    return bool(values) and min(values) > 0 and max(values) / min(values) > WIDE


def _scale(panel: Axes, axis: Axis, values: list[float | None]) -> None:
    from matplotlib.ticker import LogLocator

    known = [value for value in values if is_drawn(value)]
    if is_wide(known):
        (panel.set_xscale if axis is panel.xaxis else panel.set_yscale)("log")
        if max(known) / min(known) < FEW_POWERS:
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    plots.ticks(axis, lambda value: short(value) if value >= 0 else f"{value:g}")


def _steps(panel: Axes, ranking: Ranking, x: int, y: int) -> None:
    """Draw the border of what good candidates beat in two objectives."""
    pair = (ranking.objectives[x], ranking.objectives[y])
    good = [
        (one.known[x], one.known[y])
        for one in ranking.of(Kind.FRONT, Kind.GOOD)
        if is_drawn(one.known[x]) and is_drawn(one.known[y])
    ]
    lost = [losses(one, pair) for one in good]
    best = sorted(front_of(points_of(lost, 2)), key=lambda index: lost[index])
    if not best:
        return
    left, right = panel.get_xlim()
    bottom, top = panel.get_ylim()
    line = [good[index] for index in best]
    begin = (line[0][0], bottom if pair[1].direction == "maximise" else top)
    end = (left if pair[0].direction == "maximise" else right, line[-1][1])
    corners = [begin, line[0]]
    for before, one in itertools.pairwise(line):
        corners += [(one[0], before[1]), one]
    panel.plot(*zip(*corners, end, strict=True), color=plots.SERIES[2], linewidth=1.4, zorder=2)
    panel.set_xlim(left, right)
    panel.set_ylim(bottom, top)


def drawn_pairs(ranking: Ranking) -> list[tuple[int, int]]:
    """Return the pairs of objectives, by their indices."""
    count = len(ranking.objectives)
    return [(x, y) for x in range(count) for y in range(x + 1, count)]
