# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What an export says of a module's registers: their documentation, C header and offsets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermill.toolchain.errors import ToolError

_MEMBER = re.compile(r"^\s+uint(32|8)_t (\w+)(?:\[(\w+)\])?;$", re.MULTILINE)
_BYTES = {"8": 1, "32": 4}


@dataclass(frozen=True)
class RegisterMap:
    """The files that the project makes of one register map (SystemRDL)."""

    source: Path
    """The map itself."""
    header: Path
    """C header, made by PeakRDL."""
    page: Path
    """Documentation, in Markdown."""


_PAGES = {"accel": "registers.md", "dma": "dma-registers.md"}
"""Pages under docs/reference, by the folder of hw/ whose register map they tell."""


def register_map(sources: Sequence[Path], home: Path) -> RegisterMap | None:
    """Return the register map of a module, by its files; None where it has no registers.

    Raises:
        ToolError: The map's files are not all there.
    """
    for name, page in _PAGES.items():
        folder = home / "hw" / name
        if folder / "rtl" / "generated" / f"{name}_registers.sv" not in sources:
            continue
        found = RegisterMap(
            folder / f"{name}.rdl",
            folder / "include" / f"{name}_registers.h",
            home / "docs" / "reference" / page,
        )
        for path in (found.source, found.header, found.page):
            if not path.is_file():
                raise ToolError(f"{path} is missing: run make generate")
        return found
    return None


def offsets(header: str) -> dict[str, int]:
    """Return the byte offsets of registers by the structure of PeakRDL's C header.

    The names become those of constants in Verilog: ``IV_BLOCKS_LOW`` is ``IvBlocksLow``.

    Raises:
        ToolError: The header has no structure that is understood.
    """
    found: dict[str, int] = {}
    offset = 0
    for bits, name, count in _MEMBER.findall(header):
        if not name.startswith("RESERVED"):
            found["".join(part.capitalize() for part in name.split("_"))] = offset
        offset += _BYTES[bits] * (int(count, 0) if count else 1)
    if not found:
        raise ToolError("the C header of the registers has no structure of them")
    return found
