# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Ascon on the accelerator's model: the same answers as the processor's, and forgeries found."""

from __future__ import annotations

import pytest

from ciphermill import AuthenticationError, Device
from ciphermill.toolchain.model import ensure_model

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

    def run(device: Device, operation: str, given: bytes) -> bytes:
        return device.run(
            operation,
            given,
            algorithm="ascon-aead128",
            key=KEY,
            iv=NONCE,
            associated_data=associated,
        )[0]

    sealed = run(Device("cpu"), "encrypt", data)
    assert run(model, "encrypt", data) == sealed
    assert run(model, "decrypt", sealed) == data
    forged = bytearray(sealed)
    forged[-1] ^= 1
    with pytest.raises(AuthenticationError):
        run(model, "decrypt", bytes(forged))
