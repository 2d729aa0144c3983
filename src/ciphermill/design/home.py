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
"""The folder in a wheel with the part of the source tree that the package needs."""


def find_home() -> Path:
    """Return the root of the source tree.

    ``CIPHERMILL_HOME`` names it. Otherwise the working directory, the folder of this file,
    and their parents are searched, and then the part of the tree in a wheel is used.

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
    # The user who starts a set-user-ID program also chooses its working directory.
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
    """Return the folder for built files.

    ``CIPHERMILL_BUILD`` names it. Otherwise it is ``build`` in the tree, or ``ciphermill``
    in the user's cache (``XDG_CACHE_HOME``) if the tree is that of a wheel.
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
