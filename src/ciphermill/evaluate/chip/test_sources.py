# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The sources that kept results depend on are all that the code in question imports."""

import ast
from pathlib import Path

import pytest

from ciphermill.evaluate.chip.sources import ANALYSIS, SIMULATOR

HERE = Path(__file__).parent


def imported(*names: str) -> set[str]:
    """Return files of this room, and all of this room that they import."""
    found, work = set[str](), list(names)
    while work:
        name = work.pop()
        if name in found:
            continue
        found.add(name)
        for node in ast.walk(ast.parse((HERE / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 1:
                work.append(f"{node.module}.py")
    return found


@pytest.mark.parametrize(
    ("listed", "roots"),
    [(ANALYSIS, ["timing.py"]), (SIMULATOR, ["timing.py", "gate_simulation.py", "workloads.py"])],
)
def test_nothing_is_left_out(listed: tuple[str, ...], roots: list[str]) -> None:
    assert set(listed) == imported(*roots)
