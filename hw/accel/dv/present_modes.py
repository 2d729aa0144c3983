# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""PRESENT in the modes of SP 800-38A, over the reference of the cores."""

from __future__ import annotations

import present_reference as present
from reference import DIRECTIONS, Answer

BLOCK = 8


def _block(direction: str, key: bytes, block: bytes) -> bytes:
    number = DIRECTIONS.index(direction)
    value = present.reference(number, 8 * len(key), int.from_bytes(key), int.from_bytes(block))
    return value.to_bytes(BLOCK)


def _added(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=False))


def crypt(mode: str, direction: str, key: bytes, iv: bytes, data: bytes, width: int = 64) -> Answer:
    """Return the output of a message and its final state (SP 800-38A, 6.1, 6.2 and 6.5)."""
    blocks = [data[at : at + BLOCK] for at in range(0, len(data), BLOCK)]
    output, count = [], 0
    for block in blocks:
        if mode == "ecb":
            output.append(_block(direction, key, block))
        elif mode == "cbc" and direction == "encrypt":
            iv = _block(direction, key, _added(block, iv))
            output.append(iv)
        elif mode == "cbc":
            output.append(_added(_block(direction, key, block), iv))
            iv = block
        else:
            output.append(_added(block, _block("encrypt", key, iv)))
            number, mask = int.from_bytes(iv), (1 << width) - 1
            iv = (number & ~mask | (number + 1) & mask).to_bytes(BLOCK)
            count += 1
    return Answer(b"".join(output), iv, count)
