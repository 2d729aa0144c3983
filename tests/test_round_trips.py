# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Encrypting and decrypting gives the input, for every mode, device, key size and derivation."""

from pathlib import Path

import pytest

from .conftest import CHUNK, Ciphermill

PROCESSOR = ("cpu", "software", "software+")
MODELS = ("model:aes-iterative", "model:aes-pipelined")


@pytest.mark.parametrize("key_bits", ["128", "192", "256"])
@pytest.mark.parametrize("mode", ["gcm", "ctr", "cbc", "ecb"])
@pytest.mark.parametrize("device", ["cpu", "software"])
def test_processor(
    device: str, mode: str, key_bits: str, ciphermill: Ciphermill, plain: bytes, key: Path
) -> None:
    there = ciphermill(
        *("encrypt", "plain", "--key-file", key, "--device", device, "--mode", mode),
        *("--key-bits", key_bits, "--chunk", str(CHUNK)),
    )
    assert (there.code, there.out) == (0, b""), there
    assert ("ECB" in there.err) == (mode == "ecb")
    back = ciphermill("decrypt", "plain.cm", "-o", "back", "--key-file", key)
    assert (back.code, back.out, back.err) == (0, b"", "")
    assert (ciphermill.folder / "back").read_bytes() == plain


@pytest.mark.parametrize("mode", ["ctr", "cbc", "ecb"])
@pytest.mark.parametrize("device", MODELS)
def test_models_and_the_processor_understand_each_other(
    device: str, mode: str, ciphermill: Ciphermill, plain: bytes, key: Path
) -> None:
    secret = ("--key-file", key)
    chunk = ("--chunk", str(CHUNK), "--mode", mode)
    assert ciphermill("encrypt", "plain", *secret, *chunk, "--device", device).code == 0
    assert ciphermill("decrypt", "plain.cm", "-o", "one", *secret).code == 0
    assert ciphermill("encrypt", "plain", *secret, *chunk, "-o", "cpu.cm").code == 0
    assert ciphermill("decrypt", "cpu.cm", "-o", "other", *secret, "--device", device).code == 0
    assert (ciphermill.folder / "one").read_bytes() == plain
    assert (ciphermill.folder / "other").read_bytes() == plain


def test_a_device_without_gcm_authenticates_all_the_same(
    ciphermill: Ciphermill, plain: bytes, key: Path
) -> None:
    secret = ("--key-file", key)
    assert ciphermill("encrypt", "plain", *secret, "--device", MODELS[0]).code == 0
    sealed = bytearray((ciphermill.folder / "plain.cm").read_bytes())
    sealed[-40] ^= 1
    (ciphermill.folder / "bad.cm").write_bytes(sealed)
    ciphermill("decrypt", "bad.cm", *secret).failed(4)


@pytest.mark.parametrize("derivation", ["scrypt", "argon2id", "pbkdf2"])
def test_derivations(derivation: str, ciphermill: Ciphermill, plain: bytes) -> None:
    secret = {"CIPHERMILL_PASSWORD": "correct horse"}
    assert ciphermill("encrypt", "plain", "--kdf", derivation, **secret).code == 0
    assert ciphermill("decrypt", "plain.cm", "-o", "back", **secret).code == 0
    assert (ciphermill.folder / "back").read_bytes() == plain


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])
@pytest.mark.parametrize("mode", ["gcm", "cbc"])
def test_lengths_through_pipes(length: int, mode: str, ciphermill: Ciphermill, key: Path) -> None:
    data = bytes(i * 7 % 251 for i in range(length))
    options = ("--mode", mode, "--chunk", str(CHUNK), "--key-file", key)
    there = ciphermill("encrypt", *options, stdin=data)
    assert (there.code, there.err) == (0, "")
    back = ciphermill("decrypt", "-", "--key-file", key, stdin=there.out)
    assert (back.code, back.err) == (0, "")
    assert back.out == data
    assert ciphermill.files() == []


def test_names_of_outputs(ciphermill: Ciphermill, plain: bytes, key: Path) -> None:
    assert ciphermill("encrypt", "plain", "--key-file", key).code == 0
    assert ciphermill.files() == ["plain", "plain.cm"]
    (ciphermill.folder / "plain").unlink()
    assert ciphermill("decrypt", "plain.cm", "--key-file", key).code == 0
    assert ciphermill.files() == ["plain", "plain.cm"]
    assert (ciphermill.folder / "plain").read_bytes() == plain


def test_the_same_input_never_gives_the_same_output(
    ciphermill: Ciphermill, plain: bytes, key: Path
) -> None:
    one, other = (
        ciphermill("encrypt", "plain", "-o", "-", "--key-file", key).out for _ in range(2)
    )
    assert one != other
    assert len(one) == len(other)


def test_a_shorter_key_file_chooses_the_key_size(
    ciphermill: Ciphermill, plain: bytes, key: Path
) -> None:
    key.write_bytes(key.read_bytes()[:16])
    assert ciphermill("encrypt", "plain", "--key-file", key).code == 0
    assert ciphermill("decrypt", "plain.cm", "-o", "back", "--key-file", key).code == 0
    too_short = ciphermill("encrypt", "plain", "-o", "x", "--key-file", key, "--key-bits", "256")
    too_short.failed(2, "too short")
