# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Sources of passwords, and places where passwords never appear."""

import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

import pytest

from .conftest import COMMAND, Ciphermill, wait_for

PASSWORD = "correct horse battery staple"
FAST = ("--kdf", "pbkdf2")


def on_terminal(
    ciphermill: Ciphermill, arguments: list[str], answers: list[str]
) -> tuple[int, str]:
    """Run on a terminal of its own, answering each prompt; return exit code and output."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(ciphermill.folder)
        os.execve(COMMAND, [str(COMMAND), *arguments], ciphermill.environment)
    shown = ""
    waiting = list(answers)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        readable, _, _ = select.select([terminal], [], [], 1)
        if not readable:
            continue
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        if not data:
            break
        shown += data.decode()
        if waiting and shown.endswith(": "):
            os.write(terminal, (waiting.pop(0) + "\n").encode())
            shown += "\n"
    _, status = os.waitpid(process, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown


def test_prompt_asks_twice_and_shows_nothing(ciphermill: Ciphermill, plain: bytes) -> None:
    code, shown = on_terminal(ciphermill, ["encrypt", "plain", *FAST], [PASSWORD, PASSWORD])
    assert (code, "plain.cm" in ciphermill.files()) == (0, True), shown
    assert shown.count(": ") >= 2
    assert "horse" not in shown
    code, shown = on_terminal(ciphermill, ["decrypt", "plain.cm", "-o", "back"], [PASSWORD])
    assert code == 0, shown
    assert (ciphermill.folder / "back").read_bytes() == plain


def test_a_slip_at_the_prompt_is_asked_again(ciphermill: Ciphermill, plain: bytes) -> None:
    answers = [PASSWORD, "other", PASSWORD, PASSWORD]
    code, shown = on_terminal(ciphermill, ["encrypt", "plain", *FAST], answers)
    assert code == 0, shown
    assert shown.count("The two passwords differ") == 1
    back = ciphermill("decrypt", "plain.cm", "-o", "back", CIPHERMILL_PASSWORD=PASSWORD)
    assert back.code == 0, back


def test_slips_at_the_prompt_come_to_an_end(ciphermill: Ciphermill, plain: bytes) -> None:
    code, shown = on_terminal(ciphermill, ["encrypt", "plain", *FAST], [PASSWORD, "other"] * 3)
    assert code == 2
    assert "differed each time" in shown
    assert ciphermill.files() == ["plain"]


BEFORE_THE_PASSWORD = {
    "absent input": (1, "No such file", ["encrypt", "nowhere"]),
    "absent folder": (1, "No such file", ["encrypt", "plain", "-o", "nowhere/out"]),
    "existing output": (2, "--force", ["encrypt", "plain", "-o", "there"]),
    "itself": (2, "is the input itself", ["encrypt", "plain", "-o", "plain", "--force"]),
    "a folder": (1, "tar c folder | ciphermill encrypt", ["encrypt", "folder"]),
    "second input": (1, "No such file", ["encrypt", "plain", "nowhere", "--force"]),
    "device": (2, "abacus", ["encrypt", "plain", "-o", "out", "--device", "abacus"]),
    "chunk": (2, "multiple of 16", ["encrypt", "plain", "-o", "out", "--chunk", "100"]),
    "absent container": (1, "No such file", ["decrypt", "nowhere.cm"]),
    "no container": (3, "not a Ciphermill file", ["decrypt", "there", "-o", "out"]),
    "existing plaintext": (2, "--force", ["decrypt", "plain.cm"]),
    "a key is needed": (2, "--key-file", ["decrypt", "plain.cm", "-o", "out"]),
}


@pytest.mark.parametrize("name", BEFORE_THE_PASSWORD)
def test_what_is_found_before_the_password(
    name: str, ciphermill: Ciphermill, plain: bytes, key: Path
) -> None:
    """No question is asked on a terminal; the error is the same without one."""
    assert ciphermill("encrypt", "plain", "--key-file", key).code == 0
    (ciphermill.folder / "there").write_text("there")
    (ciphermill.folder / "folder").mkdir()
    before = ciphermill.files()
    code, words, arguments = BEFORE_THE_PASSWORD[name]
    ended, shown = on_terminal(ciphermill, arguments, [])
    assert ended == code, shown
    assert "Password" not in shown
    assert words in shown.replace("\r\n", "")
    without = subprocess.run(
        [COMMAND, *arguments],
        cwd=ciphermill.folder,
        env=ciphermill.environment,
        capture_output=True,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    assert without.returncode == code
    assert words in without.stderr
    assert ciphermill.files() == before


def test_a_terminal_is_told_what_was_written(
    ciphermill: Ciphermill, plain: bytes, key: Path
) -> None:
    arguments = ["encrypt", "plain", "--key-file", str(key)]
    code, shown = on_terminal(ciphermill, arguments, [])
    assert code == 0, shown
    assert re.search(r"plain\.cm: 16\.8 kB in \d+\.\d\d s, [\d.]+ [kMG]?B/s", shown), shown
    code, shown = on_terminal(ciphermill, ["decrypt", "plain.cm", "-f", "--key-file", str(key)], [])
    assert code == 0, shown
    assert "plain: 16.6 kB in" in shown
    code, shown = on_terminal(ciphermill, [*arguments, "--force", "--quiet"], [])
    assert (code, shown) == (0, "")
    answers = [PASSWORD, PASSWORD]
    code, shown = on_terminal(ciphermill, ["encrypt", "plain", "-f", *FAST], answers)
    assert "for the key" in shown


def test_quiet_drops_warnings_and_no_errors(
    ciphermill: Ciphermill, plain: bytes, key: Path
) -> None:
    arguments = ("encrypt", "plain", "--key-file", key, "--mode", "ecb", "--quiet")
    quiet = ciphermill(*arguments)
    assert (quiet.code, quiet.out, quiet.err) == (0, b"", "")
    ciphermill(*arguments).failed(2, "exists")


def test_the_password_comes_from_standard_input(ciphermill: Ciphermill, plain: bytes) -> None:
    file = ("--password-file", "-")
    there = ciphermill("encrypt", "plain", *file, *FAST, stdin=PASSWORD.encode() + b"\nmore\n")
    assert there.code == 0, there
    back = ciphermill("decrypt", "plain.cm", "-o", "back", *file, stdin=PASSWORD.encode())
    assert back.code == 0, back
    assert (ciphermill.folder / "back").read_bytes() == plain
    ciphermill("encrypt", "plain", "-f", *file, *FAST).failed(2, "empty", "standard input")
    for name in ("encrypt", "decrypt"):
        ciphermill(name, "-", *file, stdin=b"secret\n").failed(2, "standard input cannot be both")


def test_an_empty_answer(ciphermill: Ciphermill, plain: bytes) -> None:
    code, shown = on_terminal(ciphermill, ["encrypt", "plain", *FAST], ["", ""])
    assert code == 2
    assert "empty" in shown


def test_binary_does_not_go_to_a_terminal(ciphermill: Ciphermill, plain: bytes, key: Path) -> None:
    arguments = ["encrypt", "plain", "-o", "-", "--key-file", str(key)]
    code, shown = on_terminal(ciphermill, arguments, [])
    assert code == 2
    assert "terminal" in shown


def test_progress_is_shown_on_a_terminal_only(ciphermill: Ciphermill, key: Path) -> None:
    (ciphermill.folder / "big").write_bytes(bytes(200_000))
    arguments = ["encrypt", "big", "--key-file", str(key), "--device", "model:aes-iterative"]
    code, shown = on_terminal(ciphermill, arguments, [])
    assert code == 0, shown
    assert "encrypting" in shown
    quiet = ciphermill(*arguments, "--force")
    assert (quiet.code, quiet.out, quiet.err) == (0, b"", "")


@pytest.mark.parametrize("device", ["cpu", "auto"])
def test_no_terminal_to_ask_on(device: str, ciphermill: Ciphermill, plain: bytes) -> None:
    """It is told before ``auto`` measures the devices, which ends with a line on its choice."""
    ran = subprocess.run(
        [COMMAND, "encrypt", "plain", "--device", device],
        cwd=ciphermill.folder,
        env=ciphermill.environment,
        capture_output=True,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
    )
    assert ran.returncode == 2
    assert b"--password-file" in ran.stderr
    assert ran.stderr.count(b"\n") == 1, ran.stderr
    assert ciphermill.files() == ["plain"]


@pytest.mark.parametrize("ending", ["", "\n", "\r\n", "\nmore lines\n"])
def test_password_file_is_its_first_line(
    ending: str, ciphermill: Ciphermill, plain: bytes, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes((PASSWORD + ending).encode())
    assert ciphermill("encrypt", "plain", "--password-file", secret, *FAST).code == 0
    back = ciphermill("decrypt", "plain.cm", "-o", "back", CIPHERMILL_PASSWORD=PASSWORD)
    assert back.code == 0


def test_the_option_comes_before_the_environment(
    ciphermill: Ciphermill, plain: bytes, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(PASSWORD)
    made = ciphermill(
        "encrypt", "plain", "--password-file", secret, *FAST, CIPHERMILL_PASSWORD="other"
    )
    assert made.code == 0
    assert ciphermill("decrypt", "plain.cm", "-o", "x", CIPHERMILL_PASSWORD="other").code == 4


@pytest.mark.parametrize("contents", [b"", b"\n", b"\nsecond line\n"])
def test_empty_password_file(
    contents: bytes, ciphermill: Ciphermill, plain: bytes, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(contents)
    ciphermill("encrypt", "plain", "--password-file", secret).failed(2, "empty")


def test_empty_environment(ciphermill: Ciphermill, plain: bytes) -> None:
    ciphermill("encrypt", "plain", CIPHERMILL_PASSWORD="").failed(2, "empty")


def test_missing_secret_files(ciphermill: Ciphermill, plain: bytes) -> None:
    ciphermill("encrypt", "plain", "--password-file", "nowhere").failed(1, "nowhere")
    ciphermill("encrypt", "plain", "--key-file", "nowhere").failed(1, "nowhere")


@pytest.mark.parametrize("length", [0, 1, 15, 17, 33, 1000])
def test_key_files_of_other_lengths(
    length: int, ciphermill: Ciphermill, plain: bytes, key: Path
) -> None:
    key.write_bytes(bytes(length))
    ciphermill("encrypt", "plain", "--key-file", key).failed(2, "16, 24 or 32 bytes")


def test_no_option_takes_a_password(ciphermill: Ciphermill) -> None:
    for name in ("encrypt", "decrypt"):
        ciphermill(name, "--password", "secret", "plain").failed(2)


def test_the_password_is_in_no_argument_while_running(
    ciphermill: Ciphermill, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(PASSWORD)
    process = ciphermill.start(
        "encrypt", "-", "-o", "out", "--password-file", secret, stdin=subprocess.PIPE
    )
    arguments = Path(f"/proc/{process.pid}/cmdline")
    wait_for(lambda: b"encrypt" in arguments.read_bytes())
    seen = arguments.read_bytes() + Path(f"/proc/{process.pid}/environ").read_bytes()
    process.communicate(b"data", timeout=60)
    assert process.returncode == 0
    assert PASSWORD.encode() not in seen
