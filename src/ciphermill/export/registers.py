# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Registers of a module in an export: documentation, C header and numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from ciphermill.design import find_home
from ciphermill.registers import Field, accel
from ciphermill.toolchain.errors import read_source

_PACKAGE = "_registers_pkg"
"""The names of generated packages with the numbers of a register map."""
_INCLUDE = re.compile(r'^(`include ")(?:[^"\n]*/)?([^"/\n]+)"', re.MULTILINE)


@dataclass(frozen=True)
class RegisterMap:
    """The files generated from one register map (SystemRDL)."""

    name: str
    """Name of the map: ``accel``."""
    header: Path
    """C header, made by PeakRDL."""
    page: Path
    """Documentation, in Markdown."""
    sources: dict[str, str]
    """Text of the map and of the files that it includes, by file name."""


def register_map(sources: Sequence[Path], top: str) -> RegisterMap | None:
    """Return the register map of a module; None if it has no registers.

    If its files have several maps, it is the one with the top module's name, or the one that the
    top module uses.

    Args:
        sources: The module's SystemVerilog files.
        top: The module.

    Raises:
        ToolError: A file of the map cannot be read.
    """
    packages = [path for path in sources if path.stem.endswith(_PACKAGE)]
    if not packages:
        return None
    text = next(read_source(path) for path in sources if path.stem == top)
    own = (path for path in packages if path.stem == f"{top}{_PACKAGE}")
    used = (path for path in packages if path.stem in text)
    package = next(chain(own, used, packages))
    name, folder = package.stem.removesuffix(_PACKAGE), package.parents[2]
    page = "registers" if name == "accel" else f"{name.replace('_', '-')}-registers"
    return RegisterMap(
        name,
        folder / "include" / f"{name}_registers.h",
        find_home() / "docs" / "reference" / f"{page}.md",
        _with_includes(folder / f"{name}.rdl"),
    )


def _with_includes(source: Path) -> dict[str, str]:
    """Return a SystemRDL file and those that it includes, with paths in one folder."""
    text = read_source(source)
    found = {source.name: _INCLUDE.sub(r'\1\2"', text)}
    for include in re.findall(r'^`include "([^"\n]+)"', text, re.MULTILINE):
        found |= _with_includes(source.parent / include)
    return found


def verilog_constants() -> dict[str, str]:
    """Return the constants of the accelerator's registers in Verilog: name and number.

    ``IvBlocksLow`` is an offset, ``ControlStartLsb`` the lowest bit of a field, and
    ``IdentificationMagicValue`` the constant value of a field.
    """
    found: dict[str, str] = {}
    for name, value in vars(accel).items():
        if not name.isupper():
            continue
        camel = "".join(part.capitalize() for part in name.split("_"))
        if isinstance(value, Field):
            found[f"{camel}Lsb"] = str(value.low)
        else:
            found[camel] = f"32'h{value:08x}" if name.endswith("_VALUE") else f"8'h{value:02x}"
    return found
