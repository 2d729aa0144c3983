# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Addresses and fields of registers, read from their SystemRDL source."""

from __future__ import annotations

from pathlib import Path

from systemrdl.compiler import RDLCompiler
from systemrdl.node import AddrmapNode, FieldNode, RegNode


class RegisterMap:
    """The registers of a SystemRDL source.

    Args:
        source: The file; it holds one address map, its registers, or other maps, at the top.
    """

    def __init__(self, source: Path) -> None:
        compiler = RDLCompiler()
        compiler.compile_file(str(source))
        top = compiler.elaborate().top
        nodes = list(top.children(unroll=False))
        self._registers = {node.inst_name: node for node in nodes if isinstance(node, RegNode)}
        self._maps = {node.inst_name: node for node in nodes if isinstance(node, AddrmapNode)}

    def address(self, name: str) -> int:
        """Return the byte address of a register, of the first word of an array, or of a map."""
        return {**self._registers, **self._maps}[name].raw_address_offset

    def mask(self, name: str, field: str) -> int:
        """Return the bits of a register that a field has."""
        node = self._field(name, field)
        return (1 << node.width) - 1 << node.low

    def constant(self, name: str, field: str) -> int:
        """Return the reset value of a field, or its constant value."""
        value = self._field(name, field).get_property("reset")
        assert isinstance(value, int), (name, field)
        return value

    def values(self, name: str, field: str) -> dict[str, int]:
        """Return name and number of each value that a field's enumeration has."""
        encode = self._field(name, field).get_property("encode")
        assert encode is not None, (name, field)
        return {member.name: member.value for member in encode}

    def _field(self, name: str, field: str) -> FieldNode:
        node = self._registers[name].get_child_by_name(field)
        assert isinstance(node, FieldNode), (name, field)
        return node

    def names(self) -> list[str]:
        """Return the names of all registers."""
        return list(self._registers)

    def pack(self, name: str, **fields: int) -> int:
        """Return the word of a register with these fields, all others zero."""
        word = 0
        for field, value in fields.items():
            node = self._field(name, field)
            assert 0 <= value < 1 << node.width, (name, field, value)
            word |= value << node.low
        return word

    def unpack(self, name: str, word: int) -> dict[str, int]:
        """Return the fields of a register's word."""
        return {
            field.inst_name: (word >> field.low) & ((1 << field.width) - 1)
            for field in self._registers[name].fields()
        }
