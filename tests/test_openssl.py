# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files are exchanged with the real ``openssl enc``, both ways."""

import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import Ciphermill

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="no openssl here")

PASSWORD = "correct horse"
WARNING = "ciphermill: warning: the openssl format is not authenticated"


def openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["openssl", "enc", *arguments, "-pbkdf2", "-pass", f"pass:{PASSWORD}"],
        cwd=folder,
        check=True,
        capture_output=True,
    )


CASES = [
    (mode, bits, iterations)
    for mode in ("cbc", "ctr", "ecb")
    for bits in ("128", "256")
    for iterations in ((), ("600000",))
    if bits == "256" or not iterations
]


@pytest.mark.parametrize(("mode", "bits", "iterations"), CASES)
@pytest.mark.parametrize("device", ["cpu", "model:aes-iterative"])
def test_both_ways(
    device: str,
    mode: str,
    bits: str,
    iterations: tuple[str, ...],
    ciphermill: Ciphermill,
    plain: bytes,
) -> None:
    ours = [
        *("--format", "openssl", "--mode", mode, "--key-bits", bits, "--device", device),
        *(word for number in iterations for word in ("--iterations", number)),
    ]
    theirs = [f"-aes-{bits}-{mode}", *(word for n in iterations for word in ("-iter", n))]
    there = ciphermill("encrypt", "plain", *ours, CIPHERMILL_PASSWORD=PASSWORD)
    assert there.code == 0, there
    assert WARNING in there.err
    openssl(ciphermill.folder, "-d", *theirs, "-in", "plain.enc", "-out", "one")
    assert (ciphermill.folder / "one").read_bytes() == plain

    openssl(ciphermill.folder, "-e", *theirs, "-in", "plain", "-out", "theirs.enc")
    back = ciphermill("decrypt", "theirs.enc", *ours, CIPHERMILL_PASSWORD=PASSWORD)
    assert back.code == 0, back
    assert WARNING in back.err
    assert (ciphermill.folder / "theirs").read_bytes() == plain


@pytest.mark.parametrize("length", [0, 1, 16])
def test_short_messages_through_pipes(length: int, ciphermill: Ciphermill) -> None:
    data = bytes(length)
    options = ("--format", "openssl")
    there = ciphermill("encrypt", *options, stdin=data, CIPHERMILL_PASSWORD=PASSWORD)
    (ciphermill.folder / "there").write_bytes(there.out)
    openssl(ciphermill.folder, "-d", "-aes-256-cbc", "-in", "there", "-out", "back")
    assert (ciphermill.folder / "back").read_bytes() == data


@pytest.mark.parametrize("contents", [b"", b"Salted", b"Salted__1234", b"x" * 100])
def test_what_openssl_did_not_write(contents: bytes, ciphermill: Ciphermill) -> None:
    (ciphermill.folder / "bad.enc").write_bytes(contents)
    outcome = ciphermill("decrypt", "bad.enc", "--format", "openssl", CIPHERMILL_PASSWORD=PASSWORD)
    outcome.failed(3)
    assert ciphermill.files() == ["bad.enc"]


def test_cut_short(ciphermill: Ciphermill, plain: bytes) -> None:
    openssl(ciphermill.folder, "-e", "-aes-256-cbc", "-in", "plain", "-out", "bad.enc")
    whole = (ciphermill.folder / "bad.enc").read_bytes()
    (ciphermill.folder / "bad.enc").write_bytes(whole[:-5])
    outcome = ciphermill("decrypt", "bad.enc", "--format", "openssl", CIPHERMILL_PASSWORD=PASSWORD)
    outcome.failed(3)
    assert ciphermill.files() == ["bad.enc", "plain"]


def test_our_format_names_theirs(ciphermill: Ciphermill, plain: bytes) -> None:
    openssl(ciphermill.folder, "-e", "-aes-256-cbc", "-in", "plain", "-out", "theirs.cm")
    outcome = ciphermill("decrypt", "theirs.cm", CIPHERMILL_PASSWORD=PASSWORD)
    outcome.failed(3, "format openssl")
