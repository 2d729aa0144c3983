# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""SHA-2 and HMAC on models of accelerators and on a board: hashlib's answers, refusals."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path
from typing import get_args

import pytest

import ciphermill
from ciphermill import Device
from ciphermill.functions import Digest, Hmac
from ciphermill.toolchain.model import ensure_model

from .conftest import Ciphermill

LENGTHS = (0, 1, 16, 55, 64, 111, 128, 1000)
SHA2: tuple[Digest, ...] = get_args(Digest)[:-1]
HMACS: tuple[Hmac, ...] = get_args(Hmac)
DATA = bytes(n % 251 for n in range(1000))


def hashlib_name(algorithm: str) -> str:
    """Return the name of one of SHA-2 in ``hashlib``."""
    return algorithm.removeprefix("hmac-").replace("-", "").replace("/", "_")


@pytest.fixture(scope="module")
def model() -> Device:
    library = ensure_model("sha2-stream")
    return Device("model:sha2-stream", models=library.parent)


@pytest.mark.parametrize("algorithm", SHA2)
def test_digests_are_hashlib_s(model: Device, algorithm: Digest) -> None:
    for length in LENGTHS:
        expected = hashlib.new(hashlib_name(algorithm), DATA[:length]).digest()
        assert ciphermill.digest(DATA[:length], algorithm=algorithm, device=model) == expected


@pytest.mark.parametrize("algorithm", HMACS)
def test_codes_are_hmac_s(model: Device, algorithm: Hmac) -> None:
    for length, key_bytes in zip(LENGTHS, (129, 0, 300, 64, 1, 128, 65, 32), strict=True):
        key, data = DATA[-key_bytes:] if key_bytes else b"", DATA[:length]
        code = ciphermill.authenticate(data, key=key, algorithm=algorithm, device=model)
        assert code == hmac.digest(key, data, hashlib_name(algorithm))


def test_a_device_of_sha2_has_nothing_else(model: Device) -> None:
    names = {name for name, *_ in model.algorithms}
    assert names == {*SHA2, *HMACS}
    with pytest.raises(ciphermill.UnsupportedError, match="cannot digest by ascon-hash256"):
        ciphermill.digest(b"", algorithm="ascon-hash256", device=model)
    with pytest.raises(ciphermill.UnsupportedError, match="cannot encrypt"):
        ciphermill.encrypt(b"", key=bytes(32), device=model)


def test_a_device_without_a_function_says_so(tmp_path: Path) -> None:
    """Words of 32 bits alone: the functions with words of 64 bits are missing."""
    design = tmp_path / "narrow.toml"
    design.write_text(
        'kind = "accelerator"\nname = "narrow"\nalgorithm = "sha-256"\n'
        'architecture = "iterative"\nsha2_word_bits = [32]\n',
        encoding="utf-8",
    )
    library = ensure_model(design)
    try:
        narrow = Device("model:narrow", models=library.parent)
        expected = hashlib.sha256(DATA).digest()
        assert ciphermill.digest(DATA, device=narrow) == expected
        with pytest.raises(ciphermill.UnsupportedError, match="cannot digest by sha-512"):
            ciphermill.digest(DATA, algorithm="sha-512", device=narrow)
        with pytest.raises(ciphermill.UnsupportedError, match="authenticate by hmac-sha-384"):
            ciphermill.authenticate(DATA, key=b"", algorithm="hmac-sha-384", device=narrow)
    finally:
        library.unlink()


def test_aes_and_sha2_in_one_device() -> None:
    """Messages of both take turns on one device, which names the operations of both."""
    library = ensure_model("aes-sha2")
    both = Device("model:aes-sha2", models=library.parent)
    assert {"aes", *SHA2, *HMACS} == {name for name, *_ in both.algorithms}
    key = bytes(range(32))
    for length in LENGTHS:
        sealed = ciphermill.encrypt(DATA[:length], key=key, device=both)
        assert ciphermill.decrypt(sealed, key=key) == DATA[:length]
        code = ciphermill.authenticate(DATA[:length], key=key, device=both)
        assert code == hmac.digest(key, DATA[:length], "sha256")
        expected = hashlib.sha384(DATA[:length]).digest()
        assert ciphermill.digest(DATA[:length], algorithm="sha-384", device=both) == expected
        assert ciphermill.decrypt(sealed, key=key, device=both) == DATA[:length]


def test_a_board_gives_hashlib_s_answers_over_its_files(
    ciphermill: Ciphermill, tmp_path: Path
) -> None:
    """The key of HMAC goes to the device as a packet before the message."""
    ciphermill.serve(tmp_path / "board", "sha2-stream")
    board = Device(f"stream:{tmp_path / 'board'}")
    for length in (0, 64, 250):
        data = DATA[:length]
        digest, _ = board.run("digest", data, algorithm="sha-256")
        assert digest == hashlib.sha256(data).digest()
        code, _ = board.run("authenticate", data, algorithm="hmac-sha-512", key=b"key")
        assert code == hmac.digest(b"key", data, "sha512")


def test_the_commands_know_the_design(ciphermill: Ciphermill) -> None:
    (ciphermill.folder / "message").write_bytes(DATA)
    listed = ciphermill("devices").out.decode()
    assert "model:sha2-stream" in listed
    assert "SHA-2 accelerator" in listed
    words = ("digest", "message", "--device", "model:sha2-stream", "--algorithm")
    for algorithm in ("sha-256", "sha-512"):
        expected = hashlib.new(hashlib_name(algorithm), DATA).hexdigest()
        assert ciphermill(*words, algorithm).out.decode() == f"{expected}  message\n"
    ciphermill(*words, "ascon-hash256").failed(2, "cannot digest by ascon-hash256")
