# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The Python PRESENT against the vectors of its paper, and back again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermill.evaluate.system import present

# A. Bogdanov et al., CHES 2007, appendix I; the last one, for a 128-bit key, is the all-zero
# vector that implementations of PRESENT-128 agree on.
VECTORS = [
    ("00" * 10, "00" * 8, "5579C1387B228445"),
    ("FF" * 10, "00" * 8, "E72C46C0F5945049"),
    ("00" * 10, "FF" * 8, "A112FFC72F68417B"),
    ("FF" * 10, "FF" * 8, "3333DCD3213210D2"),
    ("00" * 16, "00" * 8, "96DB702A2E6900AF"),
]


@pytest.mark.parametrize(("key", "plaintext", "ciphertext"), VECTORS)
def test_vectors(key: str, plaintext: str, ciphertext: str) -> None:
    key_bytes, text = bytes.fromhex(key), bytes.fromhex(plaintext)
    assert present.encrypt(text, key_bytes).hex().upper() == ciphertext
    assert present.decrypt(bytes.fromhex(ciphertext), key_bytes) == text


@given(
    data=st.integers(0, 4).flatmap(lambda n: st.binary(min_size=8 * n, max_size=8 * n)),
    key=st.binary(min_size=10, max_size=10) | st.binary(min_size=16, max_size=16),
)
def test_decryption_undoes_encryption(data: bytes, key: bytes) -> None:
    assert present.decrypt(present.encrypt(data, key), key) == data


def test_lengths_are_checked() -> None:
    with pytest.raises(ValueError, match="10 or 16 bytes, not 8"):
        present.round_keys(bytes(8))
    with pytest.raises(ValueError, match="whole blocks"):
        present.encrypt(bytes(9), bytes(10))
