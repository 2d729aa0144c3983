# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A simulated board in another process, reached through its device files."""

import fcntl
import json
import signal
import socket
import struct
import subprocess
import time
from pathlib import Path

import pytest

from ciphermill.registers import accel

from .conftest import Ciphermill, Simulator, wait_for

Board = tuple[Path, Simulator]


@pytest.fixture
def board(ciphermill: Ciphermill, tmp_path: Path) -> Board:
    folder = tmp_path / "board"
    return folder, ciphermill.serve(folder)


@pytest.mark.parametrize("mode", ["ctr", "cbc"])
def test_round_trip(
    mode: str, ciphermill: Ciphermill, plain: bytes, key: Path, board: Board
) -> None:
    device = f"stream:{board[0]}"
    secret = ("--key-file", key)
    there = ciphermill("encrypt", "plain", "--device", device, "--mode", mode, *secret)
    assert there.code == 0, there
    assert ciphermill("decrypt", "plain.cm", "-o", "one", *secret).code == 0
    assert ciphermill("decrypt", "plain.cm", "-o", "two", "--device", device, *secret).code == 0
    assert (ciphermill.folder / "one").read_bytes() == plain
    assert (ciphermill.folder / "two").read_bytes() == plain


def test_a_board_has_the_clock_that_was_set(ciphermill: Ciphermill, tmp_path: Path) -> None:
    folder = tmp_path / "board"
    process = ciphermill.start("serve", "aes-iterative,clock_mhz=50", "--dir", folder)
    Simulator(process).said("serving aes-iterative")
    assert json.loads((folder / "description.json").read_text())["clock_mhz"] == 50


@pytest.fixture
def channels(ciphermill: Ciphermill, tmp_path: Path) -> Board:
    """Serve a board with several channels."""
    folder = tmp_path / "board"
    design = Path(__file__).parent / "designs" / "channels.toml"
    simulator = Simulator(ciphermill.start("serve", design, "--dir", folder))
    simulator.said("serving test-channels")
    return folder, simulator


def test_a_client_that_hangs_holds_up_no_other_channel(
    ciphermill: Ciphermill, key: Path, channels: Board
) -> None:
    folder, _ = channels
    # Long enough not to end in the cycles of the driver's register accesses alone.
    (ciphermill.folder / "long").write_bytes(bytes(2_000_000))
    with (folder / "description.json").open() as lock, socket.socket(socket.AF_UNIX) as client:
        fcntl.flock(lock, fcntl.LOCK_EX)
        client.connect(str(folder / "registers.sock"))

        def access(operation: int, offset: int, value: int = 0) -> int:
            client.sendall(struct.pack("<III", operation, offset, value))
            status, answer, _ = struct.unpack("<III", client.recv(12, socket.MSG_WAITALL))
            assert status == 0
            return int(answer)

        # It starts a message for which it sends nothing.
        access(2, accel.CONFIGURATION, accel.CONFIGURATION__BYPASS.word())
        access(2, accel.MESSAGE_LENGTH_LOW, 1000)
        access(2, accel.CONTROL, accel.CONTROL__START.word())
        device = ("--device", f"stream:{folder}", "--mode", "ctr")
        made = ciphermill("encrypt", "long", *device, "--key-file", key)
        assert made.code == 0, made
        assert access(1, accel.STATUS) & accel.STATUS__BUSY.word()


def test_two_streams_through_two_channels(
    ciphermill: Ciphermill, plain: bytes, key: Path, channels: Board
) -> None:
    """The second one begins and ends while the first is in the middle of its message."""
    folder, simulator = channels
    encrypt = ("encrypt", "--device", f"stream:{folder}", "--mode", "ctr", "--key-file", key)
    first = ciphermill.start(*encrypt, "-", "-o", "first.cm", stdin=subprocess.PIPE)
    assert first.stdin is not None
    first.stdin.write(plain[:1000])
    first.stdin.flush()
    # It opens the device to see what it has, and then for its message.
    simulator.said("opened")
    simulator.said("opened")
    second = ciphermill(*encrypt, "plain", "-o", "second.cm")
    assert second.code == 0, second
    assert first.poll() is None
    first.communicate(plain[1000:], timeout=60)
    assert first.returncode == 0
    for name in ("first", "second"):
        done = ciphermill("decrypt", f"{name}.cm", "-o", name, "--key-file", key)
        assert done.code == 0, done
        assert (ciphermill.folder / name).read_bytes() == plain


def test_a_simulator_ends_when_interrupted_and_removes_its_files(board: Board) -> None:
    folder, simulator = board
    assert list(folder.iterdir())
    simulator.process.send_signal(signal.SIGINT)
    assert simulator.process.wait(30) == 0
    assert not folder.exists() or list(folder.iterdir()) == []


@pytest.mark.parametrize("target", ["out.cm", "-"])
def test_a_simulator_that_is_killed_mid_stream(
    target: str, ciphermill: Ciphermill, key: Path, board: Board
) -> None:
    folder, simulator = board
    (ciphermill.folder / "big").write_bytes(bytes(30_000_000))
    process = ciphermill.start(
        *("encrypt", "big", "-o", target, "--key-file", key, "--device", f"stream:{folder}"),
        stdout=subprocess.PIPE,
    )
    # The simulator says when somebody has opened the device.
    simulator.said("opened")
    time.sleep(0.5)
    assert process.poll() is None
    simulator.process.kill()
    begin = time.monotonic()
    _, err = process.communicate(timeout=60)
    assert time.monotonic() - begin < 30
    assert process.returncode == 5, err
    assert b"Traceback" not in err
    assert err.count(b"\n") == 1
    assert ciphermill.files() == ["big"]


def test_a_new_simulator_takes_over_from_one_that_was_killed(
    ciphermill: Ciphermill, plain: bytes, key: Path, board: Board
) -> None:
    folder, simulator = board
    simulator.process.kill()
    simulator.process.wait()
    gone = ciphermill("encrypt", "plain", "--key-file", key, "--device", f"stream:{folder}")
    gone.failed(5)
    again = Simulator(ciphermill.start("serve", "aes-iterative", "--dir", folder))
    assert "replaced" in again.said("serving")[-2]
    made = ciphermill("encrypt", "plain", "--key-file", key, "--device", f"stream:{folder}")
    assert made.code == 0, made


def test_no_device_files(ciphermill: Ciphermill, plain: bytes, key: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for folder in (empty, tmp_path / "nowhere"):
        outcome = ciphermill("encrypt", "plain", "--key-file", key, "--device", f"stream:{folder}")
        outcome.failed(5, "serve")
    assert ciphermill.files() == ["plain"]


def test_device_files_that_are_something_else(
    ciphermill: Ciphermill, plain: bytes, key: Path, board: Board, tmp_path: Path
) -> None:
    """A folder with files of the right names and foreign contents."""
    fake = tmp_path / "fake"
    fake.mkdir()
    for entry in board[0].iterdir():
        (fake / entry.name).write_bytes(b"\xff" * 256)
    outcome = ciphermill("encrypt", "plain", "--key-file", key, "--device", f"stream:{fake}")
    outcome.failed(5)
    wait_for(lambda: ciphermill.files() == ["plain"])
