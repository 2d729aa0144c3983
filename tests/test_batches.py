# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Many messages at once through ``run_batch``, compared with an independent implementation."""

from __future__ import annotations

import os
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

import ciphermill


def _message(blocks: int, key_bytes: int) -> ciphermill.Message:
    return {
        "operation": "encrypt",
        "algorithm": "aes",
        "mode": "cbc",
        "key": os.urandom(key_bytes),
        "iv": os.urandom(16),
        "data": os.urandom(16 * blocks),
    }


def _expected(message: ciphermill.Message) -> bytes:
    key, iv = bytes(message["key"] or b""), bytes(message["iv"] or b"")
    encryptor = Cipher[Any](algorithms.AES(key), modes.CBC(iv)).encryptor()
    return encryptor.update(bytes(message["data"])) + encryptor.finalize()


@pytest.mark.parametrize("device", ["cpu", "software+"])
@pytest.mark.parametrize("count", [0, 1, 2, 9, 50])
def test_streams_of_any_lengths_and_keys(device: str, count: int) -> None:
    messages = [_message((7 * n) % 23, 16 + 8 * (n % 3)) for n in range(count)]
    outputs = ciphermill.run_batch(messages, device=device)
    assert outputs == [_expected(message) for message in messages]


def test_long_streams() -> None:
    messages = [_message(30_000 + n, 32) for n in range(3)]
    assert ciphermill.run_batch(messages) == [_expected(message) for message in messages]


def test_a_message_that_fails_leaves_the_others_alone() -> None:
    good, short_key, part = _message(5, 16), _message(5, 16), _message(5, 16)
    short_key["key"] = b"short"
    part["data"] = b"no block"
    digest: ciphermill.Message = {"operation": "digest", "algorithm": "sha-256", "data": b"abc"}
    outputs = ciphermill.run_batch([short_key, good, part, digest])
    assert isinstance(outputs[0], ciphermill.InvalidError)
    assert outputs[1] == _expected(good)
    assert "whole blocks" in str(outputs[2])
    assert outputs[3] == ciphermill.digest(b"abc")


def test_arguments_that_there_are_not() -> None:
    for wrong in ({"nonce": b""}, {"data": "text"}):
        with pytest.raises(TypeError):
            ciphermill.run_batch([_message(1, 16) | wrong])  # type: ignore[typeddict-item]


def test_a_device_says_how_many_go_side_by_side() -> None:
    assert ciphermill.open_device("cpu").streams >= 1
