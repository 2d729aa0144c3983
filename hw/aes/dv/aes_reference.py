# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Reference of the AES cores: PyCA cryptography, CAVP and FIPS 197 vectors.

Byte n of a block is bits [8n+7:8n] on every port, which is Python's little-endian order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cryptography_vectors
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

ENCRYPT, DECRYPT = 0, 1
KEY_BYTES = (16, 24, 32)
"""Key length in bytes for each value of ``key_size_e``."""


def reference(direction: int, key: bytes, block: bytes) -> bytes:
    """Return one block encrypted or decrypted by PyCA cryptography."""
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    context = cipher.decryptor() if direction == DECRYPT else cipher.encryptor()
    return context.update(block) + context.finalize()


@dataclass(frozen=True)
class Vector:
    """A known answer: encrypting ``plain`` under ``key`` gives ``cipher``."""

    name: str
    key: bytes
    plain: bytes
    cipher: bytes


_TEXT = "00112233445566778899aabbccddeeff"
_KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
FIPS_197_APPENDIX = [
    Vector(f"FIPS 197, {section}", *(bytes.fromhex(text) for text in texts))
    for section, *texts in (
        (
            "appendix B",
            "2b7e151628aed2a6abf7158809cf4f3c",
            "3243f6a8885a308d313198a2e0370734",
            "3925841d02dc09fbdc118597196a0b32",
        ),
        ("C.1", _KEY[:32], _TEXT, "69c4e0d86a7b0430d8cdb78070b4c55a"),
        ("C.2", _KEY[:48], _TEXT, "dda97ca4864cdfe06eaf70a0ec0d7191"),
        ("C.3", _KEY, _TEXT, "8ea2b7ca516745bfeafc49904b496089"),
    )
]


def cavp_vectors(kinds: tuple[str, ...], every: int = 1) -> Iterator[Vector]:
    """Yield NIST's CAVP known answers for AES-ECB.

    Args:
        kinds: File kinds: ``GFSbox``, ``KeySbox``, ``VarKey``, ``VarTxt``, ``MMT``.
        every: Take only each such one of a file, its last one always.
    """
    for kind in kinds:
        for bits in (128, 192, 256):
            vectors = list(_read_response(f"ECB{kind}{bits}.rsp"))
            yield from vectors[::-1][::every]


def _read_response(name: str) -> Iterator[Vector]:
    """Yield each block of a CAVP response file; multi-block messages are split (ECB)."""
    path = f"ciphers/AES/ECB/{name}"
    with cryptography_vectors.open_vector_file(path, "r") as file:
        fields: dict[str, str] = {}
        for line in file:
            label, equals, value = (part.strip() for part in line.partition("="))
            if not equals:
                continue
            if label == "COUNT":
                fields = {"COUNT": value}
            fields[label] = value
            if {"KEY", "PLAINTEXT", "CIPHERTEXT"} <= fields.keys():
                plain = bytes.fromhex(fields.pop("PLAINTEXT"))
                cipher = bytes.fromhex(fields.pop("CIPHERTEXT"))
                key = bytes.fromhex(fields.pop("KEY"))
                for n in range(0, len(plain), 16):
                    yield Vector(
                        f"{name} {fields['COUNT']}", key, plain[n : n + 16], cipher[n : n + 16]
                    )


def field_times(a: int, b: int) -> int:
    """Return the product of two bytes in GF(2^8) (FIPS 197, section 4.2)."""
    product = 0
    for bit in range(8):
        if b >> bit & 1:
            product ^= a << bit
    for bit in range(14, 7, -1):
        if product >> bit & 1:
            product ^= 0x11B << (bit - 8)
    return product


def field_inverse(a: int) -> int:
    """Return the inverse of a byte in GF(2^8), zero for zero."""
    return next((b for b in range(256) if field_times(a, b) == 1), 0)


def sub_byte(a: int) -> int:
    """Return SubBytes of a byte from its definition (FIPS 197, equation 5.1)."""
    inverse = field_inverse(a)
    result = 0
    for bit in range(8):
        parity = 0x63 >> bit & 1
        for offset in (0, 4, 5, 6, 7):
            parity ^= inverse >> (bit + offset) % 8 & 1
        result |= parity << bit
    return result
