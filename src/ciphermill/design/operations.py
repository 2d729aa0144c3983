# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The workload of a weighing: which operations, on which bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BLOCK_BYTES = 16
"""Bytes of an AES block (FIPS 197, section 3.1)."""

StreamMode = Literal["ecb", "cbc", "ctr"]
"""Modes of the papers' campaigns."""
Mode = Literal[StreamMode, "gcm", "xts"]
Direction = Literal["encrypt", "decrypt"]


@dataclass(frozen=True)
class Transformation:
    """A mode and a direction."""

    mode: Mode
    direction: Direction

    def __str__(self) -> str:
        return f"{self.mode.upper()} {self.direction}"


@dataclass(frozen=True)
class Operation(Transformation):
    """A mode and a direction of the papers' campaigns."""

    mode: StreamMode


OPERATIONS: tuple[Operation, ...] = (
    Operation("ecb", "encrypt"),
    Operation("ecb", "decrypt"),
    Operation("cbc", "encrypt"),
    Operation("cbc", "decrypt"),
    Operation("ctr", "encrypt"),
    Operation("ctr", "decrypt"),
)
"""The operations of the papers' campaigns, in the order of their tables."""

WEIGHED: tuple[Transformation, ...] = (
    *(Transformation(one.mode, one.direction) for one in OPERATIONS),
    Transformation("gcm", "encrypt"),
    Transformation("gcm", "decrypt"),
    Transformation("xts", "encrypt"),
    Transformation("xts", "decrypt"),
)
"""What the main job weighs where a device has it, in the order of its tables."""


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
    """The bytes that a mode is given.

    ECB and CBC take whole blocks only. XTS gets whole blocks too, because the
    accelerators have no ciphertext stealing.
    """
    return data if mode in ("ctr", "gcm") else pad(data)


def blocks(length: int) -> int:
    """Blocks that a message of so many bytes occupies, a partial one included."""
    return -(-length // BLOCK_BYTES)
