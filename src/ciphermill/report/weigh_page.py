# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The report of a weighing: one HTML page that loads nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ciphermill.algorithms import AES, ALGORITHMS
from ciphermill.design import Measurement
from ciphermill.design.operations import Operation
from ciphermill.evaluate.device.weigh import DATA_UNIT_BYTES, LEAST_REPETITIONS
from ciphermill.report import format as human
from ciphermill.report import plots
from ciphermill.report.comparison import BASELINE, BEST_SOFTWARE, Comparison, Row
from ciphermill.report.html_page import described, moment, origin_lines, render


def weigh_page(measurements: Sequence[Measurement], started: str) -> str:
    """Return the page as HTML text.

    Args:
        measurements: Of one weighing.
        started: When it started, ISO 8601.
    """
    comparison = Comparison.of(measurements)
    first = comparison.rows[0].seen
    name = first.workload or "A message"
    # Of a padded mode the length is that of the padded message.
    size = human.size(min(one.bytes or 0 for one in measurements))
    simulated = [row.seen for row in comparison.rows if row.simulated]
    widths = sorted({one.interface for one in simulated if one.interface})
    clocks = sorted({row.seen.clock_mhz for row in comparison.rows if row.seen.clock_mhz})
    modes = f" in {human.listed([mode.upper() for mode in comparison.modes])}"
    rates = f"Dot plot of throughput. {_spoken(comparison, _rate)}."
    counts = f"Dot plot of cycles a block. {_spoken(comparison, _cycles)}."
    counted = [plots.cycles_svg(comparison, narrow=narrow) for narrow in (False, True)]
    return render(
        "weigh.html.j2",
        title=f"{name}, weighed",
        subtitle=f"{comparison.title}{modes if comparison.modes else ''}, {size}, "
        f"{moment(started)}",
        comparison=comparison,
        differences=wrong_outputs(measurements),
        reference=comparison.reference,
        findings=list(findings(comparison)),
        throughput=[
            described(plots.throughput_svg(comparison, narrow=narrow), rates)
            for narrow in (False, True)
        ],
        cycles=[described(one, counts) for one in counted if one],
        block_bytes=ALGORITHMS[first.algorithm or AES.name].block_bytes,
        message_size=size,
        measured=len(simulated) < len(comparison.rows),
        repetitions=LEAST_REPETITIONS,
        widths=human.listed([width.rpartition("-")[2] for width in widths]),
        clocks=human.listed([f"{human.significant(clock)} MHz" for clock in clocks]),
        data_unit=f"{DATA_UNIT_BYTES:,}",
        provenance=[
            ("Input", f"{name}, {size}"),
            ("Taken", moment(started)),
            *origin_lines(first.provenance),
        ],
        colour=lambda device: f"var(--series-{comparison.devices.index(device) % 6 + 1})",
    )


def wrong_outputs(measurements: Sequence[Measurement]) -> list[str]:
    """Return a sentence for each output that is not the reference's."""
    comparison = Comparison.of(measurements)
    return [
        f"{row.operation} on {row.device} differs from {comparison.reference}"
        + ("" if row.seen.wrong_byte is None else f" at byte {row.seen.wrong_byte}")
        for row in comparison.rows
        if row.seen.correct is False
    ]


def findings(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield figures worth a first look, each with what it is.

    They are the best simulated speedup, the same of the processor, the best simulated speedup
    over the best software where that was weighed, and the price of chaining.
    """
    for simulated, marked in ((True, " (simulated time)"), (False, "")):
        rows = [r for r in comparison.rows if r.speedup and r.simulated == simulated]
        rows = [r for r in rows if r.device != BASELINE]
        if rows:
            best = max(rows, key=lambda row: row.speedup or 0.0)
            what = f"{best.device} over {BASELINE} in {best.operation}{marked}"
            yield human.ratio(best.speedup or 0.0), what
    against = [row for row in comparison.rows if row.over_best and row.simulated]
    if against:
        best = max(against, key=lambda row: row.over_best or 0.0)
        what = f"{best.device} over {BEST_SOFTWARE}, the best software here, in {best.operation}"
        yield human.ratio(best.over_best or 0.0), f"{what}, its best case (simulated time)"
    cycles = [(row.seen.cycles_per_block, row) for row in comparison.rows]
    counting = [(count, row) for count, row in cycles if count]
    if counting:
        least, best = min(counting, key=lambda pair: pair[0])
        what = f"a block on {best.device} in {best.operation}, its fastest operation"
        yield f"{human.significant(least)} cycles", what
        chained = comparison.find(best.device, Operation("cbc", "encrypt"))
        if chained and chained.seen.cycles_per_block:
            what = f"more cycles a block for CBC encrypt on {best.device}"
            factor = human.ratio(chained.seen.cycles_per_block / least)
            yield factor, f"{what}: each block waits for the one before"


def _rate(row: Row) -> str:
    marked = " simulated" if row.simulated else ""
    return f"{human.throughput(row.seen.throughput_mb_s or 0.0)}{marked}"


def _cycles(row: Row) -> str:
    count = row.seen.cycles_per_block
    return human.significant(count) if count else ""


def _spoken(comparison: Comparison, said: Callable[[Row], str]) -> str:
    """Return a plot in words."""
    return ". ".join(
        f"{operation}: " + ", ".join(f"{row.device} {text}" for row in rows if (text := said(row)))
        for operation, rows in comparison.groups.items()
    )
