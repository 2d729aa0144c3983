# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``bench`` and ``weigh --verdict`` with a simulator behind device files, and one that vanishes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from .conftest import Ciphermill

COMMANDS = (("bench", "--mode", "ctr", "--runs", "2"), ("weigh", "--verdict"))
IDENTITY = ("bench", "verdict")


@pytest.mark.parametrize("command", COMMANDS, ids=IDENTITY)
def test_a_simulator_behind_device_files_is_simulated(
    command: tuple[str, ...], ciphermill: Ciphermill, tmp_path: Path
) -> None:
    board = tmp_path / "board"
    ciphermill.serve(board)
    devices = ("--device", f"stream:{board}", "--device", "cpu")
    outcome = ciphermill(*command, *devices, "--bytes", "1k", "--json")
    assert outcome.code == 0, outcome
    found = json.loads(outcome.out)
    [simulated] = [one for one in found if one["device"] == f"stream:{board}"]
    assert (simulated["method"], simulated["correct"]) == ("simulated", True)
    assert "platform" not in simulated
    # 64 blocks of 14 cycles at 100 MHz, the key and the bus: no wall time is that short here.
    assert 9e-6 < simulated["time.total_s"] < 20e-6
    for one in found:
        assert (one["method"] == "measured") == (one["device"] == "cpu")


@pytest.mark.parametrize("command", COMMANDS, ids=IDENTITY)
def test_a_device_that_vanishes_is_told_and_the_others_are_shown(
    command: tuple[str, ...], ciphermill: Ciphermill, tmp_path: Path
) -> None:
    board = tmp_path / "board"
    simulator = ciphermill.serve(board)
    devices = ("--device", f"stream:{board}", "--device", "cpu")
    running = ciphermill.start(
        *command, *devices, "--bytes", "1k", "--bytes", "64M", stdout=subprocess.PIPE
    )
    assert running.stderr is not None and running.stdout is not None
    lines = []
    while not lines or f"stream:{board}" not in lines[-1] or "67,108,864" not in lines[-1]:
        lines.append(running.stderr.readline().decode())
        assert lines[-1], lines
    simulator.process.kill()
    out, err = running.communicate(timeout=300)
    assert running.returncode == 5, err
    words = err.decode().splitlines()[-1]
    assert words.startswith(f"ciphermill: stream:{board} failed: "), err
    shown = out.decode()
    assert f"stream:{board} failed: " in shown.replace("\n", "")
    assert "no figures" in shown
    # What was done before stays, and is stored.
    stored = json.loads(ciphermill("results", "--json").out)
    kinds = {
        (one["device"], one["bytes"]): "throughput.mb_s" in one
        for one in stored
        if one.get("at_once", 1) == 1
    }
    assert kinds == {
        (f"stream:{board}", 1024): True,
        (f"stream:{board}", 64 << 20): False,
        ("cpu", 1024): True,
        ("cpu", 64 << 20): True,
    }
