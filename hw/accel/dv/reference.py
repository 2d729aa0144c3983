# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The accelerator's expected results, from PyCA cryptography."""

from __future__ import annotations

from dataclasses import dataclass

import register_map
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MODES = ("ecb", "cbc", "ctr")
GCM = "gcm"
XTS = "xts"
AEAD = "aead"
DIGEST = "digest"
NUMBERS = register_map.values("CONFIGURATION", "mode")
"""CONFIGURATION.mode."""
DIRECTIONS = ("encrypt", "decrypt")
BLOCK = 16


@dataclass(frozen=True)
class Answer:
    """The output of a message and the state that it leaves."""

    data: bytes
    iv: bytes
    blocks: int  # CTR blocks


def _ecb(key: bytes, direction: str, data: bytes) -> bytes:
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    context = cipher.encryptor() if direction == "encrypt" else cipher.decryptor()
    return context.update(data) + context.finalize()


def _cbc(key: bytes, direction: str, iv: bytes, data: bytes) -> bytes:
    cipher = Cipher(algorithms.AES(key), modes.CBC(iv))
    context = cipher.encryptor() if direction == "encrypt" else cipher.decryptor()
    return context.update(data) + context.finalize()


def counters(iv: bytes, width: int, blocks: int) -> list[bytes]:
    """Return counter blocks from `iv` on; the last `width` bits count and wrap."""
    start = int.from_bytes(iv, "big")
    mask = (1 << width) - 1
    fixed = start & ~mask
    return [(fixed | (start + n) & mask).to_bytes(BLOCK, "big") for n in range(blocks)]


def crypt(
    mode: str, direction: str, key: bytes, iv: bytes, data: bytes, width: int = 128
) -> Answer:
    """Return the output of a message and its final state (SP 800-38A, 6.1, 6.2 and 6.5)."""
    if mode == "ecb":
        return Answer(_ecb(key, direction, data) if data else b"", iv, 0)
    if mode == "cbc":
        result = _cbc(key, direction, iv, data) if data else b""
        ciphertext = result if direction == "encrypt" else data
        return Answer(result, ciphertext[-BLOCK:] if data else iv, 0)
    blocks = -(-len(data) // BLOCK)
    used = counters(iv, width, blocks + 1)
    keystream = _ecb(key, "encrypt", b"".join(used[:blocks])) if blocks else b""
    result = bytes(a ^ b for a, b in zip(data, keystream, strict=False))
    return Answer(result, used[blocks], blocks)


def seal(key: bytes, nonce: bytes, aad: bytes, text: bytes) -> tuple[bytes, bytes]:
    """Return ciphertext and tag of a message in GCM (SP 800-38D, 7.1)."""
    sealed = AESGCM(key).encrypt(nonce, text, aad)
    return sealed[:-BLOCK], sealed[-BLOCK:]


def xts(
    direction: str, keys: tuple[bytes, bytes], number: int, unit_bytes: int, data: bytes
) -> bytes:
    """Return data units in XTS, numbered from a start (IEEE 1619-2018, 5.3 and 5.4)."""
    result = b""
    for begin in range(0, len(data), unit_bytes):
        tweak = (number % (1 << 128)).to_bytes(BLOCK, "little")
        cipher = Cipher(algorithms.AES(b"".join(keys)), modes.XTS(tweak))
        context = cipher.encryptor() if direction == "encrypt" else cipher.decryptor()
        result += context.update(data[begin : begin + unit_bytes]) + context.finalize()
        number += 1
    return result
