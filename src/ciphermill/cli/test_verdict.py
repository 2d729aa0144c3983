# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill weigh --verdict``: points, output, exit codes. None depends on speed."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from ciphermill.cli import failures, measured
from ciphermill.cli.main import cli
from ciphermill.evaluate.offload import evaluator
from ciphermill.registry import open_device

CHOSEN = ("--device", "cpu", "--device", "software+", "--bytes", "1k", "--bytes", "16")


@pytest.fixture(autouse=True)
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("CIPHERMILL_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.setattr(evaluator, "LEAST_SECONDS", 0.01)
    return tmp_path


def verdict(*arguments: str) -> int:
    return failures.run(cli, ["weigh", "--verdict", *arguments])


def test_each_size_is_measured_one_and_many_at_once(capfd: pytest.CaptureFixture[str]) -> None:
    assert verdict(*CHOSEN, "--mode", "gcm", "--json") == 0
    found = json.loads(capfd.readouterr().out)
    assert [(seen["at_once"], seen["bytes"], seen["device"]) for seen in found] == [
        (at_once, length, device)
        for at_once in (1, 16)
        for length in (16, 1024)
        for device in ("cpu", "software+")
    ]
    assert all(seen["correct"] and seen["mode"] == "gcm" for seen in found)


def test_the_verdict_is_printed_stored_and_shown_again(
    capfd: pytest.CaptureFixture[str], store: Path
) -> None:
    assert verdict(*CHOSEN) == 0
    shown = capfd.readouterr().out
    assert "Throughput, one caller: " in shown
    assert "Processor time a byte, 16 messages at once: " in shown
    page = (store / "verdict-1.html").read_text(encoding="utf-8")
    assert "Does offload pay?" in page
    assert failures.run(cli, ["report"]) == 0
    assert shown.partition("Report:")[0] == capfd.readouterr().out.partition("Report:")[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("picture.png", "--verdict takes no FILE"),
        ("--example", "--verdict takes no FILE"),
        ("--algorithm present", "--verdict takes no FILE"),
        ("--mode cbc --bytes 100", "--bytes 100: a message in mode cbc has whole blocks of 16"),
        ("--mode xts --bytes 8", "a message in mode xts has 16 or more bytes"),
        ("--mode xts --key-bits 192", "AES in mode xts has keys of 128, 256 bits"),
        ("--bytes 0", "--bytes 0"),
    ],
)
def test_what_cannot_be_is_a_usage_error(
    arguments: str, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert verdict(*arguments.split()) == failures.ExitCode.USAGE
    assert words in capfd.readouterr().err


def test_its_options_need_it(capfd: pytest.CaptureFixture[str]) -> None:
    assert failures.run(cli, ["weigh", "--mode", "ctr", "x"]) == failures.ExitCode.USAGE
    assert "--mode and --bytes need --verdict" in capfd.readouterr().err


def test_cpu_is_compared_with_openssl_and_the_others_with_cpu() -> None:
    found = measured.references(["cpu", "software+", "opencl:0"])
    assert [one.name.startswith("software") for one in found.values()] == [True, False, False]
    assert found["opencl:0"].name == "cpu"


def test_devices_that_are_left_out_are_told(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    board = SimpleNamespace(name="model:board", algorithms=[("aes", "encrypt", "ctr", [128])])
    devices = [open_device("cpu"), board]
    monkeypatch.setattr(measured, "open_devices", lambda *_, **__: devices)
    assert verdict("--bytes", "16") == 0
    assert "model:board is left out: it cannot encrypt AES-256 in mode ctr" in (
        capfd.readouterr().err
    )


def test_the_longest_sizes_of_many_at_once_are_left_out(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(evaluator, "MOST_BYTES", 16 * 1024)
    assert verdict(*CHOSEN, "--bytes", "4k") == 0
    shown = " ".join(capfd.readouterr().out.split())
    assert "Nothing above 1 KiB is measured with 16 messages at once" in shown
