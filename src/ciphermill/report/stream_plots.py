# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Throughput and speedup of streams over their size: a curve for each series that differs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ciphermill.campaign.streams import Streams
from ciphermill.evaluate.stream.applications import Application, Destination
from ciphermill.evaluate.stream.series import Series
from ciphermill.report import format as human
from ciphermill.report import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINES = {"software": ":", "software+": "--"}
"""Line styles by device; hardware is solid."""
_MODES = ("ecb", "cbc", "ctr")
_ALIKE = 0.01
"""Curves that never differ by more than this ratio are drawn as one."""
_TICKS = 5
_LABELS = 0.42
"""Part of a panel's width for the curves' names."""
_LINE_INCHES = 0.145

Points = tuple[tuple[float, float], ...]
"""Size in MiB and height."""
Curves = Mapping[Series, Points]


def campaign_plots(streams: Streams) -> Iterator[tuple[str, str]]:
    """Yield each plot's name and its self-contained SVG.

    By direction: throughput inside write, throughput end to end, and the speedup over
    software by both.
    """
    for direction in ("encrypt", "decrypt"):
        for what in _SHOWN:
            yield f"{what}-{direction}", stream_plot(streams, direction, what)


def stream_plot(
    streams: Streams,
    direction: str,
    what: str,
    *,
    colours: Mapping[str, str] = plots.STANDALONE,
    narrow: bool = False,
) -> str:
    """Return a plot as SVG: a panel for each application and destination.

    Args:
        streams: The streams of a campaign.
        direction: ``encrypt`` or ``decrypt``.
        what: ``inside-write``, ``end-to-end``, or one of these after ``speedup-``.
        colours: Colours of a page, or of a self-contained file.
        narrow: Whether the panels are below each other, for a narrow screen.
    """
    from matplotlib.ticker import LogLocator

    axis, _ = _SHOWN[what]
    tick = _times if what.startswith("speedup") else human.throughput_tick
    curves = _curves(streams, direction, what)
    places = [
        (application, destination)
        for application in Application
        for destination in Destination
        if any((one.application, one.destination) == (application, destination) for one in curves)
    ]
    columns = 1 if narrow else 2
    rows = max(1, math.ceil(len(places) / columns))
    high = 2.5 if narrow else 3.1
    figure = plots.new_figure(rows * high + 0.7, narrow=narrow)
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flatten()
    panels[0].set_xscale("log", base=2)
    panels[0].set_yscale("log")
    heights = [height for points in curves.values() for _, height in points]
    sizes = sorted({size for points in curves.values() for size, _ in points})
    if heights:
        low, most = min(heights) / 1.3, max(heights) * 1.3
        panels[0].set_ylim(low, most)
        span = max(sizes[-1] / sizes[0], 2.0)
        panels[0].set_xlim(sizes[0] / 1.2, sizes[-1] * span ** (_LABELS / (1 - _LABELS)))
        panels[0].set_xticks(sizes[:: -max(1, -(-len(sizes) // _TICKS))])
        panels[0].yaxis.set_major_locator(LogLocator(subs=_marks(most / low), numticks=20))
        apart = _LINE_INCHES / high * math.log10(most / low)
        for panel, (application, destination) in zip(panels, places, strict=False):
            panel.set_title(
                f"{application}, {destination}", color=plots.INK, fontsize=11, loc="left"
            )
            here = {
                series: points
                for series, points in curves.items()
                if (series.application, series.destination) == (application, destination)
            }
            _draw(panel, here, apart, math.log10(most))
    for panel in panels:
        plots.style(panel)
        panel.grid(axis="y", color=plots.GRID, linewidth=0.8)
        panel.tick_params(labelbottom=True, labelleft=True)
        panel.tick_params(axis="x", labelsize=8)
        plots.ticks(panel.xaxis, _size)
        plots.ticks(panel.yaxis, tick)
    for panel in panels[len(places) :]:
        panel.set_visible(False)
    title = f"{streams.name}, {direction}: {axis}"
    figure.suptitle(title, color=plots.INK, fontsize=10 if narrow else 12)
    name = f"{streams.name}-{what}-{direction}-{'narrow' if narrow else 'wide'}"
    plain = "".join(sign if sign.isalnum() else "-" for sign in name)
    return plots.svg(figure, plain, colours)


def _marks(span: float) -> Sequence[float]:
    """The multiples of powers of ten that are marked on an axis of this span."""
    if span > 1e3:
        return (1.0,)
    return (1.0, 2.0, 5.0) if span > 10 else (1.0, 1.5, *(float(one) for one in range(2, 10)))


def _curves(streams: Streams, direction: str, what: str) -> Curves:
    _, field = _SHOWN[what]
    values: dict[tuple[Series, int], float] = {
        (Series.of(seen), seen.bytes): getattr(seen, field) or 0.0
        for seen in streams.measurements
        if seen.operation == direction and seen.bytes and not seen.scope
    }
    found: dict[Series, list[tuple[float, float]]] = {}
    for (series, size), value in values.items():
        height = value
        if what.startswith("speedup"):
            plain = values.get((replace(series, device="software"), size))
            height = plain / value if plain and value and series.device != "software" else 0.0
        if height:
            found.setdefault(series, []).append((size / 2**20, height))
    return {series: tuple(sorted(points)) for series, points in found.items()}


def _draw(panel: Axes, curves: Curves, apart: float, top: float) -> None:
    """Draw a panel's curves, equal ones as one, each with its name beside its end."""
    ends = []
    for group in _alike(curves):
        points = curves[group[0]]
        colour = plots.SERIES[1 + _MODES.index(group[0].operation.mode)]
        style = _LINES.get(group[0].device, "-")
        panel.plot(*zip(*points, strict=True), style, color=colour, linewidth=1.8, marker=".")
        ends.append((math.log10(points[-1][1]), points[-1][0], _label(group), colour))
    ends.sort()
    heights = [height for height, *_ in ends]
    for number in range(1, len(heights)):
        heights[number] = max(heights[number], heights[number - 1] + apart)
    limit = top
    for number in reversed(range(len(heights))):
        heights[number] = min(heights[number], limit)
        limit = heights[number] - apart
    for height, (_, size, label, colour) in zip(heights, ends, strict=True):
        box = {"facecolor": plots.PAPER, "edgecolor": "none", "pad": 1}
        plots.beside(panel, label, (size, 10**height), 6, color=colour, fontsize=8, bbox=box)


def _alike(curves: Curves) -> list[list[Series]]:
    groups: list[list[Series]] = []
    for series, points in curves.items():
        for group in groups:
            other = curves[group[0]]
            if [size for size, _ in other] == [size for size, _ in points] and all(
                abs(one / two - 1) <= _ALIKE
                for (_, one), (_, two) in zip(points, other, strict=True)
            ):
                group.append(series)
                break
        else:
            groups.append([series])
    return groups


def _label(group: Sequence[Series]) -> str:
    by_device: dict[str, list[str]] = {}
    for one in group:
        by_device.setdefault(one.device, []).append(one.operation.mode.upper())
    return "\n".join(f"{', '.join(modes)}: {device}" for device, modes in by_device.items())


def _times(value: float) -> str:
    return f"{value:g}x"


_SHOWN = {
    "inside-write": ("throughput inside write", "throughput_inside_write_mb_s"),
    "end-to-end": ("throughput end to end", "throughput_mb_s"),
    "speedup-inside-write": ("speedup over software, inside write", "time_inside_write_s"),
    "speedup-end-to-end": ("speedup over software, end to end", "time_total_s"),
}
"""What the axis shows, and the field that it is of; a speedup is of times."""


def _size(mib: float) -> str:
    """A file size on an axis.

    >>> _size(0.03125), _size(4.0), _size(1024.0)
    ('32 KiB', '4 MiB', '1 GiB')
    """
    if mib < 1:
        return f"{mib * 1024:g} KiB"
    return f"{mib:g} MiB" if mib < 1024 else f"{mib / 1024:g} GiB"
