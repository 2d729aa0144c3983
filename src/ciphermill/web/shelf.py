# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The files that a page has sent or can download, in a folder that only this user can read."""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass
from pathlib import Path

from ciphermill.web.errors import Refused
from ciphermill.web.pictures import Picture

KEPT = 12
"""The number of files that are kept; a new one removes the oldest."""


@dataclass
class Item:
    """A file."""

    identity: str
    name: str
    """What it is called when it is downloaded."""
    path: Path
    picture: Picture | None = None
    """What the page shows of it, if it is a picture."""


class Shelf:
    """The files, by identities that nobody can guess."""

    def __init__(self, folder: Path) -> None:
        """Keep files in this folder, which its owner removes."""
        self._folder = folder
        self._items: dict[str, Item] = {}
        self._lock = threading.Lock()

    def place(self, name: str) -> Item:
        """Return an item with a path at which there is no file yet."""
        identity = secrets.token_urlsafe(12)
        item = Item(identity, name, self._folder / identity)
        with self._lock:
            self._items[identity] = item
            oldest = list(self._items)[:-KEPT]
        for one in oldest:
            self.remove(one)
        return item

    def find(self, identity: str) -> Item:
        """Return an item.

        Raises:
            Refused: There is none, or no longer.
        """
        item = self._items.get(identity)
        if item is None or not item.path.exists():
            raise Refused("this file is not kept any more: choose it again", 404)
        return item

    def remove(self, identity: str) -> None:
        """Remove an item and its file; one that a job reads stays readable to it."""
        with self._lock:
            item = self._items.pop(identity, None)
        if item is not None:
            item.path.unlink(missing_ok=True)
