# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Reference of the PRESENT cores: a plain implementation and known answers.

The implementation follows the specification step by step (A. Bogdanov et al.: PRESENT: An
Ultra-Lightweight Block Cipher, CHES 2007, LNCS 4727, pages 450 to 466; ISO/IEC 29192-2) and
shares nothing with the RTL, which is written over bit slices. A block or key is the number that
the paper prints; bit 0 is the rightmost one.
"""

from __future__ import annotations

from dataclasses import dataclass

ENCRYPT, DECRYPT = 0, 1
KEY_BITS = (80, 128)
"""Key length in bits for each value of ``key_size_e``."""
ROUNDS = 31

SBOX = (0xC, 0x5, 0x6, 0xB, 0x9, 0x0, 0xA, 0xD, 0x3, 0xE, 0xF, 0x8, 0x4, 0x7, 0x1, 0x2)
"""Section 3.4."""


def sbox_layer(state: int, table: tuple[int, ...] = SBOX) -> int:
    """Return the state with each of its 16 nibbles looked up (section 3.4)."""
    return sum(table[state >> 4 * n & 15] << 4 * n for n in range(16))


def bit_permutation(bit: int) -> int:
    """Return where pLayer moves a bit of the state to (section 3.5)."""
    return 63 if bit == 63 else bit * 16 % 63


def round_keys(key: int, bits: int) -> list[int]:
    """Return the 32 round keys of a key of 80 (section 3.6) or 128 bits (appendix II)."""
    keys = []
    for counter in range(1, ROUNDS + 2):
        keys.append(key >> (bits - 64))
        key = (key << 61 | key >> (bits - 61)) & ((1 << bits) - 1)
        for nibble in range(1 if bits == 80 else 2):
            shift = bits - 4 * (nibble + 1)
            key = key & ~(15 << shift) | SBOX[key >> shift & 15] << shift
        key ^= counter << (15 if bits == 80 else 62)
    return keys


def reference(direction: int, bits: int, key: int, block: int) -> int:
    """Return one block encrypted or decrypted under a key of a number of bits."""
    keys = round_keys(key, bits)
    if direction == ENCRYPT:
        for round_key in keys[:-1]:
            state = sbox_layer(block ^ round_key)
            block = sum((state >> bit & 1) << bit_permutation(bit) for bit in range(64))
        return block ^ keys[-1]
    inverse = tuple(SBOX.index(value) for value in range(16))
    block ^= keys[-1]
    for round_key in keys[-2::-1]:
        state = sum((block >> bit_permutation(bit) & 1) << bit for bit in range(64))
        block = sbox_layer(state, inverse) ^ round_key
    return block


@dataclass(frozen=True)
class Vector:
    """A known answer: encrypting ``plain`` under ``key`` of ``bits`` bits gives ``cipher``."""

    name: str
    bits: int
    key: int
    plain: int
    cipher: int


_PAPER = "Bogdanov et al., CHES 2007, appendix I"
_THESIS = "Poschmann, Lightweight Cryptography, Bochum 2009"
_AUTHORS = "the cipher's authors"
KNOWN_ANSWERS = [
    Vector(
        f"{source}: {block} under {key}", 4 * len(key), *(int(t, 16) for t in (key, block, answer))
    )
    for source, key, block, answer in (
        (_PAPER, "00" * 10, "00" * 8, "5579c1387b228445"),
        (_PAPER, "ff" * 10, "00" * 8, "e72c46c0f5945049"),
        (_PAPER, "00" * 10, "ff" * 8, "a112ffc72f68417b"),
        (_PAPER, "ff" * 10, "ff" * 8, "3333dcd3213210d2"),
        # The paper has no answers for keys of 128 bits.
        (_THESIS, "00" * 16, "00" * 8, "96db702a2e6900af"),
        (_AUTHORS, "ff" * 16, "00" * 8, "13238c710272a5d8"),
        (_AUTHORS, "00" * 16, "ff" * 8, "3c6019e5e5edd563"),
        (_AUTHORS, "ff" * 16, "ff" * 8, "628d9fbd4218e5b4"),
        (_AUTHORS, "0123456789abcdef" * 2, "0123456789abcdef", "0e9d28685e671dd6"),
    )
]
