# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Ascon on the accelerator, its model and its board: the processor's answers, forgeries found."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermill import AuthenticationError, Device, Timing
from ciphermill.toolchain.model import ensure_model

from .conftest import Ciphermill

KEY, NONCE = bytes(range(16)), bytes(range(16, 32))
LENGTHS = (0, 1, 15, 16, 17, 1000)


@pytest.fixture(scope="module")
def model() -> Device:
    library = ensure_model("ascon-iterative-stream")
    return Device("model:ascon-iterative-stream", models=library.parent)


@pytest.mark.parametrize("length", LENGTHS)
def test_digests_are_the_processor_s(model: Device, length: int) -> None:
    data = bytes(n % 251 for n in range(length))
    wanted, _ = Device("cpu").run("digest", data, algorithm="ascon-hash256")
    assert model.run("digest", data, algorithm="ascon-hash256")[0] == wanted


@pytest.mark.parametrize("associated", [b"", b"header", bytes(40)])
@pytest.mark.parametrize("length", LENGTHS)
def test_messages_are_the_processor_s(model: Device, length: int, associated: bytes) -> None:
    data = bytes(n % 251 for n in range(length))
    sealed = crypt(Device("cpu"), "encrypt", data, associated)
    assert crypt(model, "encrypt", data, associated) == sealed
    assert crypt(model, "decrypt", sealed, associated) == data
    with pytest.raises(AuthenticationError):
        crypt(model, "decrypt", forged(sealed), associated)


def test_decryption_waits_for_nothing_that_encryption_does_not(model: Device) -> None:
    """The tag is handed over behind the text, not when all output has been waited for."""
    sealed, encryption = run(model, "encrypt", bytes(1000), b"")
    _, decryption = run(model, "decrypt", sealed, b"")
    assert encryption.cycles is not None
    assert decryption.cycles is not None
    assert decryption.cycles <= encryption.cycles + 100


def test_a_board_gives_the_processor_s_answers_over_its_files(
    ciphermill: Ciphermill, tmp_path: Path
) -> None:
    """The tag goes to the device as a packet behind the text, through the stream's file."""
    ciphermill.serve(tmp_path / "board", "ascon-iterative-stream")
    board, cpu, data = Device(f"stream:{tmp_path / 'board'}"), Device("cpu"), bytes(range(250))
    for length in (0, 1, 16, 250):
        for associated in (b"", b"header"):
            sealed = crypt(cpu, "encrypt", data[:length], associated)
            assert crypt(board, "encrypt", data[:length], associated) == sealed
            assert crypt(board, "decrypt", sealed, associated) == data[:length]
            with pytest.raises(AuthenticationError):
                crypt(board, "decrypt", forged(sealed), associated)
        wanted = cpu.run("digest", data[:length], algorithm="ascon-hash256")
        assert board.run("digest", data[:length], algorithm="ascon-hash256")[0] == wanted[0]


def crypt(device: Device, operation: str, given: bytes, associated: bytes) -> bytes:
    return run(device, operation, given, associated)[0]


def run(device: Device, operation: str, given: bytes, associated: bytes) -> tuple[bytes, Timing]:
    return device.run(
        operation,
        given,
        algorithm="ascon-aead128",
        key=KEY,
        iv=NONCE,
        associated_data=associated,
    )


def forged(sealed: bytes) -> bytes:
    """Return a ciphertext whose tag has one bit wrong."""
    return bytes([*sealed[:-1], sealed[-1] ^ 1])
