# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Unreadable inputs, unwritable outputs, and files that are never overwritten."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from .conftest import COMMAND, Ciphermill

BIG = 300_000


@pytest.fixture
def big(ciphermill: Ciphermill) -> bytes:
    data = os.urandom(BIG)
    (ciphermill.folder / "big").write_bytes(data)
    return data


def test_no_such_input(ciphermill: Ciphermill, key: Path) -> None:
    ciphermill("encrypt", "nowhere", "--key-file", key).failed(1, "nowhere", "No such file")
    assert ciphermill.files() == []


def test_a_folder_as_input(ciphermill: Ciphermill, key: Path) -> None:
    (ciphermill.folder / "folder").mkdir()
    hint = "tar c folder | ciphermill encrypt -o folder.tar.cm"
    ciphermill("encrypt", "folder/", "--key-file", key).failed(1, "is a folder", hint)
    ciphermill("decrypt", "folder", "-o", "out", "--key-file", key).failed(1, "irectory")
    assert ciphermill.files() == ["folder"]


def test_several_inputs(ciphermill: Ciphermill, key: Path) -> None:
    contents = {"one": b"first", "two": b"", "three": bytes(20_000)}
    for name, data in contents.items():
        (ciphermill.folder / name).write_bytes(data)
    secret = ("--key-file", key)
    assert ciphermill("encrypt", *contents, *secret).code == 0
    sealed = [f"{name}.cm" for name in contents]
    assert ciphermill.files() == sorted([*contents, *sealed])
    # No file is processed if one of them cannot be.
    ciphermill("decrypt", *sealed, *secret).failed(2, "one exists", "--force")
    for name in contents:
        (ciphermill.folder / name).unlink()
    ciphermill("decrypt", *sealed, "nowhere.cm", *secret).failed(1, "nowhere.cm")
    assert ciphermill.files() == sorted(sealed)
    assert ciphermill("decrypt", *sealed, *secret).code == 0
    assert {name: (ciphermill.folder / name).read_bytes() for name in contents} == contents
    ciphermill("encrypt", "one", "two", "-o", "out", *secret).failed(
        2, "--output needs a single input"
    )
    ciphermill("encrypt", "one", "one", "--force", *secret).failed(2, "named twice")


def test_inspecting_needs_no_password(ciphermill: Ciphermill, plain: bytes, key: Path) -> None:
    made = ciphermill("encrypt", "plain", "--key-file", key, "--mode", "cbc", "--chunk", "64k")
    assert made.code == 0, made
    shown = ciphermill("inspect", "plain.cm", "--json")
    assert json.loads(shown.out) == {
        "version": 1,
        "algorithm": "aes",
        "mode": "cbc",
        "key_bits": 256,
        "chunk_bytes": 65536,
        "key_derivation": "key",
        "kdf_memory_bytes": 0,
        "kdf_limit": 1,
    }
    sealed = (ciphermill.folder / "plain.cm").read_bytes()
    piped = ciphermill("inspect", "-", stdin=sealed)
    assert (piped.code, piped.err) == (0, "")
    lines = piped.out.decode().splitlines()
    assert lines[0] == "format     Ciphermill container, version 1"
    assert lines[1] == "algorithm  AES-256 in CBC"
    assert lines[2] == "chunks     65,536 bytes of plaintext each"
    assert "--key-file" in lines[3]
    ciphermill("inspect", "plain").failed(3, "not a Ciphermill file")
    ciphermill("inspect", "nowhere").failed(1, "No such file")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission_to_read(ciphermill: Ciphermill, plain: bytes, key: Path) -> None:
    (ciphermill.folder / "plain").chmod(0)
    ciphermill("encrypt", "plain", "--key-file", key).failed(1, "ermission")


def test_an_input_that_fails_while_being_read(ciphermill: Ciphermill, key: Path) -> None:
    """/proc/self/mem opens, and its first page cannot be read."""
    ciphermill("encrypt", "/proc/self/mem", "-o", "out", "--key-file", key).failed(1)
    assert ciphermill.files() == []


def test_no_such_output_folder(ciphermill: Ciphermill, plain: bytes, key: Path) -> None:
    outcome = ciphermill("encrypt", "plain", "-o", "nowhere/out", "--key-file", key)
    outcome.failed(1, "nowhere/out")


@pytest.mark.parametrize("limit", [0, 1, 100, 200_000])
def test_disk_full(limit: int, ciphermill: Ciphermill, big: bytes, key: Path) -> None:
    """A limit on the size of files stops a write in the middle, as a full disk does."""
    outcome = ciphermill("encrypt", "big", "--key-file", key, file_limit=limit)
    outcome.failed(1, "writing")
    assert ciphermill.files() == ["big"]
    assert (ciphermill.folder / "big").read_bytes() == big


def test_disk_full_spares_the_file_that_was_to_be_replaced(
    ciphermill: Ciphermill, big: bytes, key: Path
) -> None:
    (ciphermill.folder / "big.cm").write_bytes(b"precious")
    outcome = ciphermill("encrypt", "big", "--force", "--key-file", key, file_limit=1000)
    outcome.failed(1)
    assert (ciphermill.folder / "big.cm").read_bytes() == b"precious"
    assert ciphermill.files() == ["big", "big.cm"]


@pytest.mark.parametrize("target", ["-", "/dev/full"])
def test_device_full(target: str, ciphermill: Ciphermill, big: bytes, key: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        outcome = ciphermill(
            "encrypt", "big", "-o", target, "--key-file", key, stdout=full.fileno()
        )
    outcome.failed(1, "No space left")


def test_small_file_system(ciphermill: Ciphermill, big: bytes, key: Path, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("may not mount a file system here")
    try:
        ciphermill("encrypt", "big", "-o", folder / "big.cm", "--key-file", key).failed(
            1, "No space left"
        )
        assert list(folder.iterdir()) == []
    finally:
        subprocess.run(["umount", folder], check=True)


def test_an_existing_output_is_kept(ciphermill: Ciphermill, plain: bytes, key: Path) -> None:
    (ciphermill.folder / "plain.cm").write_bytes(b"precious")
    ciphermill("encrypt", "plain", "--key-file", key).failed(2, "plain.cm exists", "--force")
    assert (ciphermill.folder / "plain.cm").read_bytes() == b"precious"
    assert ciphermill("encrypt", "plain", "--force", "--key-file", key).code == 0
    assert (ciphermill.folder / "plain.cm").read_bytes() != b"precious"


@pytest.mark.parametrize("disguise", ["itself", "hard link", "symbolic link", "through a folder"])
@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
def test_the_input_is_never_overwritten(
    command: str, disguise: str, ciphermill: Ciphermill, sealed: bytes, key: Path
) -> None:
    source, other = ciphermill.folder / "sealed.cm", ciphermill.folder / "other"
    if disguise == "itself":
        other = source
    elif disguise == "hard link":
        other.hardlink_to(source)
    elif disguise == "symbolic link":
        other.symlink_to(source)
    else:
        (ciphermill.folder / "folder").symlink_to(ciphermill.folder)
        other = ciphermill.folder / "folder" / "sealed.cm"
    outcome = ciphermill(command, source, "-o", other, "--force", "--key-file", key)
    outcome.failed(2, "is the input itself")
    assert source.read_bytes() == sealed


def test_standard_output_that_is_the_input(ciphermill: Ciphermill, plain: bytes, key: Path) -> None:
    path = ciphermill.folder / "plain"
    with path.open("r+b") as same:
        outcome = ciphermill("encrypt", "plain", "-o", "-", "--key-file", key, stdout=same.fileno())
    outcome.failed(2, "same file")
    assert path.read_bytes() == plain


def test_the_output_is_no_more_readable_than_the_input(
    ciphermill: Ciphermill, plain: bytes, key: Path
) -> None:
    (ciphermill.folder / "plain").chmod(0o600)
    assert ciphermill("encrypt", "plain", "--key-file", key).code == 0
    assert (ciphermill.folder / "plain.cm").stat().st_mode & 0o777 == 0o600


def test_a_reader_that_goes_away(ciphermill: Ciphermill, key: Path) -> None:
    """A closed pipe is an error with a message, not a silent end."""
    (ciphermill.folder / "big").write_bytes(bytes(4_000_000))
    process = ciphermill.start(
        "encrypt", "big", "-o", "-", "--key-file", key, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.read(100)
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.count(b"\n") == 1
    assert b"roken pipe" in err


def test_pipes_overlap(ciphermill: Ciphermill, key: Path) -> None:
    """Two processes in a pipe, with more data than pipe and chunks hold."""
    data = os.urandom(5_000_000)
    encrypt = ciphermill.start(
        "encrypt", "--key-file", key, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert encrypt.stdin is not None
    assert encrypt.stdout is not None
    decrypt = subprocess.Popen(
        [COMMAND, "decrypt", "--key-file", key], stdin=encrypt.stdout, stdout=subprocess.PIPE
    )
    encrypt.stdout.close()
    encrypt.stdout = None
    with encrypt.stdin as pipe:
        pipe.write(data)
    encrypt.stdin = None
    out, _ = decrypt.communicate(timeout=60)
    assert out == data
    assert (encrypt.wait(60), decrypt.returncode) == (0, 0)
