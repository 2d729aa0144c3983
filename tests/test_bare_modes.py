# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""GCM and XTS through ``transform``, compared with an independent implementation."""

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import ciphermill

KEY = bytes(range(32))
TEXT = bytes(range(256)) * 5 + b"end"


@pytest.mark.parametrize("device", ["cpu", "software"])
def test_gcm_ends_in_its_tag(device: str) -> None:
    iv = bytes(range(12))
    sealed, _ = ciphermill.transform(
        TEXT, mode="gcm", direction="encrypt", key=KEY, iv=iv, device=device
    )
    assert sealed == AESGCM(KEY).encrypt(iv, TEXT, None)
    opened, _ = ciphermill.transform(
        sealed, mode="gcm", direction="decrypt", key=KEY, iv=iv, device=device
    )
    assert opened == TEXT
    altered = sealed[:-1] + bytes([sealed[-1] ^ 1])
    with pytest.raises(ciphermill.AuthenticationError):
        ciphermill.transform(altered, mode="gcm", direction="decrypt", key=KEY, iv=iv)
    with pytest.raises(ciphermill.InvalidError, match="tag of 16 bytes"):
        ciphermill.transform(b"short", mode="gcm", direction="decrypt", key=KEY, iv=iv)


def units(data: bytes, length: int, keys: bytes, number: int) -> bytes:
    """XTS by data units, with OpenSSL."""
    output = b""
    for start in range(0, len(data), length):
        tweak = (number + start // length).to_bytes(16, "little")
        one = Cipher(algorithms.AES(keys), modes.XTS(tweak)).encryptor()
        output += one.update(data[start : start + length]) + one.finalize()
    return output


@pytest.mark.parametrize("bits", [128, 256])
@pytest.mark.parametrize("length", [512, None])
def test_xts_by_data_units(bits: int, length: int | None) -> None:
    keys = bytes(range(bits // 4))
    number = (7).to_bytes(16, "little")
    text = TEXT[:-3] + bytes(30)
    sealed, _ = ciphermill.transform(
        text, mode="xts", direction="encrypt", key=keys, iv=number, data_unit_bytes=length
    )
    assert sealed == units(text, length or len(text), keys, 7)
    opened, _ = ciphermill.transform(
        sealed, mode="xts", direction="decrypt", key=keys, iv=number, data_unit_bytes=length
    )
    assert opened == text


def test_what_xts_and_others_refuse() -> None:
    with pytest.raises(ciphermill.InvalidError, match="32 or 64 bytes together, not 48"):
        ciphermill.transform(TEXT, mode="xts", direction="encrypt", key=bytes(48), iv=bytes(16))
    with pytest.raises(ciphermill.InvalidError, match="ctr takes no data units"):
        ciphermill.transform(
            TEXT, mode="ctr", direction="encrypt", key=KEY, iv=bytes(16), data_unit_bytes=16
        )
