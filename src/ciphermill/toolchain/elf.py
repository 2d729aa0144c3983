# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Reading a linked ELF file: sections, symbols, and the flat image of memory.

Only what a little-endian 32-bit executable needs (Tool Interface Standard, ELF
1.2, chapter 1).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

from .errors import ToolError

_HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
_SECTION = struct.Struct("<10I")
_SYMBOL = struct.Struct("<IIIBBH")
_MAGIC = b"\x7fELF\x01\x01"  # 32 bits, little endian
_SYMTAB, _NOBITS = 2, 8
_ALLOCATED = 2


@dataclass(frozen=True)
class Section:
    """A part of the image."""

    address: int
    size: int
    """In bytes; those of a section such as ``.bss`` are not in the file."""
    content: bytes | None
    """``None`` where the file has none: memory that starts as zero."""


@dataclass(frozen=True)
class Executable:
    """What a linked file says."""

    sections: Mapping[str, Section]
    """Those that take memory, by name, in the file's order."""
    symbols: Mapping[str, int]
    """Addresses by name."""

    def image(self) -> bytes:
        """Return the memory from address 0 to the last byte that the file gives."""
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
        ToolError: It is not a whole 32-bit little-endian ELF file.
    """
    try:
        return _read(data)
    except (struct.error, IndexError, ValueError) as error:
        raise ToolError(f"not a whole ELF file: {error}") from error


def _read(data: bytes) -> Executable:
    if data[: len(_MAGIC)] != _MAGIC:
        raise ValueError("it does not begin as a 32-bit little-endian one does")
    header = _HEADER.unpack_from(data)
    offset, entry_size, count, names_index = header[6], header[11], header[12], header[13]
    tables = [_SECTION.unpack_from(data, offset + index * entry_size) for index in range(count)]
    names_offset = tables[names_index][4]
    sections: dict[str, Section] = {}
    symbols: dict[str, int] = {}
    for name, kind, flags, address, where, size, link, *_ in tables:
        if kind == _SYMTAB:
            symbols |= _symbols(data, where, size, tables[link][4])
        if flags & _ALLOCATED and size:
            content = None if kind == _NOBITS else data[where : where + size]
            if content is not None and len(content) != size:
                raise ValueError("it ends within a section")
            sections[_text(data, names_offset + name)] = Section(address, size, content)
    return Executable(sections, symbols)


def _symbols(data: bytes, offset: int, size: int, names_offset: int) -> dict[str, int]:
    found = {}
    for start in range(offset, offset + size, _SYMBOL.size):
        name, value, *_ = _SYMBOL.unpack_from(data, start)
        if name:
            found[_text(data, names_offset + name)] = value
    return found


def _text(data: bytes, offset: int) -> str:
    return data[offset : data.index(b"\0", offset)].decode("ascii", "replace")
