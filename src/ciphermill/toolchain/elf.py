# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Reads a linked ELF file: sections, symbols, and the flat image of memory."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass

from .errors import ToolError


@dataclass(frozen=True)
class Section:
    """A part of the image."""

    address: int
    size: int
    """In bytes; a section such as ``.bss`` has none of them in the file."""
    content: bytes | None
    """``None`` if the file has none: memory that starts as zero."""


@dataclass(frozen=True)
class Executable:
    """The content of a linked file."""

    sections: Mapping[str, Section]
    """Sections that take memory, by name, in the file's order."""
    symbols: Mapping[str, int]
    """Addresses by name."""

    def image(self) -> bytes:
        """Return the memory from address 0 to the last byte in the file."""
        memory = bytearray()
        for section in self.sections.values():
            if section.content is None:
                continue
            end = section.address + section.size
            memory.extend(bytes(max(0, end - len(memory))))
            memory[section.address : end] = section.content
        return bytes(memory)


def read_elf(data: bytes) -> Executable:
    """Read an executable.

    Raises:
        ToolError: It is not a complete ELF file, or the package that reads it is missing.
    """
    try:
        from elftools.common.exceptions import ELFError
        from elftools.elf.constants import SH_FLAGS
        from elftools.elf.elffile import ELFFile
        from elftools.elf.sections import SymbolTableSection
    except ImportError as error:
        raise ToolError("pyelftools is missing: pip install 'ciphermill[cosim]'") from error
    sections: dict[str, Section] = {}
    symbols: dict[str, int] = {}
    try:
        for one in ELFFile(io.BytesIO(data)).iter_sections():
            if isinstance(one, SymbolTableSection):
                symbols |= {symbol.name: symbol["st_value"] for symbol in one.iter_symbols()}
            size = one["sh_size"]
            if one["sh_flags"] & SH_FLAGS.SHF_ALLOC and size:
                content = None if one["sh_type"] == "SHT_NOBITS" else one.data()
                if content is not None and len(content) != size:
                    raise ELFError("it ends within a section")
                sections[one.name] = Section(one["sh_addr"], size, content)
    except (ELFError, ValueError, KeyError, AttributeError, TypeError, AssertionError) as error:
        raise ToolError(f"not a whole ELF file: {error}") from error
    return Executable(sections, symbols)
