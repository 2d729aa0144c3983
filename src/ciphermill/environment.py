# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Environment variables that choose code or files.

The user who starts a program with more rights than the user's own (set-user-ID) controls
its environment. Such a program ignores these variables.
"""

from __future__ import annotations

import os
import pwd
import shutil
from pathlib import Path

from ciphermill._engine import is_privileged as _engine_is_privileged


def is_privileged() -> bool:
    """Whether the process has more rights than its user (the kernel's ``AT_SECURE``)."""
    return _engine_is_privileged()


def variable(name: str) -> str:
    """A variable's value; empty if it is not set or must be ignored."""
    return "" if is_privileged() else os.environ.get(name, "")


def find_program(name: str) -> str | None:
    """Path of the program that ``PATH`` finds; None if there is none, or PATH must be ignored."""
    return None if is_privileged() else shutil.which(name)


def home_folder() -> Path:
    """The user's home: ``HOME`` or, if that must be ignored, that of the user database."""
    if is_privileged():
        return Path(pwd.getpwuid(os.geteuid()).pw_dir)
    return Path.home()
