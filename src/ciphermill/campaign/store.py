# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The results store: measurements in one SQLite file.

A run is one invocation; each of its measurements is stored as the flat JSON object that
``--json`` prints, with a few further columns for queries. ``PRAGMA user_version`` holds the
schema's version; an older file is brought up to date when it is opened, a newer one is
refused, so nothing is lost.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from ciphermill import environment
from ciphermill.design import Measurement

_MIGRATIONS = (
    """
    CREATE TABLE run (
        id INTEGER PRIMARY KEY,
        started TEXT NOT NULL,
        command TEXT NOT NULL
    ) STRICT;
    CREATE TABLE measurement (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
        device TEXT,
        mode TEXT,
        direction TEXT,
        key_bits INTEGER,
        fields TEXT NOT NULL
    ) STRICT;
    CREATE INDEX measurement_by_run ON measurement (run);
    """,
    # Embedded systems: what a design is split into and runs on. The step also keeps
    # programs away that know fewer keys than a measurement may have from now on.
    """
    ALTER TABLE measurement ADD COLUMN cipher TEXT;
    ALTER TABLE measurement ADD COLUMN partition TEXT;
    ALTER TABLE measurement ADD COLUMN soft_core TEXT;
    UPDATE measurement SET
        cipher = json_extract(fields, '$.cipher'),
        partition = json_extract(fields, '$.partition'),
        soft_core = json_extract(fields, '$.soft_core');
    """,
    # Physical results: the design and its target.
    """
    ALTER TABLE measurement ADD COLUMN design TEXT;
    ALTER TABLE measurement ADD COLUMN target TEXT;
    UPDATE measurement SET
        design = json_extract(fields, '$.design'),
        target = json_extract(fields, '$.target');
    """,
    # Streams: on which platform.
    """
    ALTER TABLE measurement ADD COLUMN platform TEXT;
    UPDATE measurement SET platform = json_extract(fields, '$.platform');
    """,
    # Streams through software at a platform's published rates were called `published`.
    # They are outputs of a model: only what a paper prints is `published`. The step also
    # keeps programs away that do not know the key `inputs`.
    """
    UPDATE measurement SET fields = json_set(fields, '$.method', 'modelled')
    WHERE json_extract(fields, '$.method') = 'published'
      AND json_extract(fields, '$.application') IS NOT NULL
      AND json_extract(fields, '$."time.total_s"') IS NOT NULL;
    """,
    # Runs that can be continued: what a run was asked, whether it has ended, and which
    # of its points a measurement is of. Every earlier run was stored at its end.
    """
    ALTER TABLE run ADD COLUMN key TEXT;
    ALTER TABLE run ADD COLUMN ended INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE measurement ADD COLUMN point TEXT;
    ALTER TABLE measurement ADD COLUMN place INTEGER;
    """,
    # Names: `cipher` became `algorithm`, and counts of clock cycles are called cycles.
    """
    ALTER TABLE measurement RENAME COLUMN cipher TO algorithm;
    UPDATE measurement SET fields = replace(replace(replace(replace(fields,
        '"cipher":', '"algorithm":'),
        '"merit.clocks_x_lut":', '"merit.cycles_x_lut":'),
        'clocks_per_block"', 'cycles_per_block"'),
        '_clocks"', '_cycles"');
    """,
    # `direction` became `operation`: a digest has none.
    """
    ALTER TABLE measurement RENAME COLUMN direction TO operation;
    UPDATE measurement SET fields = json_remove(
        json_set(fields, '$.operation', json_extract(fields, '$.direction')), '$.direction')
    WHERE json_extract(fields, '$.direction') IS NOT NULL;
    """,
    # Keeps programs away that do not know the key `error.held_out`.
    "",
    # The same for `threads`, `time.worst_message_s` and `power.over_time`.
    "",
)

_COLUMNS = (
    *("device", "mode", "operation", "key_bits", "algorithm", "partition", "soft_core"),
    *("design", "target", "platform"),
)
"""Fields of a measurement that have a column of their own."""

SELECTED = ("run", *(name for name in _COLUMNS if name not in ("operation", "key_bits")))
"""Fields that records are selected by."""

_SELECT = f"""
    SELECT run, started, fields FROM measurement JOIN run ON run.id = run
    WHERE {" AND ".join(f"(:{name} IS NULL OR {name} = :{name})" for name in SELECTED)}
      AND (:last IS NULL OR run IN (SELECT id FROM run ORDER BY id DESC LIMIT :last))
    ORDER BY run, place NULLS LAST, measurement.id
"""  # noqa: S608 - names of columns that stand above
_INSERT = (
    f"INSERT INTO measurement (run, {', '.join(_COLUMNS)}, point, place, fields)"  # noqa: S608
    f" VALUES ({', '.join('?' * (len(_COLUMNS) + 4))})"
)

SCHEMA_VERSION = len(_MIGRATIONS)
"""Version of the schema that this program writes."""


class StoreError(Exception):
    """The store cannot be used; the message says why and what to do."""


def default_store_path(given: Mapping[str, str] | None = None) -> Path:
    """The path of the results store, unless ``--store`` gives another.

    ``$CIPHERMILL_STORE``, else ``ciphermill/measurements.sqlite`` under
    ``$XDG_DATA_HOME`` (XDG base directory specification: by default
    ``~/.local/share``). ``given`` are other variables than the process's.
    """
    lookup = environment.variable if given is None else lambda name: given.get(name, "")
    if chosen := lookup("CIPHERMILL_STORE"):
        return Path(chosen)
    data_home = lookup("XDG_DATA_HOME")
    # The specification requires that relative paths are ignored.
    absolute = Path(data_home).is_absolute()
    base = Path(data_home) if absolute else environment.home_folder() / ".local" / "share"
    return base / "ciphermill" / "measurements.sqlite"


@dataclass(frozen=True)
class Record:
    """A stored measurement and the run that it belongs to."""

    run: int
    started: str
    """When the run started, UTC, ISO 8601."""
    measurement: Measurement


class Store:
    """An open results store; a context manager that closes the file."""

    def __init__(self, path: Path) -> None:
        """Open the store, creating file and folder where they are missing.

        Raises:
            StoreError: the file cannot be opened, is not a results store, or was written by
                a newer program.
        """
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=30.0, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                f"cannot open the results store {path}: {error}; choose another with --store"
            ) from error
        try:
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._migrate()
        except sqlite3.Error as error:
            self._connection.close()
            raise StoreError(
                f"{path} is not a usable results store ({error}); choose another with --store"
            ) from error
        except StoreError:
            self._connection.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

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
            StoreError: the file could not be written.
        """
        moment = (started or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")
        with self._transaction():
            cursor = self._connection.execute(
                "INSERT INTO run (started, command, key, ended) VALUES (?, ?, ?, ?)",
                (moment, command, key, key is None),
            )
            run = cursor.lastrowid
            assert run is not None  # noqa: S101 - SQLite gives one after each insert
            self._insert(run, measurements, point)
        return run

    def extend_run(
        self, run: int, measurements: Sequence[Measurement], point: tuple[str, int] | None = None
    ) -> None:
        """Store more measurements of a run, all or none.

        Raises:
            StoreError: There is no such run, or the file could not be written.
        """
        with self._transaction():
            self._insert(run, measurements, point)

    def end_run(self, run: int) -> None:
        """Mark a run as ended.

        Raises:
            StoreError: The file could not be written.
        """
        with self._transaction():
            self._connection.execute("UPDATE run SET ended = 1 WHERE id = ?", (run,))

    def unfinished(self, key: str) -> tuple[int, dict[str, list[Measurement]]] | None:
        """Return the last run with a key that has not ended, and its measurements by point.

        Raises:
            StoreError: The file could not be read.
        """
        with self._errors():
            found = self._connection.execute(
                "SELECT max(id) FROM run WHERE key = ? AND NOT ended", (key,)
            ).fetchone()[0]
            rows = self._connection.execute(
                "SELECT point, fields FROM measurement WHERE run = ? ORDER BY id", (found,)
            ).fetchall()
        points: dict[str, list[Measurement]] = {}
        for point, fields in rows:
            points.setdefault(point, []).append(Measurement.from_json(json.loads(fields)))
        return None if found is None else (found, points)

    def _insert(
        self, run: int, measurements: Sequence[Measurement], point: tuple[str, int] | None
    ) -> None:
        self._connection.executemany(
            _INSERT,
            [
                (
                    run,
                    *(getattr(seen, name) for name in _COLUMNS),
                    *(point or (None, None)),
                    json.dumps(seen.to_json()),
                )
                for seen in measurements
            ],
        )

    def records(self, *, last: int | None = None, **selected: str | int | None) -> list[Record]:
        """Stored measurements, oldest first.

        Args:
            last: only those of this many latest runs.
            selected: only those with this value of a field, which is one of ``SELECTED``;
                None: with any.
        """
        if unknown := selected.keys() - set(SELECTED):
            raise ValueError(f"{min(unknown)} is no field that records are selected by")
        selection = {"last": last, **dict.fromkeys(SELECTED), **selected}
        with self._errors():
            rows = self._connection.execute(_SELECT, selection).fetchall()
        try:
            return [
                Record(number, started, Measurement.from_json(json.loads(fields)))
                for number, started, fields in rows
            ]
        except (ValueError, ValidationError) as error:
            raise StoreError(
                f"{self.path} holds a measurement that this ciphermill does not understand; "
                "update ciphermill or choose another store with --store"
            ) from error

    def held(self, name: str) -> list[str]:
        """The values of a field in all stored measurements, sorted; runs by their numbers.

        Args:
            name: One of ``SELECTED``.
        """
        if name not in SELECTED:
            raise ValueError(f"{name} is no field that records are selected by")
        with self._errors():
            rows = self._connection.execute(
                f"SELECT DISTINCT {name} FROM measurement"  # noqa: S608 - checked above
                f" WHERE {name} IS NOT NULL ORDER BY {name}"
            ).fetchall()
        return [str(value) for (value,) in rows]

    def _migrate(self) -> None:
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} was written by a newer ciphermill (schema {version}, this one "
                f"knows {SCHEMA_VERSION}); update ciphermill or choose another with --store"
            )
        if version == SCHEMA_VERSION:
            return
        with self._transaction():
            # Another process may have migrated the store before this one got the lock.
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            for number in range(version, SCHEMA_VERSION):
                for statement in filter(str.strip, _MIGRATIONS[number].split(";")):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version = {number + 1}")

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"the results store {self.path} failed: {error}") from error
