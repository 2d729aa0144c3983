# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The source tree: designs, RTL and the build folder."""

from __future__ import annotations

from pathlib import Path

from ciphermill import environment

from .errors import DesignError

MARK = Path("hw/accel/accel.rdl")
"""A file that only this project's source tree has."""
PACKAGED = Path(__file__).resolve().parent.parent / "source_tree"
"""The folder in a wheel with the part of the source tree that the package reads."""


def find_home() -> Path:
    """Return the root of the source tree.

    ``CIPHERMILL_HOME`` names it; without that, the working directory and the
    folder of this file are searched, and their parents, and last what a wheel
    has of it.

    Raises:
        DesignError: There is none.
    """
    named = environment.variable("CIPHERMILL_HOME")
    if named:
        home = Path(named).expanduser().resolve()
        if not (home / MARK).is_file():
            raise DesignError(f"CIPHERMILL_HOME is {home}, which has no {MARK}")
        return home
    own = Path(__file__).resolve().parent
    # Whoever starts a program with more rights chooses its working directory too.
    for start in (own,) if environment.is_privileged() else (Path.cwd(), own):
        for folder in (start, *start.parents):
            if (folder / MARK).is_file():
                return folder
    if (PACKAGED / MARK).is_file():
        return PACKAGED
    raise DesignError(
        "no Ciphermill source tree here: run inside it, or set CIPHERMILL_HOME to its folder"
    )


def build_folder() -> Path:
    """Return the folder for what is built.

    ``CIPHERMILL_BUILD`` names it; without that it is ``build`` in the tree, or
    ``ciphermill`` in the user's cache (``XDG_CACHE_HOME``) where the tree is a wheel's.
    """
    named = environment.variable("CIPHERMILL_BUILD")
    if named:
        return Path(named).expanduser().resolve()
    tree = find_home()
    if tree != PACKAGED:
        return tree / "build"
    cache = Path(environment.variable("XDG_CACHE_HOME"))
    base = cache if cache.is_absolute() else environment.home_folder() / ".cache"
    return base.resolve() / "ciphermill"


def models_folder() -> Path:
    """Return the folder of built models: ``CIPHERMILL_MODELS``, or ``models`` in what is built."""
    named = environment.variable("CIPHERMILL_MODELS")
    if named:
        return Path(named).expanduser().resolve()
    return build_folder() / "models"
