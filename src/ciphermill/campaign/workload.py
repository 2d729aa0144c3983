# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The workload of a weighing: which operations, on which bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BLOCK_BYTES = 16
"""Bytes of an AES block (FIPS 197, section 3.1)."""

Mode = Literal["ecb", "cbc", "ctr"]
Direction = Literal["encrypt", "decrypt"]


@dataclass(frozen=True)
class Operation:
    """A mode and a direction."""

    mode: Mode
    direction: Direction

    def __str__(self) -> str:
        return f"{self.mode.upper()} {self.direction}"


OPERATIONS: tuple[Operation, ...] = (
    Operation("ecb", "encrypt"),
    Operation("ecb", "decrypt"),
    Operation("cbc", "encrypt"),
    Operation("cbc", "decrypt"),
    Operation("ctr", "encrypt"),
    Operation("ctr", "decrypt"),
)
"""What the main job weighs, in the order of its tables."""


def pad(data: bytes) -> bytes:
    """Pad to whole AES blocks: PKCS#7 (RFC 5652, section 6.3).

    >>> pad(b"abc")[3:] == bytes([13]) * 13
    True
    >>> len(pad(bytes(16)))
    32
    """
    count = BLOCK_BYTES - len(data) % BLOCK_BYTES
    return data + bytes([count]) * count


def message(data: bytes, mode: Mode) -> bytes:
    """The bytes that a mode is given: padded where it takes whole blocks only."""
    return data if mode == "ctr" else pad(data)


def blocks(length: int) -> int:
    """Blocks that a message of so many bytes occupies, a partial one included."""
    return -(-length // BLOCK_BYTES)
