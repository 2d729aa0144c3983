# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The report of a campaign of streams: throughput over sizes, and the longest size in a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType

from ciphermill.campaign.streams import Streams
from ciphermill.design import Measurement
from ciphermill.evaluate.stream.latency import latencies_of
from ciphermill.evaluate.stream.swept import benches_of, sweeps_of
from ciphermill.report import plots
from ciphermill.report.html_page import described, moment, origin_lines, render
from ciphermill.report.section import Section, section_renderables
from ciphermill.report.stream_plots import stream_plot
from ciphermill.report.stream_table import (
    bench_section,
    latency_section,
    streams_section,
    sweep_section,
    together_section,
)

_SHOWN = {
    "end-to-end": "Throughput end to end",
    "inside-write": "Throughput inside write calls",
}


def campaigns(measurements: Sequence[Measurement]) -> list[Streams]:
    """Return the streams of each platform."""
    found: dict[str, Streams] = {}
    for seen in measurements:
        name = seen.platform or seen.device or ""
        found.setdefault(name, Streams(name)).measurements.append(seen)
    return list(found.values())


def stream_parts(measurements: Sequence[Measurement]) -> list[RenderableType]:
    """Return the tables for a terminal."""
    return [
        part
        for streams in campaigns(measurements)
        for section in _of(streams)
        for part in section_renderables(section)
    ]


def _of(streams: Streams) -> list[Section]:
    """Return the tables of a campaign."""
    together = together_section(streams)
    return [streams_section(streams), *([together] if together else [])]


def sweep_parts(measurements: Sequence[Measurement]) -> list[RenderableType]:
    """Return the tables of sweeps and micro-benchmarks for a terminal."""
    return [part for one in _sweeps(measurements) for part in section_renderables(one)]


def sweep_page(measurements: Sequence[Measurement], started: str) -> str:
    """Return the page of sweeps and micro-benchmarks; arguments as of ``stream_page``."""
    names = dict.fromkeys(seen.platform or "" for seen in measurements)
    return render(
        "streams.html.j2",
        title=f"Properties of {', '.join(names)}",
        subtitle=f"Sweeps and micro-benchmarks, {moment(started)}",
        sections=_sweeps(measurements),
        plots=[],
        provenance=[("Taken", moment(started)), *origin_lines(measurements[0].provenance)],
    )


def _sweeps(measurements: Sequence[Measurement]) -> list[Section]:
    benches = [bench_section(name, *one) for name, one in benches_of(measurements).items()]
    swept = sweeps_of(measurements).items()
    sweeps = [sweep_section(platform, what, points) for (platform, what), points in swept]
    latencies = latencies_of(measurements).items()
    return [*benches, *sweeps, *(latency_section(*where, points) for where, points in latencies)]


def stream_page(measurements: Sequence[Measurement], started: str) -> str:
    """Return the page as HTML text.

    Args:
        measurements: Of one campaign.
        started: When it started, ISO 8601.
    """
    found = campaigns(measurements)
    sizes = sorted({seen.bytes or 0 for seen in measurements})
    return render(
        "streams.html.j2",
        title=f"Streams on {', '.join(streams.name for streams in found)}",
        subtitle=f"{sizes[0] / 2**10:g} KiB to {sizes[-1] / 2**20:g} MiB, {moment(started)}",
        sections=[section for streams in found for section in _of(streams)],
        plots=[
            {
                "title": f"{title}, {direction}, {streams.name}",
                "drawn": [
                    described(
                        stream_plot(streams, direction, what, colours=plots.PAGE, narrow=narrow),
                        f"{title} over the size of a stream, {direction}, on {streams.name}. "
                        "The table below has the figures of the longest.",
                    )
                    for narrow in (False, True)
                ],
            }
            for streams in found
            for what, title in _SHOWN.items()
            for direction in ("encrypt", "decrypt")
            if any(seen.operation == direction for seen in streams.measurements)
        ],
        provenance=[("Taken", moment(started)), *origin_lines(measurements[0].provenance)],
    )
