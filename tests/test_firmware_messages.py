# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Drivers of algorithms that take whole messages, on the host, against the reference.

Drivers meet fakes of their hardware (``firmware/tests/fake_*.c``), which end the test when a
rule of the hardware is broken.
"""

import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermill.algorithms import ALGORITHMS, ASCON, Algorithm
from ciphermill.design import find_home
from ciphermill.toolchain.firmware import PROGRAMS, driver, main_program

SHA2 = tuple(f"ciphers/{c}.c" for c in ("sha2", "sha256", "sha512"))
FAKES: dict[str, tuple[str, ...]] = {
    "ascon-software": (),
    "ascon-iterative": ("tests/fake_ascon.c", "ciphers/ascon.c"),
    "ascon-instruction": ("tests/fake_sponge.c",),
    "ascon-dma": ("tests/fake_ascon_dma.c", "ciphers/ascon.c", *SHA2),
    "sha-256-software": (),
    "sha-256-iterative": ("tests/fake_sha2.c", *SHA2),
    "sha-256-dma": ("tests/fake_sha2_dma.c", "ciphers/ascon.c", *SHA2),
    "sha-512-software": (),
    "sha-512-iterative": ("tests/fake_sha2.c", *SHA2),
    "sha-512-dma": ("tests/fake_sha2_dma.c", "ciphers/ascon.c", *SHA2),
}
"""Fakes of a program's hardware, and the sources that they need."""
INTERFACES = ("coprocessor", "soc", "accel", "dma")
"""Folders of ``hw`` whose register headers the drivers include."""
LENGTHS = (0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100)
ENCRYPT, DECRYPT, DIGEST, AUTHENTICATE = range(4)
WRONG_TAG = 4

Send = Callable[[list[str]], list[str]]


def test_every_program_of_messages_is_here() -> None:
    assert FAKES.keys() == {name for name in PROGRAMS if main_program(name) == "run_messages"}


def algorithm_of(name: str) -> Algorithm:
    """Return the algorithm of a program."""
    return next(one for one in ALGORITHMS.values() if name.startswith(f"{one.name}-"))


HASHES = [name for name in FAKES if not algorithm_of(name).key_bits]


@pytest.fixture(scope="module", params=[name for name in FAKES if name not in HASHES])
def send(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Send:
    return built(request.param, tmp_path_factory.mktemp("host"))


def built(name: str, folder: Path) -> Send:
    """Return the driver of a program with the fake of its hardware."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs gcc")
    firmware = find_home() / "firmware"
    sources = dict.fromkeys(
        [driver(name), *PROGRAMS[name], *FAKES[name], "tests/run_message.c"]
        + ([f"ciphers/{c}.c" for c in ("aes_portable", "aes_schedule")] if FAKES[name] else [])
        + ([f"ciphers/present_{c}.c" for c in ("bitsliced", "schedule")] if FAKES[name] else [])
    )
    program = folder / name
    command: list[str | Path] = [
        compiler,
        "-std=gnu11",
        "-O1",
        "-g0",
        "-Wall",
        "-Wextra",
        "-Werror",
    ]
    # The fake of the DMA engine needs all buffers, the driver's own too, below 4 GiB.
    sanitisers = "undefined" if name.endswith("dma") else "address,undefined"
    command += ["-no-pie"] if name.endswith("dma") else []
    command += [f"-DDIGEST_BYTES={algorithm_of(name).digest_bytes}"]
    command += ["-DCIPHERMILL_HOST", f"-fsanitize={sanitisers}", "-fno-sanitize-recover=all"]
    command += [f"-I{firmware / place}" for place in ("include", "ciphers", "drivers", "tests")]
    command += [f"-I{find_home() / 'hw' / place / 'include'}" for place in INTERFACES]
    done = subprocess.run(
        [*command, *(firmware / source for source in sources), "-o", program],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr

    def run(lines: list[str]) -> list[str]:
        ended = subprocess.run(
            [program], input="\n".join(lines) + "\n", capture_output=True, text=True
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.splitlines()

    return run


def line(operation: int, place: int, *fields: bytes) -> str:
    return " ".join([f"run {operation} {place}", *(one.hex() or "-" for one in fields)])


def test_messages_of_every_length(send: Send) -> None:
    source = random.Random(1)
    lines, expected = [], []
    for number, length in enumerate(LENGTHS * 2):
        key, nonce, text = (source.randbytes(n) for n in (16, 16, length))
        associated = source.randbytes(source.choice(LENGTHS))
        sealed = ASCON.reference("encrypt", key, text, nonce, associated)
        coded, tag = sealed[:-16], sealed[-16:]
        lines += [
            f"key 128 {key.hex()}",
            line(ENCRYPT, number & 1, nonce, associated, text, b""),
            line(DECRYPT, number & 1, nonce, associated, coded, tag),
            line(DIGEST, number & 1, b"", b"", text, b""),
        ]
        digest = ASCON.reference("digest", b"", text)
        expected += ["0", f"0 {coded.hex() or '-'} {tag.hex()}", f"0 {text.hex() or '-'} -"]
        expected += [f"0 {digest.hex()} -"]
    assert send(lines) == expected


def test_a_wrong_tag_leaves_no_text(send: Send) -> None:
    key, nonce, text = bytes(16), bytes(range(16)), b"a text of 21 bytes..."
    sealed = ASCON.reference("encrypt", key, text, nonce, b"with it")
    for at in range(16):
        tag = bytearray(sealed[-16:])
        tag[at] ^= 0x10
        lines = [f"key 128 {key.hex()}", line(DECRYPT, 0, nonce, b"with it", sealed[:-16], tag)]
        assert send(lines) == ["0", f"{WRONG_TAG} {bytes(len(text)).hex()} -"]


def test_a_key_is_needed_but_for_a_digest(send: Send) -> None:
    sealing = line(ENCRYPT, 0, bytes(16), b"", b"text", b"")
    digest = ASCON.reference("digest", b"", b"text").hex()
    lines = [
        sealing,
        line(DIGEST, 0, b"", b"", b"text", b""),
        f"key 256 {bytes(32).hex()}",
        sealing,
    ]
    lines += [f"key 128 {bytes(16).hex()}", "zeroise", sealing]
    assert send(lines) == ["2 - -", f"0 {digest} -", "1", "2 - -", "0", "zeroised", "2 - -"]


@pytest.mark.parametrize("name", HASHES)
def test_digests_of_every_length(name: str, tmp_path: Path) -> None:
    source = random.Random(2)
    reference = algorithm_of(name).reference
    lines, expected = [], []
    for number, length in enumerate((*LENGTHS, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 500)):
        message = source.randbytes(length)
        lines += [line(DIGEST, number & 1, b"", b"", message, b"")]
        expected += [f"0 {reference('digest', b'', message).hex()} -"]
    lines += [f"key 128 {bytes(16).hex()}", line(ENCRYPT, 0, b"", b"", b"text", b"")]
    expected += ["0", "2 - -"]
    assert built(name, tmp_path)(lines) == expected


# RFC 4231: key, data, and the codes of sections 4.2 to 4.5.
RFC_4231 = [
    (
        b"\x0b" * 20,
        b"Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
        "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
    ),
    (
        b"Jefe",
        b"what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
    ),
    (
        b"\xaa" * 20,
        b"\xdd" * 50,
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
        "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
        "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
    ),
    (
        bytes(range(1, 26)),
        b"\xcd" * 50,
        "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
        "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
        "a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd",
    ),
]


def key_line(key: bytes) -> str:
    return f"key {8 * len(key)} {key.hex()}"


@pytest.mark.parametrize("name", HASHES)
def test_authentication_codes(name: str, tmp_path: Path) -> None:
    algorithm, source = algorithm_of(name), random.Random(3)
    lines, expected = [], []
    for key, data, *codes in RFC_4231:
        code = next(one for one in codes if len(one) == 2 * algorithm.digest_bytes)
        lines += [key_line(key), line(AUTHENTICATE, 0, b"", b"", data, b"")]
        expected += ["0", f"0 {code} -"]
    for number, length in enumerate((*LENGTHS, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 500)):
        key = source.randbytes(source.choice((1, 31, 32, 64, algorithm.block_bytes)))
        data = source.randbytes(length)
        lines += [key_line(key), line(AUTHENTICATE, number & 1, b"", b"", data, b"")]
        expected += ["0", f"0 {algorithm.reference('authenticate', key, data).hex()} -"]
    assert built(name, tmp_path)(lines) == expected


@pytest.mark.parametrize("name", HASHES)
def test_a_code_needs_a_key_of_a_block_at_most(name: str, tmp_path: Path) -> None:
    algorithm = algorithm_of(name)
    code = line(AUTHENTICATE, 0, b"", b"", b"text", b"")
    digest = algorithm.reference("digest", b"", b"text").hex()
    right = algorithm.reference("authenticate", b"k", b"text").hex()
    lines = [code, key_line(b"k"), code, line(DIGEST, 0, b"", b"", b"text", b""), code]
    expected = ["2 - -", "0", f"0 {right} -", f"0 {digest} -", f"0 {right} -"]
    lines += [key_line(bytes(algorithm.block_bytes + 1)), code, key_line(b"k"), "zeroise", code]
    expected += ["1", "2 - -", "0", "zeroised", "2 - -"]
    assert built(name, tmp_path)(lines) == expected
