# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Live benchmarks: figures that come one by one, bounds, cancellation, and what is stored."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.pages import Answer, Client, served

from ciphermill.campaign.store import Store
from ciphermill.evaluate.bench import evaluator
from ciphermill.registry import Found, open_device
from ciphermill.web import benchmarks

PATH = "dashboard/benchmarks"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


@pytest.fixture
def page(store: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setattr(evaluator, "IDLE_S", 0.001)
    # One device, so that no other is opened.
    monkeypatch.setattr("ciphermill.web.work.offered", lambda _: [])
    monkeypatch.setattr(benchmarks, "survey", lambda _: [Found("cpu", open_device("cpu"))])
    with served(store=str(store)) as client:
        yield client


class Gated:
    """The device ``cpu``, whose runs wait for a permission each."""

    def __init__(self) -> None:
        self._cpu = open_device("cpu")
        self.permits = threading.Semaphore(0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cpu, name)

    def run(self, *arguments: Any, progress: Callable[[int, int], None], **asked: Any) -> Any:
        while not self.permits.acquire(timeout=0.02):
            progress(0, None)  # type: ignore[arg-type]
        output, timing = self._cpu.run(*arguments, **asked)
        return output, SimpleNamespace(
            total_s=timing.total_s,
            transfer_s=0.0,
            processing_s=timing.processing_s,
            cycles=None,
            method="measured",
        )


@pytest.fixture
def gated(page: Client, monkeypatch: pytest.MonkeyPatch) -> Gated:
    """In place of the device of ``page``."""
    made = Gated()
    monkeypatch.setattr(benchmarks, "survey", lambda _: [Found("cpu", made)])  # type: ignore[arg-type]
    monkeypatch.setattr(benchmarks, "open_device", lambda _: made)
    return made


def start(page: Client, **asked: Any) -> Answer:
    known = {"device": "cpu", "mode": "ctr", "key_bits": 256, "operation": "encrypt"}
    known |= {"bytes": 16384, "runs": 5, "seconds": 60, "keep": False}
    return page(PATH, "POST", json.dumps(known | asked))


def until(page: Client, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Wait until the newest benchmark is so; return its facts."""
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        newest: dict[str, Any] = page(f"{PATH}/all").json[0]
        if condition(newest):
            return newest
        time.sleep(0.02)
    raise AssertionError(newest)


def ended(facts: dict[str, Any]) -> bool:
    return not facts["running"]


def test_nothing_is_measured_before_it_is_asked_for(page: Client, store: Path) -> None:
    assert page(PATH).status == 200
    assert page(f"{PATH}/all").json == []
    assert not store.exists()


def test_figures_come_one_by_one(page: Client, gated: Gated) -> None:
    assert start(page, runs=3).status == 202
    gated.permits.release(2)  # to warm up, and one run
    now = until(page, lambda facts: len(facts["times_s"]) == 1)
    assert (now["running"], now["result"], now["step"]) == (True, None, "measuring")
    gated.permits.release(2)
    facts = until(page, ended)
    assert (len(facts["times_s"]), facts["error"], facts["result"]["runs"]) == (3, None, 3)
    assert facts["result"]["correct"] is True
    assert "median of 3 runs after one to warm up" in facts["result"]["how"]
    assert "OpenSSL" in facts["result"]["how"]
    assert facts["result"]["command"].startswith("ciphermill bench --device cpu --mode ctr ")


def test_one_runs_at_a_time_and_is_cancelled(page: Client, gated: Gated, store: Path) -> None:
    start(page, keep=True)
    gated.permits.release(2)
    until(page, lambda facts: len(facts["times_s"]) == 1)
    again = start(page)
    assert (again.status, "wait for its end" in again.json["error"]) == (409, True)
    assert page(f"{PATH}/running", "DELETE").status == 204
    facts = until(page, ended)
    assert (facts["result"], facts["error"][:9]) == (None, "cancelled")
    assert page(f"{PATH}/running", "DELETE").status == 404
    with Store(store) as opened:
        assert opened.records() == []
    assert start(page).status == 202


def test_it_ends_with_its_time(page: Client, gated: Gated) -> None:
    start(page, runs=1000, seconds=1)
    gated.permits.release(3)
    until(page, lambda facts: len(facts["times_s"]) == 2)
    time.sleep(1)
    gated.permits.release()
    facts = until(page, ended)
    assert (len(facts["times_s"]), facts["result"]["runs"]) == (3, 3)
    assert "The time was over before all runs were made" in facts["result"]["how"]


def test_a_single_run_that_takes_too_long_is_cut_off(page: Client, gated: Gated) -> None:
    start(page, seconds=1)
    facts = until(page, ended)
    assert "takes more than 1 s: take a shorter message" in facts["error"]


def test_a_result_is_stored_if_asked(page: Client, store: Path) -> None:
    start(page, runs=2)
    until(page, ended)
    assert not store.exists()
    start(page, runs=2, keep=True)
    facts = until(page, ended)
    assert facts["result"]["stored"] == "Stored as run 1."
    with Store(store) as opened:
        [record] = opened.records()
    assert (record.measurement.device, record.measurement.bytes) == ("cpu", 16384)
    assert record.measurement.provenance is not None
    assert "bench --device cpu" in (record.measurement.provenance.command or "")


def test_a_store_that_cannot_be_written_is_told(page: Client, store: Path) -> None:
    store.write_text("no database")
    start(page, keep=True)
    assert "not a usable results store" in until(page, ended)["error"]


def test_what_cannot_be_measured_is_refused(page: Client) -> None:
    wrong = (
        ({"device": "/tmp/evil"}, 400, "not usable"),
        ({"bytes": 1 << 40}, 422, "bytes"),
        ({"bytes": 17}, 422, "bytes"),
        ({"runs": 0}, 422, "runs"),
        ({"seconds": 3600}, 422, "seconds"),
        ({"mode": "xts", "key_bits": 192}, 400, "cannot do this"),
        ({"shell": "x"}, 422, "shell"),
    )
    for asked, status, words in wrong:
        answer = start(page, **asked)
        assert (answer.status, words in answer.json["error"]) == (status, True), answer
    assert page(f"{PATH}/all").json == []
