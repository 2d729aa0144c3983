# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Progress on standard error: bars on a terminal, and the steps of builds and tools."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Report = Callable[[str], None]
"""Given a line at each step; one that ends in ``...`` is a step that takes time."""
Bar = Callable[[int, "int | None"], None]
"""Told how much is done, and of how much where that is known."""
_WORTH_TELLING_S = 1.0
"""Steps that take at least so many seconds leave a line with their time."""


def say(text: str) -> None:
    """Print a line on standard error."""
    click.echo(text, err=True)


def say_nothing(_: str) -> None:
    """Take a line and print nothing."""


@contextlib.contextmanager
def of_work(*, silent: bool = False) -> Iterator[Report]:
    """Give a function that is told each step of builds, synthesis, place and route.

    On a terminal the present step is shown with the time that it has taken so far, and
    the time of each step stays when it ends. A file or pipe gets a line a step.

    Args:
        silent: Whether nothing is shown, as with ``--json``.
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


class Steps:
    """The steps that are shown; each thread of a command has one at a time."""

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
    """Bars with these columns of rich; None where there is no terminal, or all is silent."""
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
"""A bar of bytes; None where standard error is no terminal, or nothing is to be shown."""
of_steps = partial(_bar, ("BarColumn", "MofNCompleteColumn", "TimeElapsedColumn"))
"""A bar of steps; None where standard error is no terminal, or all is to be silent."""


@contextlib.contextmanager
def of_devices(
    names: list[str], *, silent: bool = False
) -> Iterator[Callable[[str, float], None] | None]:
    """A bar a device; None where standard error is no terminal, or all is to be silent."""
    with _bars(silent, "BarColumn", "TaskProgressColumn", "TimeElapsedColumn") as bars:
        if bars is None:
            yield None
            return
        tasks = {name: bars.add_task(name, total=1.0) for name in names}
        yield lambda name, fraction: bars.update(tasks[name], completed=fraction)
