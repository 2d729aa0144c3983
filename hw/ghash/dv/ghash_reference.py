# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Reference of the GHASH unit: NIST SP 800-38D step by step, and known answers.

A block is the number that the standard prints, its leftmost bit the most significant one;
``on_bus`` turns it into the value of a port. Nothing is shared with the RTL, which multiplies
polynomials with the lowest coefficient in bit 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ciphermill_dv.gcm_vectors import Message, gcm_messages
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

R = 0xE1 << 120
"""Section 6.3: R, which is added when a one is shifted out."""


def multiply(x: int, y: int) -> int:
    """Return the product of two blocks (section 6.3, algorithm 1)."""
    z, v = 0, y
    for i in range(128):
        if x >> (127 - i) & 1:
            z ^= v
        v = v >> 1 ^ (R if v & 1 else 0)
    return z


def ghash(h: int, blocks: Sequence[int]) -> int:
    """Return the hash of some blocks under a key (section 6.4, algorithm 2)."""
    y = 0
    for block in blocks:
        y = multiply(y ^ block, h)
    return y


def on_bus(block: int) -> int:
    """Convert a block to the value of a port, or back."""
    return int.from_bytes(block.to_bytes(16, "big"), "little")


def gcm_blocks(aad: bytes, text: bytes) -> list[int]:
    """Return the blocks that GCM hashes: both padded, then their lengths (section 7.1)."""
    lengths = (8 * len(aad)).to_bytes(8, "big") + (8 * len(text)).to_bytes(8, "big")
    whole = b"".join((aad, bytes(-len(aad) % 16), text, bytes(-len(text) % 16), lengths))
    return [int.from_bytes(whole[n : n + 16], "big") for n in range(0, len(whole), 16)]


@dataclass(frozen=True)
class Vector:
    """A known answer: the hash of ``blocks`` under ``key``."""

    name: str
    key: int
    blocks: tuple[int, ...]
    hash: int


PUBLISHED = (
    # D. McGrew, J. Viega: The Galois/Counter Mode of Operation (GCM), appendix B.
    Vector("GCM, test case 1", 0x66E94BD4EF8A2C3B884CFA59CA342B2E, tuple(gcm_blocks(b"", b"")), 0),
    Vector(
        "GCM, test case 2",
        0x66E94BD4EF8A2C3B884CFA59CA342B2E,
        tuple(gcm_blocks(b"", bytes.fromhex("0388dace60b6a392f328c2b971b2fe78"))),
        0xF38CBB1AD69223DCC3457AE5B6B0F885,
    ),
    # RFC 8452, appendix A.
    Vector(
        "RFC 8452",
        0x25629347589242761D31F826BA4B757B,
        (0x4F4F95668C83DFB6401762BB2D01A262, 0xD1A24DDD2721D006BBE45F20D3C9F362),
        0xBD9B3997046731FB96251B91F9C99D7A,
    ),
)


def nist_vectors(limit: int) -> list[Vector]:
    """Return known answers of the hash from NIST's GCM test vectors.

    A tag is the hash added to the encrypted first counter block, which PyCA's AES gives.
    """
    return [_vector(message) for message in gcm_messages(limit)]


def _vector(message: Message) -> Vector:
    encrypt = Cipher(algorithms.AES(message.key), modes.ECB()).encryptor()
    key = encrypt.update(bytes(16))
    mask = encrypt.update(message.nonce + bytes((0, 0, 0, 1)))
    hash_ = int.from_bytes(message.tag, "big") ^ int.from_bytes(mask, "big")
    blocks = gcm_blocks(message.aad, message.text)
    return Vector(message.name, int.from_bytes(key, "big"), tuple(blocks), hash_)
