# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""ECDH: the reference gives the published answers."""

import pytest

from ciphermill.algorithms import Vector
from ciphermill.algorithms.ecc import ECC


@pytest.mark.parametrize("vector", ECC.vectors, ids=lambda one: one.source)
def test_vectors(vector: Vector) -> None:
    assert ECC.reference(vector.operation, vector.key, vector.given) == vector.answer


def test_signatures_have_no_single_answer() -> None:
    with pytest.raises(ValueError, match="sign has no single right answer"):
        ECC.reference("sign", bytes(32), bytes(32))
