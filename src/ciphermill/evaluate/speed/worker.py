# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A worker process: it repeats an operation on a processor of its own.

``openssl speed -multi`` does the same. Threads of one interpreter would wait for its lock
between two short operations, and that wait would be measured.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from time import perf_counter

from ciphermill import Error, Timing
from ciphermill.evaluate.speed.operations import OPENSSL, OPERATIONS
from ciphermill.registry import open_device
from ciphermill.software import SoftwareTiming


@dataclass(frozen=True)
class Asked:
    """What a worker repeats."""

    device: str
    operation: str
    key: bytes
    message: bytes


@dataclass(frozen=True)
class Ready:
    """A worker waits for the start."""

    correct: bool
    """Whether the output of the first call is right."""
    simulated_s: float | None
    """The time of a call on a simulated device, which is not repeated."""


@dataclass(frozen=True)
class Counted:
    """What a worker has done."""

    count: int
    worst_s: float
    """Time of the slowest operation."""
    began_s: float
    ended_s: float
    """When the last operation ended. Both are by a clock that all processes share."""


def repeat(
    call: Callable[[], object], seconds: float, clock: Callable[[], float] = perf_counter
) -> Counted:
    """Repeat a call until a time has passed; the last one that began is finished."""
    count, worst = 0, 0.0
    now = began = clock()
    while now < began + seconds:
        before = now
        call()
        now = clock()
        count += 1
        if now - before > worst:
            worst = now - before
    return Counted(count, worst, began, now)


def serve(descriptor: int, processor: int) -> None:
    """Be a worker: do what comes over a connection until it is closed.

    For each ``Asked`` it says that it is ready, waits for the time to repeat, and sends what it
    counted. A simulated device is not repeated: the next ``Asked`` comes instead of the time.

    Args:
        descriptor: The connection.
        processor: The processor to run on, by Linux's number.
    """
    # Ctrl-C is for the parent, which then closes the connection.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.sched_setaffinity(0, {processor})
    with suppress(EOFError, OSError), Connection(descriptor) as connection:
        while True:
            _repeat_for(connection)


def _repeat_for(connection: Connection) -> None:
    asked = connection.recv()
    try:
        call, ready = _prepare(asked)
        connection.send(ready)
        if ready.simulated_s is None:
            connection.send(repeat(call, connection.recv()))
    except (Error, ValueError, TypeError, OverflowError, MemoryError) as error:
        connection.send(error)


def _prepare(asked: Asked) -> tuple[Callable[[], object], Ready]:
    operation = OPERATIONS[asked.operation]
    if asked.device == OPENSSL:
        own = operation.openssl.prepare(asked.key, asked.message)
        right = operation.openssl.is_right(asked.key, asked.message, own())
        return own, Ready(right, None)
    device = open_device(asked.device)

    def call() -> tuple[bytes, Timing | SoftwareTiming]:
        return device.run(
            operation.verb,
            asked.message,
            algorithm=operation.algorithm,
            mode=operation.mode,
            key=asked.key or None,
        )

    output, timing = call()
    right = operation.openssl.is_right(asked.key, asked.message, output)
    return call, Ready(right, timing.total_s if timing.method == "simulated" else None)
