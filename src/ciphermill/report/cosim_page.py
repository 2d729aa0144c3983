# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The report of runs on embedded systems: where the cycles go, over lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import RenderableType

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Measurement
from ciphermill.report import format as human
from ciphermill.report import plots
from ciphermill.report.cosim_table import (
    blocks,
    cosim_tables,
    estimate_errors,
    messages_label,
    operation_label,
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


@dataclass(frozen=True)
class _Row:
    label: str
    messages: str
    cells: tuple[str, ...]
    bar: str
    method: str
    correct: bool


@dataclass(frozen=True)
class _Group:
    name: str
    rows: list[_Row]


def runs(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Return the runs themselves: energies of systems are left out."""
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
        measurements: Of one run of ``cosim``.
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
        groups=_groups(seen),
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


def _groups(seen: Sequence[Measurement]) -> list[_Group]:
    """Return a group for each operation, and a row a run; bars share one linear scale."""
    groups: dict[str, list[Measurement]] = {}
    for one in seen:
        groups.setdefault(operation_label(one), []).append(one)
    return [_Group(name, _rows(rows)) for name, rows in groups.items()]


def _rows(rows: Sequence[Measurement]) -> list[_Row]:
    most = max((one.cycles_total or 0) / (blocks(one) or 1) for one in rows)
    found = []
    for one in rows:
        count = blocks(one) or 1
        shares = (one.cycles_processor, one.cycles_bus, one.cycles_accelerator)
        parts = [
            BarPart(name, (share or 0) / count, colour)
            for name, share, colour in zip(
                ("processor", "bus", "hardware"), shares, (1, 2, 3), strict=True
            )
        ]
        cells = (one.cycles_total, *shares, one.bus_transactions, one.instructions_total)
        found.append(
            _Row(
                system_label(one),
                messages_label(one),
                tuple("-" if c is None else human.significant(c / count) for c in cells),
                bar_svg(parts, most),
                one.method.value,
                one.correct is not False,
            )
        )
    return found


def _spoken(seen: Sequence[Measurement]) -> str:
    """The plot of cycles over length in words."""
    lines = "; ".join(f"{label}: {describe_fit(fit)}" for label, fit in fits(seen).items())
    return f"Cycles over blocks, with a straight line through the points of each system. {lines}."
