# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Partitions of elliptic curves on the host, each against a fake of its hardware."""

import shutil
import subprocess
from collections.abc import Callable

import pytest

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import Operation, find_home
from ciphermill.evaluate.system.image import OPERATIONS
from ciphermill.toolchain.firmware import PROGRAMS, driver, main_program

SOFTWARE = PROGRAMS["ecc-software"]
FAKES: dict[str, tuple[str, ...]] = {
    "ecc-software": (),
    "ecc-iterative": ("tests/fake_ecc.c", *SOFTWARE),
    "ecc-dma": ("tests/fake_ecc_dma.c", *SOFTWARE),
}
"""Fakes of a program's hardware, and the sources that they need."""
INTERFACES = ("coprocessor", "soc", "accel", "dma")
ECC = ALGORITHMS["ecc"]
REFUSED = "5 -"

Send = Callable[[list[str]], list[str]]


def test_every_program_of_operations_is_here() -> None:
    assert FAKES.keys() == {name for name in PROGRAMS if main_program(name) == "run_operations"}


@pytest.fixture(scope="module", params=FAKES)
def send(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Send:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs gcc")
    name, firmware = request.param, find_home() / "firmware"
    program = tmp_path_factory.mktemp("host") / name
    sources = [driver(name), *PROGRAMS[name], *FAKES[name], "tests/run_operation.c"]
    command = [compiler, "-std=gnu11", "-O1", "-g0", "-Wall", "-Wextra", "-Werror"]
    # The fake of the DMA engine needs all buffers in one heap.
    sanitisers = "undefined" if name.endswith("dma") else "address,undefined"
    command += ["-DCIPHERMILL_HOST", f"-fsanitize={sanitisers}", "-fno-sanitize-recover=all"]
    command += [f"-I{firmware / place}" for place in ("include", "ciphers", "drivers", "tests")]
    command += [f"-I{find_home() / 'hw' / place / 'include'}" for place in INTERFACES]
    command += [str(firmware / source) for source in sources]
    done = subprocess.run([*command, "-o", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

    def run(lines: list[str]) -> list[str]:
        ended = subprocess.run(
            [program], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=60
        )
        assert ended.returncode == 0, ended.stderr + ended.stdout
        return ended.stdout.splitlines()

    return run


def line(operation: str, key_bits: int, operands: bytes, *, in_place: bool = False) -> str:
    given = ECC.bytes_given(operation, len(operands))
    number = OPERATIONS[Operation(operation)]
    return f"{number} {key_bits} {int(in_place)} {given} {operands.hex()}"


@pytest.mark.parametrize("key_bits", ECC.key_bits)
def test_operations_and_refusals(send: Send, key_bits: int) -> None:
    assert ECC.exchange is not None
    size = -(-key_bits // 8)
    zero, lines, expected = bytes(size), [], []
    for operation in ECC.operations:
        operands, results = ECC.exchange(operation, key_bits, 0)
        lines += [line(operation, key_bits, operands, in_place=operation != "sign")]
        expected += [f"0 {results.hex()}"]
        # All ones are no scalar, no coordinate and no random bits.
        lines += [line(operation, key_bits, b"\xff" * size + operands[size:])]
        expected += [REFUSED]
    operands, _ = ECC.exchange("verify", key_bits, 1)
    lines += [line("verify", key_bits, operands[:-1] + bytes([operands[-1] ^ 1]))]
    lines += [line("verify", key_bits, operands[: 2 * size] + zero + operands[3 * size :])]
    lines += [line("verify", key_bits, operands)]
    expected += ["0 00", REFUSED, "0 01"]
    operands, results = ECC.exchange("sign", key_bits, 2)
    lines += [line("sign", key_bits, operands[:size] + zero + operands[2 * size :])]
    lines += ["0 0 0 0 zeroise", line("sign", key_bits, operands)]
    expected += [REFUSED, "zeroised", f"0 {results.hex()}"]
    assert send(lines) == expected


def test_what_is_no_operation_is_refused(send: Send) -> None:
    assert ECC.exchange is not None
    operands, _ = ECC.exchange("sign", 256, 0)
    good = line("sign", 256, operands)
    lines = [good.replace(" 256 ", f" {bits} ") for bits in (0, 255, 384)]
    lines += [f"{number} {good.split(' ', 1)[1]}" for number in (0, 2, 3, 8)]
    lines += [line("sign", 256, operands[:-1])]
    assert send(lines) == [REFUSED] * len(lines)
