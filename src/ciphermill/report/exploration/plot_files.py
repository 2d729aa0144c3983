# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The plots of an exploration as files: PNG and SVG."""

from __future__ import annotations

import html
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ciphermill.report import plots
from ciphermill.report.exploration.atomic import write_whole
from ciphermill.report.exploration.front_plot import drawn_pairs, front_plot
from ciphermill.report.exploration.parallel_plot import parallel_axes, parallel_plot
from ciphermill.report.exploration.plot_data import axes_of, left_out
from ciphermill.report.exploration.standing import Ranking
from ciphermill.report.exploration.text import clean, plain_text
from ciphermill.report.html_page import moment

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DOTS_PER_INCH = 150
_LINE_CHARACTERS = 150
"""Characters of the line below a plot; the file's description has all."""
_COLOURS = ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor")
"""Properties of drawn things that have colours."""


def write_plots(
    ranking: Ranking, folder: Path, suffix: str, page: Path | None = None
) -> list[Path]:
    """Write the front of each pair of objectives and the parallel coordinates; return the files.

    Args:
        ranking: The candidates.
        folder: Where the files go; it is made if it is missing.
        suffix: ``png`` or ``svg``.
        page: The page's file; the candidates of an SVG file lead to their rows there.

    Raises:
        OSError: A file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    address = quote(os.path.relpath(page, folder)) if page else ""
    about = _about(ranking)
    for name, figure, lacking in _plots(ranking, address):
        told = f"{lacking} {about}" if lacking else about
        _sign(figure, about, lacking)
        path = folder / f"{name}.{suffix}"
        write_whole(path, _svg(figure, name, told) if suffix == "svg" else _png(figure, told))
        written.append(path)
    return written


def _about(ranking: Ranking) -> str:
    """Return where a plot's figures come from, as a line of text."""
    one = ranking.exploration
    commits = {
        seen.provenance.commit
        for candidate in one.candidates
        for seen in candidate.measurements
        if seen.provenance and seen.provenance.commit
    }
    named = f", commit {', '.join(sorted(commits))}" if commits else ""
    return clean(
        f"{one.name}: exploration {one.number}, {moment(one.started)}{named}: {one.command}"
    )


def _sign(figure: Figure, about: str, lacking: str) -> None:
    """Write below a plot what it lacks, and where its figures come from."""
    lines = (
        one if len(one) <= _LINE_CHARACTERS else f"{one[: _LINE_CHARACTERS - 1]}…"
        for one in (lacking, about)
        if one
    )
    text = "\n".join(lines)
    figure.supxlabel(plain_text(text), x=0.01, ha="left", color=plots.MUTED, fontsize=7.5)


def _plots(ranking: Ranking, page: str) -> Iterator[tuple[str, Figure, str]]:
    """Yield the name of each plot, its figure, and what it lacks."""
    objectives = [one for one in axes_of(ranking) if one.role == "objective"]
    for x, y in drawn_pairs(ranking):
        names = [_slug(ranking.objectives[index].expression) for index in (x, y)]
        # Two expressions may differ in signs alone.
        name = f"front-{x + 1}-{y + 1}-{names[1]}-over-{names[0]}"
        lacking = left_out(ranking, [objectives[x], objectives[y]])
        yield name, front_plot(ranking, x, y, page), lacking
    lacking = left_out(ranking, parallel_axes(ranking))
    yield "parallel-coordinates", parallel_plot(ranking, page), lacking


def _fixed(found: Any) -> Any:
    """Return a colour, or rows of them, with fixed colours for roles; None if none is of a role."""
    from matplotlib.colors import to_rgba, to_rgba_array

    if isinstance(found, str) and found in ("none", "auto"):
        return None
    roles = {to_rgba(role)[:3]: to_rgba(colour)[:3] for role, colour in plots.STANDALONE.items()}
    found_rows = to_rgba_array(found)
    if not any(tuple(row[:3]) in roles for row in found_rows):
        return None
    rows = [(*roles.get(tuple(row[:3]), tuple(row[:3])), row[3]) for row in found_rows]
    return rows if isinstance(found, list) or getattr(found, "ndim", 1) == 2 else rows[0]


def _slug(expression: str) -> str:
    return re.sub(r"[^A-Za-z0-9._]+", "-", expression).strip("-.")[:60] or "objective"


def _svg(figure: Figure, name: str, about: str) -> bytes:
    text = plots.svg(figure, name, plots.STANDALONE)
    text = text.replace(">", f">\n <title>{html.escape(about)}</title>", 1)
    return text.encode("utf-8", "replace")


def _png(figure: Figure, about: str) -> bytes:
    """Return a figure as PNG, with the fixed colours in place of those that stand for a role."""
    from matplotlib.artist import Artist
    from matplotlib.text import Text

    def own(one: Artist) -> bool:
        for kind in _COLOURS:
            get, put = getattr(one, f"get_{kind}", None), getattr(one, f"set_{kind}", None)
            if get is not None and put is not None:
                before = get()
                # What has no such colour must not get one: its transparency may be set apart.
                if (fixed := _fixed(before)) is not None:
                    put(fixed)
        return False

    figure.patch.set_facecolor(plots.PAPER)
    # Ticks and their labels exist only after a first drawing.
    figure.draw_without_rendering()
    figure.findobj(own)
    for text in figure.findobj(Text):
        if isinstance(text, Text) and (halo := text.get_bbox_patch()) is not None:
            own(halo)
    buffer = io.BytesIO()
    figure.savefig(
        buffer, format="png", dpi=_DOTS_PER_INCH, metadata={"Software": None, "Description": about}
    )
    return buffer.getvalue()
