# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Addresses and fields of the registers, read from their SystemRDL source."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from systemrdl.compiler import RDLCompiler
from systemrdl.node import RegNode

SOURCE = Path(__file__).resolve().parents[1] / "accel.rdl"


@cache
def _registers() -> dict[str, RegNode]:
    compiler = RDLCompiler()
    compiler.compile_file(str(SOURCE))
    top = compiler.elaborate().top
    return {
        node.inst_name: node for node in top.children(unroll=False) if isinstance(node, RegNode)
    }


def address(name: str) -> int:
    """Return the byte address of a register, or of the first word of an array."""
    return _registers()[name].raw_address_offset


def names() -> list[str]:
    """Return the names of all registers."""
    return list(_registers())


def pack(name: str, **fields: int) -> int:
    """Return the word of a register with these fields, all others zero."""
    word = 0
    for field, value in fields.items():
        node = _registers()[name].get_child_by_name(field)
        assert node is not None and 0 <= value < 1 << node.width, (name, field, value)
        word |= value << node.low
    return word


def unpack(name: str, word: int) -> dict[str, int]:
    """Return the fields of a register's word."""
    return {
        field.inst_name: (word >> field.low) & ((1 << field.width) - 1)
        for field in _registers()[name].fields()
    }
