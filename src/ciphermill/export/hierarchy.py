# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The source files that a top module needs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ciphermill.toolchain.errors import ToolError, read_source

_NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")


def needed_files(sources: Iterable[Path], top: str) -> list[Path]:
    """Return the files that a top module needs, in the order given.

    A file contains the module or package of its name (one per file, as everywhere in
    ``hw/``). It is needed if its name occurs in the code of a needed file, in any branch of
    a generate, so the result is right for all values of the top's parameters.

    Args:
        sources: SystemVerilog files, packages first.
        top: The top module.

    Raises:
        ToolError: No file is named after the top module, two have the same name, or
            one cannot be read.
    """
    files: dict[str, Path] = {}
    for path in sources:
        if path.stem in files:
            raise ToolError(f"two source files have the same name: {files[path.stem]}, {path}")
        files[path.stem] = path
    if top not in files:
        raise ToolError(f"no source file is named after the module {top}")
    needed: set[str] = set()
    waiting = [top]
    while waiting:
        name = waiting.pop()
        if name in needed:
            continue
        needed.add(name)
        waiting += words_used(files[name]) & files.keys() - needed
    return [path for name, path in files.items() if name in needed]


def needed_waivers(files: Iterable[Path]) -> list[Path]:
    """Return Verilator's waivers of these files: a ``.vlt`` beside a module and named after it."""
    waivers = (path.with_suffix(".vlt") for path in files)
    return [path for path in waivers if path.is_file()]


def words_used(path: Path) -> set[str]:
    """Return the words in a file's code: what it may name of other files.

    Raises:
        ToolError: It cannot be read.
    """
    return set(_WORD.findall(_NOT_CODE.sub(" ", read_source(path))))
