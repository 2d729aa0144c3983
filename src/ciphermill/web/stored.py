# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Reads the results store for pages, and says why it cannot be read."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ciphermill.campaign.store import Location, Store, StoreError, default_location

Result = TypeVar("Result")
LOCKED_S = 1.0
"""How long a page waits for a store that another process has locked, in seconds."""
PATIENCE_S = 5.0
"""How long a page waits for a database that does not answer, in seconds."""


class NotReadable(Exception):
    """The store cannot be read; the text says why, and what to do next."""


class Stored:
    """A results store, opened anew for each question, so that it may come and go."""

    def __init__(self, named: str | None = None) -> None:
        """Take the store that ``--store`` names, or the default one; nothing is opened yet.

        Raises:
            StoreError: It is a URL of no known kind.
        """
        self.location = Location.of(named) if named else default_location()

    def read(self, work: Callable[[Store], Result]) -> Result:
        """Return what a function finds in the store. A store that is not there is not made.

        Raises:
            NotReadable: There is no store, or it is locked, newer than this program, or broken.
        """
        if not self.location.exists:
            raise NotReadable(
                f"There is no results store at {self.location} yet: a command that measures "
                "makes it, such as ciphermill bench."
            )
        if self.location.file:
            _check_lock(self.location.file)
        try:
            with Store(self.location, patience_s=PATIENCE_S) as store:
                return work(store)
        except StoreError as error:
            words = str(error).rstrip(".")
            raise NotReadable(f"{words[:1].upper()}{words[1:]}.") from error

    def open(self) -> Store:
        """Open the store to write; it is made where it is missing.

        Raises:
            StoreError: It cannot be used.
        """
        return Store(self.location)


def _check_lock(path: Path) -> None:
    """Notice a lock sooner than a command would, which waits for half a minute.

    Raises:
        NotReadable: The file is locked.
    """
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=LOCKED_S)) as file:
            file.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise NotReadable(
                f"Another program has locked {path}. This page tries again in a few seconds."
            ) from error
    except sqlite3.Error:
        return  # The store's own message says more.
