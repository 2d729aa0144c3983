# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""ECDH and ECDSA: the reference gives the published answers."""

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from ciphermill.algorithms import Vector
from ciphermill.algorithms.ecc import ECC

AGREED = [one for one in ECC.vectors if one.operation == "agree"]
SIGNED = [one for one in ECC.vectors if one.operation == "sign"]


@pytest.mark.parametrize("vector", AGREED, ids=lambda one: one.source)
def test_vectors(vector: Vector) -> None:
    assert ECC.reference(vector.operation, vector.key, vector.given) == vector.answer


def test_signatures_have_no_single_answer() -> None:
    with pytest.raises(ValueError, match="sign has no single right answer"):
        ECC.reference("sign", bytes(32), bytes(32))


@pytest.mark.parametrize("vector", SIGNED, ids=lambda one: one.source)
def test_signatures_are_of_their_keys(vector: Vector) -> None:
    private = ec.derive_private_key(int.from_bytes(vector.key), ec.SECP256R1())
    public = private.public_key()
    x, y = public.public_numbers().x, public.public_numbers().y
    assert vector.associated == x.to_bytes(32) + y.to_bytes(32)
    r, s = vector.answer[:32], vector.answer[32:]
    der = utils.encode_dss_signature(int.from_bytes(r), int.from_bytes(s))
    public.verify(der, vector.given, ec.ECDSA(utils.Prehashed(hashes.SHA256())))
    nonce = ec.derive_private_key(int.from_bytes(vector.iv), ec.SECP256R1())
    assert nonce.public_key().public_numbers().x.to_bytes(32) == r
