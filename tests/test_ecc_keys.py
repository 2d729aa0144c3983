# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Private keys in the key slots of an accelerator of elliptic curves, its model and its board."""

from __future__ import annotations

from pathlib import Path

import pytest

import ciphermill
from ciphermill import Device
from ciphermill.algorithms.ecc import ECC
from ciphermill.toolchain.model import ensure_model

from .conftest import Ciphermill

SLOTS = 4
[PUBLISHED] = [one for one in ECC.vectors if one.operation == "sign"]


@pytest.fixture(scope="module")
def model() -> Device:
    return Device("model:ecc-keys", models=ensure_model("ecc-keys").parent)


def test_an_imported_key_gives_the_signature_of_rfc_6979(model: Device) -> None:
    with ciphermill.hold_key(PUBLISHED.key, device=model) as key:
        assert key.public_key == PUBLISHED.associated
        assert key.sign(PUBLISHED.given) == PUBLISHED.answer


def test_generated_keys_work_until_their_slots_are_needed(model: Device) -> None:
    keys = [ciphermill.hold_key(device=model) for _ in range(SLOTS)]
    with pytest.raises(ciphermill.NoRoomError, match="key slots"):
        ciphermill.hold_key(device=model)
    peer = ciphermill.generate_key()
    for key in keys:
        signature = key.sign(PUBLISHED.given)
        assert ciphermill.verify(PUBLISHED.given, signature, public_key=key.public_key)
        secret = ciphermill.agree(key.public_key, key=peer.key)
        assert key.agree(peer.public_key) == secret
    keys[1].close()
    with ciphermill.hold_key(PUBLISHED.key, device=model) as key:
        assert key.public_key == PUBLISHED.associated
    for key in keys:
        key.close()


def test_a_key_that_is_none_takes_no_slot(model: Device) -> None:
    for wrong in (bytes(32), b"\xff" * 32):
        for _ in range(SLOTS + 1):
            with pytest.raises(ciphermill.InvalidError, match="private key"):
                ciphermill.hold_key(wrong, device=model)


def test_a_board_holds_keys_on_its_only_channel(ciphermill: Ciphermill, tmp_path: Path) -> None:
    ciphermill.serve(tmp_path / "board", "ecc-keys")
    board = Device(f"stream:{tmp_path / 'board'}")
    with board.hold_key("p-256", PUBLISHED.key) as key:
        assert key.sign(PUBLISHED.given) == PUBLISHED.answer
        digest, _ = board.run("digest", b"", algorithm="sha-256")
        assert len(digest) == 32
