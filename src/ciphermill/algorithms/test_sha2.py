# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""SHA-2: its reference against NIST's answers."""

import pytest

from ciphermill.algorithms import SHA_256, SHA_512, Algorithm, Vector


@pytest.mark.parametrize(
    ("algorithm", "vector"),
    [
        pytest.param(one, vector, id=vector.source)
        for one in (SHA_256, SHA_512)
        for vector in one.vectors
    ],
)
def test_vectors(algorithm: Algorithm, vector: Vector) -> None:
    assert algorithm.reference("digest", b"", vector.given) == vector.answer


def test_a_hash_has_no_key() -> None:
    with pytest.raises(ValueError, match="no key and no encrypt"):
        SHA_256.reference("encrypt", b"", b"")
    with pytest.raises(ValueError, match="no key"):
        SHA_256.reference("digest", b"key", b"")
