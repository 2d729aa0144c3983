# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Ascon in C, built for the host with sanitisers, against the standard in Python.

``hw/ascon/dv/ascon_reference.py`` is that; its own tests hold it against the published answers.
"""

import importlib.util
import itertools
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

FIRMWARE = Path(__file__).resolve().parent.parent
SPEC = importlib.util.spec_from_file_location(
    "ascon_reference", FIRMWARE.parent / "hw" / "ascon" / "dv" / "ascon_reference.py"
)
assert SPEC is not None and SPEC.loader is not None
reference = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(reference)

LENGTHS = (0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100)


def shown(data: bytes) -> str:
    return data.hex() or "-"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[[list[str]], list[str]]:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs gcc")
    program = tmp_path_factory.mktemp("host") / "ascon"
    command = [compiler, "-std=gnu11", "-O1", "-g0", "-Wall", "-Wextra", "-Werror"]
    command += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    command += [f"-I{FIRMWARE / place}" for place in ("include", "ciphers")]
    command += [str(FIRMWARE / name) for name in ("ciphers/ascon.c", "tests/run_ascon.c")]
    done = subprocess.run([*command, "-o", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

    def send(lines: list[str]) -> list[str]:
        ended = subprocess.run(
            [program], input="\n".join(lines) + "\n", capture_output=True, text=True
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.splitlines()

    return send


def test_published_answers(run: Callable[[list[str]], list[str]]) -> None:
    counting = reference.COUNTING
    key = shown(counting[:16])
    lines, expected = [], []
    for (text, aad), sealed in reference.KNOWN_AEAD.items():
        given = f"{key} {key} {shown(counting[:aad])}"
        lines += [f"encrypt 00 {given} {shown(counting[:text])}"]
        expected += [f"{sealed[:-32] or '-'} {sealed[-32:]}"]
        lines += [f"decrypt 00 {given} {sealed[:-32] or '-'} {sealed[-32:]}"]
        expected += [f"0 {shown(counting[:text])}"]
    for length, digest in reference.KNOWN_HASH.items():
        lines += [f"hash {shown(counting[:length])}"]
        expected += [digest]
    assert run(lines) == expected


def test_random_messages_of_all_lengths_in_place_and_not(
    run: Callable[[list[str]], list[str]],
) -> None:
    source = random.Random(1)
    lines, expected = [], []
    for aad_bytes, text_bytes in itertools.product(LENGTHS, LENGTHS):
        key, nonce = source.randbytes(16), source.randbytes(16)
        aad, text = source.randbytes(aad_bytes), source.randbytes(text_bytes)
        coded, tag = reference.encrypt(key, nonce, aad, text)
        place = f"{source.randrange(2):02x}"
        given = f"{place} {key.hex()} {nonce.hex()} {shown(aad)}"
        lines += [f"encrypt {given} {shown(text)}"]
        expected += [f"{shown(coded)} {tag.hex()}"]
        lines += [f"decrypt {given} {shown(coded)} {tag.hex()}"]
        expected += [f"0 {shown(text)}"]
    for length in (*range(40), 255, 1000):
        message = source.randbytes(length)
        lines += [f"hash {shown(message)}"]
        expected += [reference.hash256(message).hex()]
    assert run(lines) == expected


@pytest.mark.parametrize("place", ["00", "01"])
def test_a_wrong_tag_is_told_and_the_plaintext_erased(
    run: Callable[[list[str]], list[str]], place: str
) -> None:
    source = random.Random(2)
    key, nonce, aad, text = (source.randbytes(size) for size in (16, 16, 5, 21))
    coded, tag = reference.encrypt(key, nonce, aad, text)
    lines = []
    for bit in range(128):
        wrong = (int.from_bytes(tag, "little") ^ 1 << bit).to_bytes(16, "little")
        lines += [
            f"decrypt {place} {key.hex()} {nonce.hex()} {aad.hex()} {coded.hex()} {wrong.hex()}"
        ]
    assert run(lines) == [f"-1 {bytes(21).hex()}"] * 128
