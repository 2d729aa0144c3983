# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The report of a weighing: one HTML page that loads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ciphermill.algorithms import AES, ALGORITHMS
from ciphermill.design import Measurement
from ciphermill.design.operations import Operation
from ciphermill.evaluate.device.weigh import DATA_UNIT_BYTES, LEAST_REPETITIONS
from ciphermill.report import format as human
from ciphermill.report import plots
from ciphermill.report.comparison import BASELINE, BEST_SOFTWARE, Comparison, Row
from ciphermill.report.html_page import described, moment, origin_lines, render


@dataclass(frozen=True)
class Finding:
    """A figure worth a reader's first look."""

    figure: str
    what: str


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
    spoken = alternative_text(comparison)
    throughput = [
        described(plots.throughput_svg(comparison, narrow=narrow), spoken)
        for narrow in (False, True)
    ]
    modes = f" in {human.listed([mode.upper() for mode in comparison.modes])}"
    counted = [plots.cycles_svg(comparison, narrow=narrow) for narrow in (False, True)]
    return render(
        "weigh.html.j2",
        title=f"{name}, weighed",
        subtitle=f"{comparison.title}{modes if comparison.modes else ''}, {size}, "
        f"{moment(started)}",
        comparison=comparison,
        differences=wrong_outputs(measurements),
        reference=comparison.scheme.reference,
        findings=findings(comparison),
        throughput=throughput,
        cycles=[described(one, cycles_text(comparison)) for one in counted if one],
        block_bytes=ALGORITHMS[first.algorithm or AES.name].block_bytes,
        message_size=size,
        methods=methods(comparison),
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
        f"{row.operation} on {row.device} differs from {comparison.scheme.reference}"
        + ("" if row.seen.wrong_byte is None else f" at byte {row.seen.wrong_byte}")
        for row in comparison.rows
        if row.seen.correct is False
    ]


def findings(comparison: Comparison) -> list[Finding]:
    """The best simulated speedup, the same of the processor, and the price of chaining.

    The simulated speedup is over the best software too, where that was weighed.
    """
    found = []
    for simulated in (True, False):
        rows = [r for r in comparison.rows if r.speedup and r.simulated == simulated]
        rows = [r for r in rows if r.device != BASELINE]
        if rows:
            best = max(rows, key=lambda row: row.speedup or 0.0)
            marked = " (simulated time)" if simulated else ""
            found.append(
                Finding(
                    human.ratio(best.speedup or 0.0),
                    f"{best.device} over {BASELINE} in {best.operation}{marked}",
                )
            )
    against = [row for row in comparison.rows if row.over_best and row.simulated]
    if against:
        best = max(against, key=lambda row: row.over_best or 0.0)
        found.append(
            Finding(
                human.ratio(best.over_best or 0.0),
                f"{best.device} over {BEST_SOFTWARE}, the best software here, in "
                f"{best.operation}, its best case (simulated time)",
            )
        )
    counting = [row for row in comparison.rows if row.seen.cycles_per_block]
    if counting:
        best = min(counting, key=lambda row: row.seen.cycles_per_block or 0.0)
        found.append(
            Finding(
                f"{human.significant(best.seen.cycles_per_block or 0.0)} cycles",
                f"a block on {best.device} in {best.operation}, its fastest operation",
            )
        )
        chained = comparison.find(best.device, Operation("cbc", "encrypt"))
        if chained and chained.seen.cycles_per_block and best.seen.cycles_per_block:
            factor = chained.seen.cycles_per_block / best.seen.cycles_per_block
            found.append(
                Finding(
                    human.ratio(factor),
                    f"more cycles a block for CBC encrypt on {best.device}: each block waits "
                    "for the one before",
                )
            )
    return found


def alternative_text(comparison: Comparison) -> str:
    """The throughput plot in words."""

    def line(row: Row) -> str:
        marked = " simulated" if row.simulated else ""
        return f"{row.device} {human.throughput(row.seen.throughput_mb_s or 0.0)}{marked}"

    groups = [
        f"{operation}: {', '.join(line(row) for row in rows)}"
        for operation, rows in comparison.groups.items()
    ]
    return f"Dot plot of throughput. {'. '.join(groups)}."


def cycles_text(comparison: Comparison) -> str:
    """The plot of cycles a block in words."""
    groups = [
        f"{operation}: "
        + ", ".join(
            f"{row.device} {human.significant(row.seen.cycles_per_block)}"
            for row in rows
            if row.seen.cycles_per_block
        )
        for operation, rows in comparison.groups.items()
    ]
    return f"Dot plot of cycles a block. {'. '.join(groups)}."


def methods(comparison: Comparison) -> list[str]:
    """A sentence for each way in which a figure came about."""
    lines = []
    if any(not row.simulated for row in comparison.rows):
        lines.append(
            f"Measured: wall time of this machine's processor, from memory to memory; the median "
            f"of several runs (as a rule {LEAST_REPETITIONS} or more) after one that is not "
            "counted. Devices that are measured run one after another, with nothing beside them."
        )
    if BASELINE in comparison.devices:
        lines.append(
            "software is OpenSSL kept from the processor's AES instructions; software+ is the same "
            "library with them."
        )
    if BEST_SOFTWARE in comparison.devices:
        lines.append(
            "cpu is the fastest software of this program on this processor: what an accelerator "
            "has to beat."
        )
    widths = sorted({row.seen.interface or "" for row in comparison.rows if row.simulated} - {""})
    cycles = sorted({row.seen.clock_mhz for row in comparison.rows if row.seen.clock_mhz})
    if cycles:
        bits = human.listed([width.rpartition("-")[2] for width in widths])
        frequencies = human.listed([f"{human.significant(clock)} MHz" for clock in cycles])
        lines.append(
            f"Simulated: cycles of the accelerator's RTL, compiled into a cycle-accurate model, at "
            f"{frequencies}, from the first register write to the last byte of output; once, since "
            f"a model is deterministic. Data streams are {bits} bits wide and deliver data "
            "whenever the accelerator takes it: a bus that is slower, a driver or a copy are not "
            "part of these figures."
        )
        lines.append(
            "Simulated and measured times stand side by side for orientation: the one is of "
            "hardware at the clock above, the other of this machine's processor."
        )
    if comparison.modes:
        lines.append(
            "ECB, CBC and XTS take the message padded to whole blocks (PKCS#7, RFC 5652, section "
            "6.3); CTR and GCM take it as it is. GCM's time includes its tag. XTS's data units "
            f"have {DATA_UNIT_BYTES:,} bytes."
        )
    elif comparison.rows[0].seen.key_bits:
        lines.append(
            f"{comparison.title} takes the message as it is, without associated data. The time "
            "includes its tag, which decryption checks."
        )
    lines.append(
        "A device is left out of an operation that it does not have. MB are 1,000,000 bytes. "
        "Decryption starts from the reference device's ciphertext, and every output was compared "
        "byte for byte."
    )
    return lines
