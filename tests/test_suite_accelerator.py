# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The suite: one device, whose channels have different algorithms."""

from __future__ import annotations

import hashlib
import hmac
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import ciphermill
from ciphermill import Device
from ciphermill._engine import serve
from ciphermill.toolchain.model import ensure_model

KEY, NONCE = bytes(range(16)), bytes(range(12))
DATA = bytes(n % 251 for n in range(500))


@pytest.fixture(scope="module")
def library() -> Path:
    return ensure_model("suite")


@pytest.fixture(scope="module")
def suite(library: Path) -> Device:
    return Device("model:suite", models=library.parent)


def gcm(device: Device) -> bool:
    sealed, _ = device.run("encrypt", DATA, algorithm="aes", mode="gcm", key=KEY, iv=NONCE)
    return sealed == AESGCM(KEY).encrypt(NONCE, DATA, None)


def digest(device: Device) -> bool:
    found = ciphermill.digest(DATA, algorithm="sha-512", device=device)
    return found == hashlib.sha512(DATA).digest()


def code(device: Device) -> bool:
    found = ciphermill.authenticate(DATA, key=KEY, algorithm="hmac-sha-256", device=device)
    return found == hmac.digest(KEY, DATA, "sha256")


def ascon(device: Device) -> bool:
    wanted, _ = Device("cpu").run("encrypt", DATA, algorithm="ascon-aead128", key=KEY, iv=KEY)
    found, _ = device.run("encrypt", DATA, algorithm="ascon-aead128", key=KEY, iv=KEY)
    return found == wanted


def public_key(device: Device) -> bool:
    pair, _ = device.run("generate-key", b"", algorithm="p-256")
    key = ec.derive_private_key(int.from_bytes(pair[:32]), ec.SECP256R1()).public_key()
    numbers = key.public_numbers()
    return pair[32:] == numbers.x.to_bytes(32) + numbers.y.to_bytes(32)


WORK = (gcm, digest, code, ascon, public_key)


def test_requests_go_to_the_channel_with_their_algorithm(suite: Device) -> None:
    assert [work.__name__ for work in WORK if not work(suite)] == []


def test_requests_of_several_threads_go_side_by_side(suite: Device) -> None:
    with ThreadPoolExecutor(len(WORK)) as threads:
        assert list(threads.map(lambda work: work(suite), 2 * WORK)) == 2 * len(WORK) * [True]


def test_the_device_has_the_algorithms_of_every_channel(suite: Device) -> None:
    names = {name for name, *_ in suite.algorithms}
    assert names >= {"aes", "sha-256", "hmac-sha-512", "ascon-aead128", "ascon-hash256", "p-521"}
    assert suite.channels == 4


def test_a_board_of_several_algorithms_is_refused(library: Path, tmp_path: Path) -> None:
    with pytest.raises(ciphermill.UnsupportedError, match="different algorithms"):
        serve("suite", str(tmp_path / "board"), models=library.parent)
