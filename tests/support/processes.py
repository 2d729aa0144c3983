# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Processes as Linux shows them: those that a process has started, and whether one has ended."""

from __future__ import annotations

import contextlib
from pathlib import Path


def descendants(number: int) -> list[int]:
    """Return the processes that a process has started, and those that these have started."""
    found = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{number}/task").iterdir():
            with contextlib.suppress(OSError):
                for child in map(int, (task / "children").read_text().split()):
                    found += [child, *descendants(child)]
    return found


def has_ended(number: int) -> bool:
    """Whether a process has ended, also if nobody has waited for it."""
    try:
        return "\nState:\tZ" in Path(f"/proc/{number}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True


def words(number: int) -> str:
    """Return the command line of a process; empty if it has ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""
