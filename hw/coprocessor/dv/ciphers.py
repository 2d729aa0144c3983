# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""References of the coprocessors.

Whole blocks: PyCA cryptography for AES, the PRESENT specification step by step. Parts of an
AES round, for the partitions and instructions that have only these: FIPS 197, byte by byte.
Blocks and keys are bytes in memory order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aes_reference import field_times, sub_byte
from aes_reference import reference as aes
from present_reference import reference as present

SBOX = bytes(sub_byte(value) for value in range(256))
INVERSE_SBOX = bytes(SBOX.index(value) for value in range(256))
MIX, INVERSE_MIX = (2, 3, 1, 1), (14, 11, 13, 9)


@dataclass(frozen=True)
class Cipher:
    """A block cipher."""

    block_bytes: int
    key_bytes: tuple[int, ...]
    """Indexed by the key size in CONTROL."""
    reference: Callable[[int, bytes, bytes], bytes]
    """Result of a direction, key and block."""


def _present(direction: int, key: bytes, block: bytes) -> bytes:
    number = present(
        direction, 8 * len(key), int.from_bytes(key, "big"), int.from_bytes(block, "big")
    )
    return number.to_bytes(8, "big")


AES = Cipher(16, (16, 24, 32), aes)
PRESENT = Cipher(8, (10, 16), _present)


def exclusive_or(a: bytes, b: bytes) -> bytes:
    """Return two byte strings added."""
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def round_keys(key: bytes) -> list[bytes]:
    """Return the round keys of an AES key (FIPS 197, section 5.2)."""
    size = len(key) // 4
    words = [key[4 * n : 4 * n + 4] for n in range(size)]
    constant = 1
    for n in range(size, 4 * (size + 7)):
        word = words[-1]
        if n % size == 0:
            word = exclusive_or((word[1:] + word[:1]).translate(SBOX), bytes((constant, 0, 0, 0)))
            constant = field_times(constant, 2)
        elif size > 6 and n % size == 4:
            word = word.translate(SBOX)
        words.append(exclusive_or(words[n - size], word))
    return [b"".join(words[n : n + 4]) for n in range(0, len(words), 4)]


def mix_column(column: bytes, row: tuple[int, ...] = MIX) -> bytes:
    """Return MixColumns of a column, or InvMixColumns (FIPS 197, 5.1.3 and 5.3.3)."""
    result = bytearray(4)
    for n in range(4):
        for m in range(4):
            result[n] ^= field_times(row[(m - n) % 4], column[m])
    return bytes(result)


def zkn(function: int, rs1: int, rs2: int) -> int:
    """Return the result of an AES instruction of RV32 (Zkn); ``function`` is funct7."""
    select, decrypt, middle = function >> 5, function >> 2 & 1, function >> 1 & 1
    value = (INVERSE_SBOX if decrypt else SBOX)[rs2 >> 8 * select & 255]
    column = bytes((value, 0, 0, 0))
    if middle:
        column = mix_column(column, INVERSE_MIX if decrypt else MIX)
    word = int.from_bytes(column, "little")
    return rs1 ^ (word << 8 * select | word >> (32 - 8 * select)) & 0xFFFF_FFFF


def half_column(function: int, rs1: int, rs2: int) -> int:
    """Return the result of a half-column instruction; ``function`` is funct7."""
    half, decrypt, last = function & 1, function >> 1 & 1, function >> 2 & 1
    a, b = rs1.to_bytes(4, "little"), rs2.to_bytes(4, "little")
    column = bytes((0, 0, a[2], b[3]) if half else (a[0], b[1], 0, 0))
    table = INVERSE_SBOX if decrypt else SBOX
    column = bytes(table[value] if (n >= 2) == bool(half) else 0 for n, value in enumerate(column))
    if not last:
        column = mix_column(column, INVERSE_MIX if decrypt else MIX)
    return int.from_bytes(column, "little")
