# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Progress on standard error: bars on a terminal, and the steps of builds and tools."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from ciphermill.campaign.explore.explore import Status

Report = Callable[[str], None]
"""Called with a line at each step; a line that ends in ``...`` begins a step that takes time."""
Bar = Callable[[int, "int | None"], None]
"""Called with the amount that is done, and the total if it is known."""
_LINES_EVERY_S = 5.0
"""Seconds between the lines of an exploration in a file or pipe."""
_WORTH_TELLING_S = 1.0
"""The seconds from which a step leaves a line with its time."""


def say(text: str) -> None:
    """Print a line on standard error."""
    click.echo(text, err=True)


def say_nothing(_: str) -> None:
    """Ignore a line."""


@contextlib.contextmanager
def of_work(*, silent: bool = False) -> Iterator[Report]:
    """Return a function to call at each step of builds, synthesis, place and route.

    A terminal shows the present step with its elapsed time, and keeps the time of each step
    that ended. A file or pipe gets a line for each step.

    Args:
        silent: Whether to show nothing, as with ``--json``.
    """
    if silent:
        yield say_nothing
        return
    if not sys.stderr.isatty():
        yield say
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True, highlight=False), transient=True) as live:
        steps = Steps(live)
        yield steps.report
        steps.end_all()


@contextlib.contextmanager
def of_exploration(*, silent: bool = False) -> Iterator[Callable[[Status], None]]:
    """Return a function to call with the status of an exploration after each measurement.

    A terminal shows a bar with the remaining time; a file or pipe gets a line now and then.

    Args:
        silent: Whether to show nothing, as with ``--json``.
    """
    if silent:
        yield lambda _: None
        return
    last = -_LINES_EVERY_S
    with _bars(False, "BarColumn", "MofNCompleteColumn", "TimeElapsedColumn") as bars:
        task = bars.add_task("begins", total=None) if bars is not None else None

        def told(status: Status) -> None:
            nonlocal last
            left = f"about {_duration(status.remaining_s)} left"
            if bars is not None and task is not None:
                text = f"{status.text}; {left}"
                bars.update(task, completed=status.done, total=status.total, description=text)
            elif time.monotonic() - last >= _LINES_EVERY_S:
                last = time.monotonic()
                say(f"{status.done} of {status.total} measurements, {left}: {status.text}")

        yield told


def _duration(seconds: float) -> str:
    """Return a duration in words.

    >>> _duration(250)
    '4 min'
    """
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


class Steps:
    """The steps on display; each thread of a command has one at a time."""

    def __init__(self, live: Progress) -> None:
        """Show them in a live display."""
        self._live = live
        self._lock = threading.Lock()
        self._running: dict[int, TaskID] = {}

    def report(self, text: str) -> None:
        """End this thread's step and show the next. Text without ``...`` is only printed."""
        with self._lock:
            self._end(threading.get_ident())
            if text.endswith("..."):
                step = self._live.add_task(text.removesuffix("...").rstrip(), total=None)
                self._running[threading.get_ident()] = step
            else:
                self._live.console.print(text, markup=False, highlight=False)

    def end_all(self) -> None:
        """End the remaining steps of all threads."""
        with self._lock:
            for thread in list(self._running):
                self._end(thread)

    def _end(self, thread: int) -> None:
        step = self._running.pop(thread, None)
        if step is None:
            return
        task = next(one for one in self._live.tasks if one.id == step)
        self._live.remove_task(step)
        if (task.elapsed or 0.0) >= _WORTH_TELLING_S:
            taken = f"{task.description}: {task.elapsed:.0f} s"
            self._live.console.print(taken, markup=False, highlight=False)


@contextlib.contextmanager
def _bars(silent: bool, *columns: str) -> Iterator[Progress | None]:
    """Bars with these columns of rich; None without a terminal, or if silent."""
    if silent or not sys.stderr.isatty():
        yield None
        return
    from rich import progress
    from rich.console import Console

    shown = [getattr(progress, name)() for name in columns]
    words = progress.TextColumn("{task.description}", markup=False)
    with progress.Progress(words, *shown, console=Console(stderr=True), transient=True) as bars:
        yield bars


@contextlib.contextmanager
def _bar(columns: Sequence[str], description: str, *, silent: bool = False) -> Iterator[Bar | None]:
    with _bars(silent, *columns) as bars:
        if bars is None:
            yield None
            return
        task = bars.add_task(description, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


of_bytes = partial(
    _bar, ("BarColumn", "DownloadColumn", "TransferSpeedColumn", "TimeRemainingColumn")
)
"""A bar of bytes; None if standard error is not a terminal, or if silent."""
of_steps = partial(_bar, ("BarColumn", "MofNCompleteColumn", "TimeElapsedColumn"))
"""A bar of steps; None if standard error is not a terminal, or if silent."""


@contextlib.contextmanager
def of_devices(
    names: list[str], *, silent: bool = False
) -> Iterator[Callable[[str, float], None] | None]:
    """A bar for each device; None if standard error is not a terminal, or if silent."""
    with _bars(silent, "BarColumn", "TaskProgressColumn", "TimeElapsedColumn") as bars:
        if bars is None:
            yield None
            return
        tasks = {name: bars.add_task(name, total=1.0) for name in names}
        yield lambda name, fraction: bars.update(tasks[name], completed=fraction)
