# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs of one message: what is timed, what is compared, and clocks."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import pytest

from ciphermill._engine import DeviceError
from ciphermill.design import Core, Measurement, Method, load_platform
from ciphermill.evaluate.bench import evaluator
from ciphermill.evaluate.bench.evaluator import Clocked, Runs
from ciphermill.evaluate.device.weigh import Device, failure
from ciphermill.evaluate.evaluate import evaluate
from ciphermill.registry import open_device


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluator, "IDLE_S", 0.001)


class Pretended:
    """Encrypts by the device ``cpu``; its times are given, and one run may be wrong or fail."""

    architecture = None
    description = "some device"

    def __init__(
        self,
        name: str,
        totals: list[float],
        *,
        method: str = "measured",
        wrong_run: int | None = None,
        lost_run: int | None = None,
    ) -> None:
        self.name = name
        self._method = "simulated" if name.startswith("model:") else method
        self._lost_run = lost_run
        self.clock_mhz = 50.0
        self.processors = 4
        self.calls = 0
        self._totals = totals
        self._wrong_run = wrong_run

    def run(self, verb: str, data: bytes, **asked: Any) -> tuple[bytes, SimpleNamespace]:
        if self.calls == self._lost_run:
            raise DeviceError(f"{self.name} has vanished")
        total_s = self._totals[self.calls]
        timing = SimpleNamespace(
            total_s=total_s,
            transfer_s=total_s / 4,
            processing_s=total_s / 2,
            cycles=300,
            method=self._method,
        )
        output = bytearray(open_device("cpu").run(verb, data, **asked)[0])
        if self.calls == self._wrong_run:
            output[7] ^= 1
        self.calls += 1
        return bytes(output), timing


def run(device: Any, runs: int, operation: str = "encrypt", mode: str = "ctr") -> Measurement:
    """The one measurement of a device."""
    reference = {device.name: open_device("cpu")}
    asked = Runs(1600, mode, 256, operation, runs, {device.name: device}, reference)
    (seen,) = evaluate(Device(device.name), None, asked)
    return seen


def test_medians_and_spread_leave_the_first_run_out() -> None:
    seen = run(Pretended("gpu:0", [9.0, 0.5, 0.1, 0.2, 0.4, 0.3]), 5)
    assert (seen.runs, seen.time_total_s) == (5, 0.3)
    assert (seen.time_best_s, seen.time_worst_message_s) == (0.1, 0.5)
    assert (seen.time_lower_quartile_s, seen.time_upper_quartile_s) == (0.2, 0.4)
    assert (seen.time_transfer_s, seen.time_processing_s) == (0.075, 0.15)
    assert seen.throughput_mb_s == pytest.approx(1600 / 0.3 / 1e6)
    assert seen.throughput_processing_mb_s == pytest.approx(1600 / 0.15 / 1e6)
    assert seen.merit_mb_s_per_mhz == pytest.approx((seen.throughput_mb_s or 0.0) / 50)
    assert seen.merit_mb_s_per_processor == pytest.approx((seen.throughput_mb_s or 0.0) / 4)
    assert (seen.method, seen.correct) == (Method.MEASURED, True)


@pytest.mark.parametrize("wrong_run", [0, 1, 3])
def test_the_output_of_every_run_is_compared(wrong_run: int) -> None:
    seen = run(Pretended("gpu:0", [0.1] * 4, wrong_run=wrong_run), 3)
    assert (seen.correct, seen.wrong_byte) == (False, 7)


def test_a_simulated_device_runs_once() -> None:
    model = Pretended("model:some,clock_mhz=50", [0.1])
    seen = run(model, 20)
    assert (model.calls, seen.runs, seen.method) == (1, 1, Method.SIMULATED)
    assert (seen.design, seen.cycles_total) == ("some", 300)
    assert seen.time_lower_quartile_s == seen.time_upper_quartile_s == 0.1


def test_a_simulator_behind_device_files_is_simulated() -> None:
    seen = run(Pretended("stream:/tmp/board", [0.1], method="simulated"), 20)
    assert (seen.method, seen.runs) == (Method.SIMULATED, 1)
    # This machine's processor says nothing of it, and no design is known.
    assert (seen.platform, seen.design) == (None, None)


@pytest.mark.parametrize("lost_run", [0, 2])
def test_a_device_that_fails_has_no_figures(lost_run: int) -> None:
    seen = run(Pretended("gpu:0", [0.1] * 4, lost_run=lost_run), 3)
    assert (seen.throughput_mb_s, seen.time_total_s, seen.correct) == (None, None, None)
    assert failure(seen) == "gpu:0 failed: gpu:0 has vanished"


def test_a_board_has_a_clock_of_its_memory() -> None:
    board = Pretended("model:board", [0.1])
    board.description = "board, 4 cores, 70 MHz, 4 memory banks, 33.5 MHz, simulated"
    seen = run(board, 1)
    assert (seen.clock_mhz, seen.clock_memory_mhz) == (50.0, 33.5)
    board.description, board.calls = "board, 1 core, 70 MHz, 1 memory bank, 33 MHz", 0
    assert run(board, 1).clock_memory_mhz == 33.0


def test_a_device_tells_its_processors() -> None:
    assert open_device("cpu").processors == len(os.sched_getaffinity(0))
    assert (open_device("software").processors or 0) >= 1


@pytest.mark.parametrize("mode", ["ecb", "cbc", "ctr", "gcm", "xts"])
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_both_directions_of_every_mode(mode: str, operation: str) -> None:
    seen = run(open_device("software+"), 2, operation, mode)
    assert (seen.correct, seen.operation, seen.bytes) == (True, operation, 1600)


@pytest.mark.parametrize(("clock_mhz", "met"), [(49.0, True), (80.0, True), (80.5, False)])
def test_a_clock_is_met_or_not(
    clock_mhz: float, met: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    routed = Measurement.from_json({"clock.mhz": 80.0, "method": "estimated"})
    monkeypatch.setattr(evaluator, "on_target", lambda *_: [routed])
    name = f"model:aes-serial,clock_mhz={clock_mhz:g}"
    model: Any = Pretended(name, [0.1])
    asked = Runs(1600, "ctr", 128, "encrypt", 20, {name: model}, {name: open_device("cpu")})
    (seen,) = evaluate(Clocked(name, "aes-serial", clock_mhz), load_platform("ecp5"), asked)
    assert (seen.clock_met, seen.clock_highest_mhz, seen.target) == (met, 80.0, "ecp5")
    assert (seen.correct, seen.runs) == (True, 1)
    assert "Placed and routed for ecp5" in (seen.notes or ())[-1]


def clocked_board(clock_mhz: float) -> Measurement:
    """The paper's FPGA, whose simulation is pretended, at a clock of its cores."""
    name = f"model:aes-fpga-paper,clock_mhz={clock_mhz:g}"
    model: Any = Pretended(name, [0.1])
    asked = Runs(1600, "ctr", 128, "encrypt", 20, {name: model}, {name: open_device("cpu")})
    design = Clocked(name, "aes-fpga-paper", clock_mhz)
    (seen,) = evaluate(design, load_platform("ecp5"), asked)
    return seen


def test_of_a_board_a_core_is_placed_and_routed(monkeypatch: pytest.MonkeyPatch) -> None:
    placed = []

    def on_target(module: Core, *_: Any) -> list[Measurement]:
        placed.append((module.top, module.clock))
        return [Measurement.from_json({"clock.mhz": 80.0, "method": "estimated"})]

    monkeypatch.setattr(evaluator, "on_target", on_target)
    seen = clocked_board(70.0)
    # Not the whole FPGA: its memory has a clock of its own.
    assert set(placed) == {("board_lane", "clk_i")}
    assert (seen.clock_met, seen.clock_highest_mhz, seen.design) == (True, 80.0, "aes-fpga-paper")
    assert "a core of aes-fpga-paper with its counter reaches 80.0 MHz" in (seen.notes or ())[-1]


@pytest.mark.synthesis
def test_a_core_of_a_board_is_really_placed_and_routed() -> None:
    """aes_stepped alone reaches 111 MHz; memory, which is slower, must not be what is told."""
    assert 80 < (clocked_board(70.0).clock_highest_mhz or 0.0) < 140
