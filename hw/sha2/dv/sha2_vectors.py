# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Test vectors of SHA-2 (NIST's CAVP) and HMAC (RFC 4231), from ``cryptography_vectors``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cryptography_vectors

FOLDER = Path(cryptography_vectors.__file__).parent


def _fields(name: str) -> Iterator[tuple[str, str]]:
    for line in (FOLDER / name).read_text(encoding="ascii").splitlines():
        key, separator, value = line.partition(" = ")
        if separator and not line.startswith(("#", "[")):
            yield key.strip(), value.strip()


def messages(function: str) -> list[tuple[bytes, bytes]]:
    """Return the short and the long messages of a function with their digests.

    Args:
        function: Its name in hashlib.
    """
    found = []
    for kind in ("ShortMsg", "LongMsg"):
        bits, data = 0, b""
        for key, value in _fields(f"hashes/SHA2/{function.upper()}{kind}.rsp"):
            if key == "Len":
                bits = int(value)
            elif key == "Msg":
                data = bytes.fromhex(value)[: bits // 8]
            elif key == "MD":
                found.append((data, bytes.fromhex(value)))
    return found


def monte_carlo(function: str) -> tuple[bytes, bytes]:
    """Return the seed of a function's Monte Carlo test, and the answer after 1,000 digests."""
    found = dict(reversed(list(_fields(f"hashes/SHA2/{function.upper()}Monte.rsp"))))
    return bytes.fromhex(found["Seed"]), bytes.fromhex(found["MD"])


def codes(function: str) -> list[tuple[bytes, bytes, bytes]]:
    """Return the keys and messages of RFC 4231 with their codes; none of SHA-512/t.

    Args:
        function: Its name in hashlib.
    """
    if "_" in function:
        return []
    found, row = [], {}
    for key, value in _fields(f"HMAC/rfc-4231-{function}.txt"):
        row[key] = value
        if key == "MD":
            found.append(tuple(bytes.fromhex(row[name]) for name in ("Key", "Msg", "MD")))
    return found
