# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Merges equal modules in RTLIL, yosys's text form of a netlist.

The SystemVerilog reader writes a module for each instance, so that sixteen
S-boxes in each of fourteen rounds would be mapped 224 times. Here modules with equal
content become one, which is mapped once and counted as often as it is used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_MODULE = re.compile(r"^(?:attribute [^\n]*\n)*module (\S+)\n.*?^end\n", re.DOTALL | re.MULTILINE)
_NUMBERED = re.compile(r"\$\S*\$\d+(?![\w$])")
"""Names that yosys generated: they end in a number that is unique in a design."""
_CELL = re.compile(r"^(  cell )(\\\S+)( \S+)$", re.MULTILINE)


def share_modules(text: str) -> str:
    """Return RTLIL in which modules that differ only by name are merged.

    The first of them stays, with its name. Modules that contain others are compared after
    those. The order of modules is kept.
    """
    bodies = {found[1]: found[0] for found in _MODULE.finditer(text)}
    start = text[: next(_MODULE.finditer(text)).start()] if bodies else text
    while True:
        replaced = _equal_modules(bodies)
        if not replaced:
            return start + "".join(bodies.values())
        bodies = {
            name: _with_cells(body, replaced)
            for name, body in bodies.items()
            if name not in replaced
        }


def _with_cells(body: str, replaced: Mapping[str, str]) -> str:
    """Return a module's text with the modules of its cells replaced."""
    return _CELL.sub(lambda found: f"{found[1]}{replaced.get(found[2], found[2])}{found[3]}", body)


def _equal_modules(bodies: dict[str, str]) -> dict[str, str]:
    """Return the modules that equal an earlier one, with the name of that one."""
    first: dict[str, str] = {}
    replaced = {}
    for name, body in bodies.items():
        kept = first.setdefault(_without_names(name, body), name)
        if kept != name:
            replaced[name] = kept
    return replaced


def _without_names(name: str, body: str) -> str:
    """Return a module's text with its own name and generated names numbered from zero."""
    numbers: dict[str, str] = {}
    body = re.sub(rf"^module {re.escape(name)}$", "module", body, count=1, flags=re.MULTILINE)
    return _NUMBERED.sub(lambda found: numbers.setdefault(found[0], f"${len(numbers)}"), body)
