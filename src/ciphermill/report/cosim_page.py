# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The report of runs on embedded systems: cycles by part, and cycles over length."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Measurement
from ciphermill.report import format as human
from ciphermill.report import plots
from ciphermill.report.cosim_table import (
    a_block,
    by_operation,
    cosim_tables,
    estimate_errors,
    messages_label,
    operation_label,
    shares,
    system_label,
    wrong_outputs,
)
from ciphermill.report.html_page import described, moment, origin_lines, render
from ciphermill.report.length_plot import describe_fit, fits, length_svg
from ciphermill.report.physical_bars import BarPart, bar_svg
from ciphermill.report.system_energy import (
    COLUMNS,
    energy_lines,
    energy_table,
    energy_title,
    part_rows,
    systems,
)


def runs(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Return the runs, without the energies of systems."""
    return [seen for seen in measurements if seen.target is None]


def cosim_parts(measurements: Sequence[Measurement]) -> list[RenderableType]:
    """Return the tables for a terminal, and the lines below them."""
    seen = runs(measurements)
    shown: list[RenderableType] = list(cosim_tables(seen))
    shown += [f"{label}: {describe_fit(fit)}" for label, fit in fits(seen).items()]
    shown += estimate_errors(seen)
    if all(one.correct for one in seen):
        shown.append("Every byte is the known answer.")
    for system in systems(measurements):
        shown += [energy_table(system), *energy_lines(system[0])]
    return shown


def cosim_page(measurements: Sequence[Measurement], started: str) -> str:
    """Return the page as HTML text.

    Args:
        measurements: The measurements of one run of ``cosim``.
        started: When it started, ISO 8601.
    """
    seen = runs(measurements)
    labels = list(dict.fromkeys(system_label(one) for one in seen))
    operations = list(dict.fromkeys(operation_label(one) for one in seen))
    algorithms = [ALGORITHMS[name] for name in dict.fromkeys(one.algorithm or "" for one in seen)]
    title = labels[0] if len(labels) == 1 else f"{len(labels)} embedded systems"
    lengths = [
        described(length_svg(seen, plots.PAGE, narrow=narrow), _spoken(seen))
        for narrow in (False, True)
        if fits(seen)
    ]
    return render(
        "cosim.html.j2",
        title=title,
        subtitle=f"{human.listed(operations)}, {moment(started)}",
        wrong=wrong_outputs(seen),
        runs=len(seen),
        groups={name: _rows(rows) for name, rows in by_operation(seen).items()},
        lengths=lengths,
        fits=[(label, describe_fit(fit)) for label, fit in fits(seen).items()],
        errors=estimate_errors(seen),
        energies=[
            {
                "title": energy_title(system[0]),
                "rows": part_rows(system),
                "lines": energy_lines(system[0]),
            }
            for system in systems(measurements)
        ],
        energy_columns=COLUMNS,
        methods={one.method.value for one in seen},
        blocks=human.listed([f"{one.block_bytes} bytes of {one.title}" for one in algorithms]),
        provenance=[("Taken", moment(started)), *origin_lines(seen[0].provenance)],
    )


def _rows(rows: Sequence[Measurement]) -> list[dict[str, object]]:
    """Return a row for each run; all bars share one linear scale."""
    most = max(shares(one)[0] or 0.0 for one in rows)
    return [
        {
            "label": system_label(one),
            "messages": messages_label(one),
            "cells": [cell for cells in a_block(one) for cell in cells],
            "bar": bar_svg(_parts(one), most),
            "method": one.method.value,
            "correct": one.correct is not False,
        }
        for one in rows
    ]


def _parts(seen: Measurement) -> list[BarPart]:
    total, *parts = shares(seen)
    if not any(parts):
        return [BarPart("all", total or 0.0, 4)]
    names = ("processor", "bus", "hardware")
    return [BarPart(names[n], share or 0.0, n + 1) for n, share in enumerate(parts)]


def _spoken(seen: Sequence[Measurement]) -> str:
    """A description of the plot of cycles over length."""
    lines = "; ".join(f"{label}: {describe_fit(fit)}" for label, fit in fits(seen).items())
    return f"Cycles over blocks, with a straight line through the points of each system. {lines}."
