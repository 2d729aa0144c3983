# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Where the source tree is: designs, RTL and the build folder."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import DesignError

MARK = Path("hw/accel/accel.rdl")
"""A file that only this project's source tree has."""


def find_home() -> Path:
    """Return the root of the source tree.

    ``CIPHERMILL_HOME`` names it; without that, the working directory and the
    folder of this file are searched, and their parents.

    Raises:
        DesignError: There is none.
    """
    named = os.environ.get("CIPHERMILL_HOME")
    if named:
        home = Path(named).expanduser().resolve()
        if not (home / MARK).is_file():
            raise DesignError(f"CIPHERMILL_HOME is {home}, which has no {MARK}")
        return home
    for start in (Path.cwd(), Path(__file__).resolve().parent):
        for folder in (start, *start.parents):
            if (folder / MARK).is_file():
                return folder
    raise DesignError(
        "no Ciphermill source tree here: run inside it, or set CIPHERMILL_HOME to its folder"
    )


def build_folder(home: Path | None = None) -> Path:
    """Return the folder for what is built: ``CIPHERMILL_BUILD``, or ``build`` in the tree."""
    named = os.environ.get("CIPHERMILL_BUILD")
    if named:
        return Path(named).expanduser().resolve()
    return (home or find_home()) / "build"


def models_folder(home: Path | None = None) -> Path:
    """Return the folder of built models: ``CIPHERMILL_MODELS``, or ``build/models``."""
    named = os.environ.get("CIPHERMILL_MODELS")
    if named:
        return Path(named).expanduser().resolve()
    return build_folder(home) / "models"
