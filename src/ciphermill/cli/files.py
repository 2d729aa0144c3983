# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files that a command writes beside its output: whole or not at all."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ciphermill.cli.failures import Failure


def check_writable(path: Path) -> None:
    """Make the file's folder, and see that a file can be made in it.

    Raises:
        Failure: It cannot.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise Failure(f"cannot write {path}: {error.strerror or error}") from error


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        Failure: It cannot be written.
    """
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=".ciphermill-", delete=False
        ) as file:
            try:
                file.write(text)
                file.close()
                Path(file.name).chmod(0o644)
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise Failure(f"cannot write {path}: {error.strerror or error}") from error
