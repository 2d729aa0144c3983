# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tools that are Python packages: whether they are installed, which version, and where."""

from __future__ import annotations

import importlib.util
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path

from .errors import ToolError


def tool_version(package: str, what: str = "") -> str:
    """Return the version of a tool's package; ``unknown`` if it has no metadata.

    Args:
        package: Its name on PyPI.
        what: A description for messages; the package's name unless given.

    Raises:
        ToolError: It is not installed.
    """
    _specification(package, what)
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


@cache
def need_entry_point(program: str, package: str) -> None:
    """Check that a package has an entry point for a program.

    Raises:
        ToolError: It has none: the package's folder exists without metadata, or the package
            has no such program.
    """
    if not entry_points(group="console_scripts", name=program):
        raise ToolError(
            f"{package} is here, but not installed so that {program} can be started: "
            f"pip install --force-reinstall {package} (or run make setup)"
        )


def package_folder(package: str, what: str = "") -> Path:
    """Return the folder of a tool's package.

    Raises:
        ToolError: It is not installed.
    """
    folders = _specification(package, what).submodule_search_locations
    if not folders:
        raise _missing(package, what)
    return Path(next(iter(folders)))


def _specification(package: str, what: str) -> ModuleSpec:
    found = importlib.util.find_spec(package.replace("-", "_"))
    if found is None:
        raise _missing(package, what)
    return found


def _missing(package: str, what: str) -> ToolError:
    return ToolError(f"{what or package} is missing: pip install {package} (or run make setup)")
