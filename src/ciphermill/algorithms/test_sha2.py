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


def test_a_code_is_two_messages() -> None:
    cycles = SHA_256.cores.message_cycles
    assert cycles is not None
    # The key's block and 1 KiB: 18 hash blocks; the key's block and a digest: 2.
    inner, outer = cycles("digest", 0, 64 + 1024), cycles("digest", 0, 64 + 32)
    assert cycles("authenticate", 256, 1024) == inner + outer == 2 * (7 + 2) + 64 * (18 + 2)
