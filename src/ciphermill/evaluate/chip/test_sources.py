# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The sources that kept results depend on are all that the code in question imports."""

import ast
from pathlib import Path

import pytest

from ciphermill.evaluate.chip.sources import ANALYSIS, SIMULATOR

HERE = Path(__file__).parent
ROOM = "ciphermill.evaluate.chip"


def imported(*names: str) -> set[str]:
    """Return files of this room, and all of this room that they import."""
    found, work = set[str](), list(names)
    while work:
        name = work.pop()
        if name in found:
            continue
        found.add(name)
        for node in ast.walk(ast.parse((HERE / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                work += [one for one in _files(node, name) if (HERE / one).is_file()]
    return found


def _files(node: ast.ImportFrom, importer: str) -> list[str]:
    """Return the files of this room that an import may be of, the package's own first."""
    if node.level:
        module = Path(importer).parent / (node.module or "").replace(".", "/")
    elif (node.module or "").startswith(f"{ROOM}."):
        module = Path((node.module or "").removeprefix(f"{ROOM}.").replace(".", "/"))
    else:
        return []
    return [f"{module}.py", *(f"{module / name.name}.py" for name in node.names)]


@pytest.mark.parametrize(
    ("listed", "roots"),
    [
        (ANALYSIS, ["cells/timing.py"]),
        (SIMULATOR, ["cells/timing.py", "cells/gate_simulation.py", "workloads.py"]),
    ],
)
def test_nothing_is_left_out(listed: tuple[str, ...], roots: list[str]) -> None:
    assert set(listed) == imported(*roots)
