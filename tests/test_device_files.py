# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Six client processes at once on the device files of one simulated accelerator."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from .conftest import Ciphermill, Simulator

CLIENTS = 6
DESIGN = "aes-pipelined-channels"
LENGTH = 200_003


@pytest.fixture
def board(tmp_path: Path) -> Path:
    return tmp_path / "board"


@pytest.fixture
def simulator(ciphermill: Ciphermill, board: Path) -> Simulator:
    return ciphermill.serve(board, DESIGN)


def start(
    ciphermill: Ciphermill, board: Path, number: int, length: int = LENGTH, settings: str = ""
) -> subprocess.Popen[bytes]:
    """Encrypt a file with the key of a client of this number, in a process of its own."""
    (ciphermill.folder / f"key{number}").write_bytes(bytes([number]) * 32)
    (ciphermill.folder / f"plain{number}").write_bytes(plain(number, length))
    return ciphermill.start(
        *("encrypt", f"plain{number}", "-o", f"sealed{number}", "--force"),
        *("--device", f"stream:{board}{settings}", "--key-file", f"key{number}"),
        *("--mode", "ctr"),
    )


def plain(number: int, length: int = LENGTH) -> bytes:
    return bytes((number + index) % 251 for index in range(length))


def check(ciphermill: Ciphermill, number: int, process: subprocess.Popen[bytes]) -> None:
    """The process ends well, and what it wrote is decrypted by software."""
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, (number, err)
    opened = ciphermill(
        *("decrypt", f"sealed{number}", "-o", f"opened{number}", "--force"),
        *("--device", "cpu", "--key-file", f"key{number}"),
    )
    assert opened.code == 0, opened
    assert (ciphermill.folder / f"opened{number}").read_bytes() == plain(number), number


@pytest.mark.usefixtures("simulator")
def test_six_processes_with_keys_of_their_own(ciphermill: Ciphermill, board: Path) -> None:
    running = {number: start(ciphermill, board, number) for number in range(CLIENTS)}
    for number in (3, 0, 5, 1, 4, 2):
        check(ciphermill, number, running[number])


def test_clients_that_are_killed_or_stopped_hinder_no_other(
    ciphermill: Ciphermill, board: Path, simulator: Simulator
) -> None:
    endless = 40_000_000
    killed, stopped = (start(ciphermill, board, number, endless) for number in (0, 1))
    for _ in range(2):
        simulator.said("a client has opened")
    # Both have messages under way by now, or do not: neither must matter.
    time.sleep(1)
    assert killed.poll() is None and stopped.poll() is None
    stopped.send_signal(signal.SIGSTOP)
    killed.kill()
    running = {number: start(ciphermill, board, number) for number in range(2, CLIENTS)}
    for number, process in running.items():
        check(ciphermill, number, process)
    assert stopped.poll() is None
    assert not (ciphermill.folder / "sealed0").exists()
    # The channel of the one that was killed is free again, and nothing of it is left there.
    check(ciphermill, 2, start(ciphermill, board, 2))


def test_clients_take_turns(ciphermill: Ciphermill, board: Path) -> None:
    ciphermill.serve(board)
    running = {
        number: start(ciphermill, board, number, settings=",wait_seconds=120")
        for number in range(CLIENTS)
    }
    for number, process in running.items():
        check(ciphermill, number, process)
