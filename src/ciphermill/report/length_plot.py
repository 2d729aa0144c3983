# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A plot of cycles over length: points, a fitted line, and its error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ciphermill.design import Measurement
from ciphermill.report import format as human
from ciphermill.report import plots
from ciphermill.report.cosim_table import blocks, operation_label, system_label
from ciphermill.report.fit import Fit, linear_fit


def fits(measurements: Sequence[Measurement]) -> dict[str, Fit]:
    """Return the fitted line of cycles over blocks of each system that ran at several lengths."""
    found = {}
    for label, points in _series(measurements).items():
        xs, ys = zip(*points, strict=True)
        if len(set(xs)) > 1:
            found[label] = linear_fit(xs, ys)
    return found


def describe_fit(fit: Fit) -> str:
    """A line and its error in words.

    >>> describe_fit(Fit(400.0, 501.0, 2.0, 0.001))
    '400 + 501 cycles a block, off by 2.00 cycles (0.100%) at most'
    """
    # An error below a millionth is rounding.
    worst, relative = round(fit.worst_error, 6), round(100 * fit.worst_relative_error, 6)
    return (
        f"{human.significant(fit.intercept)} + {human.significant(fit.slope)} cycles a block, "
        f"off by {human.significant(worst)} cycles "
        f"({human.significant(relative)}%) at most"
    )


def length_svg(
    measurements: Sequence[Measurement],
    colours: Mapping[str, str] = plots.STANDALONE,
    *,
    narrow: bool = False,
) -> str:
    """Return cycles over blocks of every system, with its line, as an SVG.

    Args:
        measurements: Of systems; each ran at several lengths.
        colours: ``plots.PAGE`` or ``plots.STANDALONE``.
        narrow: Whether it is for a narrow screen.
    """
    from matplotlib.ticker import MaxNLocator

    series, lines = _series(measurements), fits(measurements)
    figure = plots.new_figure((3.6 if narrow else 4.6) + 0.22 * len(series), narrow=narrow)
    panel = figure.subplots()
    for order, (label, points) in enumerate(series.items()):
        colour = plots.SERIES[(order + 1) % len(plots.SERIES)]
        xs, ys = zip(*points, strict=True)
        panel.plot(xs, ys, "o", color=colour, label=label, markersize=5)
        if label in lines:
            ends = [0, max(xs)]
            panel.plot(ends, [lines[label].at(x) for x in ends], color=colour, linewidth=1.2)
    panel.set_xlabel("blocks", color=plots.MUTED, fontsize=9)
    panel.set_ylabel("cycles", color=plots.MUTED, fontsize=9)
    panel.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    panel.set_xlim(left=0)
    panel.set_ylim(bottom=0)
    panel.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    plots.style(panel)
    panel.grid(axis="y", color=plots.GRID, linewidth=0.8)
    plots.legend(figure, 1)
    return plots.svg(figure, "length-narrow" if narrow else "length", colours)


def _series(measurements: Sequence[Measurement]) -> dict[str, list[tuple[int, int]]]:
    several = len({operation_label(seen) for seen in measurements}) > 1
    series: dict[str, list[tuple[int, int]]] = {}
    for seen in measurements:
        if seen.cycles_total is not None:
            label = system_label(seen)
            if several:
                label = f"{operation_label(seen)}, {label}"
            series.setdefault(label, []).append((blocks(seen), seen.cycles_total))
    return {label: sorted(points) for label, points in series.items()}
