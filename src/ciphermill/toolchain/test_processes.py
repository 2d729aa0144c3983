# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Programs are stopped by an interrupt of the main thread, with all that they have started."""

import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from support.processes import has_ended

from . import processes as subject
from .errors import ToolError
from .processes import run_program, side_by_side, tool_threads

SLEEPING = (sys.executable, "-c", "import time; time.sleep(100)")


def _sleep(time_limit_s: float | None = None) -> None:
    run_program(SLEEPING, what="nothing", time_limit_s=time_limit_s)


def test_an_interrupt_stops_programs_in_threads() -> None:
    with pytest.raises(KeyboardInterrupt), tool_threads(2) as pool:
        futures = [pool.submit(_sleep) for _ in range(3)]
        while len(subject._running) < 2:
            time.sleep(0.01)
        raise KeyboardInterrupt
    assert not subject._running
    for future in futures[:2]:
        assert str(future.exception(timeout=0)) == "nothing was stopped"
    # The last is dropped, or refused by a thread that has just become free.
    assert futures[2].cancelled() or str(futures[2].exception(0)) == "nothing was stopped"


def test_after_an_interrupt_programs_run_again() -> None:
    with pytest.raises(KeyboardInterrupt), tool_threads(1):
        raise KeyboardInterrupt
    with pytest.raises(ToolError, match="took longer"):
        _sleep(1)


def test_an_interrupt_stops_what_a_program_has_started(tmp_path: Path) -> None:
    """A compiler's driver does not stop the compiler by itself."""
    told = tmp_path / "told"
    script = (
        "import pathlib, subprocess; "
        "nowhere = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}; "
        f"started = subprocess.Popen({SLEEPING!r}, **nowhere); "
        f"pathlib.Path({str(told)!r}).write_text(f'{{started.pid}}.'); started.wait()"
    )
    with pytest.raises(KeyboardInterrupt), tool_threads(1) as pool:
        pool.submit(run_program, [sys.executable, "-c", script], what="nothing")
        while not (told.is_file() and told.read_text().endswith(".")):
            time.sleep(0.01)
        raise KeyboardInterrupt
    started = int(told.read_text().rstrip("."))
    end = time.monotonic() + 30
    while not has_ended(started):
        assert time.monotonic() < end, "it still runs"
        time.sleep(0.01)


def test_ctrl_c_in_a_terminal_does_not_reach_a_program() -> None:
    """The terminal sends it to the whole group: the program would seem to have failed by itself."""
    told = run_program([sys.executable, "-c", "import os; print(os.getpgrp())"], what="nothing")
    assert int(told.stdout) != os.getpgrp()


@pytest.mark.parametrize("in_pool", [False, True], ids=["main thread", "thread of a pool"])
def test_calls_run_side_by_side_and_their_results_have_their_order(
    monkeypatch: pytest.MonkeyPatch, in_pool: bool
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    both = threading.Barrier(2, timeout=10)

    def call(number: int) -> int:
        if number < 2:
            both.wait()
        return number

    asked = partial(side_by_side, [partial(call, number) for number in range(5)])
    if in_pool:
        with tool_threads(1) as pool:
            assert pool.submit(asked).result() == list(range(5))
    else:
        assert asked() == list(range(5))
    assert side_by_side([]) == []


@pytest.mark.parametrize("in_pool", [False, True], ids=["main thread", "thread of a pool"])
def test_the_first_error_of_calls_side_by_side_is_raised_and_no_more_begin(
    monkeypatch: pytest.MonkeyPatch, in_pool: bool
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    began = []

    def call(number: int) -> None:
        began.append(number)
        time.sleep(0.05 * number)
        raise ToolError(f"call {number}")

    calls = [partial(call, number) for number in range(100)]
    with pytest.raises(ToolError, match="call 0"):
        if in_pool:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(side_by_side, calls).result()
        else:
            side_by_side(calls)
    # All of them take two minutes.
    assert len(began) < len(calls)


def test_an_interrupt_stops_calls_side_by_side_in_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with pytest.raises(KeyboardInterrupt), tool_threads(1) as pool:
        future = pool.submit(side_by_side, [_sleep] * 3)
        while len(subject._running) < 2:
            time.sleep(0.01)
        raise KeyboardInterrupt
    assert str(future.exception(timeout=0)) == "nothing was stopped"


def test_an_interrupt_stops_calls_side_by_side_in_the_main_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    errors = []

    def call() -> None:
        try:
            _sleep()
        except ToolError as error:
            errors.append(str(error))

    def interrupt() -> None:
        while len(subject._running) < 2:
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        side_by_side([call, call])
    thread.join()
    assert errors == ["nothing was stopped"] * 2


def test_an_error_of_calls_side_by_side_leaves_programs_of_other_threads_running(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    def fail() -> None:
        raise ToolError("no route")

    with tool_threads(2) as pool:
        program = [sys.executable, "-c", "import time; time.sleep(1)"]
        other = pool.submit(run_program, program, what="nothing")
        while not subject._running:
            time.sleep(0.01)
        failed = pool.submit(side_by_side, [fail, fail])
        assert str(failed.exception()) == "no route"
        assert other.result().returncode == 0
