# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A simulation in virtual time, of processes that sleep and wait for each other.

A process is a generator. It yields a number to sleep for that many seconds, or a ``Gate``
to wait until it is opened; a process then checks its condition again. The same processes
always give the same times.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator

Process = Generator["float | Gate", None, None]


class SimulationError(Exception):
    """The simulated system is in deadlock; the message says which processes wait."""


class WrongStreamError(SimulationError):
    """The output differs from OpenSSL's."""


class Gate:
    """A condition on which processes wait."""

    __slots__ = ("_simulation", "_waiting")

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._waiting: list[tuple[str, Process]] = []

    def open(self) -> None:
        """Wake all processes that wait here."""
        if self._waiting:
            for name, process in self._waiting:
                self._simulation.resume(name, process, self._simulation.now)
            self._waiting.clear()

    def wait(self, name: str, process: Process) -> None:
        """Let a process wait here."""
        self._waiting.append((name, process))

    @property
    def waiting(self) -> list[str]:
        """Names of the processes that wait here."""
        return [name for name, _ in self._waiting]


class Simulation:
    """A virtual clock and its processes."""

    def __init__(self) -> None:
        self.now = 0.0
        """Seconds since the start."""
        self._due: list[tuple[float, int, str, Process]] = []
        self._order = 0
        self._gates: list[Gate] = []
        self._running = 0

    def gate(self) -> Gate:
        """Return a new gate."""
        gate = Gate(self)
        self._gates.append(gate)
        return gate

    def spawn(self, name: str, process: Process) -> None:
        """Start a process at the present time."""
        self._running += 1
        self.resume(name, process, self.now)

    def resume(self, name: str, process: Process, when: float) -> None:
        """Continue a process at a time; those due at the same time keep their order."""
        self._order += 1
        heapq.heappush(self._due, (when, self._order, name, process))

    def run(self) -> float:
        """Run until every process has ended; return the time.

        Raises:
            SimulationError: Deadlock: every process waits for another.
        """
        due, pop = self._due, heapq.heappop
        while due:
            when, _, name, process = pop(due)
            self.now = when
            try:
                wanted = next(process)
            except StopIteration:
                self._running -= 1
                continue
            if isinstance(wanted, Gate):
                wanted.wait(name, process)
            else:
                self.resume(name, process, when + wanted)
        if self._running:
            stuck = sorted(name for gate in self._gates for name in gate.waiting)
            raise SimulationError(f"deadlock after {self.now:g} s: {', '.join(stuck)} wait")
        return self.now
