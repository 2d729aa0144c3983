# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with a tool."""

from __future__ import annotations

from pathlib import Path

LINES_SHOWN = 12


class ToolError(RuntimeError):
    """A tool is missing or failed. The first line says what to do or what failed."""


class ClockMissed(ToolError):
    """Nothing that was made is fast enough for a clock that it must meet."""


def first_errors(output: str) -> str:
    """Return the lines of a tool's output that say what is wrong, the first few."""
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower() or line.startswith("%Warning")]
    return "\n".join((telling or lines)[:LINES_SHOWN])


def failed(what: str, output: str, log: Path | None = None) -> ToolError:
    """Return the error of a tool run: what failed, its own first words, and its log."""
    where = f" (whole log: {log})" if log else ""
    return ToolError(f"{what} failed{where}:\n{first_errors(output)}")
