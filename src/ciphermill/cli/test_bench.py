# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill bench``: points, output, exit codes. None depends on speed."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ciphermill import _engine
from ciphermill.cli import bench, failures, measured
from ciphermill.cli.main import cli
from ciphermill.design import Measurement
from ciphermill.evaluate.bench import evaluator
from ciphermill.registry import open_device

CHOSEN = ("--device", "cpu", "--device", "software+", "--runs", "3")


@pytest.fixture(autouse=True)
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("CIPHERMILL_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.setattr(evaluator, "IDLE_S", 0.001)
    return tmp_path


def run(*arguments: str) -> int:
    return failures.run(cli, ["bench", *arguments])


def figures(capfd: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert run(*arguments, "--json") == 0
    found: list[dict[str, Any]] = json.loads(capfd.readouterr().out)
    return found


def test_each_device_mode_key_and_size_is_run(capfd: pytest.CaptureFixture[str]) -> None:
    chosen = ("--mode", "ctr", "--mode", "gcm", "--key-bits", "128", "--key-bits", "256")
    found = figures(capfd, *CHOSEN, *chosen, "--bytes", "100", "--bytes", "4k")
    assert [(one["mode"], one["bytes"], one["device"], one["key_bits"]) for one in found] == [
        (mode, length, device, bits)
        for mode in ("ctr", "gcm")
        for length in (100, 4096)
        for device in ("cpu", "software+")
        for bits in (128, 256)
    ]
    assert all(one["correct"] and one["runs"] == 3 for one in found)


def test_without_choices_every_mode_is_run_with_each_size_that_it_has(
    capfd: pytest.CaptureFixture[str],
) -> None:
    found = figures(capfd, *CHOSEN[:2], "--runs", "1", "--bytes", "100")
    # ECB and CBC have whole blocks.
    assert [(one["mode"], one["key_bits"]) for one in found] == [
        ("ctr", 256),
        ("gcm", 256),
        ("xts", 256),
    ]


def test_tables_page_and_report(capfd: pytest.CaptureFixture[str], store: Path) -> None:
    assert run(*CHOSEN, "--mode", "cbc", "--operation", "decrypt", "--bytes", "64k") == 0
    shown = capfd.readouterr().out
    assert "AES-256-CBC decryption of 64 KiB" in shown
    assert "is the fastest with" in shown
    page = (store / "bench-1.html").read_text(encoding="utf-8")
    assert "All outputs are right" in page
    assert failures.run(cli, ["report"]) == 0
    assert shown.partition("Report:")[0] == capfd.readouterr().out.partition("Report:")[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--sweep --clock-sweep 50", "give --sweep or --clock-sweep, not both"),
        ("--mode cbc --bytes 100", "--bytes 100: a message in mode cbc has whole blocks of 16"),
        ("--mode xts --key-bits 192", "AES in mode xts has keys of 128, 256 bits"),
        ("--sweep --device cpu", "name a graphics processor without settings"),
        ("--sweep --device opencl:0,queues=2", "name a graphics processor without settings"),
        ("--clock-sweep 50", "--clock-sweep needs --device model:NAME"),
        ("--clock-sweep 50 --device cpu", "name a simulated device without settings"),
        ("--clock-sweep 0", "0.0 is not in the range"),
        ("--runs 0", "0 is not in the range"),
        ("--bytes 0", "--bytes 0"),
    ],
)
def test_what_cannot_be_is_a_usage_error(
    arguments: str, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments.split()) == failures.ExitCode.USAGE
    assert words in capfd.readouterr().err


def test_a_sweep_without_a_graphics_processor_says_so(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_engine, "graphics_processors", list)
    assert run("--sweep") == failures.ExitCode.USAGE
    assert "there is no graphics processor here" in capfd.readouterr().err


def test_a_sweep_varies_each_setting() -> None:
    names = bench._swept(["cuda:1"])
    assert all(name.startswith("cuda:1,kernel=") for name in names)
    assert len(names) == len(set(names)) == 2 * (len(bench.CHUNKS) + len(bench.GROUPS))
    more = len(bench.LANES) - 1
    assert len(bench._swept(["opencl"])) == len(names) + more * len(bench.GROUPS)


@pytest.mark.skipif(not _engine.graphics_processors(), reason="no graphics processor is here")
def test_a_sweep_runs_what_the_driver_takes(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    name = _engine.graphics_processors()[0]
    swept = [f"{name},kernel=tables", f"{name},group_items=1024", name]
    monkeypatch.setattr(bench, "_swept", lambda _: swept)
    found = figures(capfd, "--sweep", "--runs", "1", "--bytes", "64k")
    assert {one["mode"] for one in found} == {"ctr"}
    assert {one["device"] for one in found} <= {*swept}
    assert all(one["correct"] and one["processors"] > 0 for one in found)


@pytest.mark.skipif(not _engine.graphics_processors(), reason="no graphics processor is here")
def test_names_of_a_sweep_can_be_opened(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    name = _engine.graphics_processors()[0]
    # Of a whole sweep, one name with a chunk and one with a group, and lanes where there are any.
    swept = [one for one in bench._swept([name]) if "kernel=bitsliced" in one]
    chosen = [
        next(one for one in swept if "chunk_bytes=" in one),
        next(one for one in swept if "group_items=" in one),
    ]
    assert ("lanes=" in chosen[1]) == name.startswith("opencl")
    monkeypatch.setattr(bench, "_swept", lambda _: chosen)
    found = figures(capfd, "--sweep", "--runs", "1", "--bytes", "64k")
    # The device leaves defaults out of its name.
    kept = [one.replace("kernel=bitsliced,", "") for one in chosen]
    assert [one["device"] for one in found] == kept
    assert all(one["correct"] for one in found)


def test_close_clocks_are_different_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def open_devices(names: list[str], *, silent: bool) -> list[Any]:
        opened.extend(names)
        return []

    monkeypatch.setattr(measured, "open_devices", open_devices)
    asked = bench._Asked(("ctr",), (128,), "encrypt", (16,), 1)
    bench._of_clocks(["model:aes"], [75.0, 75.0000001, 0.5], asked, True)
    assert opened == [f"model:aes,clock_mhz={one}" for one in ("0.5", "75", "75.0000001")]


def test_a_sweep_of_clocks(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    routed = Measurement.from_json({"clock.mhz": 80.0, "method": "estimated"})
    monkeypatch.setattr(evaluator, "on_target", lambda *_: [routed])
    swept = ("--clock-sweep", "100", "--clock-sweep", "50", "--clock-sweep", "50")
    found = figures(capfd, *swept, "--device", "model:aes-iterative", "--bytes", "256")
    assert [(one["clock.mhz"], one["clock.met"]) for one in found] == [(50.0, True), (100.0, False)]
    slow, fast = found
    assert slow["cycles.total"] == fast["cycles.total"]
    assert slow["time.total_s"] == pytest.approx(2 * fast["time.total_s"])
    assert all(one["correct"] and one["design"] == "aes-iterative" for one in found)


def test_a_wrong_output_ends_with_its_own_code(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(evaluator, "first_difference", lambda *_: 5)
    assert run(*CHOSEN[:2], "--mode", "ctr", "--bytes", "1k") == failures.ExitCode.DIFFERENT
    told = capfd.readouterr()
    assert "an output of cpu in mode ctr, 1024 bytes, is wrong" in told.err
    assert "wrong from byte 5" in told.out


def test_a_device_without_the_mode_is_named(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    unable = SimpleNamespace(name="bare", algorithms=[("aes", "encrypt", "ecb", [128])])
    monkeypatch.setattr(measured, "open_devices", lambda *_, **__: [unable])
    assert run("--device", "bare", "--mode", "ctr") == failures.ExitCode.USAGE
    assert "bare cannot encrypt AES in ctr with such a key" in capfd.readouterr().err


def test_a_device_that_fails_is_told_and_the_others_are_shown(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise _engine.DeviceError("it has vanished")

    cpu = open_device("cpu")
    about = ("algorithms", "architecture", "description", "processors", "clock_mhz")
    lost = SimpleNamespace(name="gpu:0", run=fail, **{name: getattr(cpu, name) for name in about})
    monkeypatch.setattr(measured, "open_devices", lambda *_, **__: [lost, cpu])
    code = run("--device", "x", "--mode", "ctr", "--mode", "gcm", "--bytes", "1k", "--runs", "2")
    assert code == failures.ExitCode.DEVICE
    told = capfd.readouterr()
    assert told.err.splitlines()[-1] == "ciphermill: gpu:0 failed: it has vanished"
    assert told.out.count("gpu:0 (no figures)") == 2
    assert "gpu:0 failed: it has vanished" in told.out


def test_devices_that_are_left_out_are_told(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    unable = SimpleNamespace(name="bare", algorithms=[("aes", "encrypt", "ecb", [128])])
    devices = [open_device("cpu"), unable]
    monkeypatch.setattr(measured, "open_devices", lambda *_, **__: devices)
    found = figures(capfd, "--mode", "ctr", "--bytes", "64", "--runs", "1")
    assert [one["device"] for one in found] == ["cpu"]
    assert run("--mode", "ctr", "--bytes", "64", "--runs", "1") == 0
    assert "bare is left out: it cannot encrypt what is asked" in capfd.readouterr().err
