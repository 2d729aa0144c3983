# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What an export says of a module's registers: their documentation, C header and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermill.registers import Field, accel
from ciphermill.toolchain.errors import ToolError


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


def verilog_constants() -> dict[str, str]:
    """Return the constants of the accelerator's registers in Verilog: name and number.

    ``IvBlocksLow`` is an offset, ``ControlStartLsb`` the lowest bit of a field, and
    ``IdentificationMagicValue`` what a field always reads as.
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
