# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Messages of one length, one and several at once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ciphermill.design import Measurement, Method
from ciphermill.evaluate.device.weigh import Device
from ciphermill.evaluate.evaluate import evaluate
from ciphermill.evaluate.offload import evaluator
from ciphermill.evaluate.offload.evaluator import SIMULATED_BYTES, Lengths
from ciphermill.registry import open_device


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few calls."""
    monkeypatch.setattr(evaluator, "LEAST_SECONDS", 0.01)


def run(device: Any, length: int, at_once: int = 1, mode: str = "ctr") -> Measurement:
    """The one measurement of a device."""
    devices = {"cpu": open_device("cpu"), device.name: device}
    asked = Lengths(length, mode, 128, at_once, devices)
    (seen,) = evaluate(Device(device.name), None, asked)
    return seen


@pytest.mark.parametrize(("mode", "length"), [("ctr", 1000), ("xts", 1000), ("cbc", 4096)])
@pytest.mark.parametrize("at_once", [1, 3])
def test_a_device_is_measured_and_checked(mode: str, length: int, at_once: int) -> None:
    seen = run(open_device("cpu"), length, at_once, mode)
    assert (seen.bytes, seen.at_once, seen.mode, seen.correct) == (length, at_once, mode, True)
    assert seen.method is Method.MEASURED
    calls = (seen.messages or 0) // at_once
    assert calls >= evaluator.LEAST_CALLS
    median, worst = seen.time_median_message_s or 0.0, seen.time_worst_message_s or 0.0
    assert 0.0 < median <= worst <= (seen.time_total_s or 0.0)
    assert seen.throughput_mb_s == pytest.approx(at_once * length / median / 1e6)
    assert (seen.time_processor_s or 0.0) > 0.0


class Simulated:
    """A model that takes a start, and a time a byte; it encrypts as told."""

    name = "model:pretended"
    clock_mhz = 100.0

    def __init__(self, *, broken: bool = False) -> None:
        self.lengths: list[int] = []
        self._broken = broken

    def run(self, verb: str, data: bytes, **asked: Any) -> tuple[bytes, SimpleNamespace]:
        """Encrypt by the device ``cpu``, in simulated time."""
        self.lengths.append(len(data))
        total_s = 1e-3 + len(data) * 1e-6
        timing = SimpleNamespace(total_s=total_s, transfer_s=1e-3, processing_s=total_s - 1e-3)
        output = open_device("cpu").run(verb, data, **asked)[0]
        return (b"?" * len(data) if self._broken else output), timing


def test_a_short_message_is_simulated_once() -> None:
    model = Simulated()
    seen = run(model, 1000)
    assert model.lengths == [1000]
    assert (seen.method, seen.correct) == (Method.SIMULATED, True)
    assert seen.time_total_s == pytest.approx(2e-3)
    assert seen.time_processor_s is None


def test_a_long_message_follows_from_two_that_are_simulated() -> None:
    model = Simulated()
    seen = run(model, 1 << 30)
    assert model.lengths == [SIMULATED_BYTES // 2, SIMULATED_BYTES]
    assert seen.method is Method.MODELLED
    assert seen.time_total_s == pytest.approx(1e-3 + (1 << 30) * 1e-6)
    assert seen.time_transfer_s == pytest.approx(1e-3)
    assert seen.notes == ("The line through simulations of 32,768 and 65,536 bytes.",)


def test_a_wrong_output_is_seen() -> None:
    assert run(Simulated(broken=True), 64).correct is False
