# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Digests, authentication codes and ciphers without modes through the Python module."""

from __future__ import annotations

import hashlib
import hmac
import json
import subprocess
import sys
from typing import Any, Literal, get_args

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import ciphermill
from ciphermill.functions import Digest, Hmac
from ciphermill.registry import openssl

from .conftest import Ciphermill

# Around a block, around the length that the calling thread hashes itself, around a slice.
LENGTHS = (0, 1, 63, 64, 65, (1 << 20) - 1, 1 << 20, (1 << 20) + 1)


SHA2: tuple[Digest, ...] = get_args(Digest)[:-1]


def hashlib_name(algorithm: str) -> str:
    """Return the name of one of SHA-2 in ``hashlib``, which OpenSSL computes."""
    return algorithm.replace("-", "").replace("/", "_")


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("algorithm", SHA2)
def test_digests_are_hashlib_s(algorithm: Digest, length: int) -> None:
    data = bytes(index % 251 for index in range(length))
    expected = hashlib.new(hashlib_name(algorithm), data).digest()
    assert ciphermill.digest(data, algorithm=algorithm) == expected


@pytest.mark.parametrize("algorithm", SHA2)
def test_digests_side_by_side_are_hashlib_s(algorithm: Digest) -> None:
    # Of like length, and one that is longer than all others together.
    messages = [bytes([n] * (1000 + 17 * n)) for n in range(16)] + [bytes(100_000)]
    expected = [hashlib.new(hashlib_name(algorithm), data).digest() for data in messages]
    batch: list[ciphermill.Message] = []
    for data in messages:
        batch.append({"operation": "digest", "algorithm": algorithm, "data": data})
    assert ciphermill.run_batch(batch[:16]) == expected[:16]
    assert ciphermill.run_batch(batch) == expected


@pytest.mark.parametrize("key_bytes", [0, 1, 64, 65, 128, 129, 200])
@pytest.mark.parametrize("algorithm", get_args(Hmac))
def test_codes_are_hmac_s(algorithm: Hmac, key_bytes: int) -> None:
    key = bytes(range(key_bytes))
    code = ciphermill.authenticate(bytearray(b"message"), key=key, algorithm=algorithm)
    assert code == hmac.digest(key, b"message", hashlib_name(algorithm.removeprefix("hmac-")))


@pytest.mark.parametrize(
    ("length", "code"),
    [
        (0, "bb1d6929e95937287fa37d129b756746"),
        (40, "dfa66747de9ae63030ca32611497c827"),
        (64, "51f0bebf7e3b9d92fc49741779363cfe"),
    ],
)
def test_cmac_gives_the_codes_of_rfc_4493(length: int, code: str) -> None:
    key = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
    text = bytes.fromhex(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
        "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
    )[:length]
    assert ciphermill.authenticate(text, key=key, algorithm="aes-cmac").hex() == code
    message: ciphermill.Message = {
        "operation": "authenticate",
        "algorithm": "aes-cmac",
        "key": key,
        "data": text,
    }
    assert ciphermill.run_batch([message] * 20) == [bytes.fromhex(code)] * 20


def test_an_unknown_hash_is_told_those_that_there_are() -> None:
    with pytest.raises(
        ciphermill.InvalidError, match=r"choose sha-224, sha-256, .* or ascon-hash256"
    ):
        ciphermill.digest(b"", algorithm="md5")  # type: ignore[arg-type]


def test_a_device_without_hashes_says_so() -> None:
    with pytest.raises(ciphermill.UnsupportedError, match="cannot digest by sha-256"):
        ciphermill.digest(b"", device=openssl())


def ascon(operation: Literal["encrypt", "decrypt"], data: bytes, associated: bytes = b"") -> bytes:
    block = bytes(range(16))
    output, timing = ciphermill.run(
        operation,
        data,
        algorithm="ascon-aead128",
        key=block,
        iv=block,
        associated_data=associated,
    )
    assert timing.total_s > 0
    return output


@pytest.mark.parametrize(
    ("associated", "text", "sent"),
    [  # known answers 1 and 271 that the designers publish for SP 800-232
        ("", "", "4427d64b8e1e1451fc445960f0839bb0"),
        ("000102030405", "0001020304050607", "7cc88bdbf6d706056c8b219f65945332dede9303def1d5df"),
    ],
)
def test_ascon_gives_the_known_answers(associated: str, text: str, sent: str) -> None:
    header, plain = bytes.fromhex(associated), bytes.fromhex(text)
    output = ascon("encrypt", plain, header)
    assert output.hex() == sent
    assert ascon("decrypt", output, header) == plain
    with pytest.raises(ciphermill.AuthenticationError):
        ascon("decrypt", output, header + b"x")
    with pytest.raises(ciphermill.InvalidError, match="tag of 16 bytes"):
        ascon("decrypt", output[:15], header)


def test_gcm_takes_associated_data() -> None:
    key, iv = bytes(32), bytes(12)
    for header in (b"", b"header"):
        output, _ = ciphermill.run(
            "encrypt",
            b"text",
            algorithm="aes",
            mode="gcm",
            key=key,
            iv=iv,
            associated_data=header,
        )
        assert output == AESGCM(key).encrypt(iv, b"text", header)


@pytest.mark.parametrize(
    ("operation", "algorithm", "arguments", "reason"),
    [
        ("encrypt", "aes", {"key": bytes(16)}, "aes needs a mode"),
        ("encrypt", "ascon-aead128", {"key": bytes(16)}, "nonce of 16 bytes, not 0"),
        ("encrypt", "ascon-aead128", {"iv": bytes(16)}, "needs a key"),
        (
            "encrypt",
            "ascon-aead128",
            {"mode": "ctr", "key": bytes(16), "iv": bytes(16)},
            "leave mode out",
        ),
        ("digest", "sha-256", {"key": b"key"}, "leave key out"),
        ("digest", "sha-256", {"associated_data": b"x"}, "leave associated_data out"),
        ("authenticate", "hmac-sha-256", {}, "needs a key"),
        ("authenticate", "aes-cmac", {"key": bytes(20)}, "aes-cmac has no key of 160 bits"),
        ("hash", "sha-256", {}, "choose one of encrypt, decrypt, digest"),
        ("digest", "sha-256", {"public_key": b"key"}, "leave public_key out"),
        ("encrypt", "aes", {"signature": b"x"}, "leave signature out"),
        ("encrypt", "present", {"mode": "ecb", "key": bytes(12)}, "10 or 16 bytes, not 12"),
        (
            "encrypt",
            "present",
            {"mode": "cbc", "key": bytes(10), "iv": bytes(16)},
            "cbc of present takes an IV of 8 bytes, not 16",
        ),
        (
            "encrypt",
            "present",
            {"mode": "xts", "key": bytes(32), "iv": bytes(16)},
            "present has no mode xts: choose ecb, cbc or ctr",
        ),
    ],
)
def test_what_cannot_be_is_refused(
    operation: Any, algorithm: str, arguments: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ciphermill.InvalidError, match=reason):
        ciphermill.run(operation, b"", algorithm=algorithm, **arguments)


def test_present_is_a_cipher_of_accelerators() -> None:
    for device in ("cpu", "software"):
        with pytest.raises(ciphermill.UnsupportedError, match="PRESENT-80 in mode ecb"):
            ciphermill.transform(
                bytes(8),
                mode="ecb",
                direction="encrypt",
                key=bytes(10),
                algorithm="present",
                device=device,
            )


def test_a_device_lists_what_it_does() -> None:
    algorithms = ciphermill.open_device("cpu").algorithms
    assert ("sha-512", "digest", None, []) in algorithms
    assert ("aes", "decrypt", "xts", [128, 256]) in algorithms


def test_the_command_prints_what_sha256sum_prints(ciphermill: Ciphermill) -> None:
    contents = {"plain": b"abc", "two\nlines": b"", "back\\slash": b"x" * 100_000}
    for name, data in contents.items():
        (ciphermill.folder / name).write_bytes(data)
    outcome = ciphermill("digest", *contents)
    assert outcome.code == 0
    sums = ["sha256sum", *contents]
    expected = subprocess.run(sums, cwd=ciphermill.folder, capture_output=True, check=True)
    assert outcome.out == expected.stdout


def test_the_command_reads_a_pipe_and_prints_json(ciphermill: Ciphermill) -> None:
    outcome = ciphermill("digest", "--json", "--algorithm", "ascon-hash256", stdin=b"")
    expected = "0b3be5850f2f6b98caf29f8fdea89b64a1fa70aa249b8f839bd53baa304d92b2"
    assert json.loads(outcome.out) == [
        {"file": "-", "algorithm": "ascon-hash256", "digest": expected}
    ]


def test_the_command_names_a_file_that_it_cannot_read(ciphermill: Ciphermill) -> None:
    ciphermill("digest", "absent").failed(1, "absent")


def test_the_command_says_how_to_digest_the_files_of_a_folder(ciphermill: Ciphermill) -> None:
    (ciphermill.folder / "two words").mkdir()
    outcome = ciphermill("digest", "two words")
    outcome.failed(1, "find 'two words' -type f -exec ciphermill digest {} +")


def test_the_command_holds_little_of_a_long_file_in_memory(ciphermill: Ciphermill) -> None:
    length = 256 << 20
    with (ciphermill.folder / "long").open("wb") as file:
        file.truncate(length)
    program = (
        "import re; from ciphermill import _engine as engine; "
        "print(engine.digest_path('long', engine.Device('cpu'), algorithm='sha-256').hex(), "
        # Not of getrusage, whose peak counts the process before exec, this test's own.
        r"re.search(r'VmHWM:\s+(\d+) kB', open('/proc/self/status').read())[1])"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ciphermill.folder, capture_output=True, check=True)
    digest, kibibytes = done.stdout.split()
    assert digest.decode() == hashlib.sha256(bytes(length)).hexdigest()
    assert int(kibibytes) < 128 << 10
