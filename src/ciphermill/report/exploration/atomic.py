# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary file beside a path, which takes its place at the end of the block.

    Raises:
        OSError: It cannot be written; what was at the path stays.
    """
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".ciphermill-", delete=False) as file:
        temporary = Path(file.name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        OSError: It cannot be written.
    """
    with replacing(path) as temporary:
        temporary.write_bytes(content)
