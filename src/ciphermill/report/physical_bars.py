# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Stacked bars inside the cells of a table."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class BarPart:
    """A part of a bar."""

    name: str
    value: float
    colour: int
    """Number of the style ``part-…``."""


def bar_svg(parts: Sequence[BarPart], whole: float) -> str:
    """Return a bar as an SVG with the width of its cell.

    Args:
        parts: From the left on.
        whole: The value that fills the cell.
    """
    marks, left = [], 0.0
    for part in parts:
        width = 100 * part.value / whole if whole > 0 else 0.0
        if width > 0:
            marks.append(
                f'<rect class="part-{part.colour}" x="{left:.3f}%" y="0" '
                f'width="{width:.3f}%" height="100%"><title>{html.escape(part.name)}</title></rect>'
            )
        left += width
    return f'<svg aria-hidden="true">{"".join(marks)}</svg>'
