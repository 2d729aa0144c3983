# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What builds and tools are at: shown on a terminal, a line a step elsewhere, or silent."""

import io
import threading
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn

from ciphermill.cli import failures, progress
from ciphermill.cli.main import cli
from ciphermill.toolchain import model, soc
from ciphermill.toolchain.errors import ToolError


def test_a_pipe_gets_a_line_a_step(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.of_work() as report:
        report("synthesis of a core ...")
        report("it took 3 s")
    shown = capsys.readouterr()
    assert shown.err == "synthesis of a core ...\nit took 3 s\n"
    assert shown.out == ""


def test_silence(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.of_work(silent=True) as report:
        report("synthesis of a core ...")
    assert capsys.readouterr().err == ""


class Clock:
    """A clock that a test sets."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_a_terminal_shows_the_step_and_keeps_its_time() -> None:
    screen, clock = io.StringIO(), Clock()
    console = Console(file=screen, force_terminal=True, no_color=True, width=80)
    columns = (TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=console, get_time=clock, auto_refresh=False) as live:
        steps = progress.Steps(live)
        steps.report("synthesis of [a] core ...")
        clock.seconds = 75.0
        live.refresh()
        assert "synthesis of [a] core 0:01:15" in screen.getvalue()
        steps.report("place and route ...")
        assert "synthesis of [a] core: 75 s" in screen.getvalue()
        # A thread of its own has a step of its own.
        other = threading.Thread(target=steps.report, args=("toggles ...",))
        other.start()
        other.join()
        assert [task.description for task in live.tasks] == ["place and route", "toggles"]
        steps.end_all()
        assert not live.tasks
    # A step that took no time leaves no line.
    assert "place and route: " not in screen.getvalue()


def test_build_says_its_steps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def build(name: str, *, report: progress.Report) -> Path:
        report(f"building {name} ...")
        return tmp_path / f"{name}.so"

    monkeypatch.setattr(model, "ensure_model", build)
    assert failures.run(cli, ["build", "one", "two"]) == 0
    shown = capsys.readouterr()
    assert shown.err == "building one ...\nbuilding two ...\n"
    assert shown.out.startswith("one: ")


@pytest.mark.parametrize(
    "words",
    [
        "cosim --partition iterative --trace t.fst",
        "paper aes256-hw-sw-partitions --no-area --trace t.fst",
    ],
)
def test_headers_of_waveforms_are_looked_for_before_anything_is_built(
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    def missing() -> None:
        raise ToolError("lz4.h, which waveforms need, is missing: apt install liblz4-dev")

    def begun(*_: object, **__: object) -> None:
        raise AssertionError("something was built")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(soc, "need_trace_headers", missing)
    monkeypatch.setattr("ciphermill.campaign.run.evaluate", begun)
    assert failures.run(cli, [*words.split(), "--store", str(tmp_path / "s")]) == 1
    assert "apt install liblz4-dev" in capsys.readouterr().err
