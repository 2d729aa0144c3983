# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""PRESENT in Python: the known answers that PRESENT systems are checked against.

Written from the specification alone (A. Bogdanov et al., "PRESENT: An
Ultra-Lightweight Block Cipher", CHES 2007, LNCS 4727, sections 3 and 6); one
block at a time on integers, unlike any of the firmware or the hardware. Not
constant time: it never sees a secret.
"""

from __future__ import annotations

BLOCK_BYTES = 8
ROUNDS = 31
SBOX = (0xC, 0x5, 0x6, 0xB, 0x9, 0x0, 0xA, 0xD, 0x3, 0xE, 0xF, 0x8, 0x4, 0x7, 0x1, 0x2)
"""Table 1."""
INVERSE_SBOX = tuple(SBOX.index(value) for value in range(16))

_MASK_64 = (1 << 64) - 1


def encrypt(data: bytes, key: bytes) -> bytes:
    """Encrypt whole blocks, each by itself; the first byte of a block is its most significant.

    Args:
        data: A multiple of 8 bytes.
        key: 10 or 16 bytes.

    Raises:
        ValueError: A length is another.
    """
    keys = round_keys(key)
    return b"".join(_encrypt_block(block, keys) for block in _blocks(data))


def decrypt(data: bytes, key: bytes) -> bytes:
    """Undo ``encrypt``.

    Raises:
        ValueError: A length is another.
    """
    keys = round_keys(key)
    return b"".join(_decrypt_block(block, keys) for block in _blocks(data))


def round_keys(key: bytes) -> list[int]:
    """Return the 32 round keys of 64 bits (section 3; appendix II for 128 bits).

    Raises:
        ValueError: The key is neither 10 nor 16 bytes long.
    """
    if len(key) not in (10, 16):
        raise ValueError(f"a PRESENT key has 10 or 16 bytes, not {len(key)}")
    bits = 8 * len(key)
    register = int.from_bytes(key, "big")
    counter_shift = 15 if bits == 80 else 62
    substituted = (bits - 4,) if bits == 80 else (bits - 4, bits - 8)
    keys = [register >> (bits - 64)]
    for counter in range(1, ROUNDS + 1):
        register = ((register << 61) | (register >> (bits - 61))) & ((1 << bits) - 1)
        for shift in substituted:
            nibble = register >> shift & 0xF
            register ^= (nibble ^ SBOX[nibble]) << shift
        register ^= counter << counter_shift
        keys.append(register >> (bits - 64))
    return keys


def _blocks(data: bytes) -> list[int]:
    if len(data) % BLOCK_BYTES:
        raise ValueError(f"{len(data)} bytes are not whole blocks of {BLOCK_BYTES}")
    parts = (data[start : start + BLOCK_BYTES] for start in range(0, len(data), BLOCK_BYTES))
    return [int.from_bytes(part, "big") for part in parts]


def _encrypt_block(state: int, keys: list[int]) -> bytes:
    for key in keys[:-1]:
        state = _permuted(_substituted(state ^ key, SBOX))
    return (state ^ keys[-1]).to_bytes(BLOCK_BYTES, "big")


def _decrypt_block(state: int, keys: list[int]) -> bytes:
    state ^= keys[-1]
    for key in reversed(keys[:-1]):
        state = _substituted(_unpermuted(state), INVERSE_SBOX) ^ key
    return (state & _MASK_64).to_bytes(BLOCK_BYTES, "big")


def _substituted(state: int, box: tuple[int, ...]) -> int:
    return sum(box[state >> shift & 0xF] << shift for shift in range(0, 64, 4))


def _target(bit: int) -> int:
    """Return where the permutation moves a bit: 16 i modulo 63, and 63 to itself."""
    return bit if bit == 63 else 16 * bit % 63


def _permuted(state: int) -> int:
    return sum((state >> bit & 1) << _target(bit) for bit in range(64))


def _unpermuted(state: int) -> int:
    return sum((state >> _target(bit) & 1) << bit for bit in range(64))
