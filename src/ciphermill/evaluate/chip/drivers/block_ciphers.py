# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Block ciphers as the cores' ports have them, and the right answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ciphermill.design import Direction
from ciphermill.evaluate.system import present


@dataclass(frozen=True)
class BlockCipher:
    """A cipher: its block, its ports and its answers."""

    name: str
    block_bytes: int
    byte_order: Literal["little", "big"]
    """Of bytes in a port: AES has byte 0 in the low bits, PRESENT in the high ones."""
    key_size_codes: Mapping[int, int]
    """Value of ``key_size_i`` by key size in bits."""

    def transform(self, block: bytes, key: bytes, direction: Direction) -> bytes:
        """Return the block that a core should answer with."""
        if self.name == "present":
            work = present.encrypt if direction is Direction.ENCRYPT else present.decrypt
            return work(block, key)
        from ciphermill.functions import transform  # the engine's library is loaded only here

        return transform(block, mode="ecb", direction=direction.value, key=key)[0]


CIPHERS: Mapping[str, BlockCipher] = {
    cipher.name: cipher
    for cipher in (
        BlockCipher("aes", 16, "little", {128: 0, 192: 1, 256: 2}),
        BlockCipher("present", 8, "big", {80: 0, 128: 1}),
    )
}
