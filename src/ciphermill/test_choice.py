# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The choice of a device by measured throughput."""

from __future__ import annotations

from dataclasses import dataclass

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

    def run(self, verb: str, data: bytes, **asked: object) -> tuple[bytes, Timing]:
        """Take as long as the rate says; ten seconds more in the first call."""
        self.calls.append((verb, len(data), asked))
        if asked["mode"] == "xts":
            raise UnsupportedError(f"{self.name} has no XTS")
        return data, Timing(len(data) / RATES[self.name] + 10 * (len(self.calls) == 1))


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


def test_long_messages_are_measured_by_a_shorter_one() -> None:
    chosen = choice.choose_device(1 << 40, mode="ecb", names=["fast"])
    assert chosen.bytes == choice.LONGEST_BYTES
    verb, length, asked = chosen.device.calls[0]  # type: ignore[attr-defined]
    assert (verb, length, asked["iv"]) == ("encrypt", choice.LONGEST_BYTES, None)


def test_no_candidate_is_the_error_of_the_last() -> None:
    with pytest.raises(UnsupportedError, match="fast has no XTS"):
        choice.choose_device(64, mode="xts", names=["absent", "fast"])
