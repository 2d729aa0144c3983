# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the store asks of a database: SQLite and PostgreSQL answer the same statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

Result = TypeVar("Result")


class Rows(Protocol):
    """An open transaction. Values are named in a statement as ``:name``."""

    def execute(
        self, statement: str, values: Mapping[str, Any] | None = None
    ) -> list[tuple[Any, ...]]:
        """Execute a statement and return its rows."""

    def execute_each(self, statement: str, values: Iterable[Mapping[str, Any]]) -> None:
        """Execute a statement once with each of the values."""


class Database(Protocol):
    """An open database whose schema is up to date."""

    def read(self, work: Callable[[Rows], Result]) -> Result:
        """Return what some queries give.

        Raises:
            StoreError: They failed.
        """

    def write(self, work: Callable[[Rows], Result], patience_s: float | None = None) -> Result:
        """Do a piece of work in one transaction: all of it or nothing, and once.

        Args:
            work: May be called again, if the transaction did not come to its end.
            patience_s: How long a lost connection is tried again, in seconds; by default as
                the database was opened with.

        Raises:
            StoreUnavailable: It failed and may work later.
            StoreError: It failed.
        """

    def alone(self) -> AbstractContextManager[bool]:
        """Count this process as a user of the store; gives whether it is the only one."""

    def claim(self, key: str) -> AbstractContextManager[bool]:
        """Hold a key; gives False if another process holds it."""

    def is_claimed(self, key: str) -> bool:
        """Whether a process holds a key now; asked without holding it."""

    def close(self) -> None:
        """Close the database."""
