# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Repeating an operation: what is counted, checked and metered. No test depends on speed."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from ciphermill import DeviceError
from ciphermill.design import Measurement
from ciphermill.evaluate.device.weigh import Device
from ciphermill.evaluate.evaluate import evaluate
from ciphermill.evaluate.evaluator import Cancelled, Progress
from ciphermill.evaluate.speed import energy, worker, workers
from ciphermill.evaluate.speed.energy import Counters, Meter, NotReadableError
from ciphermill.evaluate.speed.evaluator import Repeated, Threads
from ciphermill.evaluate.speed.operations import OPENSSL, OPERATIONS

SECONDS = 0.005


def run(name: str, device: str, threads: int = 1, length: int = 64) -> Measurement:
    operation = OPERATIONS[name]
    asked = Repeated(name, operation.message_bytes or length, SECONDS)
    (seen,) = evaluate(Device(device), Threads(threads), asked)
    return seen


@pytest.fixture(autouse=True)
def no_counters(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(energy, "POWERCAP", tmp_path / "none")


def clock_of(*times: float) -> Callable[[], float]:
    ticks = iter(times)
    return lambda: next(ticks)


def test_a_call_is_repeated_until_the_time_is_over() -> None:
    calls: list[int] = []
    clock = clock_of(10.0, 11.0, 14.0, 14.5, 16.0)
    counted = worker.repeat(lambda: calls.append(1), 5.0, clock)
    assert len(calls) == counted.count == 4
    assert counted.worst_s == 3.0
    assert (counted.began_s, counted.ended_s) == (10.0, 16.0), (
        "the last call that began is finished"
    )


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_operation_is_repeated_by_every_thread(name: str) -> None:
    seen = run(name, OPENSSL, 2)
    assert seen.correct
    assert (seen.workload, seen.device, seen.threads) == (name, OPENSSL, 2)
    assert (seen.messages or 0) >= 2
    assert (seen.time_total_s or 0.0) >= (seen.time_worst_message_s or 0.0) > 0
    assert (seen.throughput_mb_s is None) == (OPERATIONS[name].message_bytes is not None)


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_device_of_the_engine_is_right_too(name: str) -> None:
    seen = run(name, "cpu")
    assert seen.correct
    if seen.bytes is not None:
        moved = (seen.messages or 0) * seen.bytes
        assert seen.throughput_mb_s == pytest.approx(moved / (seen.time_total_s or 1.0) / 1e6)


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_wrong_output_is_found(name: str) -> None:
    operation = OPERATIONS[name]
    key, message = operation.openssl.new_key(), bytes(operation.message_bytes or 64)
    output = operation.openssl.prepare(key, message)()
    assert operation.openssl.is_right(key, message, output)
    wrong = bytes([*output[:-1], output[-1] ^ 1])
    assert not operation.openssl.is_right(key, message, wrong)


@pytest.mark.parametrize("name", ["ecdsa-p256-sign", "ecdsa-p521-sign"])
def test_a_signature_is_right_as_two_integers_too(name: str) -> None:
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

    operation = OPERATIONS[name]
    key, message = operation.openssl.new_key(), bytes(operation.message_bytes or 0)
    parts = decode_dss_signature(operation.openssl.prepare(key, message)())
    whole = b"".join(part.to_bytes(len(key), "big") for part in parts)
    assert operation.openssl.is_right(key, message, whole)
    assert not operation.openssl.is_right(key, message, whole[::-1])


def test_an_output_that_one_thread_has_wrong_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = workers.Workers.ready

    def ready(self: workers.Workers) -> list[worker.Ready]:
        return [*answers(self)[:-1], worker.Ready(False, None)]

    monkeypatch.setattr(workers.Workers, "ready", ready)
    assert run("sha-256", OPENSSL, 2).correct is False


def test_a_simulated_device_does_it_once_in_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    digest = OPERATIONS["sha-256"].openssl.prepare(b"", b"text")()
    timing = SimpleNamespace(method="simulated", total_s=0.25)
    device = SimpleNamespace(run=lambda *_, **__: (digest, timing))
    monkeypatch.setattr(worker, "open_device", lambda _: device)
    _, ready = worker._prepare(worker.Asked("model:x", "sha-256", b"", b"text"))
    assert ready == worker.Ready(True, 0.25)
    monkeypatch.setattr(workers.Workers, "ready", lambda _: [ready])
    seen = run("sha-256", "model:x", length=1000)
    assert (seen.method, seen.messages, seen.time_total_s) == ("simulated", 1, 0.25)
    assert seen.throughput_mb_s == 0.004


def test_more_threads_than_processors_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})
    assert "2 threads share 1 processor." in (run("sha-256", OPENSSL, 2).notes or ())


def test_a_process_that_ended_is_an_error_and_the_next_run_has_new_ones() -> None:
    run("sha-256", OPENSSL)
    workers._started[0]._process.kill()
    workers._started[0]._process.wait()
    with pytest.raises(DeviceError, match="ended early"):
        run("sha-256", OPENSSL)
    assert run("sha-256", OPENSSL).correct


def test_a_device_that_is_not_there_is_its_own_error() -> None:
    with pytest.raises(Exception, match="nosuch"):
        run("sha-256", "nosuch")


def test_a_cancelled_run_ends_its_processes() -> None:
    told = Progress()
    told.cancelled.set()
    with pytest.raises(Cancelled):
        evaluate(Device(OPENSSL), Threads(1), Repeated("sha-256", 64, SECONDS), progress=told)
    assert workers._started == []


class Powercap:
    """A folder as Linux has it: two packages, and zones that would count them again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for zone, name in {
            "intel-rapl:0": "package-0",
            "intel-rapl:0:0": "core",
            "intel-rapl:1": "package-1",
            "intel-rapl:2": "psys",
            "intel-rapl-mmio:0": "package-0",
        }.items():
            (folder / zone).mkdir(parents=True)
            (folder / zone / "name").write_text(f"{name}\n")
            (folder / zone / "max_energy_range_uj").write_text("1000000000\n")
            self.count(zone, 500_000_000)

    def count(self, zone: str, uj: int) -> None:
        (self.folder / zone / "energy_uj").write_text(f"{uj}\n")


@pytest.fixture
def powercap(tmp_path: Path) -> Powercap:
    return Powercap(tmp_path / "powercap")


def test_the_packages_are_added_and_nothing_is_counted_twice(powercap: Powercap) -> None:
    counters = Counters(powercap.folder)
    assert counters.joules() == 0
    for zone in ("intel-rapl:0", "intel-rapl:1", "intel-rapl:0:0", "intel-rapl:2"):
        powercap.count(zone, 502_000_000)
    powercap.count("intel-rapl-mmio:0", 999_000_000)
    assert counters.joules() == 4.0


def test_a_counter_that_began_again_at_zero_goes_on(powercap: Powercap) -> None:
    counters = Counters(powercap.folder)
    powercap.count("intel-rapl:0", 999_000_000)
    assert counters.joules() == 499.0
    powercap.count("intel-rapl:0", 1_000_000)
    assert counters.joules() == 501.0


def test_counters_that_cannot_be_read_say_why(tmp_path: Path, powercap: Powercap) -> None:
    with pytest.raises(NotReadableError, match="has no energy counter of a processor"):
        Counters(tmp_path / "nothing")
    locked = powercap.folder / "intel-rapl:1" / "energy_uj"
    locked.unlink()
    locked.mkdir()
    with pytest.raises(NotReadableError, match="intel-rapl:1/energy_uj: Is a directory"):
        Counters(powercap.folder)


def test_power_is_the_energy_between_two_samples(powercap: Powercap) -> None:
    meter = Meter(Counters(powercap.folder))
    powercap.count("intel-rapl:0", 501_000_000)
    meter.sample(0.5)
    powercap.count("intel-rapl:0", 507_000_000)
    meter.sample(2.0)
    assert meter.over_time == [(0.5, 2000.0), (2.0, 4000.0)]
    assert meter.mean_mw == 3500.0


def test_energy_is_what_the_work_adds() -> None:
    meter = SimpleNamespace(mean_mw=3000.0, over_time=[])
    bits = {"bytes": 1000, "messages": 250_000, "time.total_s": 2.0}
    found = energy.power_fields(bits, meter, 1000.0)  # type: ignore[arg-type]
    assert found["energy.pj_per_bit"] == pytest.approx(4.0 / 2e9 * 1e12)
    found = energy.power_fields({"messages": 8, "time.total_s": 2.0}, meter, 1000.0)  # type: ignore[arg-type]
    assert found["energy.uj_per_op"] == pytest.approx(0.5e6)
    found = energy.power_fields(bits, meter, 3000.0)  # type: ignore[arg-type]
    assert not [key for key in found if key.startswith("energy")]


def test_counters_are_sampled_while_the_work_runs(
    monkeypatch: pytest.MonkeyPatch, powercap: Powercap
) -> None:
    monkeypatch.setattr(energy, "POWERCAP", powercap.folder)
    seen = run("sha-256", OPENSSL)
    assert seen.power_over_time
    assert (seen.power_mw, seen.power_idle_mw, seen.notes) == (0.0, 0.0, None)


def test_without_counters_the_measurement_says_so() -> None:
    (note,) = run("sha-256", OPENSSL).notes or ()
    assert note.startswith("No energy: ")


@pytest.fixture(autouse=True, scope="module")
def end() -> Iterator[None]:
    yield
    while workers._started:
        workers._started.pop().kill()
