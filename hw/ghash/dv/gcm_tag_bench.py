# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tags of GCM: lengths, padding, mask, against PyCA's AES-GCM (cocotb tests)."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from random import Random

import cocotb
from ciphermill_dv import stall
from ciphermill_dv.gcm_vectors import gcm_messages
from ciphermill_dv.residue import nonzero_registers
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from ghash_reference import ghash, on_bus

LENGTHS = (0, 1, 15, 16, 17, 32, 45)
PATTERNS = ("never", "alternate", "heavy")
BLOCKS = 6
"""Blocks of a message of 33 and 40 bytes."""
POINTS = [*((sent, 0) for sent in range(BLOCKS)), *((BLOCKS, waits) for waits in range(0, 46, 5))]
"""Where a message is cut: blocks sent, and cycles after that; the last of them find
the tag waiting."""


class TagDriver:
    """One unit that makes tags: keys and messages in, tags out."""

    def __init__(self, dut, *, seed: int = 1) -> None:
        self.dut = dut
        self.random = Random(seed)
        self.key = b""
        self.set_stalls("never", "never")

    def set_stalls(self, block: str, tag: str) -> None:
        """Choose the idle pattern of the blocks and the back-pressure of the tags."""
        self._stalls: list[Iterator[bool]] = [
            getattr(stall, name)(self.random) for name in (block, tag)
        ]

    async def start(self) -> None:
        """Start the clock and reset the unit."""
        dut = self.dut
        for name in ("key_valid_i", "key_i", "start_valid_i", "mask_i", "aad_bytes_i"):
            getattr(dut, name).value = 0
        for name in ("text_bytes_i", "block_valid_i", "block_i", "tag_ready_i", "drop_i"):
            getattr(dut, name).value = 0
        dut.zeroise_i.value = 0
        dut.rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start())
        await FallingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await RisingEdge(dut.clk_i)

    async def handshake(self, channel: str) -> None:
        """Hold a channel's valid until it is taken."""
        getattr(self.dut, f"{channel}_valid_i").value = 1
        for _ in range(1000):
            await RisingEdge(self.dut.clk_i)
            if int(getattr(self.dut, f"{channel}_ready_o").value):
                getattr(self.dut, f"{channel}_valid_i").value = 0
                return
        raise AssertionError(f"{channel} is never taken")

    async def set_key(self, key: bytes) -> None:
        """Hand over the hash key that goes with an AES key."""
        self.key = key
        self.dut.key_i.value = self.encrypted(bytes(16))
        await self.handshake("key")

    def encrypted(self, block: bytes) -> int:
        """Return what AES makes of a block, as on the bus."""
        encryptor = Cipher(algorithms.AES(self.key), modes.ECB()).encryptor()
        return int.from_bytes(encryptor.update(block), "little")

    async def begin(self, nonce: bytes, aad_bytes: int, text_bytes: int) -> None:
        """Start a message."""
        dut = self.dut
        dut.mask_i.value = self.encrypted(nonce + bytes((0, 0, 0, 1)))
        dut.aad_bytes_i.value = aad_bytes
        dut.text_bytes_i.value = text_bytes
        await self.handshake("start")
        # A payload without valid must not matter.
        dut.mask_i.value = self.random.getrandbits(128)
        dut.aad_bytes_i.value = self.random.getrandbits(61)
        dut.text_bytes_i.value = self.random.getrandbits(61)

    async def send(self, data: bytes, *, text: bool) -> None:
        """Send data in blocks; the bytes after the last one are random."""
        for n in range(0, len(data), 16):
            while next(self._stalls[0]):
                self.dut.block_i.value = self.random.getrandbits(128)
                await RisingEdge(self.dut.clk_i)
            piece = data[n : n + 16]
            piece += self.random.randbytes(16 - len(piece))
            self.dut.block_i.value = int.from_bytes(piece, "little")
            await self.handshake("block")
            assert int(self.dut.text_o.value) == text

    async def tag(self) -> bytes:
        """Take the tag; it must stay until then, and be zero before and after."""
        dut = self.dut
        held: int | None = None
        for _ in range(1000):
            pause = next(self._stalls[1])
            dut.tag_ready_i.value = int(not pause)
            await RisingEdge(dut.clk_i)
            assert not int(dut.start_ready_o.value), "a message would start before the tag"
            valid, now = int(dut.tag_valid_o.value), int(dut.tag_o.value)
            assert held in (None, now), "the tag changed"
            if valid and not pause:
                dut.tag_ready_i.value = 0
                await ReadOnly()
                await RisingEdge(dut.clk_i)
                assert not int(dut.tag_valid_o.value) and not int(dut.tag_o.value)
                assert int(dut.idle_o.value)
                return now.to_bytes(16, "little")
            if valid:
                held = now
            else:
                assert now == 0
        raise AssertionError("no tag comes")

    async def message(self, nonce: bytes, aad: bytes, text: bytes) -> bytes:
        """Return the tag of a message, given its ciphertext."""
        await self.begin(nonce, len(aad), len(text))
        await self.send(aad, text=False)
        await self.send(text, text=True)
        return await self.tag()

    async def part(self, sent: int, waits: int) -> None:
        """Begin a message of 33 and 40 bytes, send so many of its blocks, and wait."""
        await self.begin(self.random.randbytes(12), 33, 40)
        await self.send(self.random.randbytes(16 * min(sent, 3)), text=False)
        await self.send(self.random.randbytes(16 * max(sent - 3, 0)), text=True)
        for _ in range(waits):
            await RisingEdge(self.dut.clk_i)

    async def check_random(self, aad_bytes: int, text_bytes: int) -> None:
        """Compare the tag of a random message with PyCA's."""
        nonce, aad = self.random.randbytes(12), self.random.randbytes(aad_bytes)
        sealed = AESGCM(self.key).encrypt(nonce, self.random.randbytes(text_bytes), aad)
        found = await self.message(nonce, aad, sealed[:-16])
        assert found == sealed[-16:], (aad_bytes, text_bytes)


@cocotb.test()
async def known_answers(dut):
    """NIST's vectors for each key size."""
    driver = TagDriver(dut)
    await driver.start()
    lengths = set()
    for message in gcm_messages(12):
        await driver.set_key(message.key)
        found = await driver.message(message.nonce, message.aad, message.text)
        assert found == message.tag, message.name
        lengths.add((len(message.aad), len(message.text)))
    assert len(lengths) > 8, lengths


@cocotb.test()
async def every_pair_of_lengths(dut):
    """Associated data and text of zero, partial, one and several blocks, with stalls."""
    driver = TagDriver(dut, seed=int(os.environ.get("COCOTB_RANDOM_SEED", 1)))
    await driver.start()
    patterns = itertools.cycle(itertools.product(PATTERNS, PATTERNS))
    for aad_bytes, text_bytes in itertools.product(LENGTHS, LENGTHS):
        driver.set_stalls(*next(patterns))
        await driver.set_key(driver.random.randbytes(driver.random.choice((16, 24, 32))))
        await driver.check_random(aad_bytes, text_bytes)
        await driver.check_random(text_bytes, aad_bytes)


@cocotb.test()
async def high_bits_of_lengths_count(dut):
    """The high bits of a length count: more blocks of the same kind are expected."""
    driver = TagDriver(dut)
    await driver.start()
    await driver.set_key(bytes(16))
    for bit in (6, 20, 35, 60):
        for aad_bytes, text_bytes in ((1 << bit, 0), (0, 1 << bit)):
            await driver.begin(bytes(12), aad_bytes, text_bytes)
            await driver.send(bytes(48), text=text_bytes > 0)
            dut.drop_i.value = 1
            await RisingEdge(dut.clk_i)
            dut.drop_i.value = 0
            await RisingEdge(dut.clk_i)
    await driver.check_random(3, 3)


@cocotb.test()
async def every_bit_of_the_lengths_is_hashed(dut):
    """All bits of both lengths enter the block of lengths and the count of blocks."""
    driver = TagDriver(dut)
    await driver.start()
    await driver.set_key(driver.random.randbytes(16))
    hash_key = on_bus(driver.encrypted(bytes(16)))
    nonce = driver.random.randbytes(12)
    mask = on_bus(driver.encrypted(nonce + bytes((0, 0, 0, 1))))
    for bit in (4, 28, 29, 31, 32, 33, 35, 36, 47, 59, 60):
        for aad_bytes, text_bytes in ((1 << bit, 0), (0, 1 << bit), (1 << bit | 16, 1 << 60 - bit)):
            await driver.begin(nonce, aad_bytes, text_bytes)
            await ReadOnly()
            blocks = -(-(aad_bytes or text_bytes) // 16)
            assert int(dut.left_q.value) == blocks, (aad_bytes, text_bytes)
            await RisingEdge(dut.clk_i)
            # So many blocks cannot be sent: preset the count to the last one.
            hashed = []
            for text, length in ((False, aad_bytes), (True, text_bytes)):
                if length:
                    dut.left_q.value = 1
                    await RisingEdge(dut.clk_i)
                    data = driver.random.randbytes((length - 1) % 16 + 1)
                    hashed.append(int.from_bytes(data + bytes(-len(data) % 16), "big"))
                    await driver.send(data, text=text)
            lengths = 8 * aad_bytes << 64 | 8 * text_bytes
            wanted = ghash(hash_key, [*hashed, lengths]) ^ mask
            assert await driver.tag() == wanted.to_bytes(16, "big"), (aad_bytes, text_bytes)
    await driver.check_random(3, 3)


@cocotb.test()
async def the_count_of_blocks_goes_through_a_word(dut):
    """The remaining blocks of a kind count down across the boundary of a word."""
    driver = TagDriver(dut)
    await driver.start()
    await driver.set_key(driver.random.randbytes(16))
    await driver.begin(bytes(12), 1 << 60, 16)
    dut.left_q.value = (1 << 32) + 1
    await RisingEdge(dut.clk_i)
    await driver.send(bytes(48), text=False)
    await ReadOnly()
    assert int(dut.left_q.value) == (1 << 32) - 2


@cocotb.test()
async def dropped(dut):
    """A drop at any point of a message: no tag comes, the key stays, the next tag is right."""
    driver = TagDriver(dut)
    await driver.start()
    await driver.set_key(driver.random.randbytes(16))
    waiting = 0
    for sent, waits in POINTS:
        await driver.part(sent, waits)
        dut.drop_i.value = 1
        await ReadOnly()
        waiting += int(dut.tag_valid_o.value)
        for channel in ("start", "block", "key"):
            assert not int(getattr(dut, f"{channel}_ready_o").value)
        await RisingEdge(dut.clk_i)
        dut.drop_i.value = 0
        await ReadOnly()
        assert int(dut.idle_o.value) and not int(dut.tag_valid_o.value)
        await RisingEdge(dut.clk_i)
        await driver.check_random(5, 20)
    assert waiting, "no tag waited when it was dropped"


@cocotb.test()
async def a_key_waits_for_the_tag(dut):
    """A key offered all the time is taken between messages only, and the next message uses it."""
    driver = TagDriver(dut)
    await driver.start()
    await driver.set_key(driver.random.randbytes(16))
    for aad_bytes, text_bytes in ((33, 40), (0, 5), (7, 0), (0, 0)):
        nonce, aad = driver.random.randbytes(12), driver.random.randbytes(aad_bytes)
        sealed = AESGCM(driver.key).encrypt(nonce, driver.random.randbytes(text_bytes), aad)
        await driver.begin(nonce, aad_bytes, text_bytes)
        old, driver.key = driver.key, driver.random.randbytes(32)
        dut.key_i.value = driver.encrypted(bytes(16))
        dut.key_valid_i.value = 1
        taken = cocotb.start_soon(key_taken(dut))
        await driver.send(aad, text=False)
        await driver.send(sealed[:-16], text=True)
        assert not taken.done(), "a key was taken in the middle of a message"
        assert await driver.tag() == sealed[-16:], old.hex()
        await taken
        await driver.check_random(20, 20)


async def key_taken(dut) -> None:
    """Wait until a key that is offered is taken, with no message under way."""
    while True:
        await RisingEdge(dut.clk_i)
        if int(dut.key_ready_o.value):
            assert int(dut.idle_o.value), "a key was taken in the middle of a message"
            dut.key_valid_i.value = 0
            return


@cocotb.test()
async def zeroised(dut):
    """A zeroise at any point clears every register, and no message starts without a key."""
    driver = TagDriver(dut)
    await driver.start()
    for sent, waits in POINTS:
        await driver.set_key(driver.random.randbytes(16))
        await driver.part(sent, waits)
        await ReadOnly()
        assert nonzero_registers(dut), "the search finds no register"
        await RisingEdge(dut.clk_i)
        dut.zeroise_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.zeroise_i.value = 0
        await ReadOnly()
        assert int(dut.busy_o.value) and int(dut.idle_o.value)
        assert not nonzero_registers(dut), nonzero_registers(dut)
        await RisingEdge(dut.clk_i)
        await RisingEdge(dut.clk_i)
        assert not int(dut.busy_o.value) and not int(dut.start_ready_o.value)
