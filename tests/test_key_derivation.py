# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The cost of key derivation: chosen, bounded, refused, interrupted, and never fatal."""

from __future__ import annotations

import hashlib
import json
import resource
import signal
import struct
import subprocess
from pathlib import Path

import pytest

import ciphermill as package

from .conftest import COMMAND, Ciphermill, wait_for

SECRET = {"CIPHERMILL_PASSWORD": "correct horse"}
SCRYPT, ARGON2ID = 1, 2


@pytest.fixture
def costly(ciphermill: Ciphermill, plain: bytes) -> Path:
    """An encrypted file, whose header names the cost of key derivation; ``plain`` is removed."""
    made = ciphermill("encrypt", "plain", "--kdf", "pbkdf2", **SECRET)
    assert made.code == 0, made
    (ciphermill.folder / "plain").unlink()
    return ciphermill.folder / "plain.cm"


def forge(path: Path, derivation: int, parameters: tuple[int, int, int]) -> None:
    """Write another key derivation into a header, with its SHA-256."""
    sealed = bytearray(path.read_bytes())
    sealed[14] = derivation
    sealed[20:32] = struct.pack(">3I", *parameters)
    sealed[64:96] = hashlib.sha256(sealed[:64]).digest()
    path.write_bytes(sealed)


def with_little_memory(ciphermill: Ciphermill, kib: int) -> subprocess.CompletedProcess[bytes]:
    """Decrypt in an address space of so many KiB, as ``ulimit -v`` sets it."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (kib << 10, kib << 10))

    return subprocess.run(
        [COMMAND, "decrypt", "plain.cm"],
        cwd=ciphermill.folder,
        env=ciphermill.environment | SECRET,
        capture_output=True,
        preexec_fn=limit,
        timeout=300,
    )


def test_a_header_that_asked_for_twice_what_was_counted(
    ciphermill: Ciphermill, costly: Path
) -> None:
    """scrypt with N = 2 and r = 2^22: counted as 1 GiB, and 2 GiB when it was allocated."""
    forge(costly, SCRYPT, (1, 1 << 22, 1))
    ran = with_little_memory(ciphermill, 1_900_000)
    assert (ran.returncode, ran.stdout) == (3, b""), ran
    assert b"impossible parameters of the key derivation" in ran.stderr
    assert ran.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("derivation", "parameters"),
    [(SCRYPT, (20, 8, 1)), (SCRYPT, (17, 64, 1)), (ARGON2ID, (1 << 20, 2, 4))],
)
def test_memory_that_is_short_is_an_error(
    derivation: int, parameters: tuple[int, int, int], ciphermill: Ciphermill, costly: Path
) -> None:
    """The largest cost within the limits, with less memory than it needs."""
    forge(costly, derivation, parameters)
    ran = with_little_memory(ciphermill, 1_000_000)
    assert (ran.returncode, ran.stdout) == (1, b""), ran
    assert b"deriving the key needs 1024 MiB of memory" in ran.stderr
    assert ran.stderr.count(b"\n") == 1
    assert ciphermill.files() == ["plain.cm"]


@pytest.mark.parametrize(
    "cost",
    [
        ("--kdf-memory", "256M", "--kdf-passes", "64"),
        ("--kdf", "argon2id", "--kdf-memory", "256M", "--kdf-passes", "1000"),
        ("--kdf", "pbkdf2", "--iterations", "2000000000"),
    ],
)
def test_an_interrupt_ends_a_derivation(
    cost: tuple[str, ...], ciphermill: Ciphermill, plain: bytes
) -> None:
    """Each of these derivations would take minutes."""
    ciphermill.environment |= SECRET
    process = ciphermill.start("encrypt", "plain", *cost, "--kdf-limit", "1000")
    times = Path(f"/proc/{process.pid}/stat")

    def has_worked() -> bool:
        user_ticks = int(times.read_text().rpartition(")")[2].split()[11])
        return user_ticks > 100

    wait_for(has_worked)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert ciphermill.files() == ["plain"]


def test_the_cost_is_chosen_and_the_limit_raised(ciphermill: Ciphermill, plain: bytes) -> None:
    dear = ("--kdf", "pbkdf2", "--iterations", "10000001")
    # Refused before the password is asked for and before a key is derived.
    ciphermill("encrypt", "plain", *dear).failed(2, "10000001", "--kdf-limit 2")
    assert ciphermill("encrypt", "plain", *dear, "--kdf-limit", "2", **SECRET).code == 0
    ciphermill("decrypt", "plain.cm", "-o", "back").failed(3, "10000001", "--kdf-limit 2")
    shown = ciphermill("inspect", "plain.cm", "--json")
    facts = json.loads(shown.out)
    assert (facts["pbkdf2.iterations"], facts["kdf_limit"]) == (10_000_001, 2)
    told = ciphermill("inspect", "plain.cm").out.decode()
    assert "iterations = 10,000,001" in told
    assert "--kdf-limit 2" in told
    back = ciphermill("decrypt", "plain.cm", "-o", "back", "--kdf-limit", "2", **SECRET)
    assert back.code == 0, back
    assert (ciphermill.folder / "back").read_bytes() == plain


def test_python_chooses_the_cost(tmp_path: Path) -> None:
    sealed = package.encrypt(
        b"data", password="secret", key_derivation="argon2id", kdf_memory_bytes=1 << 20
    )
    path = tmp_path / "sealed.cm"
    path.write_bytes(sealed)
    facts = package.inspect(path)
    assert facts["argon2id.memory_kib"] == 1024
    assert facts["kdf_memory_bytes"] == 1 << 20
    assert (facts["version"], facts["kdf_limit"]) == (1, 1)
    assert package.decrypt(sealed, password="secret") == b"data"
    with pytest.raises(package.InvalidError, match="kdf_limit=108"):
        package.encrypt(b"", password="x", key_derivation="pbkdf2", kdf_iterations=1 << 30)
    with pytest.raises(package.InvalidError, match="power of two"):
        package.encrypt(b"", password="x", kdf_memory_bytes=100 << 20)
    with pytest.raises(package.InvalidError, match="not stretched"):
        package.encrypt(b"", key=bytes(32), kdf_passes=2)
    forge(path, SCRYPT, (21, 8, 1))
    with pytest.raises(package.DamagedError, match="kdf_limit=2"):
        package.decrypt(path.read_bytes(), password="secret")


REFUSED = {
    "scrypt of no power of two": ("--kdf-memory", "100M"),
    "argon2id of too little": ("--kdf", "argon2id", "--kdf-memory", "16k"),
    "memory of pbkdf2": ("--kdf", "pbkdf2", "--kdf-memory", "64M"),
    "passes of pbkdf2": ("--kdf", "pbkdf2", "--kdf-passes", "2"),
    "iterations of scrypt": ("--iterations", "1000"),
    "iterations of argon2id": ("--kdf", "argon2id", "--iterations", "1000"),
    "no passes": ("--kdf-passes", "0"),
    "memory of openssl": ("--format", "openssl", "--kdf-memory", "64M"),
    "limit of a key": ("--key-file", "KEY", "--kdf-limit", "2"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_costs_that_cannot_be(name: str, ciphermill: Ciphermill, plain: bytes, key: Path) -> None:
    """Refused without a password, since the header alone shows it."""
    arguments = [str(key) if word == "KEY" else word for word in REFUSED[name]]
    ciphermill("encrypt", "plain", *arguments).failed(2)
    assert ciphermill.files() == ["plain"]
