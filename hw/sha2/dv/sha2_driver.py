# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Drives a SHA-2 core cycle by cycle; the digests to expect are hashlib's."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from ciphermill_dv.parameters import parameter
from ciphermill_dv.streams import Stream, StreamDriver

FUNCTIONS = ("sha224", "sha256", "sha384", "sha512", "sha512_224", "sha512_256")
"""Names of hashlib, by the number of the function."""
NARROW, WIDE = (0, 1), (2, 3, 4, 5)
"""Functions with words of 32 bits and of 64."""

INPUTS = {
    "start": Stream("start_valid_i", "start_ready_o", ("function_i", "start_message_i")),
    "block": Stream(
        "block_valid_i",
        "block_ready_o",
        ("block_i", "block_bytes_i", "block_last_i", "block_message_i"),
    ),
}
OUTPUTS = {
    "digest": Stream(
        "block_valid_o",
        "block_ready_i",
        ("block_o", "block_bytes_o", "block_last_o", "block_message_o"),
    )
}


def hash_bytes(function: int) -> int:
    """Return the bytes of a hash block (FIPS 180-4, figure 1)."""
    return 64 if function in NARROW else 128


def rounds(function: int) -> int:
    """Return the rounds of a hash block (FIPS 180-4, sections 6.2.2 and 6.4.2)."""
    return 64 if function in NARROW else 80


def digest(function: int, data: bytes) -> bytes:
    """Return the digest of a message."""
    return hashlib.new(FUNCTIONS[function], data).digest()


def blocks(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield the blocks of a message: value, bytes, whether it is the last one."""
    for at in range(0, len(data) or 1, 16):
        part = data[at : at + 16]
        yield int.from_bytes(part.ljust(16, b"\0"), "big"), len(part), int(at + 16 >= len(data))


class HashDriver(StreamDriver):
    """What the drivers of the core and of HMAC share."""

    def __init__(self, dut, inputs, outputs, *, seed: int = 1) -> None:
        super().__init__(dut, inputs, outputs, seed=seed)
        sizes = parameter("WordSizes", 3)
        self.functions = (NARROW if sizes & 1 else ()) + (WIDE if sizes & 2 else ())
        self.rounds_per_cycle = parameter("RoundsPerCycle", 1)
        self.expected_digest = b""

    async def start(self) -> None:
        """Start the clock and reset the module."""
        await self.reset("drop_i", "zeroise_i")

    def block_cycles(self, function: int) -> int:
        """Return the cycles of a hash block."""
        return rounds(function) // self.rounds_per_cycle

    def noisy_blocks(self, data: bytes, *, empty_end: bool = False) -> list[tuple[int, int, int]]:
        """Return the blocks of some bytes; bytes behind the last one must not matter."""
        found = list(blocks(data))
        if empty_end and data and len(data) % 16 == 0:
            value, count, _ = found.pop()
            found += [(value, count, 0), (0, 0, 1)]
        return [
            (value | self.random.getrandbits(128) >> 8 * count, count, last)
            for value, count, last in found
        ]


class Sha2Driver(HashDriver):
    """One core. Messages are queued with :meth:`add`, or in pieces of hash blocks."""

    def __init__(self, dut, *, seed: int = 1) -> None:
        super().__init__(dut, INPUTS, OUTPUTS, seed=seed)
        self.messages = parameter("Messages", 1)
        self.switches = 0
        self._last_message = 0

    def add(self, function: int, data: bytes, *, message: int = 0, empty_end: bool = False) -> None:
        """Queue a message and its digest; with ``empty_end``, whole blocks are followed by none."""
        self.offer("start", function, message)
        self.add_blocks(data, message, empty_end=empty_end)
        self.expect_digest(function, data, message)

    def add_blocks(
        self, data: bytes, message: int, *, last: bool = True, empty_end: bool = False
    ) -> None:
        """Queue blocks of a message; its last ones unless ``last`` says otherwise."""
        for value, count, ends in self.noisy_blocks(data, empty_end=empty_end):
            self.offer("block", value, count, int(ends and last), message)

    def expect_digest(self, function: int, data: bytes, message: int = 0) -> None:
        """Queue the digest that must come next."""
        self.expected_digest = digest(function, data)
        for value, count, ends in blocks(self.expected_digest):
            self.expect("digest", value, count, ends, message)

    async def interleave(self) -> None:
        """Run as many messages as the core takes at once, hash block by hash block, at random."""
        random = self.random
        left = {}
        for message in range(self.messages):
            function = random.choice(self.functions)
            data = random.randbytes(random.randrange(5 * hash_bytes(function)))
            self.offer("start", function, message)
            left[message] = (function, data, data)
        while left:
            message = random.choice(list(left))
            function, data, rest = left[message]
            size = hash_bytes(function)
            ends = len(rest) < size or (len(rest) == size and random.random() < 0.5)
            self.switches += message != self._last_message
            self._last_message = message
            self.add_blocks(rest[:size], message, last=ends)
            if ends:
                self.expect_digest(function, data, message)
                del left[message]
            else:
                left[message] = (function, data, rest[size:])
        await self.drain()
