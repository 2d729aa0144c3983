# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The results store in a PostgreSQL database, by its URL.

A connection that is lost is opened again, with growing waits, and the transaction that it
interrupted is repeated. If the connection was lost while the transaction was committed, the
server is asked what became of it (``pg_xact_status``), so nothing is stored twice. It needs
PostgreSQL 13 or later, and psycopg, which is imported when a database is opened.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ciphermill import environment
from ciphermill.passwords import without_passwords

from .errors import StoreError, StoreUnavailable
from .migrations import POSTGRESQL, SCHEMA_VERSION, newer

if TYPE_CHECKING:
    import psycopg

Result = TypeVar("Result")

PATIENCE_S = 60.0
"""How long a lost connection is tried again."""
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.1, 5.0
_DEFAULTS = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""libpq's parameters, in s and ms, unless the URL has them: a server that does not answer is
unreachable after 10 s, and a connection that a network has silently dropped is lost after 30 s."""
_ALL = 0x636970686572
"""The advisory lock that every user of the store holds; other keys are digests."""

# https://www.postgresql.org/docs/current/errcodes-appendix.html
_LOST = ("08", "57P01", "57P02", "57P03", "57P05", "53300")
"""States of a server that goes down, starts, or has too many connections."""
_REPEAT = ("40",)
"""The transaction was in the way of another's."""
_FULL = ("53100",)
_HELD = """
    SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
    WHERE locktype = 'advisory' AND granted AND datname = current_database() AND objsubid = 1
        AND CAST(classid AS BIGINT) = :high AND CAST(objid AS BIGINT) = :low
"""
"""Whether any connection holds an advisory lock."""


def timeouts(url: str) -> dict[str, Any]:
    """Return the parameters with which libpq gives up a lost connection, which the URL lacks.

    Raises:
        psycopg.Error: The URL is malformed.
    """
    from psycopg.conninfo import conninfo_to_dict

    given = conninfo_to_dict(url)
    return {name: value for name, value in _DEFAULTS.items() if name not in given}


class PostgreSQLRows:
    """A transaction of a PostgreSQL database."""

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        self._connection = connection

    def execute(
        self, statement: str, values: Mapping[str, Any] | None = None
    ) -> list[tuple[Any, ...]]:
        """Execute a statement and return its rows."""
        cursor = self._connection.execute(_translated(statement), values or {})
        return cursor.fetchall() if cursor.description else []

    def execute_each(self, statement: str, values: Iterable[Mapping[str, Any]]) -> None:
        """Execute a statement once with each of the values."""
        with self._connection.cursor() as cursor:
            cursor.executemany(_translated(statement), list(values))


class PostgreSQL:
    """An open PostgreSQL database."""

    def __init__(self, url: str, patience_s: float = PATIENCE_S) -> None:
        """Connect, and create the tables where they are missing.

        Args:
            url: ``postgresql://USER@HOST/NAME``; may have a password.
            patience_s: How long a connection that is lost later is tried again, in seconds.

        Raises:
            StoreError: psycopg is missing, the server does not answer or refuses, or the
                tables are those of a newer program.
        """
        self._url = url
        self._patience_s = patience_s
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None
        self._locks: dict[int, str] = {}
        """Advisory locks that are held, and the suffix of the function that took each."""
        if environment.is_privileged():
            # libpq reads a dozen environment variables that name servers and files.
            raise StoreError(
                "a program with more rights than its user keeps results in a file; "
                "choose one with --store"
            )
        try:
            import psycopg
        except ImportError as error:
            raise StoreError(
                f"{self} needs the package psycopg: pip install 'ciphermill[postgresql]'"
            ) from error
        self._errors = psycopg.Error
        try:
            self._connect()
        except psycopg.Error as error:
            raise StoreError(
                f"cannot open the results store {self}: {self._words(error)}; see that the "
                "server runs and the database exists (createdb), or choose another with --store"
            ) from error
        try:
            self.write(self._migrate)
        except StoreError:
            self.close()
            raise

    def __str__(self) -> str:
        return without_passwords(self._url)

    def close(self) -> None:
        """Close the connection; it is never opened again."""
        if self._connection is not None:
            self._connection.close()
        self._patience_s = 0.0

    def read(self, work: Callable[[PostgreSQLRows], Result]) -> Result:
        """Return what some queries give; see ``Database.read``."""
        return self._persistently(work, self._patience_s)

    def write(
        self, work: Callable[[PostgreSQLRows], Result], patience_s: float | None = None
    ) -> Result:
        """Do some work in one transaction; see ``Database.write``."""
        return self._persistently(work, self._patience_s if patience_s is None else patience_s)

    @contextlib.contextmanager
    def alone(self) -> Iterator[bool]:
        """Hold an advisory lock: every process shared, the only one exclusively before."""
        alone = self._lock(_ALL)
        self._lock(_ALL, "_shared")
        if alone:
            self._unlock(_ALL)
            self._locks[_ALL] = "_shared"
        try:
            yield alone
        finally:
            self._unlock(_ALL, "_shared")

    @contextlib.contextmanager
    def claim(self, key: str) -> Iterator[bool]:
        """Hold an advisory lock whose number is a digest of the key."""
        number = _number_of(key)
        mine = self._lock(number)
        try:
            yield mine
        finally:
            if mine:
                self._unlock(number)

    def is_claimed(self, key: str) -> bool:
        """Look for the key's lock among the server's; see ``Database.is_claimed``."""
        number = _number_of(key)
        # https://www.postgresql.org/docs/current/view-pg-locks.html has a lock's number in halves.
        halves = {"high": number >> 32 & 0xFFFFFFFF, "low": number & 0xFFFFFFFF}
        ((held,),) = self.read(lambda rows: rows.execute(_HELD, halves))
        return bool(held)

    def _lock(self, number: int, shared: str = "") -> bool:
        ((locked,),) = self.read(
            lambda rows: rows.execute(
                f"SELECT pg_try_advisory_lock{shared}(:number)", {"number": number}
            )
        )
        if locked:
            self._locks[number] = shared
        return bool(locked)

    def _unlock(self, number: int, shared: str = "") -> None:
        if self._locks.pop(number, None) is None:
            return
        # Without a connection the server has released it.
        with contextlib.suppress(StoreError):
            self.write(
                lambda rows: rows.execute(
                    f"SELECT pg_advisory_unlock{shared}(:number)", {"number": number}
                ),
                0.0,
            )

    def _connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        """Return the connection, opened again if it was lost."""
        import psycopg

        if self._connection is None or self._connection.closed:
            chosen = psycopg.conninfo.make_conninfo(self._url, **timeouts(self._url))
            self._connection = psycopg.connect(chosen, autocommit=True)
            rows = PostgreSQLRows(self._connection)
            for number, shared in self._locks.items():
                rows.execute(f"SELECT pg_try_advisory_lock{shared}(:number)", {"number": number})
        return self._connection

    def _persistently(self, work: Callable[[PostgreSQLRows], Result], patience_s: float) -> Result:
        """Do some work in a transaction, again after a lost connection.

        Raises:
            StoreUnavailable: There was no connection for ``patience_s`` seconds, or the
                server's disk is full.
            StoreError: The server refused a statement.
        """
        wait_s, deadline, warned = _FIRST_WAIT_S, time.monotonic() + patience_s, False
        doubtful: tuple[str, Result] | None = None
        """A transaction that was being committed, and its result."""
        while True:
            try:
                connection = self._connect()
                rows = PostgreSQLRows(connection)
                if doubtful is not None:
                    state = _state(rows, doubtful[0])
                    if state == "committed":
                        return doubtful[1]
                    # The server has not noticed yet that the connection is lost.
                    if state == "in progress":
                        raise _InProgress
                    doubtful = None
                with connection.transaction():
                    result = work(rows)
                    ((number,),) = rows.execute(
                        "SELECT CAST(pg_current_xact_id_if_assigned() AS text)"
                    )
                    # Only a transaction that writes has a number.
                    doubtful = (number, result) if number else None
                return result
            except _InProgress:
                cause: Exception | None = None
            except self._errors as error:
                state = getattr(error, "sqlstate", None) or ""
                lost = self._connection is None or self._connection.closed
                if not lost:
                    doubtful = None  # the server has rolled it back
                if state.startswith(_FULL):
                    raise StoreUnavailable(
                        f"the results store {self} failed: {self._words(error)}; the server's "
                        "disk is full: make room, then run the same command again"
                    ) from error
                if not (lost or state.startswith(_LOST + _REPEAT)):
                    raise StoreError(
                        f"the results store {self} failed: {self._words(error)}"
                    ) from error
                cause = error
            if time.monotonic() + wait_s > deadline:
                raise StoreUnavailable(
                    f"the results store {self} has not answered for {patience_s:.0f} s"
                    + (f": {self._words(cause)}" if cause else "")
                    + "; see that the server runs, then run the same command again"
                ) from cause
            if not warned and wait_s > _FIRST_WAIT_S:
                logging.getLogger(__name__).warning(
                    "the results store %s does not answer; it is tried for %.0f s", self, patience_s
                )
                warned = True
            time.sleep(wait_s)
            wait_s = min(2 * wait_s, _LONGEST_WAIT_S)

    def _migrate(self, rows: PostgreSQLRows) -> None:
        # Two processes may open an empty database at once; the lock ends with the transaction.
        rows.execute("SELECT pg_advisory_xact_lock(:number)", {"number": _ALL + 1})
        ((found,),) = rows.execute("SELECT to_regclass('ciphermill_schema') IS NOT NULL")
        if not found:
            rows.execute("CREATE TABLE ciphermill_schema (version INTEGER NOT NULL)")
            rows.execute("INSERT INTO ciphermill_schema VALUES (0)")
        ((version,),) = rows.execute("SELECT version FROM ciphermill_schema")
        if version > SCHEMA_VERSION:
            raise newer(str(self), version)
        for number in range(version + 1, SCHEMA_VERSION + 1):
            for statement in filter(str.strip, POSTGRESQL.get(number, "").split(";")):
                rows.execute(statement)
        if version < SCHEMA_VERSION:
            rows.execute("UPDATE ciphermill_schema SET version = :version", _AT_LATEST)

    def _words(self, error: Exception) -> str:
        """The first line of an error's message, without the password."""
        import psycopg

        text = without_passwords(str(error).strip().partition("\n")[0])
        with contextlib.suppress(psycopg.Error):
            password = psycopg.conninfo.conninfo_to_dict(self._url).get("password")
            if password:
                text = text.replace(str(password), "***")
        return text


_AT_LATEST = {"version": SCHEMA_VERSION}


class _InProgress(Exception):
    """The server still holds a transaction whose connection was lost."""


def _state(rows: PostgreSQLRows, number: str) -> str:
    ((state,),) = rows.execute(
        "SELECT pg_xact_status(CAST(CAST(:number AS text) AS xid8))", {"number": number}
    )
    return str(state)


def _number_of(key: str) -> int:
    """Return the advisory lock of a key."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], signed=True)


def _translated(statement: str) -> str:
    return re.sub(r":(\w+)", r"%(\1)s", statement)
