# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The reference of the Ascon core gives the published answers."""

from __future__ import annotations

import hashlib
import itertools

import pytest

from . import ascon_reference as reference
from .ascon_reference import COUNTING, KNOWN_AEAD, KNOWN_HASH, KNOWN_LENGTHS


def seal(text: int, aad: int) -> bytes:
    key = COUNTING[:16]
    return b"".join(reference.encrypt(key, key, COUNTING[:aad], COUNTING[:text]))


@pytest.mark.parametrize("lengths", KNOWN_AEAD)
def test_known_answers_of_aead(lengths):
    sealed = bytes.fromhex(KNOWN_AEAD[lengths])
    assert seal(*lengths) == sealed
    key, (text, aad) = COUNTING[:16], lengths
    assert reference.decrypt(key, key, COUNTING[:aad], sealed[:-16]) == (
        COUNTING[:text],
        sealed[-16:],
    )


@pytest.mark.parametrize("length", KNOWN_HASH)
def test_known_answers_of_the_hash(length):
    assert reference.hash256(COUNTING[:length]).hex() == KNOWN_HASH[length]


def test_all_known_answers_of_aead():
    digest = hashlib.sha256()
    for text, aad in itertools.product(KNOWN_LENGTHS, KNOWN_LENGTHS):
        digest.update(seal(text, aad))
    assert digest.hexdigest() == reference.KNOWN_AEAD_SHA256


def test_all_known_answers_of_the_hash():
    digest = hashlib.sha256()
    for length in range(1025):
        digest.update(reference.hash256(COUNTING[:length]))
    assert digest.hexdigest() == reference.KNOWN_HASH_SHA256
