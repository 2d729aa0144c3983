# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Drives ``sha2_hmac`` cycle by cycle; digests and codes to expect are Python's."""

from __future__ import annotations

import hmac

from ciphermill_dv.streams import Stream
from sha2_driver import FUNCTIONS, HashDriver, blocks, digest

INPUTS = {
    "key": Stream(
        "key_valid_i", "key_ready_o", ("key_function_i", "key_i", "key_bytes_i", "key_last_i")
    ),
    "start": Stream("start_valid_i", "start_ready_o", ("function_i", "authenticate_i")),
    "block": Stream("block_valid_i", "block_ready_o", ("block_i", "block_bytes_i", "block_last_i")),
}
OUTPUTS = {
    "digest": Stream(
        "block_valid_o", "block_ready_i", ("block_o", "block_bytes_o", "block_last_o")
    ),
}


class HmacDriver(HashDriver):
    """One module. Queue keys with :meth:`add_key`, and messages with :meth:`add`."""

    def __init__(self, dut, *, seed: int = 1) -> None:
        self.key: tuple[int, bytes] | None = None
        super().__init__(dut, INPUTS, OUTPUTS, seed=seed)

    def forget(self, *, key: bool = True) -> None:
        """Drop all that was offered or expected; with ``key``, the key too."""
        if key:
            self.key = None
        super().forget()

    def may_offer(self, name: str) -> bool:
        """Whether the next payload may be offered: a key goes before later messages."""
        return name != "start" or not self.waits("key") or self.offered("key")

    def add_key(self, function: int, key: bytes, *, empty_end: bool = False) -> None:
        """Queue a key; messages that are queued later go by it."""
        self.key = (function, key)
        for block in self.noisy_blocks(key, empty_end=empty_end):
            self.offer("key", function, *block)

    async def set_key(self, function: int, key: bytes, *, empty_end: bool = False) -> None:
        """Offer a key until it is whole."""
        self.add_key(function, key, empty_end=empty_end)
        while self.waits("key") or not int(self.dut.idle_o.value):
            await self.step()

    def add(
        self, function: int, data: bytes, *, code: bool = False, empty_end: bool = False
    ) -> None:
        """Queue a message and its digest, or its authentication code under the key."""
        self.offer("start", function, int(code))
        for block in self.noisy_blocks(data, empty_end=empty_end):
            self.offer("block", *block)
        self.expected_digest = digest(function, data)
        if code:
            assert self.key is not None and self.key[0] == function
            self.expected_digest = hmac.digest(self.key[1], data, FUNCTIONS[function])
        for block in blocks(self.expected_digest):
            self.expect("digest", *block)
