# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""An independent reader reads the committed vectors and every file that the engine writes."""

import importlib.util
import json
import os
from pathlib import Path
from types import ModuleType
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ciphermill
from ciphermill.functions import KeyDerivation, Mode

ROOT = Path(__file__).parent.parent
VECTORS = json.loads(
    (ROOT / "docs/reference/container-vectors/version-1.json").read_text(encoding="utf-8")
)["vectors"]


def _load_reader() -> ModuleType:
    path = Path(__file__).with_name("container_reader.py")
    specification = importlib.util.spec_from_file_location("container_reader", path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


reader = _load_reader()


def _secret(vector: dict[str, str]) -> bytes:
    if "key" in vector:
        return bytes.fromhex(vector["key"])
    return vector["password"].encode()


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_reader_reads_vector(vector: dict[str, str]) -> None:
    container = bytes.fromhex(vector["container"])
    assert reader.read(container, _secret(vector)).hex() == vector["plaintext"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_engine_reads_vector(vector: dict[str, str]) -> None:
    container = bytes.fromhex(vector["container"])
    if "key" in vector:
        plaintext = ciphermill.decrypt(container, key=_secret(vector), device="cpu")
    else:
        plaintext = ciphermill.decrypt(container, password=vector["password"], device="cpu")
    assert plaintext.hex() == vector["plaintext"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_reader_sees_every_changed_byte(vector: dict[str, str]) -> None:
    container = bytes.fromhex(vector["container"])
    for position in range(0, len(container), 7):
        changed = bytearray(container)
        changed[position] ^= 0x40
        with pytest.raises((reader.DamagedError, reader.AuthenticationError)):
            reader.read(bytes(changed), _secret(vector))


@settings(max_examples=60, deadline=None)
@given(
    mode=st.sampled_from(["gcm", "ctr", "cbc", "ecb"]),
    key_bits=st.sampled_from([128, 192, 256]),
    chunks=st.integers(0, 5),
    offset=st.integers(-17, 17),
    chunk_bytes=st.sampled_from([16, 48, 4096]),
)
def test_reader_reads_what_the_engine_writes(
    mode: Mode, key_bits: Literal[128, 192, 256], chunks: int, offset: int, chunk_bytes: int
) -> None:
    plaintext = os.urandom(max(0, chunks * chunk_bytes + offset))
    key = os.urandom(key_bits // 8)
    sealed = ciphermill.encrypt(
        plaintext, key=key, device="cpu", mode=mode, key_bits=key_bits, chunk_bytes=chunk_bytes
    )
    assert reader.read(sealed, key) == plaintext
    assert ciphermill.decrypt(sealed, key=key, device="cpu") == plaintext


@pytest.mark.parametrize("key_derivation", ["scrypt", "argon2id", "pbkdf2"])
def test_reader_reads_default_derivations(key_derivation: KeyDerivation) -> None:
    sealed = ciphermill.encrypt(
        b"Attack at dawn", password="pass wörd", key_derivation=key_derivation
    )
    assert reader.read(sealed, "pass wörd".encode()) == b"Attack at dawn"


def test_same_key_gives_another_file_each_time() -> None:
    key = os.urandom(32)
    one, two = (ciphermill.encrypt(bytes(64), key=key, device="cpu") for _ in range(2))
    assert one[32:64] != two[32:64], "the salt is fresh"
    assert one[132:196] != two[132:196], "and so are the keys"
