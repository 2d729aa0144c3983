# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs on embedded systems as a table on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Measurement
from ciphermill.report import format as human
from ciphermill.report.table import Table

COLUMNS = (
    "cycles/\nblock",
    "proces-\nsor",
    "bus",
    "hard-\nware",
    "worst\nmessage",
    "trans-\nfers",
    "instruc-\ntions",
    "code\nbytes",
)


def cosim_tables(measurements: Iterable[Measurement]) -> list[Table]:
    """A table for each operation (cipher, key, direction), with a row for each run.

    Processor, bus and hardware are shares of the cycles per block, which an estimate does not
    have; transfers and instructions are per block too. Columns for messages, for the hardware by
    itself and for wrong outputs appear only if messages differ, if it is known, or if outputs are
    wrong.
    """
    return [_table(title, rows) for title, rows in by_operation(measurements).items()]


def by_operation(measurements: Iterable[Measurement]) -> dict[str, list[Measurement]]:
    """Return the runs of each operation."""
    groups: dict[str, list[Measurement]] = {}
    for one in measurements:
        groups.setdefault(operation_label(one), []).append(one)
    return groups


def _table(title: str, rows: Sequence[Measurement]) -> Table:
    wrong = any(one.correct is False for one in rows)
    alone = any(one.cycles_alone is not None for one in rows)
    asked = {messages_label(one) for one in rows}
    if len(asked) == 1:
        title = f"{title}, {asked.pop()}"
    table = Table(title)
    table.add_column("system")
    if asked:
        table.add_column("messages", figures=True)
    for name in COLUMNS:
        table.add_column(name, figures=True)
    if alone:
        table.add_column("alone", figures=True)
    if wrong:
        table.add_column("output")
    for one in rows:
        label, *cells = _cells(one)
        cells += [_alone(one)] if alone else []
        output = [_output(one)] if wrong else []
        table.add_row(label, *([messages_label(one)] if asked else []), *cells, *output)
    return table


def _alone(seen: Measurement) -> str:
    """Return the cycles per block of the hardware by itself."""
    count = blocks(seen) or 1
    return "-" if seen.cycles_alone is None else human.significant(seen.cycles_alone / count)


def _output(seen: Measurement) -> Text:
    return Text("wrong", "bold red") if seen.correct is False else Text("right")


def system_label(seen: Measurement) -> str:
    """A label that identifies a system.

    >>> system_label(Measurement(partition="iterative", interface="axi-lite",
    ...     soft_core="ibex", method="simulated"))
    'iterative, axi-lite, ibex'
    """
    split = " ".join(part for part in (seen.partition, seen.variant) if part)
    if seen.partition == "unrolled" and seen.blocks_in_flight:
        split += f" ({seen.blocks_in_flight} in flight)"
    settings = []
    if seen.optimisation not in (None, "O2"):
        settings.append(f"-{seen.optimisation}")
    if seen.key_caching is not None:
        settings.append("key cached" if seen.key_caching else "key not cached")
    waits = (seen.memory_read_wait or 0, seen.memory_write_wait or 0)
    if any(waits):
        settings.append(f"memory +{waits[0]}/+{waits[1]}")
    if seen.method == "estimated":
        settings.append("estimated")
    parts = [split, seen.interface, seen.soft_core, *settings]
    return ", ".join(part for part in parts if part) or seen.device or "?"


def wrong_outputs(measurements: Iterable[Measurement]) -> list[str]:
    """Return a sentence for each output that is not the known answer."""
    return [
        f"{system_label(seen)} differs from the known answer"
        + ("" if seen.wrong_byte is None else f" at byte {seen.wrong_byte}")
        for seen in measurements
        if seen.correct is False
    ]


def blocks(seen: Measurement) -> int:
    """Blocks of all messages of a run."""
    return (seen.messages or 1) * ALGORITHMS[seen.algorithm or "aes"].block_count(seen.bytes or 0)


def estimate_errors(measurements: Sequence[Measurement]) -> list[str]:
    """A line for each estimate that was also run cycle by cycle: its error."""
    simulated = {
        _identity(seen): seen.cycles_total for seen in measurements if seen.method == "simulated"
    }
    lines = []
    for seen in measurements:
        total = simulated.get(_identity(seen))
        if seen.method == "estimated" and total and seen.cycles_total is not None:
            error = 100 * (seen.cycles_total - total) / total
            lines.append(
                f"{system_label(seen)}, {messages_label(seen)}: {error:+.1f}% of {total:,} cycles"
            )
    return lines


def _identity(seen: Measurement) -> str:
    """The key that an estimate shares with the cycle-accurate run of the same system."""
    outside = {
        *("cycles", "instructions", "bus", "code", "method", "provenance", "correct"),
        "wrong",
    }
    fields = seen.to_json().items()
    return repr(sorted((n, v) for n, v in fields if n.partition(".")[0] not in outside))


def operation_label(seen: Measurement) -> str:
    """The operation of a system, without its messages.

    >>> operation_label(Measurement(algorithm="aes", key_bits=256, operation="encrypt", mode="ecb",
    ...     fresh_key=True, method="simulated"))
    'AES-256 ECB encrypt, each message with its own key'
    """
    name = "-".join(str(part) for part in ((seen.algorithm or "?").upper(), seen.key_bits) if part)
    own = ", each message with its own key" if seen.fresh_key else ""
    words = (name, (seen.mode or "").upper(), seen.operation)
    return " ".join(word for word in words if word) + own


def messages_label(seen: Measurement) -> str:
    """The messages of a run.

    >>> messages_label(Measurement(bytes=1600, messages=2, method="simulated"))
    '2 x 1,600 bytes'
    """
    return f"{seen.messages or 1:,} x {seen.bytes or 0:,} bytes"


def shares(seen: Measurement) -> tuple[float | None, ...]:
    """Return the cycles per block, and the parts of processor, bus and hardware.

    An estimate has only the first.
    """
    count = blocks(seen) or 1
    parts = (seen.cycles_processor, seen.cycles_bus, seen.cycles_accelerator)
    if seen.method == "estimated":
        parts = (None, None, None)
    found = (seen.cycles_total, *parts)
    return tuple(None if one is None else one / count for one in found)


def a_block(seen: Measurement) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return cycles per block and their shares for a table, then transfers and instructions."""
    count = blocks(seen) or 1
    moved = (seen.bus_transactions, seen.instructions_total)
    return (
        tuple("-" if one is None else human.significant(one) for one in shares(seen)),
        tuple("-" if one is None else human.significant(one / count) for one in moved),
    )


def _cells(seen: Measurement) -> list[str]:
    cycles, moved = a_block(seen)
    worst, code = (
        "-" if one is None else f"{one:,}" for one in (seen.cycles_worst_message, seen.code_bytes)
    )
    return [system_label(seen), *cycles, worst, *moved, code]
