# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""AES: published answers, its reference, and an implementation of others."""

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from ciphermill.algorithms import AES, Vector


def encrypted(vector: Vector) -> bytes:
    known: dict[str, modes.ECB | modes.CBC | modes.CTR] = {
        "": modes.ECB(),
        "ecb": modes.ECB(),
        "cbc": modes.CBC(vector.iv),
        "ctr": modes.CTR(vector.iv),
    }
    return Cipher(algorithms.AES(vector.key), known[vector.mode]).encryptor().update(vector.given)


@pytest.mark.parametrize("vector", AES.vectors, ids=lambda vector: vector.source)
def test_vectors_against_an_implementation_of_others(vector: Vector) -> None:
    assert encrypted(vector) == vector.answer


@pytest.mark.parametrize(("bits", "count"), [(128, 6), (192, 5), (256, 5)])
def test_blocks_against_the_reference(bits: int, count: int) -> None:
    blocks = AES.blocks((bits,))
    assert len(blocks) == count
    for one in blocks:
        assert AES.reference("encrypt", one.key, one.given) == one.answer, one.source
        assert AES.reference("decrypt", one.key, one.answer) == one.given, one.source


@pytest.mark.parametrize("bits", AES.key_bits)
def test_messages_by_key_size_and_mode(bits: int) -> None:
    assert [one.mode for one in AES.messages(bits)] == ["ecb", "cbc", "ctr"]
    (one,) = AES.messages(bits, "cbc")
    assert (one.mode, 8 * len(one.key)) == ("cbc", bits)
