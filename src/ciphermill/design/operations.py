# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Operations of devices and streams, and their input bytes: AES in its modes."""

from __future__ import annotations

from dataclasses import dataclass

from ciphermill.algorithms import AES

BLOCK_BYTES = AES.block_bytes


@dataclass(frozen=True)
class Operation:
    """A mode of operation and what is done in it."""

    mode: str
    direction: str
    """``encrypt`` or ``decrypt``."""

    def __str__(self) -> str:
        return f"{self.mode.upper()} {self.direction}"


WEIGHED: tuple[Operation, ...] = tuple(
    Operation(mode, direction) for mode in AES.modes for direction in AES.operations
)
"""The operations of ``weigh``, in the order of tables."""

OPERATIONS: tuple[Operation, ...] = tuple(one for one in WEIGHED if AES.modes[one.mode].streamed)
"""The operations of campaigns of streams."""


def pad(data: bytes) -> bytes:
    """Pad to whole AES blocks: PKCS#7 (RFC 5652, section 6.3).

    >>> pad(b"abc")[3:] == bytes([13]) * 13
    True
    >>> len(pad(bytes(16)))
    32
    """
    count = BLOCK_BYTES - len(data) % BLOCK_BYTES
    return data + bytes([count]) * count


def message(data: bytes, mode: str) -> bytes:
    """Return the bytes that a mode is given: padded where it takes whole blocks only."""
    return pad(data) if AES.modes[mode].whole_blocks else data


def blocks(length: int) -> int:
    """Blocks that a message of so many bytes occupies, a partial one included."""
    return -(-length // BLOCK_BYTES)
