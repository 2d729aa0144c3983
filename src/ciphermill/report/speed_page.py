# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The page of repeated operations: rate over threads, power over time, every figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ciphermill.design import Measurement
from ciphermill.report import format as human
from ciphermill.report import plots
from ciphermill.report.dot_plot import Row, dot_plot
from ciphermill.report.html_page import described, moment, origin_lines, render
from ciphermill.report.speed_table import (
    by_operation,
    longest,
    party,
    rate,
    speed_notes,
    speed_sections,
    title,
    unit,
)


def speed_page(measurements: Sequence[Measurement], started: str) -> str:
    """Return the page as HTML text.

    Args:
        measurements: Of one run.
        started: When it started, ISO 8601.
    """
    first = measurements[0]
    operations = by_operation(measurements)
    wrong = [seen for seen in measurements if seen.correct is False]
    return render(
        "speed.html.j2",
        title="Speed of software",
        subtitle=f"{human.listed([title(one) for one in operations])}, {moment(started)}",
        wrong=dict.fromkeys(f"{title(one.workload or '')} on {one.device}" for one in wrong),
        drawn=[
            one
            for operation, found in operations.items()
            for one in (_rate_plot(operation, longest(found)), *_power_plots(operation, found))
        ],
        powered=any(seen.power_over_time for seen in measurements),
        sections=list(speed_sections(measurements)),
        notes=speed_notes(measurements),
        provenance=[("Taken", moment(started)), *origin_lines(first.provenance)],
    )


def threads_label(threads: int) -> str:
    """Return a number of threads in words."""
    return f"{threads} thread{'s' if threads > 1 else ''}"


def rate_rows(found: Sequence[Measurement]) -> list[Row]:
    """Return the rate of each device, by the number of threads."""
    rows: dict[str, dict[str, float]] = {}
    for seen in found:
        rows.setdefault(threads_label(seen.threads or 1), {})[party(seen)] = rate(seen)
    return list(rows.items())


def _rate_plot(operation: str, found: Sequence[Measurement]) -> dict[str, object]:
    first, rows = found[0], rate_rows(found)
    length = "" if first.bytes is None else f", {human.size(first.bytes)} a message"
    axis = f"{unit(first)}, logarithmic"
    spoken = ". ".join(
        f"{name}: "
        + ", ".join(f"{one} {human.significant(value)}" for one, value in values.items())
        for name, values in rows
    )
    return {
        "title": f"{title(operation)}{length}: {unit(first)}",
        "drawn": [
            described(dot_plot(rows, axis, operation, narrow=narrow), f"{axis}. {spoken}.")
            for narrow in (False, True)
        ],
    }


def _power_plots(operation: str, found: Sequence[Measurement]) -> list[dict[str, object]]:
    """Power over time at each number of threads, a plot for each device."""
    powered = [seen for seen in longest(found) if seen.power_over_time]
    return [
        {
            "title": f"{title(operation)}: power over time, {device}",
            "drawn": [
                described(
                    power_svg(
                        {
                            threads_label(seen.threads or 1): seen
                            for seen in powered
                            if seen.device == device
                        },
                        f"power-{operation}-{device}",
                        narrow=narrow,
                    ),
                    f"Power of {device} over time by the number of threads. "
                    "The tables below have the means.",
                )
                for narrow in (False, True)
            ],
        }
        for device in dict.fromkeys(seen.device for seen in powered)
    ]


def power_svg(curves: Mapping[str, Measurement], name: str, *, narrow: bool) -> str:
    """Return power over time as SVG in the colours of a page, a curve for each measurement.

    Args:
        curves: Measurements with samples of power, by what they are called.
        name: Tells this plot's ids from those of others on the page.
        narrow: Whether it is for a telephone.
    """
    figure = plots.new_figure(3.4, narrow=narrow)
    panel = figure.subplots()
    for number, (label, seen) in enumerate(curves.items(), 1):
        xs, ys = zip(*seen.power_over_time or (), strict=True)
        style = ("-", "--", ":")[(number - 1) % 3]
        colour = plots.SERIES[number % len(plots.SERIES)]
        panel.plot(xs, [mw / 1e3 for mw in ys], style, color=colour, label=label, linewidth=1.8)
    idle = [seen.power_idle_mw for seen in curves.values() if seen.power_idle_mw is not None]
    if idle:
        panel.axhline(min(idle) / 1e3, color=plots.MUTED, linewidth=1.0, label="idle before")
    panel.set_xlabel("seconds", color=plots.MUTED, fontsize=9)
    panel.set_ylabel("watts", color=plots.MUTED, fontsize=9)
    panel.set_xlim(left=0)
    panel.set_ylim(bottom=0)
    plots.style(panel)
    panel.grid(axis="y", color=plots.GRID, linewidth=0.8)
    plots.legend(figure, 2 if narrow else 4)
    return plots.svg(figure, f"{name}-{'narrow' if narrow else 'wide'}", plots.PAGE)
