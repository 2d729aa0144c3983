# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Messages of one length, one and several at once."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ciphermill._engine import DeviceError
from ciphermill.design import Measurement, Method
from ciphermill.evaluate.device.weigh import Device, failure
from ciphermill.evaluate.evaluate import evaluate
from ciphermill.evaluate.offload import evaluator
from ciphermill.evaluate.offload.evaluator import SIMULATED_BYTES, Lengths
from ciphermill.registry import open_device, openssl


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few calls."""
    monkeypatch.setattr(evaluator, "LEAST_SECONDS", 0.01)


def measure(device: Any, length: int, at_once: int = 1, mode: str = "ctr") -> list[Measurement]:
    reference = {device.name: openssl() if device.name == "cpu" else open_device("cpu")}
    asked = Lengths(length, mode, 128, at_once, {device.name: device}, reference)
    return evaluate(Device(device.name), None, asked)


def run(device: Any, length: int, at_once: int = 1, mode: str = "ctr") -> Measurement:
    """The one measurement of a device."""
    (seen,) = measure(device, length, at_once, mode)
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

    name = "stream:/tmp/pretended"
    description = "simulated"
    clock_mhz = 100.0

    def __init__(self, *, broken: bool = False) -> None:
        self.lengths: list[int] = []
        """Of the messages after the first block, which tells that it is simulated."""
        self._broken = broken

    def run(self, verb: str, data: bytes, **asked: Any) -> tuple[bytes, SimpleNamespace]:
        """Encrypt by the device ``cpu``, in simulated time."""
        if len(data) > 16:
            self.lengths.append(len(data))
        total_s = 1e-3 + len(data) * 1e-6
        timing = SimpleNamespace(
            total_s=total_s, transfer_s=1e-3, processing_s=total_s - 1e-3, method="simulated"
        )
        output = open_device("cpu").run(verb, data, **asked)[0]
        return (b"?" * len(data) if self._broken else output), timing


def test_a_short_message_is_simulated_once() -> None:
    model = Simulated()
    seen = run(model, 1000)
    assert model.lengths == [1000]
    assert (seen.method, seen.correct) == (Method.SIMULATED, True)
    assert seen.time_total_s == seen.time_median_message_s == pytest.approx(2e-3)
    assert (seen.time_processor_s, seen.time_worst_message_s, seen.platform) == (None, None, None)


def test_several_at_once_are_not_simulated() -> None:
    assert measure(Simulated(), 1000, 16) == []


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


class Real:
    """Encrypts by the device ``cpu`` in wall time; after some calls it is wrong, or fails."""

    name = "gpu:0"
    description = "some device"
    clock_mhz = None

    def __init__(self, *, wrong_from: int | None = None, lost_from: int | None = None) -> None:
        self.calls = 0
        self._wrong_from, self._lost_from = wrong_from, lost_from

    def run(self, verb: str, data: bytes, **asked: Any) -> tuple[bytes, Any]:
        self.calls += 1
        if self._lost_from is not None and self.calls >= self._lost_from:
            raise DeviceError("the device has vanished")
        output, timing = open_device("cpu").run(verb, data, **asked)
        wrong = self._wrong_from is not None and self.calls >= self._wrong_from
        return (bytes(len(output)) if wrong else output), timing


@pytest.mark.parametrize("wrong_from", [2, 4])
def test_outputs_before_and_after_the_timed_calls_are_compared(wrong_from: int) -> None:
    assert run(Real(wrong_from=wrong_from), 64).correct is False
    assert run(Real(), 64).correct is True


def test_the_output_is_compared_with_the_reference_s() -> None:
    device = open_device("cpu")
    reference: Any = Simulated(broken=True)
    asked = Lengths(64, "ctr", 128, 1, {"cpu": device}, {"cpu": reference})
    (seen,) = evaluate(Device("cpu"), None, asked)
    assert seen.correct is False


@pytest.mark.parametrize("lost_from", [1, 2, 4])
def test_a_device_that_fails_has_no_figures(lost_from: int) -> None:
    seen = run(Real(lost_from=lost_from), 64)
    assert (seen.throughput_mb_s, seen.correct) == (None, None)
    assert failure(seen) == "gpu:0 failed: the device has vanished"


def test_without_the_memory_a_size_is_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    memory = tmp_path / "meminfo"
    memory.write_text("MemTotal: 9000 kB\nMemAvailable:   4000 kB\n")
    monkeypatch.setattr(evaluator, "MEMORY", memory)
    assert run(Real(), 1000 * 1024).correct is True
    seen = run(Real(), 1000 * 1024 + 16)
    assert (seen.throughput_mb_s, failure(seen)) == (None, None)
    assert seen.notes == ("1,024,016 bytes are left out: this machine lacks the memory.",)
    # A simulated device needs none: its time is computed.
    assert run(Simulated(), 1 << 30).throughput_mb_s is not None

    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(evaluator, "run_batch", fail)
    (note,) = run(open_device("cpu"), 64, 16).notes or ()
    assert note == "16 times 64 bytes are left out: this machine lacks the memory."
