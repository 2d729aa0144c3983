# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A device beside a board: what it is, its clock, and how long its energy is counted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ciphermill.design import Measurement
from ciphermill.evaluate.bench import evaluator as bench
from ciphermill.evaluate.board import beside
from ciphermill.evaluate.board.beside import GRAPHICS, PROCESSOR, SWEEP, Beside, kind_of
from ciphermill.evaluate.device.weigh import Device
from ciphermill.evaluate.evaluate import evaluate
from ciphermill.registry import open_device, openssl


def run(name: str, **changes: Any) -> Measurement:
    device = open_device(name)
    asked = Beside(4096, "ctr", 128, "encrypt", 2, {name: device}, {name: openssl()}, **changes)
    (seen,) = evaluate(Device(name), None, asked)
    return seen


def test_a_processor_has_its_kind_clock_and_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "IDLE_S", 0.001)
    monkeypatch.setattr(bench, "processor_clock_mhz", lambda: 2600.0)
    seen = run("cpu")
    assert (seen.kind, seen.workload, seen.runs) == (PROCESSOR, None, 2)
    assert (seen.clock_mhz, seen.correct) == (2600.0, True)
    assert (seen.processors or 0) >= 1
    assert run("cpu", swept=True).workload == SWEEP


@pytest.mark.parametrize(
    ("name", "drivers", "kind"),
    [
        ("opencl:0", (False, True), PROCESSOR),
        ("opencl:1,kernel=tables", (False, True), GRAPHICS),
        ("opencl:2", (False, True), PROCESSOR),
        ("cuda:1,queues=3", (), GRAPHICS),
        ("software+", (), PROCESSOR),
        ("stream:/tmp/board", (), None),
    ],
)
def test_drivers_decide_what_is_a_graphics_processor(
    name: str, drivers: tuple[bool, ...], kind: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beside, "graphics_processors", lambda: drivers)
    assert kind_of(name) == kind


@pytest.mark.parametrize(("time_s", "swept", "runs"), [(0.01, False, 100), (0.2, False, 20)])
def test_energy_of_a_graphics_processor_is_counted_for_a_second(
    time_s: float, swept: bool, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(design: Device, _: None, asked: Beside, __: Any) -> list[Measurement]:
        facts = {"device": design.name, "runs": asked.runs, "platform": "the host"}
        return [Measurement(**facts, time_total_s=time_s, method="measured")]

    monkeypatch.setattr(beside, "measure", measure)
    card: Any = SimpleNamespace(description="A card by its maker (OpenCL), bitsliced kernels")
    asked = Beside(4096, "ctr", 128, "encrypt", 20, {"cuda:0": card}, {}, swept=swept)
    (seen,) = evaluate(Device("cuda:0"), None, asked)
    assert (seen.runs, seen.platform, seen.kind) == (runs, "A card", GRAPHICS)
