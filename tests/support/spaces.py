# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Spaces to explore whose measurements are estimates of programs, which take a second."""

from __future__ import annotations

import json

_PROGRAMS = """
kind = "space"
name = "programs"
[design]
kind = "system"
partition = "software"
{fields}
[workload]
bytes = 16
[[step]]
name = "estimate"
[[objective]]
minimise = "cycles.per_block"
[[objective]]
minimise = "code.bytes"
"""


def programs(**fields: list[str]) -> str:
    """Return the file of a space of AES programs: every combination of these fields' values."""
    lines = [f"{name} = {json.dumps(values)}" for name, values in fields.items()]
    return _PROGRAMS.format(fields="\n".join(lines))
