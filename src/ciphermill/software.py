# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The device ``software``: OpenSSL without AES instructions, in a process of its own.

OpenSSL reads the environment variable ``OPENSSL_ia32cap`` once, when it is loaded, so a process
has either ``software`` or ``software+``. To have both, ``software`` is a child process of the same
interpreter, with the variable set. Times are measured in the child, where the cipher runs, and do
not include the transfer of data.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from typing import Any

from ciphermill import environment
from ciphermill._engine import Device, DeviceError, Error, stream_path_timed

NAME = "software"
VARIABLE = "OPENSSL_ia32cap"
WITHOUT_AES = "~0x200000200000000:~0x60000000000"
"""Hides AES-NI, PCLMULQDQ, VAES and VPCLMULQDQ from OpenSSL (OPENSSL_ia32cap(3))."""

_FACTS = (
    *("name", "description", "operations", "key_sizes", "algorithms"),
    *("preferred_chunk_bytes", "in_flight"),
    *(
        "sink",
        "bypass",
        "clock_mhz",
        "processors",
        "architecture",
        "stream_bits",
        "channels",
        "streams",
    ),
)


_forks = 0
"""Number of forks since the process that imported this module."""


def _count_fork() -> None:
    global _forks
    _forks += 1


os.register_at_fork(after_in_child=_count_fork)


class RestartNeeded(Exception):
    """The operation needs a process whose OpenSSL has no AES instructions."""


@dataclass(frozen=True)
class SoftwareTiming:
    """What a run cost; see ``ciphermill.Timing``."""

    total_s: float
    transfer_s: float
    processing_s: float
    cycles: int | None
    method: str


class SoftwareDevice:
    """A child process with the device; its interface is that of ``ciphermill.Device``.

    The process ends when the device is closed or collected, or when this process ends.

    Raises:
        ciphermill.DeviceError: there is no OpenSSL 3, or the process ends early.
        ciphermill.UnsupportedError: OpenSSL cannot be kept from the instructions here.
    """

    name: str
    description: str
    operations: list[tuple[str, str]]
    key_sizes: list[int]
    algorithms: list[tuple[str, str, str | None, list[int]]]
    preferred_chunk_bytes: int
    in_flight: int
    sink: bool
    bypass: bool
    clock_mhz: float | None
    processors: int | None
    architecture: str | None
    stream_bits: int | None
    channels: int

    def __init__(self) -> None:
        """Start the process and open the device in it."""
        self._lock = threading.Lock()
        self._forks = _forks
        self._connection, theirs = Pipe()
        with theirs:
            code = f"from ciphermill.software import serve; serve({theirs.fileno()})"
            self._process = subprocess.Popen(
                [*interpreter(), "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=os.environ | {VARIABLE: WITHOUT_AES},
                pass_fds=[theirs.fileno()],
            )
        for fact, value in self._answer().items():
            setattr(self, fact, value)

    def __repr__(self) -> str:
        """As that of ``ciphermill.Device``."""
        return f"Device({self.name!r})"

    def __del__(self) -> None:
        """End the process."""
        # Without a connection the process was never started.
        if hasattr(self, "_process"):
            self.close()

    def close(self) -> None:
        """End the process; afterwards the device can do nothing more."""
        self._connection.close()
        # Only the process that opened the device ends the child, not a fork of it.
        if self._forks == _forks:
            self._process.kill()
            self._process.wait()

    def transform(
        self,
        data: bytes,
        *,
        direction: str,
        algorithm: str = "aes",
        progress: Callable[[int, int | None], object] | None = None,
        **asked: Any,
    ) -> tuple[bytes, SoftwareTiming]:
        """Run the bare mode of operation; see :func:`ciphermill.transform`."""
        return self.run(direction, data, algorithm=algorithm, progress=progress, **asked)

    def run(
        self,
        operation: str,
        data: bytes,
        *,
        progress: Callable[[int, int | None], object] | None = None,
        **asked: Any,
    ) -> tuple[bytes, SoftwareTiming]:
        """Run any operation of any algorithm; see :func:`ciphermill.run`."""
        output, timing = self._call("run", operation, data, **asked)
        if progress is not None:
            progress(len(data), len(data))
        return output, SoftwareTiming(**timing)

    def stream_path_timed(self, *files: object, **asked: Any) -> dict[str, Any]:
        """Stream a file through the device; see ``ciphermill._engine.stream_path_timed``."""
        done: dict[str, Any] = self._call("stream_path_timed", *files, **asked)
        return done

    def _call(self, function: str, *arguments: object, **asked: Any) -> Any:
        if self._forks != _forks:
            # Both processes would read from one connection, and get each other's answers.
            raise DeviceError(
                "the device `software` belongs to the process from which this one was forked: "
                "open the device again"
            )
        with self._lock:
            try:
                self._connection.send((function, arguments, asked))
                return self._answer()
            except (OSError, EOFError) as error:
                raise DeviceError(
                    "the process of the device `software` has ended: open the device again"
                ) from error
            except KeyboardInterrupt:
                # Its answer would be taken for that of the next call.
                self.close()
                raise

    def _answer(self) -> Any:
        try:
            answer = self._connection.recv()
        except EOFError as error:
            self.close()
            raise DeviceError(
                "the process of the device `software` ended before it answered"
            ) from error
        if isinstance(answer, Exception):
            raise answer
        return answer


def serve(descriptor: int) -> None:
    """Be the child process: answer what comes over a connection until it is closed."""
    # Ctrl-C is for the parent, which then closes the connection.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError), Connection(descriptor) as connection:
        try:
            device = Device(NAME)
        except Error as error:
            connection.send(error)
            return
        connection.send({fact: getattr(device, fact) for fact in _FACTS})
        while True:
            function, arguments, asked = connection.recv()
            try:
                connection.send(_run(device, function, arguments, asked))
            except (Error, ValueError, TypeError, OverflowError, MemoryError) as error:
                connection.send(error)


def _run(device: Device, function: str, arguments: Any, asked: Any) -> Any:
    if function == "run":
        output, timing = device.run(*arguments, **asked)
        fields = SoftwareTiming.__dataclass_fields__
        return output, {name: getattr(timing, name) for name in fields}
    source, target = arguments
    return stream_path_timed(source, target, device, **asked)


def interpreter() -> list[str]:
    """This interpreter, with the same restrictions on where it loads code from."""
    isolated = sys.flags.isolated or environment.is_privileged()
    flags = {"-I": isolated, "-E": sys.flags.ignore_environment, "-s": sys.flags.no_user_site}
    return [sys.executable, "-P", *(flag for flag, is_set in flags.items() if is_set)]


def check_process() -> None:
    """Whether OpenSSL has no AES instructions in this process because of its environment.

    Raises:
        RestartNeeded: it has them; call :func:`restart`.
    """
    if os.environ.get(VARIABLE) != WITHOUT_AES:
        raise RestartNeeded


def restart(arguments: list[str]) -> None:
    """Become the command line with these arguments, in the environment that ``software`` needs."""
    code = "from ciphermill.cli.main import main; main()"
    os.execve(  # noqa: S606 - this interpreter, and the arguments that it was given
        sys.executable,
        [*interpreter(), "-c", code, *arguments],
        os.environ | {VARIABLE: WITHOUT_AES},
    )
