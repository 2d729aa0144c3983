# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Jobs in the background: their progress, their results, and how to stop them."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import ciphermill
from ciphermill.web.errors import Refused

KEPT = 32
"""The number of jobs whose results can be asked for."""
_AT_ONCE = 2
"""Jobs that run side by side; others wait."""


@dataclass
class Job:
    """A piece of work; it never holds a password, which only the work's function does."""

    identity: str
    step: str = "waiting for other jobs"
    done: int = 0
    total: int | None = None
    result: dict[str, Any] | None = None
    error: str | None = None
    stopped: threading.Event = field(default_factory=threading.Event)
    """Set by ``stop``."""

    def begin(self, step: str) -> None:
        """Begin a step.

        Raises:
            ciphermill.CancelledError: The job was stopped.
        """
        self.step, self.done, self.total = step, 0, None
        self._heed()

    def advance(self, done: int, total: int | None) -> None:
        """Note the bytes that are done; the engine calls this.

        Raises:
            ciphermill.CancelledError: The job was stopped; the engine ends its work.
        """
        self.done, self.total = done, total
        self._heed()

    def stop(self) -> None:
        """Have the job end at its next progress."""
        self.stopped.set()

    def facts(self) -> dict[str, Any]:
        """Return what the page gets as JSON."""
        return {
            "step": self.step,
            "done": self.done,
            "total": self.total,
            "result": self.result,
            "error": self.error,
        }

    def _heed(self) -> None:
        if self.stopped.is_set():
            raise ciphermill.CancelledError("stopped")


class Jobs:
    """All jobs of the server."""

    def __init__(self) -> None:
        """Begin without jobs."""
        self._jobs: dict[str, Job] = {}
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="ciphermill-web")

    def start(self, work: Callable[[Job], dict[str, Any]]) -> Job:
        """Run a function in the background; what it returns is the job's result."""
        job = Job(secrets.token_urlsafe(12))
        self._jobs[job.identity] = job
        for old in list(self._jobs)[:-KEPT]:
            del self._jobs[old]
        self._threads.submit(_run, job, work)
        return job

    def find(self, identity: str) -> Job:
        """Return a job.

        Raises:
            Refused: There is none, or no longer.
        """
        if identity not in self._jobs:
            raise Refused("there is no such job: start it again", 404)
        return self._jobs[identity]

    def close(self) -> None:
        """Stop all jobs and wait for them."""
        for job in self._jobs.values():
            job.stop()
        self._threads.shutdown(cancel_futures=True)


def _run(job: Job, work: Callable[[Job], dict[str, Any]]) -> None:
    # An exception refers to the variables of the work, a password among them: only its text stays.
    try:
        job.result = work(job)
    except (ciphermill.Error, Refused) as error:
        job.error = str(error)
    except OSError as error:
        job.error = f"a file could not be written or read: {error.strerror or error}"
    except MemoryError:
        job.error = "there is not enough memory: close other programs, or take a smaller file"
    except Exception:
        logging.getLogger(__name__).exception("a job failed")
        job.error = "a fault of Ciphermill; the terminal of ciphermill web says which"
