# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What devices and streams are asked to do, and the bytes that they get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ciphermill.algorithms import Algorithm


@dataclass(frozen=True)
class Operation:
    """A mode of operation and what is done in it."""

    mode: str
    """Empty for what has no modes."""
    verb: str
    """``encrypt``, ``decrypt`` or ``digest``."""

    def __str__(self) -> str:
        return f"{self.mode.upper()} {self.verb}".lstrip()


def operations_of(algorithm: Algorithm, verbs: Sequence[str] = ()) -> tuple[Operation, ...]:
    """Return what can be asked of an algorithm, in the order of tables; all verbs by default."""
    modes, verbs = tuple(algorithm.modes) or ("",), verbs or algorithm.operations
    return tuple(Operation(mode, verb) for mode in modes for verb in verbs)


def streamed_operations(algorithm: Algorithm, verbs: Sequence[str] = ()) -> tuple[Operation, ...]:
    """Return what streaming systems are studied with, in the order of ``operations_of``."""
    modes = algorithm.streamed_modes
    return tuple(one for one in operations_of(algorithm, verbs) if one.mode in modes)


def pad(data: bytes, block_bytes: int) -> bytes:
    """Pad to whole blocks: PKCS#7 (RFC 5652, section 6.3).

    >>> pad(b"abc", 16)[3:] == bytes([13]) * 13
    True
    >>> len(pad(bytes(16), 16))
    32
    """
    count = block_bytes - len(data) % block_bytes
    return data + bytes([count]) * count


def message(data: bytes, mode: str, algorithm: Algorithm) -> bytes:
    """Return the bytes that a mode is given: padded where it takes whole blocks only."""
    whole = mode in algorithm.modes and algorithm.modes[mode].whole_blocks
    return pad(data, algorithm.block_bytes) if whole else data


def blocks(length: int, algorithm: Algorithm) -> int:
    """Blocks that a message of so many bytes occupies, a partial one included."""
    return -(-length // algorithm.block_bytes)
