# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs programs so that an interrupt stops them, whichever thread waits for them.

Each program leads a process group of its own. Ctrl-C in a terminal therefore reaches Ciphermill
alone, which stops the program and all that it has started. Otherwise a compiler that died of
the same Ctrl-C would be reported as one that cannot build the design.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from .errors import ToolError

T = TypeVar("T")

_running: set[subprocess.Popen[str]] = set()
_stopping = threading.Event()


@contextlib.contextmanager
def tool_threads(count: int) -> Iterator[ThreadPoolExecutor]:
    """A context with a pool of threads that run programs; all of them end with it.

    If an exception leaves the context, running programs are stopped and no more are started.
    This is needed since an interrupt reaches only the main thread, which waits for the
    others.
    """
    pool = ThreadPoolExecutor(count)
    try:
        yield pool
    except BaseException:
        _stopping.set()
        for process in tuple(_running):
            _stop(process)
        raise
    finally:
        try:
            pool.shutdown(cancel_futures=_stopping.is_set())
        finally:
            _stopping.clear()


def side_by_side(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Return the results of calls that run programs, as many at once as there are processors.

    An interrupt stops the programs: here in the main thread, and elsewhere by the ``tool_threads``
    whose thread this is.

    Raises:
        Exception: The first error of a call. Calls that have not begun are not made, and those
            that have are waited for.
    """
    count = min(len(calls), os.cpu_count() or 1)
    if count < 2:
        return [call() for call in calls]
    main = threading.current_thread() is threading.main_thread()
    with tool_threads(count) if main else ThreadPoolExecutor(count) as pool:
        futures = [pool.submit(call) for call in calls]
        try:
            return [one.result() for one in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def run_program(
    command: Sequence[str | Path],
    *,
    what: str,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    time_limit_s: float | None = None,
    errors_apart: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run a program without input; return its exit code and what it printed.

    Args:
        command: The program and its arguments.
        what: The task, for messages: ``synthesis of aes_core``.
        cwd: Its working directory.
        environment: Its environment.
        time_limit_s: Seconds after which it is stopped.
        errors_apart: Whether standard error is returned by itself, not within the output.

    Raises:
        ToolError: It was stopped, by an interrupt or since it took too long.
    """
    if _stopping.is_set():
        raise ToolError(f"{what} was stopped")
    with subprocess.Popen(
        [str(part) for part in command],
        cwd=cwd,
        env=None if environment is None else dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if errors_apart else subprocess.STDOUT,
        text=True,
        errors="replace",
        process_group=0,
    ) as process:
        _running.add(process)
        if _stopping.is_set():  # meanwhile
            _stop(process)
        try:
            output, errors = process.communicate(timeout=time_limit_s)
        except subprocess.TimeoutExpired as error:
            raise ToolError(
                f"{what} took longer than {time_limit_s:.0f} s and was stopped; "
                "allow more with --time-limit"
            ) from error
        finally:
            _stop(process)
            _running.discard(process)
    if _stopping.is_set():
        raise ToolError(f"{what} was stopped")
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def _stop(process: subprocess.Popen[str]) -> None:
    """End a program that runs, with all of its group; compilers remove their files first."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
