# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Keys and messages of a run, and the answers that are known to be right."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Workload


@dataclass(frozen=True)
class Messages:
    """What goes into a run, and what must come out."""

    keys: tuple[bytes, ...]
    """One for all messages, or one for each."""
    inputs: tuple[bytes, ...]
    expected: tuple[bytes, ...]


def messages(workload: Workload) -> Messages:
    """Return keys, messages and answers of a workload; the same each time.

    Keys and messages come from a hash, so that no two blocks are alike. The answers
    come from the algorithm's software reference.
    """
    count = workload.messages if workload.fresh_key else 1
    keys = tuple(_bytes(f"key {number}", workload.key_bits // 8) for number in range(count))
    inputs = tuple(
        _bytes(f"message {number}", workload.bytes) for number in range(workload.messages)
    )
    return Messages(keys, inputs, known_answers(workload, keys, inputs))


def known_answers(
    workload: Workload, keys: tuple[bytes, ...], inputs: tuple[bytes, ...]
) -> tuple[bytes, ...]:
    """Return what the messages must become under the keys (the last one holds on)."""
    paired = ((data, keys[min(number, len(keys) - 1)]) for number, data in enumerate(inputs))
    reference = ALGORITHMS[workload.algorithm].reference
    return tuple(reference(workload.direction, key, data) for data, key in paired)


def first_difference(got: bytes, expected: bytes) -> int | None:
    """Return the first byte in which the two differ, or None where they are equal."""
    if got == expected:
        return None
    pairs = enumerate(zip(got, expected, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(got), len(expected)))


def _bytes(label: str, length: int) -> bytes:
    return hashlib.shake_128(f"ciphermill cosim {label}".encode()).digest(length)
