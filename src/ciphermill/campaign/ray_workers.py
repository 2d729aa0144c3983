# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Workers on a Ray cluster, which make measurements on several machines.

A worker gets a function and its arguments, and returns a result. It needs Ciphermill at the same
commit and its tools, but no results store: only the process that runs the exploration
writes to it. A call whose worker or machine dies is made again.

ray is an optional package and imported when a cluster is used.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from types import FrameType
from typing import Any, TypeVar

from ciphermill import environment
from ciphermill.toolchain import provenance
from ciphermill.toolchain.errors import ToolError

T = TypeVar("T")

LIMIT_S = 3600.0
"""Wall time of a call after which it counts as failed."""
_RAY_RETRIES = 2
"""How often Ray makes a call again whose worker died."""
_ATTEMPTS = 2
"""How often a call is handed to Ray: its own retries end when a machine is lost twice."""
_REACH_S, _PROBE_S, _CHECK_S = 5.0, 60.0, 120.0
"""Limits on connecting to the address, on joining the cluster, and on a first call."""
_STOP_S = 30.0
"""After the limit, a worker whose function cannot be interrupted ends itself."""
_PROBE = """
import sys, ray
ray.init(address=sys.argv[1], log_to_driver=False, configure_logging=False)
"""


class TimeLimit(Exception):
    """A call has taken too long."""


@dataclass
class _Call:
    """A call that was submitted."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    future: Future[Any]
    attempts: int = 0


class RayWorkers:
    """Workers of a Ray cluster; see ``ray_workers``."""

    def __init__(self, ray: Any, limit_s: float) -> None:
        """Use the cluster that ``ray`` is connected to."""
        self._ray = ray
        self._limit_s = limit_s
        self._task = ray.remote(max_retries=_RAY_RETRIES, num_cpus=1)(_call)
        self._ended: SimpleQueue[tuple[_Call, Future[Any]] | None] = SimpleQueue()
        self._open: set[Future[Any]] = set()
        self.count = max(1, int(ray.cluster_resources().get("CPU", 0)))
        """How many calls can run at once: the processors of the cluster."""
        self._collector = threading.Thread(target=self._collect, daemon=True)
        self._collector.start()

    def submit(self, function: Callable[..., T], *arguments: Any) -> Future[T]:
        """Call a function on a worker; nothing but the arguments is sent with it.

        The future raises what the function raised, or ``ToolError`` if the call took longer
        than the limit or its workers died repeatedly.
        """
        call = _Call(function, arguments, Future())
        self._open.add(call.future)
        self._start(call)
        return call.future

    def close(self) -> None:
        """Give up the calls that have not ended."""
        self._ended.put(None)
        self._collector.join()
        for future in self._open:
            future.cancel()

    def _start(self, call: _Call) -> None:
        call.attempts += 1
        reference = self._task.remote(call.function, call.arguments, self._limit_s)
        # The callback runs in a thread of Ray, which must not wait.
        reference.future().add_done_callback(lambda ended: self._ended.put((call, ended)))

    def _collect(self) -> None:
        while (item := self._ended.get()) is not None:
            call, ended = item
            try:
                returned, value = ended.result()
            except self._ray.exceptions.RayTaskError as error:
                # The result could not be pickled.
                returned, value = False, ToolError(f"a worker failed: {error.cause}")
            except self._ray.exceptions.RayError as error:
                if call.attempts < _ATTEMPTS:
                    self._start(call)
                    continue
                times = _ATTEMPTS * (_RAY_RETRIES + 1)
                returned, value = (
                    False,
                    ToolError(
                        f"each of {times} workers died with the same call ({_first_line(error)}); "
                        "does it need more memory than a node has?"
                    ),
                )
            except BaseException as error:
                returned, value = False, error
            self._open.discard(call.future)
            if call.future.set_running_or_notify_cancel():
                if returned:
                    call.future.set_result(value)
                else:
                    call.future.set_exception(value)


@contextlib.contextmanager
def ray_workers(address: str, *, limit_s: float = LIMIT_S) -> Iterator[RayWorkers]:
    """A context with the workers of a Ray cluster; calls that run at its end are stopped.

    Ray prints on standard output which nodes it has lost. Within the context all that is printed
    there goes to standard error, so that results stay clean.

    Args:
        address: ``HOST:PORT`` of the cluster's head; ``auto`` for the cluster of this machine.
        limit_s: Wall time of a call after which it counts as failed.

    Raises:
        ToolError: ray is missing, nothing answers at the address, or a node of the cluster
            has another commit of Ciphermill.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        ray = _connected(address)
        stack.callback(ray.shutdown)
        _check_nodes(ray)
        workers = RayWorkers(ray, limit_s)
        stack.callback(workers.close)
        yield workers


def _connected(address: str) -> Any:
    if environment.is_privileged():
        raise ToolError("a program with more rights than its user cannot use a Ray cluster")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "error")
    try:
        import ray
    except ImportError as error:
        raise ToolError("--ray needs the package ray: pip install 'ciphermill[cluster]'") from error
    advice = "see that the cluster runs (ray status), on this machine too (ray start)"
    if found := re.fullmatch(r"(?:ray://)?\[?([^/\]]+)\]?:(\d+)", address):
        try:
            socket.create_connection((found[1], int(found[2])), _REACH_S).close()
        except (OSError, OverflowError) as error:
            raise ToolError(f"no Ray cluster answers at {address}: {error}; {advice}") from error
    # Where something else listens, Ray waits for minutes and then ends the process.
    try:
        probe = subprocess.run(
            [sys.executable, "-c", _PROBE, address],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PROBE_S,
        )
    except subprocess.TimeoutExpired as error:
        raise ToolError(
            f"no Ray cluster answers at {address} within {_PROBE_S:.0f} s; {advice}"
        ) from error
    if probe.returncode:
        reason = (probe.stderr.strip().splitlines() or ["no message"])[-1]
        raise ToolError(f"cannot join the Ray cluster {address}: {reason}; {advice}")
    ray.init(
        address=address, log_to_driver=False, configure_logging=False, logging_level=logging.ERROR
    )
    return ray


def _check_nodes(ray: Any) -> None:
    """See that each node runs the code that this process does.

    Raises:
        ToolError: One of them does not.
    """
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    task = ray.remote(num_cpus=1)(_commit)
    asked = {}
    for node in ray.nodes():
        if node["Alive"] and node["Resources"].get("CPU", 0) >= 1:
            here = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            asked[node["NodeManagerAddress"]] = task.options(scheduling_strategy=here).remote()
    ours = provenance.commit()
    for name, reference in asked.items():
        try:
            theirs = ray.get(reference, timeout=_CHECK_S)
        except ray.exceptions.RayError as error:
            raise ToolError(
                f"the Ray node {name} cannot run Ciphermill: {_first_line(error)}; install it "
                "there, in the Python that starts Ray"
            ) from error
        if theirs != ours:
            raise ToolError(
                f"the Ray node {name} has Ciphermill at {theirs}, this machine at {ours}; "
                "install the same on both"
            )


def _commit() -> str:
    return provenance.commit()


def _call(
    function: Callable[..., Any], arguments: tuple[Any, ...], limit_s: float
) -> tuple[bool, Any]:
    """Call a function in a worker; return whether it returned, and its result or its exception."""

    def interrupt(_: int, __: FrameType | None) -> None:
        raise TimeLimit

    # Code that does not come back to the interpreter cannot be interrupted.
    end = threading.Timer(limit_s + _STOP_S, partial(os._exit, 1))
    end.daemon = True
    end.start()
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        return True, function(*arguments)
    except TimeLimit:
        return False, ToolError(f"it took longer than {limit_s:g} s on {socket.gethostname()}")
    except Exception as error:
        return False, error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        end.cancel()


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
