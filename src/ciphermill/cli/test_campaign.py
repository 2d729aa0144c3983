# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill campaign``: refusals, and a short one on a simulated platform."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ciphermill.cli import campaign as cli_campaign
from ciphermill.cli import failures, running
from ciphermill.cli.campaign import PLATFORMS
from ciphermill.cli.main import cli
from ciphermill.design import find_home, platform_names
from ciphermill.design.operations import Operation
from ciphermill.design.streaming_platform import StreamingPlatform
from ciphermill.evaluate.stream import bench, latency, openssl_program, swept, wall
from ciphermill.evaluate.stream.sweeps import SweepPoint, sweep_at
from ciphermill.toolchain import provenance

SHORT = ("campaign", "--largest", "64k", "--no-bench")


def test_the_help_names_every_platform() -> None:
    assert sorted(PLATFORMS) == platform_names(StreamingPlatform)
    assert ", ".join(PLATFORMS) in " ".join((cli_campaign.command.help or "").split())


def test_a_campaign_of_what_is_asked(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    chosen = ["--smallest", "64k", "--mode", "ctr", "--direction", "encrypt"]
    chosen += ["--application", "openssl", "--destination", "sink", "--json"]
    store = ["--store", str(tmp_path / "s.sqlite")]
    assert failures.run(cli, [*SHORT, "zedboard", "zc706", *chosen, *store]) == 0
    seen = json.loads(capfd.readouterr().out)
    assert [(one["platform"], one["device"]) for one in seen] == [
        ("zedboard", "software"),
        ("zedboard", "hardware"),
        ("zc706", "software"),
        ("zc706", "software+"),
        ("zc706", "hardware"),
    ]
    assert {one["bytes"] for one in seen} == {64 << 10}
    same = ("mode", "operation", "application", "destination")
    assert {tuple(one[name] for name in same) for one in seen} == {
        ("ctr", "encrypt", "openssl", "sink")
    }


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nexys"], 2, "no streaming platform is called 'nexys'; "),
        (["zc706-arm", "--cores", "own"], 2, "has no cores of its own"),
        (["zedboard", "--cores", "aes-nothing"], 2, "aes-nothing"),
        (["zedboard", "--largest", "16k"], 2, "less than the smallest size, 32 KiB"),
        ([], 2, "name a platform (zedboard, "),
        (["zedboard", "--largest", "much"], 2, "not a number of bytes"),
    ],
)
def test_refusal_is_one_line(
    arguments: list[str],
    code: int,
    message: str,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    store = ["--store", str(tmp_path / "s.sqlite")]
    assert failures.run(cli, [*SHORT, *arguments, *store]) == code
    shown = capfd.readouterr()
    assert shown.out == ""
    assert message in shown.err
    assert shown.err.count("\n") == 1


@pytest.mark.parametrize(
    "option",
    [
        ["--plots", "plots"],
        ["--largest", "1M"],
        ["--no-bench"],
        ["--bench"],
    ],
)
def test_a_sweep_refuses_what_it_would_ignore(
    option: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert failures.run(cli, ["campaign", "zedboard", "--sweep", "bus", *option]) == 2
    shown = capfd.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert "--sweep does not go with" in shown.err
    assert option[0] in shown.err


def test_micro_benchmarks_are_stored_and_shown_again(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "BUS_BENCH_BYTES", 1 << 22)
    monkeypatch.setattr(bench, "HELD_OUT_BUFFERS", 1)
    store = ["--store", str(tmp_path / "s.sqlite")]
    chosen = ["--smallest", "64k", "--largest", "64k", "--mode", "ctr", "--application", "openssl"]
    assert failures.run(cli, ["campaign", "zedboard", *chosen, *store]) == 0
    first = capfd.readouterr().out
    begin = first.index("zedboard: micro-benchmarks")
    assert "CTR decrypt" in first[begin:]
    assert failures.run(cli, ["report", "1", *store]) == 0
    assert first[begin:].strip() in capfd.readouterr().out
    page = (tmp_path / "run-1-sweep.html").read_text(encoding="utf-8")
    assert "zedboard: micro-benchmarks" in page
    assert "Streams on zedboard" in (tmp_path / "run-1.html").read_text(encoding="utf-8")
    assert failures.run(cli, ["campaign", "zedboard", *chosen, "--json", *store]) == 0
    printed = [one.get("workload") for one in json.loads(capfd.readouterr().out)]
    streams = printed.index("bus, within a burst")
    assert printed[:streams] == [None] * streams
    assert printed[streams:] == ["bus, within a burst", "bus", *["from memory"] * 12]


def test_a_killed_sweep_is_continued_and_shown_again(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clean = provenance.provenance(["ciphermill"]).model_copy(update={"commit": "0" * 40})
    monkeypatch.setattr(running, "origin", lambda: clean)
    taken: list[float] = []

    def short(*asked: Any, length: int, **options: Any) -> Iterator[SweepPoint]:
        if len(taken) == 2 and 3 not in taken:
            taken.append(3)
            raise KeyboardInterrupt
        taken.append(asked[2])
        return sweep_at(*asked, length=length // 64, **options)

    monkeypatch.setattr(swept, "sweep_at", short)
    # A table that fits its screen has one line a row.
    monkeypatch.setenv("COLUMNS", "200")
    store = ["--store", str(tmp_path / "s.sqlite")]
    arguments = ["campaign", "zedboard", "--sweep", "buffers", *store]
    assert failures.run(cli, arguments) == 130
    told = f"interrupted; what was measured is stored as run 1 in {tmp_path / 's.sqlite'}\n"
    assert capfd.readouterr().err.endswith(told)
    assert failures.run(cli, arguments) == 0
    shown = capfd.readouterr()
    # The two values that were done are not simulated again.
    assert taken == [4, 8, 3, 16, 32, 64, 128, 256]
    assert "2 of 7 points are stored" in shown.err
    assert re.findall(r"^ *(\d+) ", shown.out, re.MULTILINE) == [str(4 << n) for n in range(7)]
    page = (tmp_path / "sweep-1.html").read_text(encoding="utf-8")
    assert "Properties of zedboard" in page
    assert failures.run(cli, ["report", "1", *store]) == 0
    table = shown.out.partition("Report:")[0]
    assert table.strip() in capfd.readouterr().out
    assert (tmp_path / "run-1.html").read_text(encoding="utf-8") == page


def test_latencies_of_the_link_are_stored_and_shown_again(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latency, "LATENCIES_NS", (0.0, 2500.0))
    monkeypatch.setenv("COLUMNS", "200")
    store = ["--store", str(tmp_path / "s.sqlite")]
    arguments = ["campaign", "zedboard", "--sweep", "latency", *store]
    assert failures.run(cli, arguments) == 0
    table = capfd.readouterr().out.partition("Report:")[0]
    assert re.findall(r"^ *([\d,]+) +CTR .* modelled$", table, re.MULTILINE) == ["0", "2,500"]
    assert failures.run(cli, ["report", "1", *store]) == 0
    assert table.strip() in capfd.readouterr().out
    assert failures.run(cli, [*arguments, "--json"]) == 0
    seen = json.loads(capfd.readouterr().out)
    assert [one["workload"] for one in seen] == ["latency=0.0"] * 15 + ["latency=2500.0"] * 15
    assert {one["bytes"] for one in seen} == {4096, 16384, 65536, 262144, 1048576}
    assert "assumed:zedboard.bus.latency_ns" in seen[-1]["inputs"]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["zedboard"], "--device does not go with a platform"),
        (["--cores", "paper"], "--device does not go with --cores"),
        (["--bench"], "--device does not go with --bench"),
        (["--sweep", "bus"], "--device does not go with --sweep"),
        (["--folder", "/nowhere"], "/nowhere is not a folder"),
    ],
)
def test_a_device_goes_with_no_platform(
    option: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert failures.run(cli, ["campaign", "--device", "cpu", *option]) == 2
    shown = capfd.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert message in shown.err


def test_a_folder_goes_with_a_device(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert failures.run(cli, [*SHORT, "zedboard", "--folder", str(tmp_path)]) == 2
    assert "--folder is for --device" in capfd.readouterr().err


def test_streams_at_once_go_with_a_device(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert failures.run(cli, [*SHORT, "zedboard", "--streams", "6"]) == 2
    assert "--streams is for --device" in capfd.readouterr().err
    assert failures.run(cli, ["campaign", "--device", "cpu", "--streams", "0"]) == 2
    assert "--streams" in capfd.readouterr().err
    monkeypatch.setattr(wall, "streamed_operations", lambda _: [Operation("ctr", "encrypt")])
    monkeypatch.setattr(wall, "MANY_RUNS", 1)
    monkeypatch.setenv("COLUMNS", "200")
    store = ["--store", str(tmp_path / "s.sqlite")]
    arguments = [*("campaign", "--device", "cpu", "--streams", "6", "--largest", "32k"), *store]
    assert failures.run(cli, [*arguments, "--application", "throughput"]) == 0
    table = capfd.readouterr().out
    assert "0.03125 MiB, 6 streams at once, MB/s" in table
    assert re.search(r"operation +stream 1 +stream 2 .* stream 6 +total", table)
    row = next(line for line in reversed(table.splitlines()) if "CTR encrypt" in line)
    assert failures.run(cli, ["report", "1", *store]) == 0
    shown = capfd.readouterr().out
    # By device there: the figures are the same.
    assert "cpu: each of 6 streams at once, 0.03125 MiB" in shown
    assert row.split()[-7:] in [line.split()[-7:] for line in shown.splitlines()]
    page = (tmp_path / "run-1.html").read_text(encoding="utf-8")
    assert "stream 6" in page


def test_a_short_campaign_on_this_machine(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wall, "streamed_operations", lambda _: [Operation("ecb", "encrypt")])
    monkeypatch.setattr(wall, "MANY_RUNS", 1)
    arguments = [
        *("campaign", "--device", "cpu", "--folder", str(tmp_path), "--largest", "32k"),
        *("--store", str(tmp_path / "s.sqlite"), "--application", "throughput"),
    ]
    assert failures.run(cli, [*arguments, "--json"]) == 0
    seen = json.loads(capfd.readouterr().out)
    assert {one["method"] for one in seen} == {"measured"}
    assert {one["device"] for one in seen} >= {"cpu"}
    assert failures.run(cli, arguments) == 0
    assert "this machine with cpu: 0.03125 MiB" in capfd.readouterr().out


def test_a_missing_provider_is_told_before_anything_runs(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openssl_program, "build_folder", lambda: tmp_path)
    arguments = ["campaign", "--device", "cpu", "--folder", str(tmp_path), "--largest", "32k"]
    assert failures.run(cli, [*arguments, "--store", str(tmp_path / "s.sqlite")]) == 1
    shown = capfd.readouterr()
    assert "make provider" in shown.err and "--application throughput" in shown.err
    assert shown.out == ""


def test_a_disk_with_too_little_room_is_no_wrong_option(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = SimpleNamespace(free=0)
    monkeypatch.setattr("shutil.disk_usage", lambda _: full)
    arguments = ["campaign", "--device", "cpu", "--folder", str(tmp_path)]
    assert failures.run(cli, [*arguments, "--store", str(tmp_path / "s.sqlite")]) == 1
    assert "name another --folder" in capfd.readouterr().err


def test_a_platform_that_contradicts_itself_is_refused(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = (find_home() / "platforms" / "zedboard.toml").read_text(encoding="utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(text.replace("fifo_kib = 2", "fifo_kib = 1"), encoding="utf-8")
    store = ["--store", str(tmp_path / "s.sqlite")]
    assert failures.run(cli, [*SHORT, str(path), *store]) == 3
    assert "less than two bursts" in capfd.readouterr().err


def test_a_short_campaign_with_plots(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "s.sqlite")]
    plots = tmp_path / "plots"
    arguments = [*SHORT, "zedboard", "--plots", str(plots), "--json", *store]
    assert failures.run(cli, arguments) == 0
    shown = capfd.readouterr()
    seen = json.loads(shown.out)
    assert len(seen) == 2 * 2 * 2 * 6 * 2
    assert {one["method"] for one in seen} == {"modelled"}
    assert all(one["inputs"] for one in seen)
    assert len(list(plots.glob("zedboard-*.svg"))) == 8
    assert (
        failures.run(
            cli, ["results", "--device", "hardware", "--platform", "zedboard", "--json", *store]
        )
        == 0
    )
    assert len(json.loads(capfd.readouterr().out)) == len(seen) // 2


@pytest.mark.parametrize("option", [["--cells", "osu018"], ["--soft-core", "ibex"], ["--energy"]])
def test_the_thesis_has_no_soft_cores_and_no_cells(
    option: list[str], capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments = ["paper", "thesis-zynq-ciphers", *option, "--store", str(tmp_path / "s")]
    assert failures.run(cli, arguments) == 2
    assert f"No such option '{option[0]}'" in capfd.readouterr().err
