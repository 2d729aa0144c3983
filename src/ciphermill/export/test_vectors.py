# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The known answers that exports carry, against implementations of others."""

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from ciphermill.evaluate.system import present
from ciphermill.export import vectors


def encrypted(vector: vectors.Message) -> bytes:
    known: dict[str, modes.ECB | modes.CBC | modes.CTR] = {
        "ecb": modes.ECB(),
        "cbc": modes.CBC(vector.iv),
        "ctr": modes.CTR(vector.iv),
    }
    return Cipher(algorithms.AES(vector.key), known[vector.mode]).encryptor().update(vector.plain)


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_blocks_of_aes(bits: int) -> None:
    found = vectors.blocks("aes", (bits,))
    assert len(found) == (6 if bits == 128 else 5)
    for vector in found:
        encryptor = Cipher(algorithms.AES(vector.key), modes.ECB()).encryptor()
        assert encryptor.update(vector.plain) == vector.cipher, vector.source


@pytest.mark.parametrize(("bits", "count"), [(80, 4), (128, 5)])
def test_blocks_of_present(bits: int, count: int) -> None:
    found = vectors.blocks("present", (bits,))
    assert len(found) == count
    for vector in found:
        assert present.encrypt(vector.plain, vector.key) == vector.cipher, vector.source


def test_messages() -> None:
    found = vectors.messages((128, 192, 256))
    assert len(found) == 9
    for vector in found:
        assert encrypted(vector) == vector.cipher, vector.source


def test_nothing_is_known_of_another_cipher() -> None:
    assert vectors.blocks("rot13", (128,)) == []
