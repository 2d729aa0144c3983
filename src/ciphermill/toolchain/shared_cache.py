# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Artefacts that several machines share, in a folder or in an S3-compatible store.

``$CIPHERMILL_SHARED_CACHE`` is a URL, ``file:///mnt/cache`` or ``s3://bucket/prefix``. The
endpoint and the keys of an S3-compatible store come from the standard variables
(``AWS_ENDPOINT_URL``, ``AWS_ACCESS_KEY_ID``, ``AWS_SECRET_ACCESS_KEY``, ``AWS_PROFILE``).

An object is a header with the SHA-256 of its name, its content, and whether it is a program, then
the content. One that is damaged, cut or stored under another name counts as missing. The digest
is no signature: who can write to the shared cache chooses the code that others run, since models
are shared libraries. Machines of another architecture or C library find nothing of one another.
"""

from __future__ import annotations

import hashlib
import logging
import os
import platform
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from ciphermill import environment
from ciphermill.passwords import without_passwords

VARIABLE = "CIPHERMILL_SHARED_CACHE"
_MAGICS = {False: b"ciphermill artefact 1\n", True: b"ciphermill program  1\n"}
"""The first bytes of an object, by whether it is a program. They are equally long."""
_HEADER_BYTES = len(_MAGICS[False]) + 65
_PART = 1 << 20
_SECONDS = 10
"""Limit on a connection, and on an answer, of an S3-compatible store."""
_MOST_FAILURES = 3
"""After as many failures in a row the shared cache is not asked again."""


class SharedCache:
    """A cache behind a URL. Failures are told once and never raised."""

    def __init__(self, url: str) -> None:
        """Use a URL; nothing is opened yet."""
        self._url = url.rstrip("/")
        self._files: Any = None
        self._failures = 0
        self._warned = False

    def __str__(self) -> str:
        return without_passwords(self._url)

    def fetch(self, name: str, folder: Path) -> Path | None:
        """Return a copy of an artefact in ``folder``; None if there is none, or it is damaged.

        Args:
            name: Kind, key and suffix, such as ``model/0123.so``.
            folder: A scratch folder.
        """
        if self._failures >= _MOST_FAILURES:
            return None
        target = folder / "fetched"
        try:
            with self._open(name, "rb") as source, target.open("wb") as sink:
                told = source.read(_HEADER_BYTES)
                program = told.startswith(_MAGICS[True])
                digest = _digest(name, program)
                while part := source.read(_PART):
                    digest.update(part)
                    sink.write(part)
        except FileNotFoundError:
            self._failures = 0
            return None
        except Exception as error:
            self._fail(error)
            return None
        self._failures = 0
        if told != _header(digest, program):
            logging.getLogger(__name__).warning(
                "the shared cache %s has a damaged %s; it is built here and replaced", self, name
            )
            return None
        if program:
            target.chmod(target.stat().st_mode | 0o111)
        return target

    def put(self, name: str, source: Path) -> None:
        """Store a copy of an artefact."""
        if self._failures >= _MOST_FAILURES:
            return
        try:
            content = source.read_bytes()
            program = os.access(source, os.X_OK)
            digest = _digest(name, program)
            digest.update(content)
            self._write(name, _header(digest, program) + content)
        except Exception as error:
            self._fail(error)
        else:
            self._failures = 0

    def _write(self, name: str, content: bytes) -> None:
        if not self._url.startswith("file:"):
            # An object appears whole or not at all.
            with self._open(name, "wb") as sink:
                sink.write(content)
            return
        # In a folder a reader may come while a file is written.
        files, path = self._opened(), self._path(name)
        temporary = f"{path}.{uuid4().hex}.part"
        files.makedirs(path.rpartition("/")[0], exist_ok=True)
        try:
            Path(temporary).write_bytes(content)
            Path(temporary).replace(path)
        finally:
            Path(temporary).unlink(missing_ok=True)

    def _open(self, name: str, mode: str) -> Any:
        return self._opened().open(self._path(name), mode)

    def _path(self, name: str) -> str:
        return str(self._opened()._strip_protocol(f"{self._url}/{name}"))

    def _opened(self) -> Any:
        """Return the file system of the URL.

        Raises:
            ImportError: A package is missing.
        """
        if self._files is None:
            import fsspec

            options: dict[str, Any] = {}
            if self._url.startswith("s3:"):
                options = {
                    # Another machine may write at any moment.
                    "use_listings_cache": False,
                    "config_kwargs": {
                        "connect_timeout": _SECONDS,
                        "read_timeout": _SECONDS,
                        "retries": {"total_max_attempts": 2},
                    },
                }
            self._files, _ = fsspec.core.url_to_fs(self._url, **options)
        return self._files

    def _fail(self, error: Exception) -> None:
        self._failures += 1
        if isinstance(error, ImportError | ValueError):
            self._failures = _MOST_FAILURES
        if self._warned:
            return
        self._warned = True
        advice = (
            "; pip install 'ciphermill[shared-cache]'" if isinstance(error, ImportError) else ""
        )
        lines = str(error).strip().splitlines() or [type(error).__name__]
        logging.getLogger(__name__).warning(
            "the shared cache %s failed: %s%s; artefacts are built here",
            *(self, without_passwords(lines[0]), advice),
        )


def shared_cache() -> SharedCache | None:
    """Return the cache that ``$CIPHERMILL_SHARED_CACHE`` names, or None if it is not set.

    A program with more rights than its user ignores the variable.
    """
    url = environment.variable(VARIABLE)
    return _of(f"{url.rstrip('/')}/{_machine()}", os.getpid()) if url else None


def _machine() -> str:
    """What a compiled artefact needs that its key does not have: ``x86_64-glibc-2.36``."""
    return "-".join(filter(None, (platform.machine(), *platform.libc_ver())))


@cache
def _of(url: str, process: int) -> SharedCache:
    # A connection is not used across a fork.
    return SharedCache(url)


def _digest(name: str, program: bool) -> hashlib._Hash:
    return hashlib.sha256(_MAGICS[program] + f"{name}\n".encode())


def _header(digest: hashlib._Hash, program: bool) -> bytes:
    return _MAGICS[program] + digest.hexdigest().encode() + b"\n"
