# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Plots of a comparison of devices as SVG.

A plot is drawn in placeholder colours that are then replaced: by CSS variables for a page,
which follow the reader's light or dark scheme, or by fixed colours for a self-contained
file.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ciphermill.report import format as human
from ciphermill.report.comparison import Comparison, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

# Colours that no plot uses by accident; each stands for a role. The series are
# told apart by order and label too, never by colour alone.
INK, MUTED, GRID, PAPER = "#010101", "#020202", "#030303", "#040404"
SERIES = ("#050501", "#050502", "#050503", "#050504", "#050505", "#050506")

PAGE: Mapping[str, str] = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    GRID: "var(--rule)",
    PAPER: "var(--paper)",
    **{colour: f"var(--series-{number})" for number, colour in enumerate(SERIES, 1)},
}
"""Colours of the page, as CSS variables."""

STANDALONE: Mapping[str, str] = {
    INK: "#1c2430",
    MUTED: "#5b6675",
    GRID: "#dfe3e8",
    PAPER: "#ffffff",
    **dict(
        zip(
            SERIES,
            ("#8b95a3", "#3a78c9", "#d9822b", "#12906c", "#9a5bb5", "#b5484f"),
            strict=True,
        )
    ),
}
"""Fixed colours on white."""

WIDE_INCHES = 9.4
"""Width of a plot beside text, at 72 points an inch."""
NARROW_INCHES = 4.3
"""Width of a plot on a narrow screen, where a point is about a pixel."""
_LEGEND_CHARACTERS = 70
"""Characters of the devices' names that fit into one line of a wide plot's legend."""
_LEGEND_LINE_INCHES = 0.2
_GROUP = 0.8
"""Part of a group's height over which its dots are spread."""


def throughput_svg(
    comparison: Comparison, colours: Mapping[str, str] = PAGE, *, narrow: bool = False
) -> str:
    """Throughput of every device in every operation.

    Args:
        comparison: What is shown.
        colours: ``PAGE`` or ``STANDALONE``.
        narrow: Whether it is for a narrow screen, with the directions below each other.
    """
    figure = _dots(
        comparison,
        comparison.devices,
        value=lambda row: row.seen.throughput_mb_s,
        label=lambda row: human.throughput(row.seen.throughput_mb_s or 0.0),
        axis="throughput, logarithmic",
        tick=human.throughput_tick,
        narrow=narrow,
    )
    return svg(figure, "throughput-narrow" if narrow else "throughput", colours)


def cycles_svg(comparison: Comparison, *, narrow: bool = False) -> str | None:
    """Cycles per block of the devices that count them; None if none does.

    The arguments are those of ``throughput_svg``.
    """
    counted = {row.device for row in comparison.rows if row.seen.cycles_per_block}
    counting = [device for device in comparison.devices if device in counted]
    if not counting:
        return None
    figure = _dots(
        comparison,
        counting,
        value=lambda row: row.seen.cycles_per_block,
        label=lambda row: human.significant(row.seen.cycles_per_block or 0.0),
        axis="cycles a block, logarithmic (fewer is faster)",
        tick=lambda value: f"{value:g}",
        narrow=narrow,
    )
    return svg(figure, "cycles-narrow" if narrow else "cycles", PAGE)


def _dots(
    comparison: Comparison,
    devices: Sequence[str],
    *,
    value: Callable[[Row], float | None],
    label: Callable[[Row], str],
    axis: str,
    tick: Callable[[float], str],
    narrow: bool,
) -> Figure:
    """Dots on a logarithmic axis: a panel by verb, a group by mode, a line by device."""
    from matplotlib.ticker import LogLocator

    shown = [row for row in comparison.rows if row.device in devices and value(row)]
    modes = list(dict.fromkeys(row.operation.mode for row in shown))
    verbs = list(dict.fromkeys(row.operation.verb for row in shown))
    height = len(modes) * (0.27 * len(devices) + 0.22)
    tall = len(verbs) * height + 1.5 + _LEGEND_LINE_INCHES * len(devices)
    figure = new_figure(tall if narrow else height + 1.55, narrow=narrow)
    grid = (len(verbs), 1) if narrow else (1, len(verbs))
    panels = figure.subplots(*grid, sharey=True, squeeze=False).flatten()
    apart = _GROUP / len(devices)
    limits = _limits([value(row) or 0.0 for row in shown], room_for_label=0.6 if narrow else 0.33)
    entries: dict[str, Line2D] = {}
    for panel, verb in zip(panels, verbs, strict=True):
        for row in shown:
            if row.operation.verb != verb:
                continue
            colour = SERIES[comparison.devices.index(row.device) % len(SERIES)]
            order = devices.index(row.device) - (len(devices) - 1) / 2
            at = (value(row) or 0.0, modes.index(row.operation.mode) + order * apart)
            (dot,) = panel.plot(
                *at,
                "o",
                markersize=7,
                markerfacecolor=PAPER if row.simulated else colour,
                markeredgecolor=colour,
                markeredgewidth=1.6,
            )
            entries.setdefault(f"{row.device} (simulated)" if row.simulated else row.device, dot)
            beside(panel, label(row), at)
        panel.set_title(verb, color=INK, fontsize=11, loc="left")
        style(panel)
        panel.set_xscale("log")
        panel.set_xlim(limits)
        if narrow:
            # Only half of the ticks, since labels would overlap.
            panel.xaxis.set_major_locator(LogLocator(numticks=4))
        ticks(panel.xaxis, tick)
        for line in range(1, len(modes)):
            panel.axhline(line - 0.5, color=GRID, linewidth=0.8)
    panels[0].set_yticks(range(len(modes)), [mode.upper() or comparison.title for mode in modes])
    panels[0].set_ylim(len(modes) - 0.5, -0.5)
    figure.supxlabel(axis, color=MUTED, fontsize=9)
    columns = 1 if narrow else _legend_columns(devices)
    legend(figure, columns, entries, handlelength=1.0, columnspacing=1.6)
    return figure


def new_figure(height: float, *, narrow: bool) -> Figure:
    """Return a figure as wide as a page's plots, so many inches high."""
    from matplotlib.figure import Figure

    width = NARROW_INCHES if narrow else WIDE_INCHES
    return Figure(figsize=(width, height), layout="constrained")


def ticks(axis: Axis, words: Callable[[float], str]) -> None:
    """Write the values of an axis in words, at its major ticks alone."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: words(value)))
    axis.set_minor_formatter(NullFormatter())


def beside(
    panel: Axes, text: str, at: tuple[float, float], offset: float = 8, **looks: Any
) -> None:
    """Write a text beside a point, so many points to its right."""
    looks = {"color": INK, "fontsize": 8.5, **looks}
    panel.annotate(text, at, xytext=(offset, 0), textcoords="offset points", va="center", **looks)


def legend(
    figure: Figure, columns: int, entries: Mapping[str, Line2D] | None = None, **looks: Any
) -> None:
    """Put a legend above a plot.

    Args:
        figure: The plot.
        columns: Entries in a line.
        entries: The legend's handle for each name; the curves' own labels unless given.
        looks: Further arguments of ``Figure.legend``.
    """
    if entries is not None:
        looks |= {"handles": list(entries.values()), "labels": list(entries)}
    figure.legend(
        loc="outside upper left",
        ncols=columns,
        frameon=False,
        labelcolor=INK,
        fontsize=9,
        **looks,
    )


def _limits(values: Sequence[float], room_for_label: float) -> tuple[float, float]:
    """Axis limits with at least two powers of ten, and room for a label.

    Args:
        values: What the dots show.
        room_for_label: Part of the dots' span that the last one's label gets.
    """
    low, high = min(values), max(values)
    span = max(high / low, 10.0)
    low, high = low / span**0.1, high * span**room_for_label
    # Values on an axis can be read only with two labels.
    low = min(low, 10.0 ** math.floor(math.log10(high) - 1))
    return low, high


def _legend_columns(devices: Sequence[str]) -> int:
    """Entries of the legend per line: all, unless their names are too long for one line."""
    return len(devices) if sum(map(len, devices)) <= _LEGEND_CHARACTERS else 3


def style(panel: Axes) -> None:
    """Give a panel the house's looks: a quiet grid, no frame."""
    panel.set_facecolor("none")
    panel.set_axisbelow(True)
    panel.grid(axis="x", color=GRID, linewidth=0.8)
    panel.tick_params(colors=MUTED, labelsize=9, length=0, which="both")
    panel.tick_params(axis="y", labelcolor=INK, labelsize=10)
    for spine in panel.spines.values():
        spine.set_visible(False)


def svg(figure: Figure, name: str, colours: Mapping[str, str]) -> str:
    """The figure as an ``<svg>`` element in the given colours.

    The same figure gives the same text; ids are unique to ``name``, so that
    several plots can stand in one page.
    """
    import matplotlib

    figure.patch.set_facecolor("none" if colours is PAGE else PAPER)
    settings: dict[Any, Any] = {
        "svg.fonttype": "none" if colours is PAGE else "path",
        "svg.hashsalt": f"ciphermill-{name}",
        "font.family": "sans-serif",
    }
    buffer = io.StringIO()
    with matplotlib.rc_context(settings):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{name}-", text)
    text = re.sub(r"font: ([0-9.]+)px [^;\"]*", r"font: \1px var(--sans)", text)
    for placeholder, colour in colours.items():
        text = text.replace(placeholder, colour)
    return text
