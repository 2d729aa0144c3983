# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The choice of a device by measured throughput."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from ciphermill import choice
from ciphermill._engine import InvalidError, UnsupportedError

RATES = {"slow": 1e6, "fast": 5e6}
"""Bytes a second of each device."""


@dataclass
class Timing:
    """What a call cost."""

    total_s: float


class Pretended:
    """A device with a rate, whose first call is slow."""

    def __init__(self, name: str) -> None:
        if name not in RATES:
            raise InvalidError(f"no device is called {name}")
        self.name = name
        self.calls: list[tuple[str, int, dict[str, object]]] = []
        self.batches: list[list[tuple[Any, ...]]] = []

    def run(self, verb: str, data: bytes, **asked: object) -> tuple[bytes, Timing]:
        """Take as long as the rate says; ten seconds more in the first call."""
        self.calls.append((verb, len(data), asked))
        if asked["mode"] == "xts":
            raise UnsupportedError(f"{self.name} has no XTS")
        return data, Timing(len(data) / RATES[self.name] + 10 * (len(self.calls) == 1))

    def run_batch(self, messages: list[tuple[Any, ...]]) -> list[bytes]:
        """Take no time."""
        self.batches.append(messages)
        if messages[0][3] == "xts":
            return [UnsupportedError(f"{self.name} has no XTS")]  # type: ignore[list-item]
        return [message[1] for message in messages]


@pytest.fixture(autouse=True)
def pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Devices with known rates."""
    monkeypatch.setattr(choice, "Device", Pretended)


def test_the_fastest_is_chosen_and_absent_devices_are_left_out() -> None:
    chosen = choice.choose_device(
        1000, mode="ctr", operation="decrypt", names=["slow", "absent", "fast"]
    )
    assert chosen.device.name == "fast"
    assert list(chosen.throughput_mb_s) == ["fast", "slow"]
    assert chosen.throughput_mb_s["fast"] == pytest.approx(5.0)
    assert chosen.reason == "fast is the fastest for 992 bytes: 5 MB/s; slow 1 MB/s"


def test_long_messages_are_measured_by_chunks_in_flight() -> None:
    chosen = choice.choose_device(
        1 << 40, mode="ecb", operation="decrypt", key_bits=128, names=["fast"]
    )
    assert (chosen.bytes, chosen.chunks) == (1 << 20, 8)
    device: Any = chosen.device
    assert device.calls == []
    assert len(device.batches) == 1 + choice.REPETITIONS
    verb, data, _, mode, key, iv, *_ = device.batches[0][7]
    assert (verb, len(data), mode, len(key), iv) == ("decrypt", 1 << 20, "ecb", 16, None)
    assert chosen.reason.startswith("fast is the fastest for 8 chunks of 1,048,576 bytes at once: ")


def test_chunks_are_no_longer_than_the_message_and_as_asked() -> None:
    for length, chunk_bytes, expected in (
        (1 << 20, 1 << 20, (1 << 20, 1)),
        ((1 << 21) + 5, 1 << 20, (1 << 20, 2)),
        (1 << 30, 1 << 30, (choice.LONGEST_BYTES, 1)),
        (100, 1 << 20, (96, 1)),
        (0, 1 << 20, (16, 1)),
    ):
        chosen = choice.choose_device(length, chunk_bytes=chunk_bytes, names=["fast"])
        assert (chosen.bytes, chosen.chunks) == expected


def test_the_key_is_of_the_size_that_is_asked() -> None:
    chosen = choice.choose_device(64, key_bits=192, names=["fast"])
    assert len(chosen.device.calls[0][2]["key"]) == 24  # type: ignore[attr-defined]


def test_no_candidate_is_the_error_of_the_last() -> None:
    with pytest.raises(UnsupportedError, match="fast has no XTS"):
        choice.choose_device(64, mode="xts", names=["absent", "fast"])
    with pytest.raises(UnsupportedError, match="fast has no XTS"):
        choice.choose_device(1 << 30, mode="xts", names=["absent", "fast"])
