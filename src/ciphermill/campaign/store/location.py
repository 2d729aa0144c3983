# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Where a results store is: an SQLite file, or a PostgreSQL database by its URL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ciphermill import environment
from ciphermill.passwords import without_passwords

from .errors import StoreError

_URL = re.compile(r"(?P<kind>[a-z][\w+.-]*)://", re.IGNORECASE)
_POSTGRESQL = ("postgresql", "postgres", "postgresql+psycopg")


@dataclass(frozen=True)
class Location:
    """The place of a results store. As a string it shows no password."""

    file: Path | None
    """The SQLite file; None: a PostgreSQL database."""
    url: str = field(default="", repr=False)
    """URL of the PostgreSQL database, ``postgresql://...``, with its password if it has one."""

    @classmethod
    def of(cls, named: str | Path) -> Location:
        """Return the place that a path or a URL names.

        Raises:
            StoreError: It is a URL of no known kind.
        """
        found = _URL.match(named) if isinstance(named, str) else None
        if found is None:
            return cls(Path(named))
        kind, rest = found["kind"].lower(), str(named)[found.end() :]
        if kind == "sqlite":
            # As SQLAlchemy writes it: sqlite:///relative, sqlite:////absolute.
            return cls(Path(rest.removeprefix("/")))
        if kind in _POSTGRESQL:
            return cls(None, f"postgresql://{rest}")
        raise StoreError(
            f"{without_passwords(str(named))}: a results store is a file, or a database "
            "postgresql://USER@HOST/NAME"
        )

    def __str__(self) -> str:
        return str(self.file) if self.file else without_passwords(self.url)

    @property
    def exists(self) -> bool:
        """Whether the file exists. Of a database, only a connection can tell: True."""
        return self.file is None or self.file.exists()

    def beside(self, name: str) -> Path:
        """Return the path of a page: beside the file; of a database, in the current folder."""
        return self.file.with_name(name) if self.file else Path(name)


def default_location(given: Mapping[str, str] | None = None) -> Location:
    """The place of the results store, unless ``--store`` gives another.

    ``$CIPHERMILL_STORE``, else ``ciphermill/measurements.sqlite`` under
    ``$XDG_DATA_HOME`` (XDG base directory specification: by default
    ``~/.local/share``). ``given`` are other variables than the process's.

    Raises:
        StoreError: ``$CIPHERMILL_STORE`` is a URL of no known kind.
    """
    lookup = environment.variable if given is None else lambda name: given.get(name, "")
    if chosen := lookup("CIPHERMILL_STORE"):
        return Location.of(chosen)
    data_home = lookup("XDG_DATA_HOME")
    # The specification requires that relative paths are ignored.
    absolute = Path(data_home).is_absolute()
    base = Path(data_home) if absolute else environment.home_folder() / ".local" / "share"
    return Location(base / "ciphermill" / "measurements.sqlite")
