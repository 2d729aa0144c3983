# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Damaged files: one line of error, and no unauthenticated byte of output."""

import hashlib
import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import CHUNK, Ciphermill

OVERHEAD = 20
"""Bytes of a chunk besides its data; test_layout_is_what_these_tests_think checks it."""


def flip(place: int, sealed: bytes) -> bytes:
    data = bytearray(sealed)
    data[place] ^= 0x10
    return bytes(data)


FOREIGN = {
    "empty": b"",
    "one byte": b"x",
    "text": b"To be, or not to be, that is the question\n" * 200,
    "zeros": bytes(10_000),
    "openssl": b"Salted__" + bytes(range(200)),
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(5000),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_files(name: str, ciphermill: Ciphermill, key: Path) -> None:
    (ciphermill.folder / "foreign.cm").write_bytes(FOREIGN[name])
    ciphermill("decrypt", "foreign.cm", "--key-file", key).failed(3)
    assert ciphermill.files() == ["foreign.cm"]
    piped = ciphermill("decrypt", "--key-file", key, stdin=FOREIGN[name])
    piped.failed(3)
    assert piped.out == b""


def test_wrong_password(ciphermill: Ciphermill, plain: bytes) -> None:
    made = ciphermill("encrypt", "plain", "--kdf", "pbkdf2", CIPHERMILL_PASSWORD="right")
    assert made.code == 0
    (ciphermill.folder / "plain").unlink()
    wrong = ciphermill("decrypt", "plain.cm", CIPHERMILL_PASSWORD="wrong")
    wrong.failed(4, "password")
    assert ciphermill.files() == ["plain.cm"]
    piped = ciphermill("decrypt", "plain.cm", "-o", "-", CIPHERMILL_PASSWORD="wrong")
    piped.failed(4)
    assert piped.out == b""


def test_wrong_key(ciphermill: Ciphermill, sealed: bytes, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(bytes(32))
    ciphermill("decrypt", "sealed.cm", "--key-file", other).failed(4)
    assert ciphermill.files() == ["sealed.cm"]


def test_key_where_a_password_is_needed_and_the_reverse(
    ciphermill: Ciphermill, sealed: bytes
) -> None:
    ciphermill("decrypt", "sealed.cm", CIPHERMILL_PASSWORD="x").failed(2, "key")
    assert ciphermill.files() == ["sealed.cm"]


@pytest.mark.parametrize("part", [0.01, 0.2, 0.5, 0.9, 0.9999])
def test_truncated(part: float, ciphermill: Ciphermill, sealed: bytes, key: Path) -> None:
    (ciphermill.folder / "sealed.cm").write_bytes(sealed[: int(len(sealed) * part)])
    ciphermill("decrypt", "sealed.cm", "--key-file", key).failed(3)
    assert ciphermill.files() == ["sealed.cm"]


@pytest.mark.parametrize("lost", [1, 2, 4])
def test_whole_chunks_missing_at_the_end(
    lost: int, ciphermill: Ciphermill, plain: bytes, sealed: bytes, key: Path
) -> None:
    """Every remaining chunk is authentic, but the file is not."""
    last = len(plain) % CHUNK + OVERHEAD
    cut = sealed[: len(sealed) - last - (lost - 1) * (CHUNK + OVERHEAD)]
    (ciphermill.folder / "sealed.cm").write_bytes(cut)
    ciphermill("decrypt", "sealed.cm", "--key-file", key).failed(3)
    assert ciphermill.files() == ["sealed.cm"]


@pytest.mark.parametrize("place", [*range(0, 12), 40, 100, 150, 5000, -1, -20, -3000])
def test_flipped_bit(place: int, ciphermill: Ciphermill, sealed: bytes, key: Path) -> None:
    (ciphermill.folder / "sealed.cm").write_bytes(flip(place, sealed))
    outcome = ciphermill("decrypt", "sealed.cm", "--key-file", key)
    assert outcome.code in (3, 4), outcome
    outcome.failed(outcome.code)
    assert ciphermill.files() == ["sealed.cm"]


def test_what_a_pipe_gets_of_a_damaged_file_is_its_true_beginning(
    ciphermill: Ciphermill, plain: bytes, sealed: bytes, key: Path
) -> None:
    start = len(sealed) - (len(plain) + 5 * OVERHEAD)
    third = start + 2 * (CHUNK + OVERHEAD)
    outcome = ciphermill("decrypt", "--key-file", key, stdin=flip(third + 1000, sealed))
    outcome.failed(4)
    assert outcome.out in (plain[: 2 * CHUNK], plain[:CHUNK], b"")


def chunks_of(plain: bytes, sealed: bytes) -> tuple[bytes, list[bytes]]:
    """Return header and chunks of a container with five chunks."""
    start = len(sealed) - (len(plain) + 5 * OVERHEAD)
    size = CHUNK + OVERHEAD
    body = sealed[start:]
    return sealed[:start], [body[i : i + size] for i in range(0, len(body), size)]


REARRANGED: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "reordered": lambda chunks: [chunks[1], chunks[0], *chunks[2:]],
    "repeated": lambda chunks: [chunks[0], chunks[0], *chunks[2:]],
    "one missing": lambda chunks: [chunks[0], *chunks[2:]],
    "appended": lambda chunks: [*chunks, chunks[-1]],
    "last one first": lambda chunks: [chunks[-1], *chunks[:-1]],
}


@pytest.mark.parametrize("name", REARRANGED)
def test_rearranged(
    name: str, ciphermill: Ciphermill, plain: bytes, sealed: bytes, key: Path
) -> None:
    header, chunks = chunks_of(plain, sealed)
    (ciphermill.folder / "sealed.cm").write_bytes(header + b"".join(REARRANGED[name](chunks)))
    outcome = ciphermill("decrypt", "sealed.cm", "--key-file", key)
    assert outcome.code in (3, 4), outcome
    outcome.failed(outcome.code)
    assert ciphermill.files() == ["sealed.cm"]


def test_spliced(ciphermill: Ciphermill, plain: bytes, sealed: bytes, key: Path) -> None:
    """Chunks of another file under the same key are refused."""
    (ciphermill.folder / "plain").write_bytes(plain[::-1])
    options = ("--key-file", key, "--chunk", str(CHUNK))
    other = ciphermill("encrypt", "plain", "-o", "-", *options).out
    header, chunks = chunks_of(plain, sealed)
    _, foreign = chunks_of(plain, other)
    (ciphermill.folder / "sealed.cm").write_bytes(
        header + b"".join([chunks[0], foreign[1], *chunks[2:]])
    )
    ciphermill("decrypt", "sealed.cm", "-o", "out", "--key-file", key).failed(4)
    assert ciphermill.files() == ["plain", "sealed.cm"]


def test_layout_is_what_these_tests_think(
    ciphermill: Ciphermill, plain: bytes, sealed: bytes, key: Path
) -> None:
    header, chunks = chunks_of(plain, sealed)
    assert len(chunks) == 5
    whole = ciphermill("decrypt", "--key-file", key, stdin=header + b"".join(chunks))
    assert whole.out == plain
    empty = ciphermill("encrypt", "--key-file", key, stdin=b"").out
    assert len(empty) == len(header) + OVERHEAD


def test_an_existing_output_survives_a_damaged_input(
    ciphermill: Ciphermill, sealed: bytes, key: Path
) -> None:
    (ciphermill.folder / "sealed.cm").write_bytes(flip(-30, sealed))
    (ciphermill.folder / "out").write_bytes(b"precious")
    outcome = ciphermill("decrypt", "sealed.cm", "-o", "out", "--force", "--key-file", key)
    assert outcome.code in (3, 4)
    assert (ciphermill.folder / "out").read_bytes() == b"precious"
    assert ciphermill.files() == ["out", "sealed.cm"]


HOSTILE = {
    "scrypt that takes a terabyte": (1, 30, 8, 1),
    "scrypt that takes minutes": (1, 20, 8, 64),
    "argon2id that takes a terabyte": (2, 1 << 30, 3, 1),
    "argon2id that takes for ever": (2, 1 << 16, 0xFFFFFFFF, 1),
    "pbkdf2 that takes for ever": (3, 0xFFFFFFFF, 0, 0),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_header_is_refused_before_it_costs_anything(
    name: str, ciphermill: Ciphermill
) -> None:
    """docs/reference/container.md: derivation at 14, its parameters at 20, SHA-256 at 64."""
    made = ciphermill("encrypt", "--kdf", "pbkdf2", stdin=b"x", CIPHERMILL_PASSWORD="x")
    hostile = bytearray(made.out)
    derivation, *parameters = HOSTILE[name]
    hostile[14] = derivation
    hostile[20:32] = struct.pack(">3I", *parameters)
    hostile[64:96] = hashlib.sha256(hostile[:64]).digest()
    (ciphermill.folder / "hostile.cm").write_bytes(hostile)
    begin = time.monotonic()
    ciphermill("decrypt", "hostile.cm", CIPHERMILL_PASSWORD="x").failed(
        3, "deriving the key", "limits"
    )
    assert time.monotonic() - begin < 20
    assert ciphermill.files() == ["hostile.cm"]
