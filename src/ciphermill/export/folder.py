# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Writes an export to its folder, optionally over an older export."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from .bundle import MANIFEST


class FolderTaken(Exception):
    """The folder is not empty, and overwriting was not requested."""


def check_folder(folder: Path, *, force: bool) -> None:
    """Check that an export can be written to a folder, before any work.

    Makes the folder.

    Raises:
        FolderTaken: It is not empty, and ``force`` is not given.
        OSError: It cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not force and any(folder.iterdir()):
        raise FolderTaken(f"{folder} is not empty: choose another folder, or use --force")
    with tempfile.TemporaryFile(dir=folder):
        pass


@contextlib.contextmanager
def removed_on_failure(folder: Path) -> Iterator[None]:
    """Remove a folder that the block creates, if the block fails and leaves it empty."""
    fresh = not folder.exists()
    try:
        yield
    except BaseException:
        if fresh:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def write_export(files: Mapping[str, str], folder: Path, *, force: bool) -> None:
    """Write files to a folder, all of them or, where it was empty, none.

    With ``force``, files of an older export that the new one does not have are removed;
    other files in the folder are not changed.

    Raises:
        FolderTaken: As ``check_folder``.
        OSError: A file cannot be written.
    """
    check_folder(folder, force=force)
    fresh = not any(folder.iterdir())
    old = _older_files(folder)
    written: list[Path] = []
    try:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            written.append(path)
            path.write_text(text, encoding="utf-8")
    except BaseException:
        if fresh:
            _remove(written, folder)
        raise
    _remove([folder / name for name in old - files.keys()], folder)


def _older_files(folder: Path) -> set[str]:
    """Return the files in an older export's manifest, without those outside the folder."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        names = set(manifest["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return {name for name in names if isinstance(name, str) and _is_inside(name)}


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(name) and not path.is_absolute() and ".." not in path.parts


def _remove(paths: list[Path], folder: Path) -> None:
    """Remove files, and the folders that are empty then."""
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        for parent in path.parents:
            if parent == folder or folder not in parent.parents:
                break
            with contextlib.suppress(OSError):
                parent.rmdir()
