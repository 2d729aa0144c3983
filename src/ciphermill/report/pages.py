# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tables, page and plot for each kind of measurement: the table ``PAGES``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.console import RenderableType

from ciphermill.design import Measurement
from ciphermill.report import plots
from ciphermill.report.bench_page import bench_page, bench_parts, is_bench
from ciphermill.report.comparison import Comparison
from ciphermill.report.cosim_page import cosim_page, cosim_parts
from ciphermill.report.length_plot import length_svg
from ciphermill.report.physical_comparison import physical_comparison
from ciphermill.report.physical_page import physical_page
from ciphermill.report.physical_table import breakdown_tables, physical_tables
from ciphermill.report.speed_page import speed_page
from ciphermill.report.speed_table import is_speed, speed_parts
from ciphermill.report.stream_page import stream_page, stream_parts, sweep_page, sweep_parts
from ciphermill.report.verdict import is_verdict
from ciphermill.report.verdict_page import verdict_page, verdict_parts
from ciphermill.report.weigh_page import weigh_page
from ciphermill.report.weigh_table import weigh_parts

Measurements = Sequence[Measurement]


@dataclass(frozen=True)
class Page:
    """The presentation of one kind of measurement."""

    name: str
    """The command that takes such measurements; ``sweep`` is of ``campaign``."""
    shows: Callable[[Measurement], bool]
    tables: Callable[[Measurements], Sequence[RenderableType]]
    """Tables and lines for a terminal."""
    html: Callable[[Measurements, str], str]
    """The page; the text says when the run started, ISO 8601."""
    plot: Callable[[Measurements], str] | None = None
    """The plot as a self-contained SVG."""


PAGES: tuple[Page, ...] = (
    Page("bench", is_bench, bench_parts, bench_page),
    Page("speed", is_speed, speed_parts, speed_page),
    Page("verdict", is_verdict, verdict_parts, verdict_page),
    Page(
        "weigh",
        lambda seen: seen.device is not None and seen.application is None,
        weigh_parts,
        weigh_page,
        lambda seen: plots.throughput_svg(Comparison.of(seen), plots.STANDALONE),
    ),
    Page(
        "campaign",
        lambda seen: seen.application is not None and seen.workload is None,
        stream_parts,
        stream_page,
    ),
    Page("sweep", lambda seen: seen.application is not None, sweep_parts, sweep_page),
    Page("cosim", lambda seen: seen.partition is not None, cosim_parts, cosim_page, length_svg),
    Page(
        "physical",
        lambda seen: seen.target is not None and seen.partition is None,
        lambda seen: [*physical_tables(seen), *breakdown_tables(seen)],
        lambda seen, started: _physical(seen, started),
    ),
)
"""All kinds that can be shown; the first one that fits a measurement is used."""


def pages(seen: Measurements) -> list[tuple[Page, list[Measurement]]]:
    """Return the pages that show a run, each with the measurements that it shows.

    Raises:
        ValueError: No page shows any of them.
    """
    shown: dict[str, list[Measurement]] = {}
    for one in seen:
        name = next((page.name for page in PAGES if page.shows(one)), None)
        if name is not None:
            shown.setdefault(name, []).append(one)
    if not shown:
        raise ValueError("there is no page for measurements of this kind")
    return [(page, shown[page.name]) for page in PAGES if page.name in shown]


def _physical(seen: Measurements, started: str) -> str:
    """Return the page of one design, or the comparison of several."""
    if len({one.design for one in seen}) > 1:
        return physical_comparison(seen, moment=datetime.fromisoformat(started))
    return physical_page(seen, started)
