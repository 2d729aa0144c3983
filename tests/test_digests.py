# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Digests and authentication codes through the Python module."""

from __future__ import annotations

import hashlib
import hmac

import pytest

import ciphermill
from ciphermill.registry import openssl

# One to each side of a block, of what Python's caller thread does itself, and of a slice.
LENGTHS = (0, 1, 63, 64, 65, (1 << 20) - 1, 1 << 20, (1 << 20) + 1)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("algorithm", ["sha-256", "sha-512"])
def test_digests_are_hashlib_s(algorithm: str, length: int) -> None:
    data = bytes(index % 251 for index in range(length))
    expected = hashlib.new(algorithm.replace("-", ""), data).digest()
    assert ciphermill.digest(data, algorithm=algorithm) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("key_bytes", [0, 1, 64, 65, 200])
def test_codes_are_hmac_s(key_bytes: int) -> None:
    key = bytes(range(key_bytes))
    code = ciphermill.authenticate(bytearray(b"message"), key=key)
    assert code == hmac.digest(key, b"message", "sha256")


def test_an_unknown_hash_is_told_those_that_there_are() -> None:
    with pytest.raises(ciphermill.InvalidError, match="choose sha-256, sha-512 or ascon-hash256"):
        ciphermill.digest(b"", algorithm="md5")  # type: ignore[arg-type]


def test_a_device_without_hashes_says_so() -> None:
    with pytest.raises(ciphermill.UnsupportedError, match="cannot digest by sha-256"):
        ciphermill.digest(b"", device=openssl())


def test_a_device_lists_what_it_does() -> None:
    algorithms = ciphermill.open_device("cpu").algorithms
    assert ("sha-512", "digest", None, []) in algorithms
    assert ("aes", "decrypt", "xts", [128, 256]) in algorithms
