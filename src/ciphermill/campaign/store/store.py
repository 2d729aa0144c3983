# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The results store: runs, measurements and explorations in an SQLite file or PostgreSQL.

A run is one invocation; each of its measurements is stored as the flat JSON object that
``--json`` prints, with a few further columns for queries. An exploration is a run that has a
definition and candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from ciphermill.campaign.exploration import Activity, Candidate, Exploration, State
from ciphermill.design import Measurement

from . import explorations, runs
from .database import Database, Rows
from .errors import StoreError, StoreUnavailable
from .location import Location
from .postgresql import PATIENCE_S, PostgreSQL
from .runs import SELECTED, Record
from .sqlite import SQLite

Result = TypeVar("Result")


class Store:
    """An open results store; a context manager that closes it."""

    def __init__(self, where: Location | Path | str, *, patience_s: float = PATIENCE_S) -> None:
        """Open the store, creating file and folder, or tables, where they are missing.

        Args:
            where: The path of a file, or the URL of a database.
            patience_s: How long a lost connection to a database is tried again, in seconds.

        Raises:
            StoreError: The store cannot be opened, is not a results store, or was written by
                a newer program.
        """
        self.location = where if isinstance(where, Location) else Location.of(where)
        self._database: Database = (
            SQLite(self.location.file)
            if self.location.file
            else PostgreSQL(self.location.url, patience_s)
        )
        self.last_run: int | None = None
        """Number of the run that this object has written last, or found unfinished."""
        self._unwritten: dict[tuple[int, str], explorations.Kept] = {}
        """Candidates that could not be written yet."""

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store; candidates that could not be written before are tried once more."""
        with suppress(StoreError):
            self._write_kept(patience_s=0.0)
        self._database.close()

    def wait(self) -> None:
        """Wait until the store answers; a lost connection is opened again.

        Raises:
            StoreError: It did not answer, or cannot be read.
        """
        self._read(lambda rows: rows.execute("SELECT 1"))

    def alone(self) -> AbstractContextManager[bool]:
        """Count this process as a user of the store; gives whether it is the only one."""
        return self._database.alone()

    def claim(self, key: str) -> AbstractContextManager[bool]:
        """Hold a key, such as an exploration's; gives False if another process holds it.

        A key is released when its process ends, however it ends.
        """
        return self._database.claim(key)

    def add_run(
        self,
        measurements: Sequence[Measurement],
        *,
        command: str,
        started: datetime | None = None,
        key: str | None = None,
        point: tuple[str, int] | None = None,
    ) -> int:
        """Store the measurements of a run, all or none; return the run's number.

        Args:
            measurements: the measurements.
            command: the command line of the run.
            started: when the run started; now when absent.
            key: the key with which ``unfinished`` finds a run in progress; ``end_run`` ends it.
            point: of a run in progress: digest and index of the point of the measurements.

        Raises:
            StoreError: the store could not be written.
        """
        moment = (started or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")

        def work(rows: Rows) -> int:
            run = runs.add(rows, started=moment, command=command, key=key, ended=key is None)
            runs.insert(rows, run, measurements, point)
            return run

        self.last_run = self._database.write(work)
        return self.last_run

    def extend_run(
        self, run: int, measurements: Sequence[Measurement], point: tuple[str, int] | None = None
    ) -> None:
        """Store more measurements of a run, all or none.

        Raises:
            StoreError: There is no such run, or the store could not be written.
        """
        self._database.write(lambda rows: runs.insert(rows, run, measurements, point))
        self.last_run = run

    def end_run(self, run: int) -> None:
        """Mark a run as ended.

        Raises:
            StoreError: The store could not be written.
        """
        self._database.write(lambda rows: runs.end(rows, run))

    def unfinished(self, key: str) -> tuple[int, dict[str, list[Measurement]]] | None:
        """Return the last run with a key that has not ended, and its measurements by point.

        Raises:
            StoreError: The store could not be read.
        """

        def work(rows: Rows) -> tuple[int, dict[str, list[Measurement]]] | None:
            found = runs.unfinished(rows, key)
            return None if found is None else (found, runs.of_points(rows, found))

        there = self._read(work)
        self.last_run = there[0] if there else self.last_run
        return there

    def records(self, *, last: int | None = None, **selected: str | int | None) -> list[Record]:
        """Stored measurements, oldest first.

        Args:
            last: only those of this many latest runs.
            selected: only those with this value of a field, which is one of ``SELECTED``;
                None: with any.
        """
        if unknown := selected.keys() - set(SELECTED):
            raise ValueError(f"{min(unknown)} is no field that records are selected by")
        wanted = {name: value for name, value in selected.items() if value is not None}
        return self._read(lambda rows: runs.records(rows, last, wanted))

    def held(self, name: str) -> list[str]:
        """The values of a field in all stored measurements, sorted; runs by their numbers.

        Args:
            name: One of ``SELECTED``.
        """
        if name not in SELECTED:
            raise ValueError(f"{name} is no field that records are selected by")
        return self._read(lambda rows: runs.held(rows, name))

    def add_exploration(self, exploration: Exploration, *, key: str) -> int:
        """Store a new exploration and the candidates that it has; return its number.

        Args:
            exploration: Its number and whether it has ended do not count. Without a time it
                starts now.
            key: The key with which ``unfinished_exploration`` finds it;
                ``end_exploration`` ends it.

        Raises:
            StoreError: The store could not be written.
        """
        started = exploration.started or datetime.now(UTC).isoformat(timespec="seconds")
        self.last_run = self._database.write(
            lambda rows: explorations.add(rows, exploration, started, key)
        )
        return self.last_run

    def unfinished_exploration(self, key: str) -> int | None:
        """Return the number of the last exploration with a key that has not ended.

        Raises:
            StoreError: The store could not be read.
        """
        there = self._read(lambda rows: explorations.unfinished(rows, key))
        self.last_run = self.last_run if there is None else there
        return there

    def keep_candidate(self, number: int, candidate: Candidate) -> None:
        """Store a candidate of an exploration, in place of the one with the same digest.

        The candidate and its measurements are stored together or not at all.

        Raises:
            StoreUnavailable: The store could not be written now: the disk is full, or the
                connection is lost. The candidate stays in memory, and the next call writes it.
            StoreError: There is no such exploration.
        """
        self.keep_candidates(number, [candidate])

    def keep_candidates(self, number: int, candidates: Sequence[Candidate]) -> None:
        """Store candidates as ``keep_candidate`` does, in one transaction."""
        for one in candidates:
            self._unwritten[number, one.digest] = explorations.Kept.of(number, one)
        self._write_kept()

    def end_exploration(self, number: int) -> None:
        """Mark an exploration as ended.

        Raises:
            StoreError: The store could not be written, or candidates could not.
        """
        self._write_kept()
        self.end_run(number)

    def exploration(self, number: int) -> Exploration:
        """Return an exploration with its candidates and their measurements.

        Raises:
            StoreError: There is none with this number, or the store could not be read.
        """

        def work(rows: Rows) -> Exploration:
            found = explorations.listed(rows, number)
            if not found:
                numbers = [one.number for one in explorations.listed(rows)]
                there = f"its explorations are {numbers}" if numbers else "it has none"
                raise StoreError(f"{self.location} has no exploration {number}; {there}")
            return replace(found[0], candidates=explorations.candidates(rows, number))

        return self._read(work)

    def explorations(self) -> list[Exploration]:
        """Return all explorations without their candidates, newest first.

        Raises:
            StoreError: The store could not be read.
        """
        return self._read(lambda rows: explorations.listed(rows))

    def states(self, number: int) -> dict[State, int]:
        """Return how many candidates of an exploration are in each state, read from no more.

        Raises:
            StoreError: The store could not be read.
        """
        return self._read(lambda rows: explorations.states(rows, number))

    def activity(self, number: int) -> Activity:
        """Return whether a process works on an exploration, without disturbing it.

        Raises:
            StoreError: The store could not be read, or has no such run.
        """
        key, ended = self._read(lambda rows: runs.key_and_end(rows, number))
        claimed = not ended and key is not None and self._database.is_claimed(key)
        if not claimed:
            # It may have ended between both questions.
            _, ended = self._read(lambda rows: runs.key_and_end(rows, number))
        if ended:
            return Activity.ENDED
        return Activity.RUNNING if claimed else Activity.INTERRUPTED

    def commands(self) -> dict[int, str]:
        """The command line of each run, by the run's number.

        Raises:
            StoreError: The store could not be read.
        """
        return self._read(runs.commands)

    def _write_kept(self, patience_s: float | None = None) -> None:
        if not self._unwritten:
            return
        kept = list(self._unwritten.values())
        try:
            self._database.write(lambda rows: explorations.keep(rows, kept), patience_s)
        except StoreUnavailable:
            raise
        except StoreError:
            # The store refuses them: they would keep out all that come later.
            self._unwritten.clear()
            raise
        self._unwritten.clear()

    def _read(self, work: Callable[[Rows], Result]) -> Result:
        try:
            return self._database.read(work)
        except (ValueError, TypeError, ValidationError) as error:
            raise StoreError(
                f"{self.location} holds a measurement that this ciphermill does not understand; "
                "update ciphermill or choose another store with --store"
            ) from error
