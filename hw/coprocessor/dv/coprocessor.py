# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A block coprocessor on its bus: its driver, and its expected results."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import cocotb
from bus import LIMIT, master
from ciphermill_dv.parameters import parameter
from ciphermill_dv.registers import RegisterMap
from ciphers import AES, PRESENT, Cipher
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles

MAP = RegisterMap(Path(__file__).resolve().parents[1] / "coprocessor.rdl")
ID, VERSION, CAPABILITY, CONTROL, STATUS, ERRORS, KEY = (
    MAP.address(name)
    for name in ("IDENTIFICATION", "VERSION", "CAPABILITY", "CONTROL", "STATUS", "ERROR", "KEY")
)
DATA_IN, DATA_OUT, DATA_OUT_WIDE = (
    MAP.address(name) for name in ("DATA_IN", "DATA_OUT", "DATA_OUT_WIDE")
)
ENCRYPT, DECRYPT = 0, 1
ZEROISE = MAP.mask("CONTROL", "zeroise")
BUSY, AVAILABLE, ACCEPTS, ERROR = (
    MAP.mask("STATUS", name) for name in ("busy", "available", "accepts", "error")
)
MAGIC = MAP.constant("IDENTIFICATION", "magic")


def id_word(kind: str) -> int:
    """Return the value of IDENTIFICATION in a coprocessor of a kind."""
    name = "IDENTIFICATION"
    kinds = MAP.values(name, "kind")
    return MAP.pack(name, magic=MAGIC, kind=kinds[kind], map=MAP.constant(name, "map"))


def control_word(decrypt: int, key_size: int) -> int:
    """Return the word of CONTROL for a direction and a size of key."""
    return MAP.pack("CONTROL", decrypt=decrypt, key_size=key_size)


class Coprocessor:
    """The device under test."""

    def __init__(self, dut: Any, *, seed: int = 1, limit: int | None = None) -> None:
        self.dut = dut
        self.random = Random(seed)
        self.cipher: Cipher = PRESENT if dut._name == "coprocessor_present" else AES
        default = 0 if dut._name == "coprocessor_unrolled" else 2
        self.limit = limit or parameter("BlocksInFlight", default) or 2
        directions = parameter("Directions", 3)
        self.directions = [d for d in (ENCRYPT, DECRYPT) if directions >> d & 1]
        sizes = parameter("KeySizes", 7)
        self.sizes = [s for s in range(len(self.cipher.key_bytes)) if sizes >> s & 1]
        self.bus = master(dut, self.random)
        self.key: bytes | None = None
        self.direction = self.directions[0]
        self.expected: list[bytes] = []

    async def start(self) -> None:
        """Start the clock and reset the device."""
        cocotb.start_soon(Clock(self.dut.clk_i, 10, unit="ns").start())
        self.dut.rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, 3)
        self.dut.rst_ni.value = 1
        await ClockCycles(self.dut.clk_i, 1)

    async def settle(self) -> None:
        """Wait until nothing is computed and no sweep runs."""
        await self.wait_status(BUSY, 0)

    async def wait_status(self, mask: int, wanted: int) -> None:
        """Wait until bits of STATUS are as wanted."""
        for _ in range(LIMIT):
            if await self.status() & mask == wanted:
                return
        raise AssertionError(f"STATUS never shows {wanted:#x} of {mask:#x}")

    async def status(self) -> int:
        """Return STATUS."""
        word = await self.bus.read_word(STATUS)
        assert word < 16, "bits without a meaning are not zero"
        return word

    async def control(self, size: int, direction: int, flags: int = 0) -> None:
        """Write CONTROL."""
        self.direction = direction
        await self.bus.write_word(CONTROL, control_word(direction, size) | flags)

    async def zeroise(self) -> None:
        """Zeroise, and drop the expected results."""
        await self.control(0, self.directions[0], ZEROISE)
        self.key = None
        self.expected.clear()

    async def _write_in_pieces(self, address: int, data: bytes) -> None:
        """Write in accesses of random widths that data and address allow."""
        done = 0
        while done < len(data):
            sizes = [
                size
                for size in (4, 8, 16, 32)
                if size <= min(self.bus.width, len(data) - done) and (address + done) % size == 0
            ]
            size = self.random.choice(sizes)
            await self.bus.write(address + done, data[done : done + size])
            done += size

    async def load_key(self, key: bytes) -> None:
        """Write CONTROL and a key."""
        await self.control(self.cipher.key_bytes.index(len(key)), self.direction)
        padded = key + self.random.randbytes(-len(key) % 4)
        await self._write_in_pieces(KEY, padded)
        self.key = key

    async def load_random_key(self) -> None:
        """Load a random key of a random size that the device has."""
        size = self.random.choice(self.sizes)
        await self.load_key(self.random.randbytes(self.cipher.key_bytes[size]))

    async def turn(self, direction: int) -> None:
        """Change the direction."""
        assert self.key is not None
        await self.control(self.cipher.key_bytes.index(len(self.key)), direction)

    def window(self, start: int, size: int, length: int) -> int:
        """Return a random address in a window for a number of bytes."""
        return start + self.random.randrange(0, size - length + 1, max(length, 16))

    async def push(self, blocks: int = 1) -> None:
        """Push random blocks as one sequence of addresses."""
        assert self.key is not None
        data = self.random.randbytes(self.cipher.block_bytes * blocks)
        # A beat of blocks is aligned to itself.
        await self._write_in_pieces(self.window(DATA_IN, 256, len(data)), data)
        for n in range(0, len(data), self.cipher.block_bytes):
            block = data[n : n + self.cipher.block_bytes]
            self.expected.append(self.cipher.reference(self.direction, self.key, block))

    async def pull(self) -> None:
        """Pull one block in random pieces and check it."""
        length = self.cipher.block_bytes
        address = self.window(DATA_OUT, 128, length)
        found = b""
        while len(found) < length:
            sizes = [
                size
                for size in (4, 8, 16)
                if size <= min(self.bus.width, length - len(found)) and len(found) % size == 0
            ]
            size = self.random.choice(sizes)
            found += await self.bus.read(address + len(found), size)
        self.check(found)

    async def pull_wide(self) -> None:
        """Pull as many blocks as fit in a beat, with one beat."""
        found = await self.bus.read(self.window(DATA_OUT_WIDE, 128, self.bus.width), self.bus.width)
        for n in range(0, len(found), self.cipher.block_bytes):
            self.check(found[n : n + self.cipher.block_bytes])

    def check(self, found: bytes) -> None:
        """Compare a block with the oldest one that is expected."""
        assert self.expected, "an unexpected block"
        wanted = self.expected.pop(0)
        assert found == wanted, f"{found.hex()} is not {wanted.hex()}"
