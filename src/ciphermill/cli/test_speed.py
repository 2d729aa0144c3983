# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill speed``: choices, output, exit codes. No test depends on speed."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ciphermill.cli import failures
from ciphermill.cli.main import cli
from ciphermill.evaluate.speed import worker, workers

QUICK = ("--seconds", "0.002", "--threads", "1")


@pytest.fixture(autouse=True)
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.setenv("CIPHERMILL_STORE", str(tmp_path / "store.sqlite"))
    yield tmp_path
    while workers._started:
        workers._started.pop().kill()


def speed(*arguments: str) -> int:
    return failures.run(cli, ["speed", *arguments])


def test_each_device_and_length_is_a_measurement(capfd: pytest.CaptureFixture[str]) -> None:
    lengths = ("--bytes", "1k", "--bytes", "16")
    chosen = ("--algorithm", "aes-256-ecb", "--algorithm", "ecdsa-p256-sign", "--device", "cpu")
    assert speed(*QUICK, *chosen, *lengths, "--json") == 0
    found = json.loads(capfd.readouterr().out)
    assert [(seen["workload"], seen["device"], seen.get("bytes")) for seen in found] == [
        ("aes-256-ecb", "cpu", 1024),
        ("aes-256-ecb", "cpu", 16),
        ("aes-256-ecb", "openssl", 1024),
        ("aes-256-ecb", "openssl", 16),
        ("ecdsa-p256-sign", "cpu", None),
        ("ecdsa-p256-sign", "openssl", None),
    ]
    assert all(seen["provenance"]["tools"]["openssl"] for seen in found)


def test_a_stored_run_is_shown_again(capfd: pytest.CaptureFixture[str], store: Path) -> None:
    assert speed(*QUICK, "--algorithm", "sha-256", "--device", "openssl", "--bytes", "64") == 0
    shown = capfd.readouterr()
    page = (store / "speed-1.html").read_text(encoding="utf-8")
    assert "Stored as run 1" in shown.err
    assert failures.run(cli, ["report"]) == 0
    again = capfd.readouterr().out
    assert shown.out.partition("Report:")[0] == again.partition("Report:")[0]
    assert (store / "run-1.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--bytes 100", "--bytes 100: a message of aes-256-ecb has a multiple of 16 bytes"),
        ("--bytes 0 --algorithm sha-256", "a message of sha-256 has at least 1 bytes"),
        ("--algorithm sha-265", "did you mean sha-256?"),
        ("--device cpi", "did you mean cpu?"),
        ("--algorithm sha-256 --device software", "software has none of sha-256"),
        ("--threads 0", "--threads"),
    ],
)
def test_what_cannot_be_is_a_usage_error(
    arguments: str, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert speed(*arguments.split()) == 2
    shown = capfd.readouterr()
    assert words in shown.err
    assert shown.out == ""


def test_a_wrong_output_is_stored_and_has_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    answers = workers.Workers.ready

    def ready(self: workers.Workers) -> list[worker.Ready]:
        return [worker.Ready(False, None) for _ in answers(self)]

    monkeypatch.setattr(workers.Workers, "ready", ready)
    assert speed(*QUICK, "--algorithm", "sha-256", "--device", "openssl", "--bytes", "64") == 6
    shown = capfd.readouterr()
    assert "Stored as run 1" in shown.err
    assert "an output of sha-256 on openssl is wrong; do not trust this device" in shown.err


def test_openssl_that_is_missing_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert speed(*QUICK, "--algorithm", "sha-256", "--device", "openssl") == 1
    assert "pip install cryptography" in capfd.readouterr().err
