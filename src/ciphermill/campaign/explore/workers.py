# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Workers, which make measurements: threads of this process, or another implementation."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from ciphermill.toolchain.processes import tool_threads

T = TypeVar("T")


class Workers(Protocol):
    """Calls functions, several at once, in this process or in others."""

    count: int
    """How many calls can run at once."""

    def submit(self, function: Callable[..., T], *arguments: Any) -> Future[T]:
        """Call a function as soon as a worker is free.

        Function, arguments and result can be pickled. A worker that is lost is the business of
        the implementation: it calls the function again, or the future has an exception.
        """
        ...


class Threads:
    """Threads of this process."""

    def __init__(self, pool: ThreadPoolExecutor, count: int) -> None:
        """Use a pool of threads; see ``threads``."""
        self._pool = pool
        self.count = count

    def submit(self, function: Callable[..., T], *arguments: Any) -> Future[T]:
        """Call a function as soon as a thread is free."""
        return self._pool.submit(function, *arguments)


@contextlib.contextmanager
def threads(count: int | None = None) -> Iterator[Workers]:
    """A context with threads; if an exception leaves it, tools that run are stopped.

    Args:
        count: How many; by default one for each processor.
    """
    count = count or os.cpu_count() or 1
    with tool_threads(count) as pool:
        yield Threads(pool, count)
