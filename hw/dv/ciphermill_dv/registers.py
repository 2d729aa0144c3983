# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Addresses and fields of registers, read from their SystemRDL source."""

from __future__ import annotations

from pathlib import Path

from systemrdl.compiler import RDLCompiler
from systemrdl.node import RegNode


class RegisterMap:
    """The registers of a SystemRDL source.

    Args:
        source: The file; it holds one address map, its registers at the top.
    """

    def __init__(self, source: Path) -> None:
        compiler = RDLCompiler()
        compiler.compile_file(str(source))
        top = compiler.elaborate().top
        self._registers = {
            node.inst_name: node for node in top.children(unroll=False) if isinstance(node, RegNode)
        }

    def address(self, name: str) -> int:
        """Return the byte address of a register, or of the first word of an array."""
        return self._registers[name].raw_address_offset

    def names(self) -> list[str]:
        """Return the names of all registers."""
        return list(self._registers)

    def pack(self, name: str, **fields: int) -> int:
        """Return the word of a register with these fields, all others zero."""
        word = 0
        for field, value in fields.items():
            node = self._registers[name].get_child_by_name(field)
            assert node is not None and 0 <= value < 1 << node.width, (name, field, value)
            word |= value << node.low
        return word

    def unpack(self, name: str, word: int) -> dict[str, int]:
        """Return the fields of a register's word."""
        return {
            field.inst_name: (word >> field.low) & ((1 << field.width) - 1)
            for field in self._registers[name].fields()
        }
