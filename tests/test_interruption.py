# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Interrupted runs end soon, say so, and leave no file."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from .conftest import Ciphermill, wait_for

SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 143}


def is_waiting(process: "subprocess.Popen[bytes]", path: Path) -> bool:
    """Whether the process has the file or folder open, so that its work has begun."""
    descriptors = Path(f"/proc/{process.pid}/fd")
    for entry in descriptors.iterdir():
        try:
            if str(entry.readlink()).startswith(str(path)):
                return True
        except OSError:
            continue
    return False


@pytest.mark.parametrize("number", SIGNALS)
def test_while_waiting_for_input(number: signal.Signals, ciphermill: Ciphermill, key: Path) -> None:
    process = ciphermill.start(
        "encrypt", "-", "-o", "out", "--key-file", key, stdin=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(bytes(3_000_000))
    process.stdin.flush()
    wait_for(lambda: is_waiting(process, ciphermill.folder))
    process.send_signal(number)
    begin = time.monotonic()
    code = process.wait(30)
    assert time.monotonic() - begin < 10
    assert code == SIGNALS[number]
    assert process.stderr is not None
    assert process.stderr.read().count(b"\n") == 1
    assert ciphermill.files() == []


def test_while_waiting_for_a_reader(ciphermill: Ciphermill, key: Path) -> None:
    (ciphermill.folder / "big").write_bytes(bytes(3_000_000))
    process = ciphermill.start(
        "encrypt", "big", "-o", "-", "--key-file", key, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.read(10)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130


def test_while_a_model_works(ciphermill: Ciphermill, key: Path) -> None:
    (ciphermill.folder / "big").write_bytes(bytes(30_000_000))
    process = ciphermill.start(
        "encrypt", "big", "--key-file", key, "--device", "model:aes-iterative"
    )
    wait_for(lambda: is_waiting(process, ciphermill.folder / "big"))
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    assert process.wait(60) == 130
    assert time.monotonic() - begin < 30
    assert ciphermill.files() == ["big"]


def test_while_weighing(ciphermill: Ciphermill, tmp_path: Path) -> None:
    (ciphermill.folder / "big").write_bytes(bytes(30_000_000))
    process = ciphermill.start("weigh", "big", "--device", "model:aes-iterative")
    store = tmp_path / "data" / "ciphermill" / "measurements.sqlite"
    wait_for(store.exists)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    assert not list(store.parent.glob("weigh*.html"))
    assert ciphermill("results", "--json").out == b"[]\n"


def test_killed(ciphermill: Ciphermill, key: Path) -> None:
    """Even SIGKILL leaves no file, where the file system has unnamed temporary files."""
    process = ciphermill.start(
        "encrypt", "-", "-o", "out", "--key-file", key, stdin=subprocess.PIPE
    )
    wait_for(lambda: is_waiting(process, ciphermill.folder))
    process.kill()
    process.wait(30)
    assert "out" not in ciphermill.files()
