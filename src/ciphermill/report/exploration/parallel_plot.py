# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Parallel coordinates as a drawing, for files: a line for each candidate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ciphermill.report import format as human
from ciphermill.report import plots
from ciphermill.report.exploration.front_plot import LOOKS, add_legend, is_wide, row_address
from ciphermill.report.exploration.plot_data import Axis, axes_of
from ciphermill.report.exploration.standing import KIND_WORDS, Kind, Ranking, Standing
from ciphermill.report.exploration.text import plain_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT_INCHES = 5.4
_LABELS = 8
"""The most words beside an axis."""
_APART = 0.035
"""Of an axis: the least room between two texts."""
_BETTER = {"minimise": "less is better", "maximise": "more is better"}
_STYLES = {Kind.FRONT: "-", Kind.GOOD: "-", Kind.OUTSIDE: "--", Kind.FAILED: "-."}


def parallel_axes(ranking: Ranking) -> list[Axis]:
    """Return the fields that vary, then the objectives."""
    every = axes_of(ranking)
    return [one for role in ("field", "objective") for one in every if one.role == role]


def parallel_plot(ranking: Ranking, page: str = "") -> Figure:
    """Draw the varied fields, then the objectives, the front in front of the others.

    Args:
        ranking: The candidates.
        page: Address of the page, to which the candidates lead.
    """
    axes = parallel_axes(ranking)
    figure = plots.new_figure(_HEIGHT_INCHES, narrow=False)
    panel = figure.subplots()
    scales = [_Scale(axis, ranking) for axis in axes]
    for kind in reversed(Kind):
        label = True
        for one in ranking.of(kind):
            heights = [scale.height(one) for scale in scales]
            if sum(height is not None for height in heights) < 2:
                continue
            panel.plot(
                range(len(axes)),
                [math.nan if height is None else height for height in heights],
                _STYLES.get(kind, ":"),
                color=LOOKS[kind][1],
                linewidth=2.2 if kind is Kind.FRONT else 0.9,
                alpha=1.0 if kind is Kind.FRONT else 0.4,
                label=KIND_WORDS[kind] if label else None,
                url=row_address(one, page),
            )
            label = False
    for place, scale in enumerate(scales):
        _draw_axis(panel, place, scale)
    panel.set_xlim(-0.15, max(len(axes) - 0.4, 0.5))
    panel.set_ylim(-0.06, 1.16)
    panel.axis("off")
    add_legend(figure, panel)
    return figure


class _Scale:
    """An axis from 0 to 1."""

    def __init__(self, axis: Axis, ranking: Ranking) -> None:
        self.axis = axis
        values = [value for one in ranking.standings if (value := axis.drawn(one)) is not None]
        self.logarithmic = axis.role != "field" and is_wide(values)
        placed = list(map(self._place, values)) or [0.0]
        if axis.words:
            placed = [0.0, float(len(axis.words) - 1)]
        self.low, self.high = min(placed), max(placed)
        self.values = sorted(set(values)) if axis.role == "field" else []

    def height(self, one: Standing) -> float | None:
        value = self.axis.drawn(one)
        return None if value is None else self.part(value)

    def part(self, value: float) -> float:
        span = self.high - self.low
        return (self._place(value) - self.low) / span if span else 0.5

    def ticks(self) -> list[tuple[float, str]]:
        """Heights and texts beside the axis."""
        if self.axis.words:
            every = -(-len(self.axis.words) // _LABELS)
            words = list(enumerate(self.axis.words))[::every]
            return [(self.part(index), word[:22]) for index, word in words]
        if 0 < len(self.values) <= _LABELS:
            return _apart([(self.part(value), f"{value:g}") for value in self.values])
        span = self.high - self.low
        marks = [self.low + span * part for part in ((0, 0.5, 1) if span else (0,))]
        values = [10**mark if self.logarithmic else mark for mark in marks]
        return [(self.part(value), human.any_figure(value)) for value in values]

    def _place(self, value: float) -> float:
        return math.log10(value) if self.logarithmic else value


def _apart(marks: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """Leave out texts that would stand on the one below."""
    kept = marks[:1]
    for mark in marks[1:]:
        if mark[0] - kept[-1][0] >= _APART:
            kept.append(mark)
    return kept


def _draw_axis(panel: Axes, place: int, scale: _Scale) -> None:
    panel.plot([place, place], [0, 1], color=plots.MUTED, linewidth=1.0)
    name = scale.axis.name if len(scale.axis.name) <= 26 else f"…{scale.axis.name[-25:]}"
    # The first name would stand out on the left.
    side, left = ("left", place - 0.1) if place == 0 else ("center", float(place))
    better = _BETTER.get(scale.axis.direction, "")
    panel.text(left, 1.115, plain_text(name), ha=side, color=plots.INK, fontsize=8.5)
    panel.text(left, 1.06, better, ha=side, color=plots.MUTED, fontsize=7.5)
    for height, text in scale.ticks():
        halo = {"facecolor": plots.PAPER, "edgecolor": "none", "alpha": 0.8, "pad": 0.6}
        plots.beside(
            panel,
            plain_text(text),
            (place, height),
            5,
            fontsize=8,
            color=plots.MUTED,
            bbox=halo,
        )
