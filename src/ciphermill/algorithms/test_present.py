# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""PRESENT: its reference against published answers, and back again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermill.algorithms import PRESENT, Vector


@pytest.mark.parametrize("vector", PRESENT.vectors, ids=lambda one: f"{one.key.hex()} {one.given}")
def test_vectors(vector: Vector) -> None:
    assert PRESENT.reference("encrypt", vector.key, vector.given) == vector.answer
    assert PRESENT.reference("decrypt", vector.key, vector.answer) == vector.given


@pytest.mark.parametrize(("bits", "count"), [(80, 4), (128, 5)])
def test_blocks_by_key_size(bits: int, count: int) -> None:
    assert len(PRESENT.blocks((bits,))) == count


@given(
    data=st.integers(0, 4).flatmap(lambda n: st.binary(min_size=8 * n, max_size=8 * n)),
    key=st.binary(min_size=10, max_size=10) | st.binary(min_size=16, max_size=16),
)
def test_decryption_undoes_encryption(data: bytes, key: bytes) -> None:
    assert PRESENT.reference("decrypt", key, PRESENT.reference("encrypt", key, data)) == data


def test_lengths_are_checked() -> None:
    with pytest.raises(ValueError, match="10 or 16 bytes, not 8"):
        PRESENT.reference("encrypt", bytes(8), bytes(8))
    with pytest.raises(ValueError, match="whole blocks"):
        PRESENT.reference("encrypt", bytes(10), bytes(9))
