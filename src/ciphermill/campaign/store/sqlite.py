# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The results store in an SQLite file.

``PRAGMA user_version`` holds the schema's version. Several processes may write at once: each
waits up to 30 s for the others' transactions, which take milliseconds. SQLite's write-ahead log
is not used, since it does not work in a folder of another machine (NFS) and leaves two more
files beside the store.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import sqlite3
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from .errors import StoreError, StoreUnavailable
from .migrations import SCHEMA_VERSION, SQLITE, newer

Result = TypeVar("Result")

BUSY_S = 30.0
"""How long a transaction waits for those of other processes."""
_LATER = {
    sqlite3.SQLITE_FULL: "its disk is full: make room, then run the same command again",
    sqlite3.SQLITE_IOERR: "is its disk full? Make room, then run the same command again",
    sqlite3.SQLITE_BUSY: f"another process has had it locked for {BUSY_S:.0f} s: try again",
}


class SQLiteRows:
    """A transaction of an SQLite file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(
        self, statement: str, values: Mapping[str, Any] | None = None
    ) -> list[tuple[Any, ...]]:
        """Execute a statement and return its rows."""
        return self._connection.execute(statement, values or {}).fetchall()

    def execute_each(self, statement: str, values: Iterable[Mapping[str, Any]]) -> None:
        """Execute a statement once with each of the values."""
        self._connection.executemany(statement, values)


class SQLite:
    """An open SQLite file."""

    def __init__(self, path: Path) -> None:
        """Open the file, creating it and its folder where they are missing.

        Raises:
            StoreError: It cannot be opened, is no results store, or was written by a newer
                program.
        """
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                f"cannot open the results store {path}: {error}; choose another with --store"
            ) from error
        self._rows = SQLiteRows(self.connection)
        try:
            self.connection.execute("PRAGMA foreign_keys = ON")
            self._migrate()
        except sqlite3.Error as error:
            self.connection.close()
            raise StoreError(
                f"{path} is not a usable results store ({error}); choose another with --store"
            ) from error
        except StoreError:
            self.connection.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def read(self, work: Callable[[SQLiteRows], Result]) -> Result:
        """Return what some queries give; see ``Database.read``."""
        with self._errors():
            return work(self._rows)

    def write(
        self, work: Callable[[SQLiteRows], Result], patience_s: float | None = None
    ) -> Result:
        """Do some work in one transaction; see ``Database.write``."""
        with self._errors():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                result = work(self._rows)
                self.connection.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already.
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
        return result

    @contextlib.contextmanager
    def alone(self) -> Iterator[bool]:
        """Lock the store's folder: every process shared, the only one exclusively before."""
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            alone = _lock(folder, fcntl.LOCK_EX)
            _lock(folder, fcntl.LOCK_SH)
            yield alone
        finally:
            os.close(folder)

    @contextlib.contextmanager
    def claim(self, key: str) -> Iterator[bool]:
        """Lock a file beside the store, whose name has a digest of the key."""
        path = self._claim_of(key)
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            # The file of a process that has just ended is removed while we open it.
            mine = _lock_bytes(file) and _is_at(file, path)
            try:
                yield mine
            finally:
                if mine:
                    path.unlink(missing_ok=True)
        finally:
            os.close(file)

    def is_claimed(self, key: str) -> bool:
        """Ask for the lock of a key's file; see ``Database.is_claimed``."""
        try:
            file = os.open(self._claim_of(key), os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            return _are_bytes_locked(file)
        finally:
            os.close(file)

    def _claim_of(self, key: str) -> Path:
        digest = hashlib.sha256(key.encode()).hexdigest()[:16]
        return self._path.with_name(f".{self._path.name}.{digest}.lock")

    def _migrate(self) -> None:
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        if version > SCHEMA_VERSION:
            raise newer(str(self._path), version)
        if version == SCHEMA_VERSION:
            return

        def migrate(rows: SQLiteRows) -> None:
            # Another process may have migrated the store before this one got the lock.
            ((version,),) = rows.execute("PRAGMA user_version")
            for number in range(version, SCHEMA_VERSION):
                for statement in filter(str.strip, SQLITE[number].split(";")):
                    rows.execute(statement)
                rows.execute(f"PRAGMA user_version = {number + 1}")

        self.write(migrate)

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            # The lowest byte is the primary code (https://sqlite.org/rescode.html).
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            message = f"the results store {self._path} failed: {error}"
            if advice := _LATER.get(code):
                raise StoreUnavailable(f"{message}; {advice}") from error
            raise StoreError(message) from error


def _lock(file: int, kind: int) -> bool:
    """Return whether a lock was obtained; some file systems have no locks."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _lock_bytes(file: int) -> bool:
    """Return whether a lock of a whole file was obtained, until the file is closed.

    ``flock`` has no question whether another process holds a lock; this lock has one.
    """
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, _whole_file())
    except OSError:
        return False
    return True


def _are_bytes_locked(file: int) -> bool:
    """Return whether ``_lock_bytes`` holds a file elsewhere, without locking it."""
    try:
        answer = fcntl.fcntl(file, fcntl.F_OFD_GETLK, _whole_file())
    except OSError:
        return False
    (kind,) = struct.unpack_from("h", answer)
    return bool(kind != fcntl.F_UNLCK)


def _whole_file() -> bytes:
    """Return a ``struct flock`` for writing: kind, whence, start, length, no process."""
    return struct.pack("hhqqi0q", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False
