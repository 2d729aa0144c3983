# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A plot of values of several sources, as dots on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ciphermill.report import format as human
from ciphermill.report import plots

Row = tuple[str, Mapping[str, float]]
"""A name, and the value of each source that has one."""
_LEGEND_CHARACTERS = 80
_LEGEND_LINE = 0.2
"""Height of a line of the legend, in inches."""


def short(value: float) -> str:
    """Return the label of a value on an axis.

    >>> [short(value) for value in (0.5, 200, 5000, 2e6, 1e9)]
    ['0.5', '200', '5 k', '2 M', '1 G']
    """
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g}"


def dot_plot(
    rows: Sequence[Row],
    axis: str,
    name: str,
    *,
    narrow: bool = False,
) -> str:
    """Return the plot as SVG in the colours of a page: a line for each row, a dot for each source.

    Args:
        rows: What is shown, from the top.
        axis: What the axis shows, with its unit.
        name: Tells this plot's ids from those of others on the page.
        narrow: Whether it is for a telephone.
    """
    from matplotlib.ticker import LogLocator

    parties = list(dict.fromkeys(party for _, values in rows for party in values))
    columns = 1 if narrow or sum(map(len, parties)) > _LEGEND_CHARACTERS else 4
    around = 1.0 + _LEGEND_LINE * -(-len(parties) // columns)
    figure = plots.new_figure(0.42 * len(rows) + around, narrow=narrow)
    panel = figure.subplots()
    for number, party in enumerate(parties):
        colour = plots.SERIES[(1 + number) % len(plots.SERIES)]
        points = [(values[party], row) for row, (_, values) in enumerate(rows) if party in values]
        panel.plot(
            *zip(*points, strict=True),
            "os^Dv"[number % 5],
            color=colour,
            markerfacecolor="none" if number else colour,
            markersize=8,
            markeredgewidth=1.8,
            label=party,
        )
    for row, (_, values) in enumerate(rows):
        ends = (min(values.values()), max(values.values()))
        panel.plot(ends, (row, row), color=plots.GRID, zorder=0)
        least, most = (pick(values, key=values.__getitem__) for pick in (min, max))
        if not narrow:
            sides = [(most, "left", 8)]
            # Labels are outside the dots, even if these are close; equal values get one label.
            if values[least] < values[most]:
                sides.append((least, "right", -8))
            for party, side, offset in sides:
                text = human.significant(values[party])
                plots.beside(panel, text, (values[party], row), offset, ha=side)
    every = [value for _, values in rows for value in values.values()]
    low, high = min(every), max(every)
    panel.set_xscale("log")
    room = max(high / low, 10.0) ** 0.15
    panel.set_xlim(low / room, high * room)
    wide = high / low > 300
    marks = LogLocator(subs=(1.0,) if wide else (1.0, 2.0, 5.0), numticks=5 if narrow else None)
    panel.xaxis.set_major_locator(marks)
    plots.ticks(panel.xaxis, short)
    panel.set_yticks(range(len(rows)), [name for name, _ in rows])
    panel.set_ylim(len(rows) - 0.4, -0.6)
    plots.style(panel)
    figure.supxlabel(axis, color=plots.MUTED, fontsize=9)
    plots.legend(figure, columns)
    return plots.svg(figure, f"{name}-{'narrow' if narrow else 'wide'}", plots.PAGE)
