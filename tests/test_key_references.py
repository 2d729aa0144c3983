# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Private keys that a device holds, through the Python module."""

from __future__ import annotations

import os
import threading
from typing import get_args

import pytest

import ciphermill
from ciphermill.functions import Curve
from ciphermill.registry import openssl

CURVES: tuple[Curve, ...] = get_args(Curve)
DIGEST = bytes(range(32))


def is_right(key: ciphermill.KeyReference, curve: Curve, signature: bytes) -> bool:
    return ciphermill.verify(DIGEST, signature, public_key=key.public_key, algorithm=curve)


@pytest.mark.parametrize("curve", CURVES)
def test_an_imported_key_works_as_its_bytes_do(curve: Curve) -> None:
    pair, other = (ciphermill.generate_key(algorithm=curve) for _ in range(2))
    with ciphermill.hold_key(pair.key, algorithm=curve) as key:
        assert (key.algorithm, key.device, key.public_key) == (curve, "cpu", pair.public_key)
        assert is_right(key, curve, key.sign(DIGEST))
        secret = ciphermill.agree(other.public_key, key=pair.key, algorithm=curve)
        assert key.agree(other.public_key) == secret


def test_a_closed_reference_is_refused() -> None:
    with ciphermill.hold_key() as key:
        signature = key.sign(DIGEST)
    for use in (key.sign, key.agree):
        with pytest.raises(ciphermill.InvalidError, match="is closed"):
            use(DIGEST)
    key.close()
    # The public key stays.
    assert is_right(key, "p-256", signature)


def test_nothing_of_a_reference_is_the_private_key() -> None:
    pair = ciphermill.generate_key()
    with ciphermill.hold_key(pair.key) as key:
        assert repr(key) == 'KeyReference("p-256", device="cpu")'
        for name in dir(key):
            value = getattr(key, name)
            assert value != pair.key, name
            assert pair.key.hex() not in repr(value), name


@pytest.mark.parametrize("key", [bytes(32), b"\xff" * 32, bytes(31)])
def test_a_key_that_cannot_be_is_refused(key: bytes) -> None:
    with pytest.raises(ciphermill.InvalidError, match="private key"):
        ciphermill.hold_key(key)


def test_a_device_that_holds_no_keys_says_so() -> None:
    with pytest.raises(ciphermill.UnsupportedError, match="give the key's bytes"):
        ciphermill.hold_key(device=openssl())
    with pytest.raises(ciphermill.InvalidError, match="choose p-256, p-384 or p-521"):
        ciphermill.hold_key(algorithm="sha-256")  # type: ignore[arg-type]


def test_threads_sign_with_one_key_while_it_is_closed() -> None:
    key, wrong = ciphermill.hold_key(), []
    begun = threading.Barrier(4)

    def sign() -> None:
        begun.wait()
        for _ in range(50):
            try:
                signature = key.sign(DIGEST)
            except ciphermill.InvalidError:
                return
            if not is_right(key, "p-256", signature):
                wrong.append(signature)

    threads = [threading.Thread(target=sign) for _ in range(3)]
    for thread in threads:
        thread.start()
    begun.wait()
    assert is_right(key, "p-256", key.sign(DIGEST))
    key.close()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_forked_child_signs_with_its_copy() -> None:
    with ciphermill.hold_key() as key:
        child = os.fork()
        if child == 0:
            os._exit(not is_right(key, "p-256", key.sign(DIGEST)))
        assert os.waitpid(child, 0)[1] == 0
        assert is_right(key, "p-256", key.sign(DIGEST))
