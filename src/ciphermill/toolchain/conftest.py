# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Fixtures for the tests of tools."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ciphermill.design import find_home


@pytest.fixture
def tool_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that yosys can name and where nothing is cached yet."""
    parent = find_home() / "build" / "tests"
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=parent) as name:
        monkeypatch.setenv("CIPHERMILL_BUILD", str(Path(name) / "build"))
        yield Path(name)
