# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Merges equal modules in RTLIL, yosys's text form of a netlist, and takes modules out of it.

The SystemVerilog reader writes a module for each instance, so that sixteen
S-boxes in each of fourteen rounds would be mapped 224 times. Here modules with equal
content become one, which is mapped once and counted as often as it is used. A module that
several designs contain can be taken out of each, to be mapped once for all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

_MODULE = re.compile(r"^(?:attribute [^\n]*\n)*module (\S+)\n.*?^end\n", re.DOTALL | re.MULTILINE)
_NUMBERED = re.compile(r"\$\S*\$\d+(?![\w$])")
"""Names that yosys generated: they end in a number that is unique in a design."""
_CELL = re.compile(r"^(  cell )(\\\S+)( \S+)$", re.MULTILINE)
_HEADER = re.compile(r"\A(?:attribute [^\n]*\n)*module [^\n]*\n")
_PORT = re.compile(r"^  wire .*\b(?:input|output|inout) \d+ [^\n]*\n", re.MULTILINE)


@dataclass(frozen=True)
class Divided:
    """RTLIL without some of its modules."""

    rest: str
    """The text in which each of these modules is a black box: ports without content."""
    taken: Mapping[str, str]
    """The text of each, with the modules that it contains, by its name in ``rest``.

    It is the same in every design: names that yosys generated are numbered from zero, the place of
    the instance is not in names, and the module itself has its name in SystemVerilog.
    """


def take_out(text: str, names: Collection[str]) -> Divided:
    r"""Return RTLIL without the modules of some names, and these modules.

    Args:
        text: The RTLIL of a design, equal modules merged.
        names: Names of modules in SystemVerilog. The reader's own add the place of the instance
            (``\aes_core$accel.u_core``). One inside another of them is taken out with that, and
            can be taken out of it.
    """
    bodies = {found[1]: found[0] for found in _MODULE.finditer(text)}
    roots = bodies.keys() - {cell[2] for body in bodies.values() for cell in _CELL.finditer(body)}
    taken: dict[str, str] = {}
    pending, seen = sorted(roots), set(roots)
    while pending:
        name = pending.pop()
        if name not in roots and own_name(name) in names:
            text_there = "".join(bodies[one] for one in _contained(bodies, name))
            taken[name] = _without_place(text_there, name)
            continue
        inside = {cell[2] for cell in _CELL.finditer(bodies[name])} & bodies.keys() - seen
        seen |= inside
        pending += sorted(inside)
    start = text[: next(_MODULE.finditer(text)).start()] if bodies else text
    kept = (_black_box(body) if name in taken else body for name, body in bodies.items())
    return Divided(start + "".join(kept), taken)


def own_name(name: str) -> str:
    r"""Return a module's name in SystemVerilog.

    >>> own_name(r"\aes_core$accel.u_core")
    'aes_core'
    """
    return name.removeprefix("\\").split("$")[0]


def _without_place(text: str, name: str) -> str:
    """Return the text of a module and those that it contains, without its place in a design."""
    if "$" in name:
        place = "$" + name.partition("$")[2]
        text = text.replace(f"module {name}\n", f"module \\{own_name(name)}\n", 1)
        text = text.replace(f"{place}.", "$")
    return _numbered(text)


def _contained(bodies: Mapping[str, str], name: str) -> list[str]:
    """Return a module and those that it contains, each once."""
    found = [name]
    for one in found:
        found += [
            inside
            for inside in dict.fromkeys(cell[2] for cell in _CELL.finditer(bodies[one]))
            if inside in bodies and inside not in found
        ]
    return found


def _black_box(body: str) -> str:
    """Return a module's text with its ports alone."""
    header = "".join(_HEADER.findall(body))
    return f"attribute \\blackbox 1\n{header}{''.join(_PORT.findall(body))}end\n"


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
    body = re.sub(rf"^module {re.escape(name)}$", "module", body, count=1, flags=re.MULTILINE)
    return _numbered(body)


def _numbered(text: str) -> str:
    """Return RTLIL with generated names numbered from zero."""
    numbers: dict[str, str] = {}
    return _NUMBERED.sub(lambda found: numbers.setdefault(found[0], f"$n${len(numbers)}"), text)
