# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""GCM with IVs of other lengths than 12 bytes (SP 800-38D, 7.1), on devices that take them."""

from __future__ import annotations

import os

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import ciphermill
from ciphermill._engine import graphics_processors
from ciphermill.registry import open_device

KEY = bytes(range(16))
WRAPS = (119451).to_bytes(16, "big")
"""With KEY, an IV whose counter of 32 bits begins anew behind 25,950 blocks."""
DEVICES = (
    "cpu",
    "software+",
    *(
        f"{name},{settings}"
        for name in graphics_processors()
        for settings in ("kernel=bitsliced", "kernel=tables,chunk_bytes=65536")
    ),
)
EXAMPLES = {
    "cafebabefacedbad": "3612d2e79e3b0785561be14aaca2fccb",
    "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728"
    "c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b": "619cc5aefffe0bfa462af43c1699d050",
}
"""IV and tag of test cases 5 and 6 of McGrew and Viega, The Galois/Counter Mode of Operation."""


def encrypt(data: bytes, iv: bytes, device: str, associated_data: bytes = b"") -> bytes:
    asked = {"algorithm": "aes", "key": KEY, "iv": iv, "associated_data": associated_data}
    return ciphermill.run("encrypt", data, mode="gcm", device=device, **asked)[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("iv", EXAMPLES, ids=("8", "60"))
def test_the_designers_examples(iv: str, device: str) -> None:
    output, _ = ciphermill.run(
        "encrypt",
        bytes.fromhex(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
            "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
        ),
        algorithm="aes",
        mode="gcm",
        key=bytes.fromhex("feffe9928665731c6d6a8f9467308308"),
        iv=bytes.fromhex(iv),
        associated_data=bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
        device=device,
    )
    assert output[-16:].hex() == EXAMPLES[iv]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("length", [8, 11, 12, 13, 16, 17, 31, 60, 128])
def test_it_is_that_of_another_library(length: int, device: str) -> None:
    iv, associated_data = os.urandom(length), os.urandom(length % 40)
    for bytes_in in (0, 1, 16, 1000, 100_007):
        data = os.urandom(bytes_in)
        expected = AESGCM(KEY).encrypt(iv, data, associated_data)
        assert encrypt(data, iv, device, associated_data) == expected


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("length", [1, 15, 128])
def test_all_devices_agree_and_decrypt(length: int, device: str) -> None:
    iv, data = os.urandom(length), os.urandom(5000)
    sent = encrypt(data, iv, device)
    assert sent == encrypt(data, iv, "cpu")
    back, _ = ciphermill.transform(
        sent, mode="gcm", direction="decrypt", key=KEY, iv=iv, device=device
    )
    assert back == data


@pytest.mark.parametrize("device", DEVICES)
def test_a_counter_that_begins_anew_leaves_the_other_bits(device: str) -> None:
    data = os.urandom(1 << 20)
    assert encrypt(data, WRAPS, device) == AESGCM(KEY).encrypt(WRAPS, data, None)


@pytest.mark.parametrize("device", [one for one in DEVICES if one != "software+"])
def test_a_long_iv(device: str) -> None:
    iv = os.urandom(1000)
    assert encrypt(bytes(100), iv, device) == encrypt(bytes(100), iv, "cpu")


def test_openssl_takes_128_bytes_at_most() -> None:
    with pytest.raises(ciphermill.UnsupportedError, match="no IV of 129 bytes"):
        encrypt(bytes(100), bytes(129), "software+")


def test_what_takes_12_bytes_alone_says_so() -> None:
    device = open_device("model:aes-pipelined-gcm")
    with pytest.raises(ciphermill.UnsupportedError, match="an IV of 12 bytes"):
        device.run("encrypt", bytes(16), algorithm="aes", mode="gcm", key=KEY, iv=bytes(13))


@pytest.mark.parametrize("device", DEVICES)
def test_an_empty_iv_is_refused(device: str) -> None:
    with pytest.raises(ciphermill.InvalidError, match="1 byte or more"):
        encrypt(b"", b"", device)
