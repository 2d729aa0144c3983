# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The report of a weighing: one HTML page that loads nothing."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ciphermill.evaluate.device.weigh import (
    DATA_UNIT_BYTES,
    LEAST_REPETITIONS,
    Difference,
    Weighing,
)
from ciphermill.report import format as human
from ciphermill.report import plots
from ciphermill.report.comparison import BASELINE, BEST_SOFTWARE, Comparison, Row
from ciphermill.report.html_page import environment, origin_lines


@dataclass(frozen=True)
class About:
    """What the page says of a weighing beside its measurements."""

    name: str
    """What was weighed, such as a file's name."""
    length: int
    """Its length in bytes."""
    reference: str
    """Device whose outputs were the reference."""
    moment: datetime
    processor: str
    system: str
    version: str


@dataclass(frozen=True)
class Finding:
    """A figure worth a reader's first look."""

    figure: str
    what: str


def weigh_page(weighing: Weighing, about: About) -> str:
    """The page as HTML text.

    Everything comes from ``weighing`` and ``about``; nothing is read or run.
    """
    comparison = Comparison.of(weighing.measurements)
    said = alternative_text(comparison)
    throughput = [
        _described(plots.throughput_svg(comparison, narrow=narrow), said)
        for narrow in (False, True)
    ]
    counted = [plots.clocks_svg(comparison, narrow=narrow) for narrow in (False, True)]
    clocks = [_described(one, clocks_text(comparison)) for one in counted if one]
    key_bits = comparison.rows[0].seen.key_bits
    return (
        environment()
        .get_template("weigh.html.j2")
        .render(
            title=f"{about.name}, weighed",
            subtitle=(
                f"AES-{key_bits} in {human.listed([mode.upper() for mode in comparison.modes])}, "
                f"{human.size(about.length)}, {about.moment:%-d %B %Y, %H:%M %Z}"
            ),
            comparison=comparison,
            differences=_sentences(weighing.differences),
            reference=about.reference,
            findings=findings(comparison),
            throughput=throughput,
            clocks=clocks,
            key_bits=key_bits,
            message_size=human.size(about.length),
            methods=methods(comparison),
            provenance=provenance(comparison, about),
            version=about.version,
            colour=lambda device: f"var(--series-{comparison.devices.index(device) % 6 + 1})",
        )
    )


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
                f"{human.significant(best.seen.cycles_per_block or 0.0)} clocks",
                f"a block on {best.device} in {best.operation}, its fastest operation",
            )
        )
        chained = comparison.find(best.device, "cbc", "encrypt")
        if chained and chained.seen.cycles_per_block and best.seen.cycles_per_block:
            factor = chained.seen.cycles_per_block / best.seen.cycles_per_block
            found.append(
                Finding(
                    human.ratio(factor),
                    f"more clocks a block for CBC encrypt on {best.device}: each block waits "
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
        f"{mode.upper()} {direction}: {', '.join(line(row) for row in rows)}"
        for mode in comparison.modes
        for direction in ("encrypt", "decrypt")
        if (rows := _rows(comparison, mode, direction))
    ]
    return f"Bar chart of throughput. {'. '.join(groups)}."


def clocks_text(comparison: Comparison) -> str:
    """The plot of clocks a block in words."""
    groups = [
        f"{mode.upper()} {direction}: "
        + ", ".join(
            f"{row.device} {human.significant(row.seen.cycles_per_block)}"
            for row in rows
            if row.seen.cycles_per_block
        )
        for mode in comparison.modes
        for direction in ("encrypt", "decrypt")
        if (rows := _rows(comparison, mode, direction))
    ]
    return f"Bar chart of clocks a block. {'. '.join(groups)}."


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
    clocks = sorted({row.seen.clock_mhz for row in comparison.rows if row.seen.clock_mhz})
    if clocks:
        bits = human.listed([width.rpartition("-")[2] for width in widths])
        frequencies = human.listed([f"{human.significant(clock)} MHz" for clock in clocks])
        lines.append(
            f"Simulated: clocks of the accelerator's RTL, compiled into a cycle-accurate model, at "
            f"{frequencies}, from the first register write to the last byte of output; once, since "
            f"a model is deterministic. Data streams are {bits} bits wide and deliver data "
            "whenever the accelerator takes it: a bus that is slower, a driver or a copy are not "
            "part of these figures."
        )
        lines.append(
            "Simulated and measured times stand side by side for orientation: the one is of "
            "hardware at the clock above, the other of this machine's processor."
        )
    lines.append(
        "ECB, CBC and XTS take the message padded to whole blocks (PKCS#7, RFC 5652, section 6.3); "
        "CTR and GCM take it as it is. GCM's time includes its tag. XTS's data units have "
        f"{DATA_UNIT_BYTES:,} bytes. A device is left out of an operation that it does not have. "
        "MB are 1,000,000 bytes. Decryption starts from the reference device's ciphertext, and "
        "every output was compared byte for byte."
    )
    return lines


def provenance(comparison: Comparison, about: About) -> list[tuple[str, str]]:
    """Names and values for the page's last section."""
    return [
        ("Input", f"{about.name}, {about.length:,} bytes"),
        ("Taken", f"{about.moment:%Y-%m-%d %H:%M:%S %Z}"),
        ("Processor", about.processor),
        ("System", about.system),
        *origin_lines(comparison.rows[0].seen.provenance),
    ]


def _described(svg: str, text: str) -> str:
    """The SVG as one image with an alternative text."""
    label = html.escape(text, quote=True)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def _rows(comparison: Comparison, mode: str, direction: str) -> list[Row]:
    found = (comparison.find(device, mode, direction) for device in comparison.devices)
    return [row for row in found if row]


def _sentences(differences: Sequence[Difference]) -> list[str]:
    return [str(difference) for difference in differences]
