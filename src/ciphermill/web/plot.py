# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A plot of candidates as SVG that a strict content policy allows: classes, no styles, no scripts.

It is drawn anew every few seconds, so that it is made of text and not by matplotlib.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

from ciphermill.report import format as human

MOST_DOTS = 800
"""Dots of a plot; of more candidates, the best are drawn."""
_LOGARITHMIC_FROM = 30.0
"""An axis is logarithmic if its largest value is so many times its smallest."""


@dataclass(frozen=True)
class Dot:
    """A candidate in the plot."""

    x: float
    y: float
    kind: str
    """Its class in the style sheet."""
    words: str
    """What a pointer over it shows."""
    page: str
    """Address of the candidate's page."""


@dataclass(frozen=True)
class Axis:
    """An axis: where a value is, as a part of its length from 0 to 1."""

    low: float
    high: float
    logarithmic: bool
    ticks: tuple[float, ...]

    def place(self, value: float) -> float:
        """Return where a value is."""
        low, high, value = (
            (math.log10(one) if self.logarithmic else one) for one in (self.low, self.high, value)
        )
        return (value - low) / (high - low)


def axis_of(values: Sequence[float], most_ticks: int = 6) -> Axis:
    """Return the axis for some values.

    >>> axis_of([12, 95]).ticks
    (20.0, 40.0, 60.0, 80.0)
    >>> axis_of([3, 4000]).ticks, axis_of([30, 1200]).ticks
    ((10.0, 100.0, 1000.0), (50.0, 100.0, 200.0, 500.0, 1000.0))
    """
    least, most = min(values), max(values)
    if least > 0 and most / least > _LOGARITHMIC_FROM:
        low, high = least / (most / least) ** 0.04, most * (most / least) ** 0.04
        decades = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
        step = math.ceil(len(decades) / most_ticks)
        if len(decades) < 3:
            wide = range(decades.start - 1, decades.stop)
            ticks = (part * 10.0**one for one in wide for part in (1, 2, 5))
            return Axis(low, high, True, tuple(one for one in ticks if low <= one <= high))
        return Axis(low, high, True, tuple(10.0**one for one in decades[::step]))
    room = (most - least) * 0.05 or abs(most) * 0.05 or 1.0
    low, high = least - room, most + room
    raw = (high - low) / (most_ticks - 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step_size = next(one * power for one in (1, 2, 5, 10) if one * power >= raw)
    first, last = math.ceil(low / step_size), math.floor(high / step_size)
    return Axis(low, high, False, tuple(one * step_size for one in range(first, last + 1)))


def scatter(
    dots: Sequence[Dot],
    names: tuple[str, str],
    line: Sequence[tuple[float, float]] = (),
    *,
    narrow: bool = False,
) -> str:
    """Return the plot of some dots; without dots the empty text.

    Args:
        dots: What is drawn; the last ones lie on top.
        names: Of both axes.
        line: Corners of a line through the front.
        narrow: Whether it is for a narrow screen.
    """
    if not dots:
        return ""
    width, height = (360, 300) if narrow else (900, 420)
    left, right, top, bottom = 58, 12, 26, 44
    across = axis_of([one.x for one in dots], 4 if narrow else 7)
    up = axis_of([one.y for one in dots])

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            round(left + across.place(x) * (width - left - right), 1),
            round(height - bottom - up.place(y) * (height - top - bottom), 1),
        )

    best = sum(one.kind == "front" for one in dots)
    label = f"{names[1]} over {names[0]} of {len(dots)} candidates, {best} of them on the front"
    parts = [
        f'<svg class="scatter {"narrow" if narrow else "wide"}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{html.escape(label)}">'
    ]
    for tick in across.ticks:
        x, _ = at(tick, up.low)
        parts.append(
            f'<line class="grid" x1="{x}" x2="{x}" y1="{top}" y2="{height - bottom}"/>'
            f'<text x="{x}" y="{height - bottom + 16}" class="middle">{_tick(tick)}</text>'
        )
    for tick in up.ticks:
        _, y = at(across.low, tick)
        parts.append(
            f'<line class="grid" x1="{left}" x2="{width - right}" y1="{y}" y2="{y}"/>'
            f'<text x="{left - 8}" y="{y + 4}" class="end">{_tick(tick)}</text>'
        )
    scales = [", logarithmic" if one.logarithmic else "" for one in (across, up)]
    parts.append(
        f'<text x="{width - right}" y="{height - 6}" class="end name">'
        f"{html.escape(names[0] + scales[0])}</text>"
        f'<text x="4" y="14" class="name">{html.escape(names[1] + scales[1])}</text>'
    )
    if len(line) > 1:
        corners = " ".join(",".join(map(str, at(*one))) for one in line)
        parts.append(f'<polyline class="front-line" points="{corners}"/>')
    for dot in dots:
        x, y = at(dot.x, dot.y)
        radius = 5 if dot.kind == "front" else 3.5
        # A narrow screen has no pointer that could rest on a dot.
        words = "" if narrow else f"<title>{html.escape(dot.words)}</title>"
        parts.append(
            # The table has the same links for the keyboard.
            f'<a href="{html.escape(dot.page)}" tabindex="-1">'
            f'<circle class="dot {dot.kind}" cx="{x}" cy="{y}" r="{radius}">{words}</circle></a>'
        )
    return "".join([*parts, "</svg>"])


def _tick(value: float) -> str:
    """A value at a tick, in few characters.

    >>> [_tick(one) for one in (0.25, 4000, 1e6)]
    ['0.250', '4,000', '1,000,000']
    """
    if value == round(value):
        return human.count(value)
    return human.significant(value)
