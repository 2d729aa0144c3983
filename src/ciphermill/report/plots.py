# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Plots of a weighing as SVG.

A plot is drawn in placeholder colours that are then replaced: by CSS variables
for a page, which follow the reader's light or dark scheme, or by fixed colours
for a file that stands alone.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ciphermill.report import format as human
from ciphermill.report.comparison import Comparison, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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

_BAR = 0.8
"""Part of a group's height that its bars fill."""


def throughput_svg(comparison: Comparison, colours: Mapping[str, str] = PAGE) -> str:
    """Throughput of every device in every mode and direction."""
    figure = _bars(
        comparison,
        comparison.devices,
        value=lambda row: row.seen.throughput_mb_s,
        label=lambda row: human.throughput(row.seen.throughput_mb_s or 0.0),
        axis="throughput, logarithmic",
        tick=human.throughput_tick,
    )
    return svg(figure, "throughput", colours)


def clocks_svg(comparison: Comparison, colours: Mapping[str, str] = PAGE) -> str | None:
    """Clocks a block of the devices that count them; None when none does."""
    counting = [
        device
        for device in comparison.devices
        if any(row.seen.cycles_per_block for row in comparison.of_device(device))
    ]
    if not counting:
        return None
    figure = _bars(
        comparison,
        counting,
        value=lambda row: row.seen.cycles_per_block,
        label=lambda row: human.significant(row.seen.cycles_per_block or 0.0),
        axis="clocks a block, logarithmic (fewer is faster)",
        tick=lambda value: f"{value:g}",
    )
    return svg(figure, "clocks", colours)


def _bars(
    comparison: Comparison,
    devices: Sequence[str],
    *,
    value: Callable[[Row], float | None],
    label: Callable[[Row], str],
    axis: str,
    tick: Callable[[float], str],
) -> Figure:
    """Horizontal bars: a panel a direction, a group a mode, a bar a device."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, NullFormatter

    modes = comparison.modes
    height = 1.35 + len(modes) * (0.27 * len(devices) + 0.22)
    figure = Figure(figsize=(9.4, height), layout="constrained")
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    thickness = _BAR / len(devices)
    values = [v for row in comparison.rows if row.device in devices and (v := value(row))]
    for panel, direction in zip(panels, ("encrypt", "decrypt"), strict=True):
        for order, device in enumerate(devices):
            colour = SERIES[comparison.devices.index(device) % len(SERIES)]
            for group, mode in enumerate(modes):
                row = comparison.find(device, mode, direction)
                width = value(row) if row else None
                if row is None or width is None:
                    continue
                place = group + (order - (len(devices) - 1) / 2) * thickness
                panel.barh(
                    place,
                    width,
                    thickness * 0.86,
                    color=PAPER if row.simulated else colour,
                    edgecolor=colour,
                    linewidth=1.2,
                    hatch="////" if row.simulated else None,
                )
                panel.annotate(
                    label(row),
                    (width, place),
                    xytext=(4, 0),
                    textcoords="offset points",
                    va="center",
                    color=INK,
                    fontsize=8.5,
                )
        panel.set_title(direction, color=INK, fontsize=11, loc="left")
        style(panel)
    panels[0].set_xscale("log")
    panels[0].set_xlim(_limits(values))
    for panel in panels:
        panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: tick(value)))
        panel.xaxis.set_minor_formatter(NullFormatter())
    panels[0].set_yticks(range(len(modes)), [mode.upper() for mode in modes])
    panels[0].invert_yaxis()
    figure.supxlabel(axis, color=MUTED, fontsize=9)
    _legend(figure, comparison, devices)
    return figure


def _limits(values: Sequence[float]) -> tuple[float, float]:
    """Axis limits that leave the shortest bar visible and room for its label."""
    low, high = min(values), max(values)
    span = max(high / low, 10.0)
    return low / span**0.18, high * span**0.33


def style(panel: Axes) -> None:
    """Give a panel the house's looks: a quiet grid, no frame."""
    panel.set_facecolor("none")
    panel.set_axisbelow(True)
    panel.grid(axis="x", color=GRID, linewidth=0.8)
    panel.tick_params(colors=MUTED, labelsize=9, length=0, which="both")
    panel.tick_params(axis="y", labelcolor=INK, labelsize=10)
    for spine in panel.spines.values():
        spine.set_visible(False)


def _legend(figure: Figure, comparison: Comparison, devices: Sequence[str]) -> None:
    from matplotlib.patches import Patch

    entries = []
    for device in devices:
        colour = SERIES[comparison.devices.index(device) % len(SERIES)]
        simulated = any(row.simulated for row in comparison.of_device(device))
        entries.append(
            Patch(
                facecolor=PAPER if simulated else colour,
                edgecolor=colour,
                hatch="////" if simulated else None,
                label=f"{device} (simulated)" if simulated else device,
            )
        )
    figure.legend(
        handles=entries,
        loc="outside upper left",
        ncols=len(entries),
        frameon=False,
        labelcolor=INK,
        fontsize=9,
        handlelength=1.4,
        columnspacing=1.6,
    )


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
        "hatch.linewidth": 1.1,
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
