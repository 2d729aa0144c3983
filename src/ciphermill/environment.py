# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Environment variables that choose code or files.

Whoever starts a program that runs with more rights than its user (set-user-ID,
say) chooses its environment. There these variables do not count.
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
    """A variable's value; empty where it is not set, or must not count."""
    return "" if is_privileged() else os.environ.get(name, "")


def find_program(name: str) -> str | None:
    """Path of the program that ``PATH`` finds; None if there is none, or PATH must not count."""
    return None if is_privileged() else shutil.which(name)


def home_folder() -> Path:
    """The user's home: ``HOME`` or, where that must not count, what the system has on file."""
    if is_privileged():
        return Path(pwd.getpwuid(os.geteuid()).pw_dir)
    return Path.home()
