# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Every cipher and driver of the firmware, built for the host and run on vectors.

Drivers meet fakes of their hardware (``fake_*.c``), which end the test when a rule
of the hardware is broken. AES is compared with the ``cryptography`` package, PRESENT
with the vectors of its paper and with a plain implementation here.
"""

import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from ciphermill.toolchain.firmware import PROGRAMS, driver, main_program

FIRMWARE = Path(__file__).resolve().parent.parent / "firmware"
REGISTERS = [
    FIRMWARE.parent / "hw" / name / "include" for name in ("accel", "dma", "coprocessor", "soc")
]

KIND = {
    "aes-unrolled": "UNROLLED_PIPELINED",
    "aes-iterative": "ITERATIVE",
    "aes-round": "ROUND",
    "aes-linear-layer": "LINEAR_LAYER",
    "present-iterative": "PRESENT_ITERATIVE",
    "present-unrolled": "PRESENT_UNROLLED",
}
"""Kind of the fake coprocessor of each program."""

BLOCK_PROGRAMS = [name for name in PROGRAMS if main_program(name) == "run_workload"]
CORES = ["aes_portable", "aes_schedule", "present_bitsliced", "present_schedule"]

# Bogdanov et al., CHES 2007, appendix I: key, plaintext, ciphertext.
PRESENT_PAPER = [
    ("00" * 10, "00" * 8, "5579c1387b228445"),
    ("ff" * 10, "00" * 8, "e72c46c0f5945049"),
    ("00" * 10, "ff" * 8, "a112ffc72f68417b"),
    ("ff" * 10, "ff" * 8, "3333dcd3213210d2"),
]
SBOX = [0xC, 5, 6, 0xB, 9, 0, 0xA, 0xD, 3, 0xE, 0xF, 8, 4, 7, 1, 2]


def present_encrypt(key: bytes, block: bytes) -> bytes:
    """PRESENT, line by line as in the paper (section 3, appendix II)."""
    bits = 8 * len(key)
    register = int.from_bytes(key, "big")
    state = int.from_bytes(block, "big")
    for counter in range(1, 32):
        state ^= register >> (bits - 64)
        state = sum(SBOX[state >> 4 * nibble & 15] << 4 * nibble for nibble in range(16))
        state = sum((state >> bit & 1) << (63 if bit == 63 else 16 * bit % 63) for bit in range(64))
        register = (register << 61 | register >> (bits - 61)) & ((1 << bits) - 1)
        for top in (4, 8)[: 1 if bits == 80 else 2]:
            nibble = register >> (bits - top) & 15
            register ^= (nibble ^ SBOX[nibble]) << (bits - top)
        register ^= counter << (15 if bits == 80 else 62)
    return (state ^ register >> (bits - 64)).to_bytes(8, "big")


def aes_encrypt(key: bytes, text: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(text)


def encrypt(cipher: str, key: bytes, text: bytes) -> bytes:
    if cipher == "aes":
        return aes_encrypt(key, text)
    return b"".join(present_encrypt(key, text[at : at + 8]) for at in range(0, len(text), 8))


@dataclass
class Runner:
    """A built partition and its commands."""

    program: Path
    name: str

    @property
    def cipher(self) -> str:
        return self.name.partition("-")[0]

    @property
    def block(self) -> int:
        return 16 if self.cipher == "aes" else 8

    @property
    def key_sizes(self) -> tuple[int, ...]:
        sizes = (128, 192, 256) if self.cipher == "aes" else (80, 128)
        return sizes[:1] if self.name.endswith("shell") else sizes

    def run(self, lines: list[str]) -> list[str]:
        done = subprocess.run(
            [self.program], input="\n".join(lines) + "\n", capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split("\n")[:-1]


def key_line(key: bytes, bits: int, decrypt: int) -> str:
    padded = key + bytes(-len(key) % 4)
    return f"key {bits:x} {decrypt} {padded.hex()}"


def process_line(text: bytes, block: int, decrypt: int, in_place: int = 0) -> str:
    return f"process {len(text) // block:x} {decrypt} {in_place} {text.hex()}"


def build(name: str, folder: Path, flags: tuple[str, ...] = ()) -> Runner:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs gcc")
    sources = [driver(name), *PROGRAMS[name], "drivers/process_each.c", "tests/run_partition.c"]
    sanitisers = "address,undefined"
    if name in KIND:
        sources += ["tests/fake_block.c"]
        limit = 1 if name in ("aes-round", "aes-linear-layer") else 2
        flags = flags or (f"-DFAKE_LIMIT={limit}",)
        flags = (*flags, f"-DFAKE_KIND=COPROCESSOR__IDENTIFICATION__KIND__{KIND[name]}")
    elif name.endswith("shell"):
        sources += ["tests/fake_shell.c"]
        flags = (*flags, f"-DFAKE_PRESENT={int(name.startswith('present'))}")
    elif name == "aes-dma":
        sources += ["tests/fake_dma.c"]
        flags = flags or ("-DFAKE_FAILURES=0",)
        sanitisers = "undefined"  # the fake needs all buffers in one heap
    elif "software" not in name or name.endswith("zkn"):
        sources += ["tests/fake_instructions.c"]
        flags = flags or ("-DFAKE_LIMIT=4",)
    if any("fake" in source for source in sources):
        sources += [f"ciphers/{core}.c" for core in CORES]
    program = folder / name
    command = [compiler, "-std=gnu11", "-O1", "-g0", "-Wall", "-Wextra", "-Werror"]
    command += ["-DCIPHERMILL_HOST", f"-fsanitize={sanitisers}", "-fno-sanitize-recover=all"]
    command += [f"-I{FIRMWARE / place}" for place in ("include", "ciphers", "drivers", "tests")]
    command += [*(f"-I{folder}" for folder in REGISTERS), *flags]
    command += [str(FIRMWARE / source) for source in dict.fromkeys(sources)]
    done = subprocess.run([*command, "-o", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return Runner(program, name)


@pytest.fixture(scope="module", params=BLOCK_PROGRAMS)
def partition(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return build(request.param, tmp_path_factory.mktemp("host"))


def check(partition: Runner, lengths: list[int], seed: int) -> None:
    """Every key size, direction and length, in place and apart, in one run."""
    source = random.Random(seed)
    lines, expected = [], []
    for bits in partition.key_sizes:
        for decrypt in (0, 1):
            for blocks in lengths:
                key = source.randbytes(bits // 8)
                plain = source.randbytes(blocks * partition.block)
                coded = encrypt(partition.cipher, key, plain)
                given, wanted = (coded, plain) if decrypt else (plain, coded)
                lines += [
                    key_line(key, bits, decrypt),
                    process_line(given, partition.block, decrypt, blocks & 1),
                    process_line(given, partition.block, decrypt, ~blocks & 1),
                ]
                expected += ["key 0", f"output 0 {wanted.hex()}", f"output 0 {wanted.hex()}"]
    assert partition.run(lines) == expected


def test_random_keys_and_texts(partition: Runner) -> None:
    check(partition, [1, 2, 3, 5, 8, 33], seed=1)


def test_no_blocks_are_no_work(partition: Runner) -> None:
    key = bytes(partition.key_sizes[0] // 8)
    lines = [key_line(key, 8 * len(key), 0), "process 0 0 0 "]
    assert partition.run(lines) == ["key 0", "output 0 "]


def test_a_key_of_another_size_is_refused_and_leaves_no_key(partition: Runner) -> None:
    text = bytes(partition.block)
    good = bytes(partition.key_sizes[0] // 8)
    lines = [
        process_line(text, partition.block, 0),
        key_line(good, 8 * len(good), 0),
        key_line(bytes(32), 96, 0),
        process_line(text, partition.block, 0),
    ]
    assert partition.run(lines) == ["output 2 ", "key 0", "key 1", "output 2 "]


def test_zeroise_leaves_no_key(partition: Runner) -> None:
    key = bytes(range(partition.key_sizes[0] // 8))
    text = bytes(partition.block)
    lines = [
        key_line(key, 8 * len(key), 0),
        process_line(text, partition.block, 0),
        "zeroise",
        process_line(text, partition.block, 0),
        key_line(key, 8 * len(key), 0),
        process_line(text, partition.block, 0),
    ]
    coded = encrypt(partition.cipher, key, text).hex()
    answers = ["key 0", f"output 0 {coded}", "zeroised", "output 2 ", "key 0", f"output 0 {coded}"]
    assert partition.run(lines) == answers


def test_a_key_may_be_set_twice_and_changed_between_texts(partition: Runner) -> None:
    source = random.Random(2)
    size = partition.key_sizes[0] // 8
    lines, expected = [], []
    for _ in range(4):
        unused, key = source.randbytes(size), source.randbytes(size)
        text = source.randbytes(partition.block)
        lines += [key_line(unused, 8 * size, 1), key_line(key, 8 * size, 0)]
        lines += [process_line(text, partition.block, 0)]
        expected += ["key 0", "key 0", f"output 0 {encrypt(partition.cipher, key, text).hex()}"]
    assert partition.run(lines) == expected


def test_blocks_with_a_key_each(partition: Runner) -> None:
    source = random.Random(3)
    lines, expected = [], []
    for bits in partition.key_sizes:
        for decrypt in (0, 1):
            keys = [source.randbytes(bits // 8) for _ in range(5)]
            plain = [source.randbytes(partition.block) for _ in keys]
            coded = [encrypt(partition.cipher, *pair) for pair in zip(keys, plain, strict=True)]
            given, wanted = (coded, plain) if decrypt else (plain, coded)
            padded = b"".join(key + bytes(-len(key) % 4) for key in keys)
            lines += [f"each {bits:x} {decrypt} 5 {padded.hex()} {b''.join(given).hex()}"]
            lines += [process_line(given[-1], partition.block, decrypt)]
            expected += [f"output 0 {b''.join(wanted).hex()}", f"output 0 {wanted[-1].hex()}"]
    lines += ["each 60 0 1 " + "00" * 12 + " " + "00" * partition.block]
    expected += ["output 1 "]
    assert partition.run(lines) == expected


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name.startswith("present")])
def test_vectors_of_the_present_paper(name: str, tmp_path: Path) -> None:
    lines, expected = [], []
    for key, plain, coded in PRESENT_PAPER:
        assert present_encrypt(bytes.fromhex(key), bytes.fromhex(plain)).hex() == coded
        for decrypt, given, wanted in ((0, plain, coded), (1, coded, plain)):
            lines += [key_line(bytes.fromhex(key), 80, decrypt)]
            lines += [process_line(bytes.fromhex(given), 8, decrypt)]
            expected += ["key 0", f"output 0 {wanted}"]
    assert build(name, tmp_path).run(lines) == expected


@pytest.mark.parametrize("name", ["aes-unrolled", "aes-iterative", "aes-stream"])
@pytest.mark.parametrize("depth", [1, 3, 8])
def test_as_many_blocks_in_flight_as_the_hardware_has(
    name: str, depth: int, tmp_path: Path
) -> None:
    flags = (f"-DBLOCKS_IN_FLIGHT={depth}", f"-DFAKE_LIMIT={depth}")
    check(build(name, tmp_path, flags), [1, 2, 3, 7, 8, 9, 20], seed=depth)


def test_a_failed_transfer_is_told_and_the_next_one_goes_well(tmp_path: Path) -> None:
    lines = [key_line(bytes(16), 128, 0), *2 * [process_line(bytes(16), 16, 0)]]
    coded = aes_encrypt(bytes(16), bytes(16)).hex()
    runner = build("aes-dma", tmp_path, ("-DFAKE_FAILURES=1",))
    assert runner.run(lines) == ["key 0", "output 3 ", f"output 0 {coded}"]


def test_a_driver_that_exceeds_the_hardware_is_seen(tmp_path: Path) -> None:
    runner = build("aes-iterative", tmp_path, ("-DBLOCKS_IN_FLIGHT=3", "-DFAKE_LIMIT=2"))
    lines = [key_line(bytes(16), 128, 0), process_line(bytes(48), 16, 0)]
    with pytest.raises(AssertionError, match="more blocks in flight"):
        runner.run(lines)


@pytest.mark.parametrize("name", ["aes-unrolled", "aes-iterative", "aes-round", "aes-linear-layer"])
def test_another_coprocessor_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(KIND, name, "PRESENT_ITERATIVE")
    assert build(name, tmp_path).run([key_line(bytes(16), 128, 0)]) == ["key 3"]
