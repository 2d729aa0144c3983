# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The page of the verdict on offload: the sentences, throughput over size, every figure."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType

from ciphermill.design import Measurement, Method
from ciphermill.report import format as human
from ciphermill.report import plots
from ciphermill.report.html_page import described, moment, origin_lines, render
from ciphermill.report.section import Section, cells, section_renderables
from ciphermill.report.verdict import (
    by_size,
    callers,
    name,
    processor_ns_per_byte,
    sentences,
    size,
    worst_s,
)

COLUMNS = (
    *("bytes", "device", "MB/s", "median", "worst", "processor ns a byte", "pJ a bit"),
    *("over the best of the others", "time is"),
)


def verdict_parts(seen: Sequence[Measurement]) -> list[RenderableType]:
    """Return the tables for a terminal, and the verdict below them."""
    shown = [part for one in _sections(seen) for part in section_renderables(one)]
    return [*shown, *sentences(seen), *_notes(seen)]


def verdict_page(seen: Sequence[Measurement], started: str) -> str:
    """Return the page as HTML text.

    Args:
        seen: Measurements of one run.
        started: When it started, ISO 8601.
    """
    first = seen[0]
    wrong = dict.fromkeys(one.device for one in seen if one.correct is False)
    return render(
        "verdict.html.j2",
        title="Does offload pay?",
        subtitle=f"AES-{first.key_bits}-{(first.mode or '').upper()} encryption, {moment(started)}",
        wrong=wrong,
        sentences=sentences(seen),
        drawn=[
            {
                "title": f"Throughput by size, {callers(seen, several=several)}",
                "drawn": [
                    described(
                        rate_svg(seen, several=several, narrow=narrow),
                        "Throughput over the size of a message, both logarithmic, a line for each "
                        "device. The tables below have the figures.",
                    )
                    for narrow in (False, True)
                ],
            }
            for several in (False, True)
            if by_size(seen, several=several)
        ],
        sections=list(_sections(seen)),
        notes=_notes(seen),
        provenance=[("Taken", moment(started)), *origin_lines(first.provenance)],
    )


def rate_svg(seen: Sequence[Measurement], *, several: bool, narrow: bool = False) -> str:
    """Return throughput over size as SVG in the colours of a page, a line for each device.

    Args:
        seen: Measurements.
        several: Those of several messages at once; or of one caller.
        narrow: Whether it is for a telephone.
    """
    figure = plots.new_figure(3.8, narrow=narrow)
    panel = figure.subplots()
    lines: dict[str, list[tuple[int, float]]] = {}
    for length, found in by_size(seen, several=several).items():
        for one in found:
            if one.throughput_mb_s is not None:
                lines.setdefault(name(one), []).append((length, one.throughput_mb_s))
    for number, (label, points) in enumerate(lines.items(), 1):
        xs, ys = zip(*points, strict=True)
        colour = plots.SERIES[number % len(plots.SERIES)]
        marker = "osD^v"[(number - 1) % 5]
        panel.plot(xs, ys, f"-{marker}", color=colour, label=label, linewidth=1.6, markersize=4)
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    panel.xaxis.set_major_formatter(lambda value, _: size(int(value)).replace(" bytes", " B"))
    plots.ticks(panel.yaxis, human.throughput_tick)
    panel.set_xlabel("size of a message", color=plots.MUTED, fontsize=9)
    plots.style(panel)
    panel.grid(axis="y", color=plots.GRID, linewidth=0.8)
    plots.legend(figure, 2 if narrow else 4)
    kind = "several" if several else "one"
    return plots.svg(figure, f"verdict-{kind}-{'narrow' if narrow else 'wide'}", plots.PAGE)


def _sections(seen: Sequence[Measurement]) -> list[Section]:
    return [
        Section(
            f"Messages of each size, {callers(seen, several=several)}",
            COLUMNS,
            tuple(
                _row(one, found)
                for found in by_size(seen, several=several).values()
                for one in found
            ),
        )
        for several in (False, True)
        if by_size(seen, several=several)
    ]


def _row(one: Measurement, found: Sequence[Measurement]) -> tuple[str, ...]:
    others = [other.throughput_mb_s or 0.0 for other in found if other is not one]
    best = max(others, default=0.0)
    rate = one.throughput_mb_s
    if rate is None:
        return cells(one.bytes, one.device, *6 * [None], "no figures")
    modelled = one.method is Method.MODELLED
    worst = worst_s(one)
    return cells(
        one.bytes,
        one.device,
        rate,
        human.duration(one.time_median_message_s or 0.0),
        None if worst is None else human.duration(worst),
        processor_ns_per_byte(one),
        one.energy_pj_per_bit,
        human.ratio(rate / best) if best else "-",
        "from a line" if modelled else one.method.value,
    )


def _notes(seen: Sequence[Measurement]) -> list[str]:
    return list(dict.fromkeys(note for one in seen for note in one.notes or ()))
