# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A cache of artefacts, keyed by the content of everything that they depend on.

An artefact's key is a hash of its sources, its parameters, the versions of its tools, and
their flags or the code that sets them (``code_key``), so an artefact is never stale. It is
built in a folder of its own and renamed into place, so that a killed build leaves no
partial artefact. A lock ensures that two processes build the same artefact once. Each kind
of artefact has a maximum size; the least recently used artefacts are removed first. Machines
can share artefacts (``shared_cache``).
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from ciphermill.design import build_folder, find_home

from .errors import DiskFull, ToolError
from .shared_cache import SharedCache, shared_cache

Result = TypeVar("Result")

MOST_BYTES = 512 << 20
"""Size of a kind of artefact beyond which those not used for longest are removed."""
LEAST_SECONDS = 24 * 3600
"""An artefact that was used within this time is not removed, since a process may still use it."""
ROOM_BYTES = 1 << 20
"""With less room than this a disk counts as full."""


def content_key(files: Iterable[Path], facts: Mapping[str, object], *, relative_to: Path) -> str:
    """Return the hash (hex, 64 digits) of some files and facts.

    Args:
        files: Sources; their names relative to ``relative_to`` and their bytes count.
        facts: Parameters, tool versions, flags: anything that JSON can hold.
        relative_to: The folder that the names are relative to, so that a tree
            that has moved finds its artefacts again.

    Raises:
        ToolError: A file cannot be read.
    """
    digest = hashlib.sha256()
    digest.update(json.dumps(facts, sort_keys=True).encode())
    for path in sorted(files):
        try:
            content = path.read_bytes()
        except OSError as error:
            raise ToolError(f"{path}: {error.strerror or error}") from error
        name = os.path.relpath(path, relative_to)
        digest.update(f"\0{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


@cache
def code_key(*files: str | Path) -> str:
    """Return a hash (hex, 64 digits) of code that has a part in an artefact, for its facts.

    Args:
        files: Python files by their name in this folder, or by their path.

    Raises:
        ToolError: A file cannot be read.
    """
    folder = Path(__file__).resolve().parent
    return content_key([folder / file for file in files], {}, relative_to=folder)


@contextmanager
def locked(path: Path, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold an exclusive lock on a file, made where it is missing.

    The system releases it when the process ends, however it ends.

    Args:
        path: The lock file.
        on_wait: Called once when another process holds the lock.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            # Closing is not enough where a child process was forked meanwhile.
            fcntl.flock(file, fcntl.LOCK_UN)


def replace(source: Path, target: Path) -> None:
    """Give ``target`` the content of ``source`` in one step, by link or by copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        temporary.unlink()
        try:
            temporary.hardlink_to(source)
        except OSError:
            shutil.copy2(source, temporary)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _check_room(folder: Path, consequence: str = "") -> None:
    """See that a tool has not stopped writing for want of room.

    Raises:
        DiskFull: There is none.
    """
    if shutil.disk_usage(folder).free < ROOM_BYTES:
        raise DiskFull(f"no space left on the disk of {folder}{consequence}")


@dataclass(frozen=True)
class Cache:
    """A folder of artefacts, one file each, by kind and key."""

    folder: Path
    shared: SharedCache | None = None
    """A second level, which other machines read and write too."""

    def path(self, kind: str, key: str, suffix: str) -> Path:
        """Return where the artefact is or would be."""
        return self.folder / kind / f"{key}{suffix}"

    def get(
        self,
        kind: str,
        key: str,
        suffix: str,
        build: Callable[[Path], Path],
        *,
        on_wait: Callable[[], None] = lambda: None,
    ) -> Path:
        """Return the artefact, built if it is not here.

        Args:
            kind: A word for people, such as ``model``; a folder of the cache.
            key: Its ``content_key``.
            suffix: Of its file name, such as ``.so``.
            build: Is given an empty scratch folder, which is removed afterwards,
                and returns the file in it that is the artefact.
            on_wait: Called once when another process is building the same.

        Raises:
            ToolError: ``build`` raised it, or the disk is full: tools cut files short then,
                not all with an error. Nothing is cached then.
        """
        target = self.path(kind, key, suffix)
        if target.is_file():
            # The time of the last use; where it cannot be written nothing is pruned either.
            with suppress(OSError):
                os.utime(target)
            return target
        with locked(target.with_suffix(".lock"), on_wait):
            if not target.is_file():
                with tempfile.TemporaryDirectory(prefix=f".{key[:12]}.", dir=target.parent) as name:
                    name_there = f"{kind}/{key}{suffix}"
                    built = self.shared and self.shared.fetch(name_there, Path(name))
                    fetched = built is not None
                    try:
                        built = built or build(Path(name))
                    except ToolError as error:
                        _check_room(target.parent, f": {error}")
                        raise
                    _check_room(target.parent)
                    with built.open("rb") as file:
                        os.fsync(file.fileno())
                    built.replace(target)
                if self.shared and not fetched:
                    self.shared.put(name_there, target)
        target.with_suffix(".lock").unlink(missing_ok=True)
        self.prune(kind, suffix)
        return target

    def prune(
        self,
        kind: str,
        suffix: str,
        *,
        most_bytes: int = MOST_BYTES,
        least_seconds: float = LEAST_SECONDS,
    ) -> None:
        """Remove the artefacts of a kind that were not used for longest.

        Args:
            kind: As in ``get``.
            suffix: As in ``get``.
            most_bytes: What those that stay may take together.
            least_seconds: Those that were used within this time stay in any case.
        """
        found = []
        for path in self.folder.joinpath(kind).glob(f"*{suffix}"):
            with suppress(FileNotFoundError):  # another process prunes too
                about = path.stat()
                found.append((about.st_mtime, about.st_size, path))
        total, now = 0, time.time()
        for used, size, path in sorted(found, reverse=True):
            total += size
            if total > most_bytes and now - used > least_seconds:
                path.unlink(missing_ok=True)


def artefact(
    kind: str,
    suffix: str,
    files: Sequence[Path],
    facts: Mapping[str, object],
    build: Callable[[Path], Path],
    *,
    relative_to: Path | None = None,
    on_wait: Callable[[], None] = lambda: None,
) -> Path:
    """Return an artefact in the cache of the build folder, built if it is not there.

    Args:
        kind: As for ``Cache.get``, as are ``suffix``, ``build`` and ``on_wait``.
        suffix: Of its file name.
        files: What it is made from, as for ``content_key``.
        facts: What else it depends on.
        build: Makes it.
        relative_to: The folder that names of files are relative to: unless given, the
            build folder for files that were built, the source tree for others.
        on_wait: Called once when another process is building the same.

    Raises:
        DesignError: There is no source tree.
        ToolError: A file cannot be read, or as for ``Cache.get``.
    """
    key = artefact_key(files, facts, relative_to)
    return Cache(build_folder() / "cache", shared_cache()).get(
        kind, key, suffix, build, on_wait=on_wait
    )


def artefact_key(
    files: Sequence[Path], facts: Mapping[str, object], relative_to: Path | None = None
) -> str:
    """Return the key of an artefact; the arguments are those of ``artefact``."""
    built = all(path.is_relative_to(build_folder()) for path in files)
    root = relative_to or (build_folder() if built else find_home())
    return content_key(files, facts, relative_to=root)


def kept(
    kind: str,
    files: Sequence[Path],
    facts: Mapping[str, object],
    make: Callable[[Path], object],
    read: Callable[[Any], Result],
) -> Result:
    """Return a result that is kept as JSON, made if it is not there.

    Args:
        kind: As for ``artefact``, as are ``files`` and ``facts``.
        files: What it is made from.
        facts: What else it depends on.
        make: Is given an empty scratch folder and returns what JSON can hold.
        read: Turns that into the result.

    Raises:
        DesignError: There is no source tree.
        ToolError: As for ``artefact``, or the file that was kept is damaged.
    """

    def build(folder: Path) -> Path:
        result = folder / "result.json"
        result.write_text(json.dumps(make(folder)), encoding="utf-8")
        return result

    path = artefact(kind, ".json", files, facts, build)
    try:
        return read(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ToolError(f"{path}: damaged ({error}); delete it") from error
