# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Throughput and speedup over file size, as the thesis on Zynq ciphers plots them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ciphermill.campaign.streams import Series, Streams
from ciphermill.design import Measurement
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import Implementation
from ciphermill.evaluate.stream.applications import Application, Destination
from ciphermill.report import format as human
from ciphermill.report import plots

_LINES: Mapping[Implementation, str] = {"software": ":", "software+": "--", "hardware": "-"}
_MODES = ("ecb", "cbc", "ctr")
_WIDTHS = {"ecb": 4.0, "cbc": 1.6, "ctr": 1.6}
"""ECB and CBC are often alike: the wider line shows below the other."""
_TICKS_MIB = (1 / 32, 1, 32, 1024)

Value = Callable[[Series, Measurement], float | None]


def campaign_plots(campaign: Streams) -> Iterator[tuple[str, str]]:
    """Yield each plot's name and its SVG, which stands alone.

    By direction: throughput inside write (the thesis's), throughput end to end, and
    the speedup over software by both.
    """
    for direction in ("encrypt", "decrypt"):
        yield (
            f"inside-write-{direction}",
            _plot(
                campaign,
                direction,
                lambda _, seen: seen.throughput_inside_write_mb_s,
                f"inside-write-{direction}",
                "throughput inside write",
                human.throughput_tick,
            ),
        )
        yield (
            f"end-to-end-{direction}",
            _plot(
                campaign,
                direction,
                lambda _, seen: seen.throughput_mb_s,
                f"end-to-end-{direction}",
                "throughput end to end",
                human.throughput_tick,
            ),
        )
        for name, field in (
            ("inside-write", "time_inside_write_s"),
            ("end-to-end", "time_total_s"),
        ):
            yield (
                f"speedup-{name}-{direction}",
                _plot(
                    campaign,
                    direction,
                    _speedup(campaign, field),
                    f"speedup-{name}-{direction}",
                    f"speedup over software, {name.replace('-', ' ')}",
                    lambda value: f"{value:g}x",
                ),
            )


def _speedup(campaign: Streams, field: str) -> Value:
    def value(series: Series, seen: Measurement) -> float | None:
        base = Series(series.application, series.destination, series.operation, "software")
        plain = campaign.find(base, (seen.bytes or 0) // 1024)
        if series.implementation == "software" or plain is None:
            return None
        return float(getattr(plain, field)) / float(getattr(seen, field))

    return value


def _plot(
    campaign: Streams,
    direction: str,
    value: Value,
    name: str,
    axis: str,
    tick: Callable[[float], str],
) -> str:
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, NullFormatter

    figure = Figure(figsize=(9.4, 7.4), layout="constrained")
    panels = figure.subplots(2, 2, sharex=True, sharey=True)
    handles = {}
    everything = campaign.series()
    for row, application in enumerate(Application):
        for column, destination in enumerate(Destination):
            panel = panels[row][column]
            for series in everything:
                if (series.application, series.destination) != (application, destination):
                    continue
                if series.operation.direction != direction:
                    continue
                points = [
                    (seen.bytes / 2**20, height)
                    for seen in campaign.of(series)
                    if seen.bytes and (height := value(series, seen))
                ]
                if not points:
                    continue
                colour = plots.SERIES[1 + _MODES.index(series.operation.mode)]
                (line,) = panel.plot(
                    *zip(*points, strict=True),
                    _LINES[series.implementation],
                    color=colour,
                    linewidth=_WIDTHS[series.operation.mode],
                    marker=".",
                )
                handles[_label(series.operation, series.implementation)] = line
            panel.set_title(
                f"{application}, {destination}", color=plots.INK, fontsize=11, loc="left"
            )
            plots.style(panel)
            panel.grid(axis="y", color=plots.GRID, linewidth=0.8)
    panels[0][0].set_xscale("log", base=2)
    panels[0][0].set_yscale("log")
    panels[0][0].set_xticks(_TICKS_MIB)
    for panel in panels.flat:
        panel.xaxis.set_major_formatter(FuncFormatter(lambda mib, _: _size(mib)))
        panel.yaxis.set_major_formatter(FuncFormatter(lambda height, _: tick(height)))
        panel.yaxis.set_minor_formatter(NullFormatter())
    figure.suptitle(f"{campaign.name}, {direction}: {axis}", color=plots.INK, fontsize=12)
    # A device may have neither operation of a direction.
    if handles:
        figure.legend(
            handles=list(handles.values()),
            labels=list(handles),
            loc="outside lower center",
            ncols=3,
            frameon=False,
            labelcolor=plots.INK,
            fontsize=9,
        )
    return plots.svg(figure, name, plots.STANDALONE)


def _label(operation: Operation, implementation: Implementation) -> str:
    return f"{operation.mode.upper()}, {implementation}"


def _size(mib: float) -> str:
    """A file size on an axis.

    >>> _size(0.03125), _size(4.0), _size(1024.0)
    ('32 KiB', '4 MiB', '1 GiB')
    """
    if mib < 1:
        return f"{mib * 1024:g} KiB"
    return f"{mib:g} MiB" if mib < 1024 else f"{mib / 1024:g} GiB"
