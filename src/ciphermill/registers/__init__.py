# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Register maps of the hardware as constants: one module a map, generated from hw/*/*.rdl.

A register's constant is its byte offset, a field's says which bits of the word it has.
"""

from __future__ import annotations

from typing import NamedTuple


class Field(NamedTuple):
    """The bits of a register that hold one value."""

    low: int
    """Number of the lowest bit."""
    width: int
    """Number of bits."""

    def word(self, value: int = 1) -> int:
        """Return the register's word with this value in the field, all other fields zero."""
        return value << self.low

    def of(self, word: int) -> int:
        """Return the field's value in a word of the register."""
        return word >> self.low & (1 << self.width) - 1
