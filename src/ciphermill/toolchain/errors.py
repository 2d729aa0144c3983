# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Errors of tools, and the reason why a tool ended."""

from __future__ import annotations

import re
import signal
from pathlib import Path

LINES_SHOWN = 12

_SHELL_SIGNAL = 128
"""Shells and make report a program that was ended by signal ``n`` as exit code ``128 + n``."""

_SHORT_OF_MEMORY = re.compile(
    r"out of memory|cannot allocate memory|virtual memory exhausted|bad_alloc|"
    r"memory ?error|memory allocation of \d+ bytes failed",
    re.IGNORECASE,
)
"""Messages of compilers, Python, C++, Rust and the C library when memory is short."""

_CHILD_KILLED = re.compile(
    r"fatal error: (?P<name>[A-Z][\w ]*?) signal terminated program (?P<program>\S+)"
)
"""The message of GCC's driver when a signal ended one of its programs."""


class ToolError(RuntimeError):
    """A tool is missing or failed. The first line says what to do or what failed."""


class DiskFull(ToolError):
    """A disk is full, which is no fault of what was to be built."""


class ClockMissed(ToolError):
    """No synthesis result reaches the clock that is required."""


def read_source(path: Path) -> str:
    """Return the text of a source file.

    Raises:
        ToolError: It cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ToolError(f"{path}: cannot be read: {error}") from error


def first_errors(output: str) -> str:
    """Return the first few lines of a tool's output that report errors."""
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower() or line.startswith("%Warning")]
    return "\n".join((telling or lines)[:LINES_SHOWN])


def reason_of_end(code: int, output: str) -> str | None:
    """Return why a tool ended early, or an empty text if its own messages say so.

    Args:
        code: Its exit code, as ``subprocess`` gives it: the negative number of a signal
            that ended it. ``128 + n`` is read as signal ``n``, as shells report it.
        output: What it printed.

    Returns:
        A clause such as ``ended by SIGSEGV (Segmentation fault)`` or ``short of memory``.
    """
    if child := _CHILD_KILLED.search(output):
        advice = _advice("SIGKILL") if child["name"] == "Killed" else ""
        return f"{child['program']} was ended by a signal ({child['name']}){advice}"
    if _SHORT_OF_MEMORY.search(output):
        return "short of memory; close other programs, or allow it more memory, and run it again"
    number = -code if code < 0 else code - _SHELL_SIGNAL
    try:
        name = signal.Signals(number).name
    except ValueError:
        return None
    text = signal.strsignal(number)
    return f"ended by {name} ({text}){_advice(name)}"


def _advice(signal_name: str) -> str:
    if signal_name != "SIGKILL":
        return ""
    return "; Linux does so when memory is short: see dmesg, close other programs and run it again"


def failed(what: str, output: str, *, code: int = 1) -> ToolError:
    """Return the error of a tool run.

    Its first line says what failed and, where a signal or a lack of memory ended the
    tool, that reason. The first lines of the tool's own errors follow.

    Args:
        what: The task, such as ``lint of aes_core``.
        output: What the tool printed.
        code: The tool's exit code, as for :func:`reason_of_end`.
    """
    reason = reason_of_end(code, output)
    because = f": {reason}" if reason else ""
    words = first_errors(output)
    return ToolError(f"{what} failed{because}" + (f":\n{words}" if words else ""))
