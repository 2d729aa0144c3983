# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Published test vectors: SP 800-38A, RFC 3686, CAVP and XTSVS."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import cryptography_vectors

from ciphermill.algorithms import AES


@dataclass(frozen=True)
class Vector:
    """One message with its known answer."""

    source: str
    mode: str
    direction: str
    key: bytes
    iv: bytes
    data: bytes
    answer: bytes


def sp_800_38a() -> Iterator[Vector]:
    """Yield the examples of SP 800-38A, F.1, F.2 and F.5."""
    for given in (vector for vector in AES.vectors if vector.mode):
        parts = (given.key, given.iv)
        yield Vector(given.source, given.mode, "encrypt", *parts, given.given, given.answer)
        yield Vector(given.source, given.mode, "decrypt", *parts, given.answer, given.given)


def published(folder: str, name: str) -> Iterator[Vector]:
    """Yield the vectors of a file of cryptography_vectors, in their own direction."""
    mode = folder.lower()
    direction = ""
    fields: dict[str, str] = {}
    with cryptography_vectors.open_vector_file(f"ciphers/AES/{folder}/{name}", "r") as file:
        for line in file:
            if heading := re.match(r"\[(ENCRYPT|DECRYPT)\]", line):
                direction = heading[1].lower()
            elif entry := re.match(r"(\w+) = ([0-9A-Fa-f]+)\s*$", line):
                fields[entry[1]] = entry[2]
            elif not line.strip() and "CIPHERTEXT" in fields:
                yield _vector(name, mode, direction, fields)
                fields = {}
    if "CIPHERTEXT" in fields:
        yield _vector(name, mode, direction, fields)


def _vector(name: str, mode: str, direction: str, fields: dict[str, str]) -> Vector:
    data, answer = (bytes.fromhex(fields[part]) for part in ("PLAINTEXT", "CIPHERTEXT"))
    if direction == "decrypt":
        data, answer = answer, data
    iv = bytes.fromhex(fields.get("IV", "00" * 16))
    return Vector(name, mode, direction, bytes.fromhex(fields["KEY"]), iv, data, answer)


def xts(name: str) -> list[Vector]:
    """Return the vectors of XTSVS that have whole blocks; the key is both keys."""
    found: list[Vector] = []
    direction = ""
    fields: dict[str, str] = {}
    path = f"ciphers/AES/XTS/tweak-128hexstr/{name}"
    with cryptography_vectors.open_vector_file(path, "r") as file:
        for line in file:
            if heading := re.match(r"\[(ENCRYPT|DECRYPT)\]", line):
                direction = heading[1].lower()
            elif entry := re.match(r"(\w+) = ([0-9A-Fa-f]+)\s*$", line):
                fields[entry[1]] = entry[2]
                last = "CT" if direction == "encrypt" else "PT"
                if entry[1] == last and int(fields["DataUnitLen"]) % 128 == 0:
                    key, iv, plain, cipher = (
                        bytes.fromhex(fields[part]) for part in ("Key", "i", "PT", "CT")
                    )
                    texts = (plain, cipher) if last == "CT" else (cipher, plain)
                    found.append(Vector(name, "xts", direction, key, iv, *texts))
    return found
