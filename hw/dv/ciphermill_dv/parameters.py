# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the module under test, as a bench sees them."""

from __future__ import annotations

import os


def parameter(name: str, default: int) -> int:
    """Return a parameter of the top module, or its default where the build names none."""
    return int(os.environ.get(f"PARAM_{name}", default))


PORTS_ONLY_VARIABLE = "CIPHERMILL_PORTS_ONLY"
"""Environment variable of a bench: 1 where it sees nothing below the top module."""


def ports_only() -> bool:
    """Return whether the bench sees nothing below the top module (``simulate.PORTS_ONLY``)."""
    return os.environ.get(PORTS_ONLY_VARIABLE) == "1"
