# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Ascon: its reference against the designers' answers, and back again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermill._engine import AuthenticationError, InvalidError
from ciphermill.algorithms import ASCON, Vector

SEALED = [one for one in ASCON.vectors if one.operation == "encrypt"]


@pytest.mark.parametrize("vector", ASCON.vectors, ids=lambda one: one.source)
def test_vectors(vector: Vector) -> None:
    extra = (vector.iv, vector.associated)
    answer = ASCON.reference(vector.operation, vector.key, vector.given, *extra)
    assert answer == vector.answer


@pytest.mark.parametrize("vector", SEALED, ids=lambda one: one.source)
def test_vectors_back(vector: Vector) -> None:
    extra = (vector.iv, vector.associated)
    assert ASCON.reference("decrypt", vector.key, vector.answer, *extra) == vector.given
    forged = vector.answer[:-1] + bytes([vector.answer[-1] ^ 1])
    with pytest.raises(AuthenticationError, match="tag"):
        ASCON.reference("decrypt", vector.key, forged, *extra)


@given(data=st.binary(max_size=50), associated=st.binary(max_size=50))
def test_decryption_undoes_encryption(data: bytes, associated: bytes) -> None:
    sealed = ASCON.reference("encrypt", bytes(16), data, bytes(16), associated)
    assert len(sealed) == len(data) + ASCON.tag_bytes
    assert ASCON.reference("decrypt", bytes(16), sealed, bytes(16), associated) == data


def test_lengths_are_checked() -> None:
    with pytest.raises(InvalidError, match="16 bytes"):
        ASCON.reference("encrypt", bytes(16), b"", bytes(12))
