# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""NIST's test vectors of GCM, from ``cryptography_vectors``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cryptography_vectors


@dataclass(frozen=True)
class Message:
    """A message of GCM: ``text`` is the ciphertext, and the IV has 96 bits."""

    name: str
    key: bytes
    nonce: bytes
    aad: bytes
    text: bytes
    tag: bytes


def gcm_messages(limit: int) -> list[Message]:
    """Return messages of NIST's GCM test vectors, a number for each key size.

    They are taken evenly from the file, so that lengths vary; tags have 128 bits.
    """
    folder = Path(cryptography_vectors.__file__).parent / "ciphers" / "AES" / "GCM"
    messages = []
    for bits in (128, 192, 256):
        found = []
        fields: dict[str, bytes] = {}
        for line in (folder / f"gcmEncryptExtIV{bits}.rsp").read_text().splitlines():
            name, _, value = (part.strip() for part in line.partition("="))
            if name in ("Key", "IV", "CT", "AAD", "Tag"):
                fields[name] = bytes.fromhex(value)
            if name == "Tag" and (len(fields["IV"]), len(fields["Tag"])) == (12, 16):
                values = (fields[field] for field in ("Key", "IV", "AAD", "CT", "Tag"))
                found.append(Message(f"NIST, {bits} bits, {len(found)}", *values))
        messages += found[:: len(found) // limit][:limit]
    return messages
