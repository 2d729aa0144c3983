# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""End-to-end tests drive the installed command, as a user would."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.openssl import OpenSsl

if TYPE_CHECKING:
    from playwright import sync_api as playwright

COMMAND = Path(sys.executable).with_name("ciphermill")
CHUNK = 4096
"""Small chunks, so that short files have several."""


@dataclass(frozen=True)
class Outcome:
    code: int
    out: bytes
    err: str

    def failed(self, code: int, *words: str) -> None:
        """Assert that the command failed with this code, one line of error and no traceback."""
        assert self.code == code, self
        assert "Traceback" not in self.err
        lines = [line for line in self.err.splitlines() if "warning:" not in line]
        assert len(lines) == 1, self.err
        assert lines[0].startswith("ciphermill: ")
        for word in words:
            assert word in lines[0]


@dataclass
class Simulator:
    """A running ``ciphermill serve``."""

    process: subprocess.Popen[bytes]

    def said(self, words: str) -> list[str]:
        """Wait until it prints this; return all lines until then, that line last."""
        assert self.process.stderr is not None
        lines: list[str] = []
        while not lines or words not in lines[-1]:
            line = self.process.stderr.readline().decode()
            assert line, f"the simulator ended: {lines}"
            lines.append(line)
        return lines


@dataclass
class Ciphermill:
    """The command, in a folder of its own and with an environment of its own."""

    folder: Path
    environment: dict[str, str]
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __call__(
        self,
        *arguments: str | Path,
        stdin: bytes = b"",
        stdout: int | None = None,
        file_limit: int | None = None,
        seconds: float = 300,
        **environment: str,
    ) -> Outcome:
        """Run to the end, for at most so many seconds."""
        ran = subprocess.run(
            [COMMAND, *arguments],
            input=stdin,
            stdout=subprocess.PIPE if stdout is None else stdout,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            env=self.environment | environment,
            timeout=seconds,
            check=False,
            preexec_fn=_limit(file_limit),
        )
        return Outcome(ran.returncode, ran.stdout or b"", ran.stderr.decode())

    def start(self, *arguments: str | Path, **streams: int) -> subprocess.Popen[bytes]:
        """Start a command that the test ends, or the fixture after it."""
        process = subprocess.Popen(
            [COMMAND, *arguments],
            cwd=self.folder,
            env=self.environment,
            **({"stderr": subprocess.PIPE} | streams),
        )
        self.started.append(process)
        return process

    def serve(self, board: Path, design: str = "aes-iterative") -> Simulator:
        """Start a simulated accelerator behind device files, and wait until they are there."""
        process = self.start("serve", design, "--dir", board)
        simulator = Simulator(process)
        simulator.said(f"serving {design}")
        return simulator

    def files(self) -> list[str]:
        """Return the names of all files in the folder, hidden ones included."""
        return sorted(entry.name for entry in self.folder.iterdir())


def _limit(file_limit: int | None) -> Callable[[], None] | None:
    if file_limit is None:
        return None

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

    return limit


@pytest.fixture
def ciphermill(tmp_path: Path) -> Iterator[Ciphermill]:
    folder = tmp_path / "work"
    folder.mkdir()
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("CIPHERMILL_PASS")}
    environment = inherited | {"XDG_DATA_HOME": str(tmp_path / "data"), "COLUMNS": "100"}
    environment.pop("CIPHERMILL_STORE", None)
    command = Ciphermill(folder, environment)
    yield command
    for process in command.started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def plain(ciphermill: Ciphermill) -> bytes:
    """Contents of the file ``plain``: five chunks, the last one short."""
    data = bytes(range(256)) * 65 + b"the end"
    (ciphermill.folder / "plain").write_bytes(data)
    return data


@pytest.fixture
def key(ciphermill: Ciphermill, tmp_path: Path) -> Path:
    """A key file: no key derivation takes time."""
    path = tmp_path / "key"
    path.write_bytes(bytes(range(32)))
    return path


@pytest.fixture
def sealed(ciphermill: Ciphermill, plain: bytes, key: Path) -> bytes:
    """Contents of the file ``sealed.cm``; ``plain`` is gone."""
    made = ciphermill(
        "encrypt", "plain", "-o", "sealed.cm", "--key-file", key, "--chunk", str(CHUNK)
    )
    assert made.code == 0, made
    (ciphermill.folder / "plain").unlink()
    return (ciphermill.folder / "sealed.cm").read_bytes()


@pytest.fixture
def openssl(tmp_path: Path) -> OpenSsl:
    folder = tmp_path / "openssl"
    folder.mkdir()
    return OpenSsl(folder)


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    from support.browser import launched

    with launched() as opened:
        yield opened


@pytest.fixture
def tab(browser: playwright.Browser) -> Iterator[playwright.Page]:
    from support.browser import tab_of

    with tab_of(browser) as page:
        yield page


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until the condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
