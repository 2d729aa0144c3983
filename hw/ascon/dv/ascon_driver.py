# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Drives an Ascon core cycle by cycle, checks its protocol, and compares every result."""

from __future__ import annotations

import ascon_reference as reference
from ciphermill_dv.parameters import parameter
from ciphermill_dv.streams import Stream, StreamDriver

ENCRYPT, DECRYPT, HASH = 0, 1, 2
NAMES = ("encrypt", "decrypt", "hash")

Block = tuple[bytes, bool]
"""Bytes, and whether it is the last block of its packet."""


def number(data: bytes) -> int:
    """Return the port value of bytes."""
    return int.from_bytes(data, "little")


def blocks(data: bytes, *, empty_end: bool = False) -> list[Block]:
    """Return the blocks of a packet; with ``empty_end`` an empty one follows a full last one."""
    found = [(data[n : n + 16], False) for n in range(0, len(data), 16)]
    if not found or (empty_end and len(found[-1][0]) == 16):
        found.append((b"", False))
    found[-1] = (found[-1][0], True)
    return found


INPUTS = {
    "key": Stream("key_valid_i", "key_ready_o", ("key_i",)),
    "start": Stream("start_valid_i", "start_ready_o", ("operation_i", "nonce_i")),
    "block": Stream("block_valid_i", "block_ready_o", ("block_i", "block_bytes_i", "block_last_i")),
    "tag": Stream("tag_valid_i", "tag_ready_o", ("tag_i",)),
}
OUTPUTS = {
    "output": Stream(
        "block_valid_o",
        "block_ready_i",
        ("block_o", "block_bytes_o", "block_last_o"),
        loose=("block_bytes_o", "block_last_o"),
    ),
    "result": Stream(
        "tag_valid_o", "tag_ready_i", ("tag_o", "authentic_o"), loose=("authentic_o",)
    ),
}


class AsconDriver(StreamDriver):
    """One core. Queue keys with :meth:`add_key`, and messages with :meth:`add_message`."""

    def __init__(self, dut, *, seed: int = 1) -> None:
        self.key: bytes | None = None
        super().__init__(dut, INPUTS, OUTPUTS, seed=seed)
        choice = parameter("Operations", 7)
        self.operations = [n for n in (ENCRYPT, DECRYPT, HASH) if choice >> n & 1]
        self.rounds_per_cycle = parameter("RoundsPerCycle", 1)

    async def start(self) -> None:
        """Start the clock and reset the core."""
        await self.reset("drop_i", "zeroise_i")

    def forget(self, *, key: bool = True) -> None:
        """Drop all that was offered or expected; with ``key``, the key too."""
        if key:
            self.key = None
        super().forget()

    def may_offer(self, name: str) -> bool:
        """Whether the next payload may be offered: a key goes before later messages."""
        return name != "start" or not self.waits("key") or self.offered("key")

    # ------------------------------------------------------------ what is queued

    def add_key(self, key: bytes | None = None) -> None:
        """Queue a key (a random one); messages that are queued later go by it."""
        self.key = self.random.randbytes(16) if key is None else key
        self.offer("key", number(self.key))

    async def set_key(self, key: bytes | None = None) -> None:
        """Offer a key until it is taken."""
        self.add_key(key)
        while self.waits("key"):
            await self.step()

    def _add_packet(self, data: bytes, *, empty_end: bool) -> None:
        for part, last in blocks(data, empty_end=empty_end):
            # The bytes after the last one must not matter.
            filled = part + self.random.randbytes(16 - len(part))
            self.offer("block", number(filled), len(part), int(last))

    def _expect_blocks(self, found: list[Block]) -> None:
        for data, last in found:
            self.expect("output", number(data), len(data), int(last))

    def add_message(
        self,
        operation: int,
        aad: bytes,
        text: bytes,
        *,
        nonce: bytes | None = None,
        tag: bytes | None = None,
        forge: int | None = None,
        empty_end: bool = False,
    ) -> None:
        """Queue a message and its expected result.

        Args:
            operation: ``ENCRYPT``, ``DECRYPT`` or ``HASH``, which has no ``aad``.
            aad: Associated data.
            text: The input.
            nonce: Random unless given.
            tag: A wrong tag to offer (``DECRYPT``); the right one unless given.
            forge: A bit of the tag that is wrong (``DECRYPT``).
            empty_end: An empty block ends packets of whole blocks.
        """
        nonce = self.random.randbytes(16) if nonce is None else nonce
        self.offer("start", operation, number(nonce))
        if operation == HASH:
            self._add_packet(text, empty_end=empty_end)
            digest = reference.hash256(text)
            self._expect_blocks([(digest[:16], False), (digest[16:], True)])
            return
        assert self.key is not None
        self._add_packet(aad, empty_end=empty_end and bool(aad))
        self._add_packet(text, empty_end=empty_end)
        if operation == ENCRYPT:
            out, right = reference.encrypt(self.key, nonce, aad, text)
            self.expect("result", number(right), 0)
        else:
            out, right = reference.decrypt(self.key, nonce, aad, text)
            offered = number(tag or right) ^ (0 if forge is None else 1 << forge)
            self.offer("tag", offered)
            self.expect("result", 0, int(offered == number(right)))
        self._expect_blocks(blocks(out, empty_end=empty_end))

    def add_random(self, operation: int | None = None, longest: int = 50) -> None:
        """Queue a random message."""
        random = self.random
        if operation is None:
            operation = random.choice(self.operations)
        lengths = [random.choice((0, random.randint(0, longest), 16, 32)) for _ in range(2)]
        forge = random.choice((None, random.randrange(128)))
        self.add_message(
            operation,
            random.randbytes(lengths[0]),
            random.randbytes(lengths[1]),
            forge=forge if operation == DECRYPT else None,
            empty_end=random.random() < 0.3,
        )
