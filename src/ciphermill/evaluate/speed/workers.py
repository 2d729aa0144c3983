# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Starts worker processes, and lets several repeat an operation at once."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe, wait
from time import perf_counter
from types import TracebackType
from typing import Any, Self, cast

from ciphermill import DeviceError
from ciphermill.evaluate.speed.worker import Asked, Counted, Ready, serve
from ciphermill.software import interpreter

_ENDED = "a process that repeats the operation ended early"
SAMPLE_S = 0.1
"""Time between two samples of power."""


class Worker:
    """A worker process, which ends when this process does."""

    def __init__(self, processor: int) -> None:
        """Start it on a processor."""
        self.connection, theirs = Pipe()
        with theirs:
            code = f"from {serve.__module__} import serve; serve({theirs.fileno()}, {processor})"
            self._process = subprocess.Popen(
                [*interpreter(), "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def kill(self) -> None:
        """End it, whatever it does."""
        self.connection.close()
        self._process.kill()
        self._process.wait()


_started: list[Worker] = []
"""Workers that wait for the next operation: to start one takes longer than a short run."""


class Workers:
    """Workers that repeat the same at once; a context. After an error they are gone."""

    def __init__(self, threads: int, asked: Asked) -> None:
        """Take so many workers, each on the next processor of this process."""
        processors = sorted(os.sched_getaffinity(0))
        for number in range(len(_started), threads):
            _started.append(Worker(processors[number % len(processors)]))
        self._connections: list[Connection] = [one.connection for one in _started[:threads]]
        self._asked = asked

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        error: type[BaseException] | None,
        _: BaseException | None,
        __: TracebackType | None,
    ) -> None:
        while error is not None and _started:
            _started.pop().kill()

    def ready(self) -> list[Ready]:
        """Wait until all are ready.

        Raises:
            ciphermill.Error: A device failed.
        """
        for connection in self._connections:
            _send(connection, self._asked)
        return [_receive(connection) for connection in self._connections]

    def go(self, seconds: float, tick: Callable[[float], None]) -> tuple[list[Counted], float]:
        """Let all repeat; return what each counted, and the time until the last one ended.

        Args:
            seconds: For how long.
            tick: Called from time to time, and at the end, with the seconds since the start.

        Raises:
            ciphermill.Error: A device failed.
        """
        for connection in self._connections:
            _send(connection, seconds)
        started = last = perf_counter()
        waiting = [*self._connections]
        found: list[Counted] = []
        while waiting:
            for one in wait(waiting, timeout=max(last + SAMPLE_S - perf_counter(), 0.0)):
                connection = cast(Connection, one)
                waiting.remove(connection)
                found.append(_receive(connection))
            now = perf_counter()
            if now >= last + SAMPLE_S or not waiting:
                tick(now - started)
                last = now
        began, ended = min(one.began_s for one in found), max(one.ended_s for one in found)
        return found, ended - began


def _send(connection: Connection, what: object) -> None:
    try:
        connection.send(what)
    except OSError as error:
        raise DeviceError(_ENDED) from error


def _receive(connection: Connection) -> Any:
    try:
        answer = connection.recv()
    except (EOFError, OSError) as error:
        raise DeviceError(_ENDED) from error
    if isinstance(answer, Exception):
        raise answer
    return answer
