# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""SHA-2 and HMAC in C, built for the host with sanitisers, against Python's hashlib and hmac."""

import hashlib
import hmac
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

FIRMWARE = Path(__file__).resolve().parent.parent
FUNCTIONS = ("sha224", "sha256", "sha384", "sha512", "sha512_224", "sha512_256")
LENGTHS = (0, 1, 55, 56, 63, 64, 65, 111, 112, 119, 120, 127, 128, 129, 255, 256, 1000)

Run = Callable[[list[str]], list[str]]


def shown(data: bytes) -> str:
    return data.hex() or "-"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs gcc")
    program = tmp_path_factory.mktemp("host") / "sha2"
    command = [compiler, "-std=gnu11", "-O1", "-g0", "-Wall", "-Wextra", "-Werror"]
    command += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    command += [f"-I{FIRMWARE / place}" for place in ("include", "ciphers")]
    names = ("ciphers/sha2.c", "ciphers/sha256.c", "ciphers/sha512.c", "tests/run_sha2.c")
    command += [str(FIRMWARE / name) for name in names]
    done = subprocess.run([*command, "-o", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

    def send(lines: list[str]) -> list[str]:
        ended = subprocess.run(
            [program], input="\n".join(lines) + "\n", capture_output=True, text=True
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.splitlines()

    return send


@pytest.mark.parametrize("function", FUNCTIONS)
def test_messages_of_every_length_whole_and_in_parts(run: Run, function: str) -> None:
    source = random.Random(1)
    lines, expected = [], []
    for length in LENGTHS:
        message = source.randbytes(length)
        for step in (0, 1, 63, 64, 100, 128, 300):
            lines += [f"digest {function} {step} {shown(message)}"]
            expected += [hashlib.new(function, message).hexdigest()]
    assert run(lines) == expected


@pytest.mark.parametrize("function", FUNCTIONS)
def test_authentication_codes_with_keys_of_every_length(run: Run, function: str) -> None:
    source = random.Random(2)
    lines, expected = [], []
    for key_bytes in LENGTHS:
        key, message = source.randbytes(key_bytes), source.randbytes(source.choice(LENGTHS))
        lines += [f"hmac {function} {shown(key)} {shown(message)}"]
        expected += [hmac.new(key, message, function).hexdigest()]
    assert run(lines) == expected
