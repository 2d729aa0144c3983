# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The suite: one device, whose channels have different algorithms."""

from __future__ import annotations

import hashlib
import hmac
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import ciphermill
from ciphermill import Device
from ciphermill._engine import serve
from ciphermill.algorithms import PRESENT
from ciphermill.toolchain.model import ensure_model

from .conftest import Ciphermill

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


def present(device: Device) -> bool:
    data = DATA[:400]
    sealed, _ = device.run("encrypt", data, algorithm="present", mode="ecb", key=KEY[:10])
    return sealed == PRESENT.reference("encrypt", KEY[:10], data)


def public_key(device: Device) -> bool:
    pair, _ = device.run("generate-key", b"", algorithm="p-256")
    key = ec.derive_private_key(int.from_bytes(pair[:32]), ec.SECP256R1()).public_key()
    numbers = key.public_numbers()
    return pair[32:] == numbers.x.to_bytes(32) + numbers.y.to_bytes(32)


WORK = (gcm, digest, code, ascon, present, public_key)


def test_requests_go_to_the_channel_with_their_algorithm(suite: Device) -> None:
    assert [work.__name__ for work in WORK if not work(suite)] == []


def test_requests_of_several_threads_go_side_by_side(suite: Device) -> None:
    with ThreadPoolExecutor(len(WORK)) as threads:
        assert list(threads.map(lambda work: work(suite), 2 * WORK)) == 2 * len(WORK) * [True]


def test_the_device_has_the_algorithms_of_every_channel(suite: Device) -> None:
    names = {name for name, *_ in suite.algorithms}
    assert names >= {"aes", "sha-256", "hmac-sha-512", "ascon-aead128", "ascon-hash256", "p-521"}
    modes = {mode for name, _, mode, _ in suite.algorithms if name == "present"}
    assert modes == {"ecb", "cbc", "ctr"}
    assert ("present", "decrypt", "cbc", [80, 128]) in suite.algorithms
    assert 80 not in suite.key_sizes
    assert suite.channels == 4


def test_present_gives_the_published_answers(suite: Device) -> None:
    for vector in PRESENT.vectors:
        asked: dict[str, Any] = {"algorithm": "present", "mode": "ecb", "key": vector.key}
        sealed, _ = suite.run("encrypt", vector.given, **asked)
        assert sealed == vector.answer, vector.source
        opened, _ = suite.run("decrypt", vector.answer, **asked)
        assert opened == vector.given, vector.source


def in_mode(mode: str, key: bytes, iv: bytes, data: bytes) -> bytes:
    """PRESENT in a mode of SP 800-38A (6.1, 6.2 and 6.5), over the reference."""

    def added(one: bytes, other: bytes) -> bytes:
        return bytes(a ^ b for a, b in zip(one, other, strict=False))

    count = -(-len(data) // 8)
    if mode == "ctr":
        counters = (int.from_bytes(iv) + number for number in range(count))
        blocks = b"".join((counter % 2**64).to_bytes(8) for counter in counters)
        return added(data, PRESENT.reference("encrypt", key, blocks))
    if mode == "ecb":
        return PRESENT.reference("encrypt", key, data)
    output = b""
    for start in range(0, len(data), 8):
        iv = PRESENT.reference("encrypt", key, added(data[start : start + 8], iv))
        output += iv
    return output


@pytest.mark.parametrize("key_bytes", [10, 16])
@pytest.mark.parametrize(("mode", "length"), [("ecb", 88), ("cbc", 88), ("ctr", 91)])
def test_present_in_modes(suite: Device, mode: str, length: int, key_bytes: int) -> None:
    # The counter wraps in the message.
    key, iv = KEY[:key_bytes], b"\xff" * 7 + b"\xfa"
    asked: dict[str, Any] = {"mode": mode, "key": key, "iv": iv, "algorithm": "present"}
    sealed, timing = suite.transform(DATA[:length], direction="encrypt", **asked)
    assert sealed == in_mode(mode, key, iv, DATA[:length])
    assert timing.method == "simulated"
    opened, _ = suite.transform(sealed, direction="decrypt", **asked)
    assert opened == DATA[:length]


@pytest.mark.parametrize(
    ("mode", "length", "reason"),
    [
        ("ecb", 12, "whole blocks of 8"),
        ("cbc", 9, "whole blocks of 8"),
        ("gcm", 16, "no mode gcm"),
    ],
)
def test_what_present_cannot_do_is_refused(
    suite: Device, mode: str, length: int, reason: str
) -> None:
    with pytest.raises(ciphermill.InvalidError, match=reason):
        suite.transform(
            bytes(length),
            mode=mode,
            direction="encrypt",
            key=bytes(10),
            iv=bytes(8),
            algorithm="present",
        )


def test_weigh_compares_present_with_its_reference(ciphermill: Ciphermill, library: Path) -> None:
    (ciphermill.folder / "message").write_bytes(DATA[:100])
    words = ("weigh", "message", "--algorithm", "present", "--key-bits", "128", "--json")
    found = [
        (one["mode"], one["operation"], one["key_bits"], one["bytes"], one["correct"])
        for one in json.loads(ciphermill(*words).out)
    ]
    assert found == [("ecb", verb, 128, 104, True) for verb in ("encrypt", "decrypt")]


def test_a_board_of_several_algorithms_is_refused(library: Path, tmp_path: Path) -> None:
    with pytest.raises(ciphermill.UnsupportedError, match="different algorithms"):
        serve("suite", str(tmp_path / "board"), models=library.parent)
