# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs on embedded systems as a table on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ciphermill.design import BLOCK_BYTES, Cipher, Measurement
from ciphermill.report import format as human

if TYPE_CHECKING:
    from rich.table import Table

COLUMNS = (
    "clocks/block",
    "processor",
    "bus",
    "hardware",
    "worst message",
    "transfers",
    "instructions",
    "code",
)


def cosim_table(measurements: Iterable[Measurement]) -> Table:
    """A row a run, grouped by cipher, key, direction and messages.

    Processor, bus and hardware are the shares of the clocks of a block; transfers
    and instructions are of a block too. A column that names wrong outputs appears
    only where there are any.
    """
    from rich import box
    from rich.table import Table

    seen = list(measurements)
    wrong = any(one.correct is False for one in seen)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("system", overflow="fold")
    for name in COLUMNS:
        table.add_column(name, justify="right")
    if wrong:
        table.add_column("output", no_wrap=True)
    for title, rows in _groups(seen).items():
        table.add_row(f"[bold]{title}[/]")
        for one in rows:
            output = ["[bold red]wrong[/]" if one.correct is False else "right"] if wrong else []
            table.add_row(*_cells(one), *output)
        table.add_section()
    return table


def system_label(seen: Measurement) -> str:
    """What tells a system from others.

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


def blocks(seen: Measurement) -> int:
    """Blocks of all messages of a run."""
    return (seen.bytes or 0) * (seen.messages or 1) // BLOCK_BYTES[Cipher(seen.cipher or "aes")]


def workload_label(seen: Measurement) -> str:
    """What was asked of the systems.

    >>> workload_label(Measurement(cipher="aes", key_bits=256, direction="encrypt", bytes=1600,
    ...     messages=2, mode="ecb", fresh_key=True, method="simulated"))
    'AES-256 ECB encrypt, 2 messages of 1,600 bytes, each with its own key'
    """
    count = seen.messages or 1
    text = f"{count:,} message{'s' if count > 1 else ''} of {seen.bytes or 0:,} bytes"
    name = f"{(seen.cipher or '?').upper()}-{seen.key_bits} {(seen.mode or '').upper()}"
    return f"{name} {seen.direction}, {text}" + (
        ", each with its own key" if seen.fresh_key else ""
    )


def _groups(seen: Sequence[Measurement]) -> dict[str, list[Measurement]]:
    groups: dict[str, list[Measurement]] = {}
    for one in seen:
        groups.setdefault(workload_label(one), []).append(one)
    return groups


def _cells(seen: Measurement) -> list[str]:
    count = blocks(seen) or 1
    shares = (
        seen.cycles_total,
        seen.cycles_processor,
        seen.cycles_bus,
        seen.cycles_accelerator,
    )
    worst = seen.cycles_worst_message
    return [
        system_label(seen),
        *(_a_block(share, count) for share in shares),
        "-" if worst is None else f"{worst:,}",
        _a_block(seen.bus_transactions, count),
        _a_block(seen.instructions_total, count),
        "-" if seen.code_bytes is None else f"{seen.code_bytes:,}",
    ]


def _a_block(total: int | None, count: int) -> str:
    return "-" if total is None else human.significant(total / count)
