# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Drives a GHASH unit cycle by cycle, checks its protocol, and compares every hash."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from random import Random

import cocotb
from ciphermill_dv import stall
from ciphermill_dv.parameters import parameter
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from ghash_reference import multiply, on_bus


class GhashDriver:
    """One GHASH unit: pending offers, handshakes seen, and hashes still expected.

    Put keys into ``keys`` and messages into ``blocks`` with :meth:`send`, then call
    :meth:`step` once a cycle. Keys and blocks are offered independently of each other. What was
    taken is noted with its cycle in ``key_cycles``, ``block_cycles`` and ``hash_cycles``.
    """

    def __init__(self, dut, *, seed: int = 1) -> None:
        self.dut = dut
        self.random = Random(seed)
        self.digit = parameter("Digit", 128)
        self.stages = parameter("Stages", 1)
        self.cycle = 0
        self.keys: deque[int] = deque()
        self.blocks: deque[tuple[int, bool]] = deque()
        self.key: int | None = None
        self.expected: deque[int] = deque()
        self.key_cycles: list[int] = []
        self.block_cycles: list[int] = []
        self.hash_cycles: list[int] = []
        self.set_stalls("never", "never")
        self.open = False
        """A message is half taken."""
        self._sum = 0
        self._key_offered = False
        self._block_offered = False
        self._hash_ready = False
        self._held: int | None = None

    def set_stalls(self, block: str, hash_: str) -> None:
        """Choose the idle pattern of the blocks and the back-pressure of the hashes."""
        self._stalls: list[Iterator[bool]] = [
            getattr(stall, name)(self.random) for name in (block, hash_)
        ]

    async def start(self) -> None:
        """Start the clock, reset the unit and wait until it takes something."""
        dut = self.dut
        names = ("key_valid_i", "key_i", "block_valid_i", "block_i", "block_last_i")
        for name in (*names, "hash_ready_i", "drop_i", "zeroise_i"):
            getattr(dut, name).value = 0
        dut.rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start())
        await FallingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await RisingEdge(dut.clk_i)
        assert int(dut.busy_o.value) == 1, "nothing is cleared after reset"
        assert not int(dut.key_ready_o.value), "a key would be taken while registers are cleared"
        await RisingEdge(dut.clk_i)
        assert int(dut.busy_o.value) == 0

    def send(self, blocks: Sequence[int]) -> None:
        """Offer the blocks of a message."""
        self.blocks += [(block, n == len(blocks) - 1) for n, block in enumerate(blocks)]

    def random_blocks(self, count: int) -> list[int]:
        """Return random blocks."""
        return [self.random.getrandbits(128) for _ in range(count)]

    def forget(self, *, key: bool) -> None:
        """Drop all that was offered or expected; with ``key``, the key too."""
        if key:
            self.key = None
            self.keys.clear()
            self._key_offered = False
            self.dut.key_valid_i.value = 0
        self.blocks.clear()
        self.expected.clear()
        self.open = False
        self._sum = 0
        self._held = None
        self._block_offered = False
        self.dut.block_valid_i.value = 0

    async def set_key(self, key: int | None = None) -> None:
        """Offer a key (a random one) until it is taken."""
        self.keys.append(self.random.getrandbits(128) if key is None else key)
        while self.keys:
            await self.step()

    @property
    def done(self) -> bool:
        """Whether every offer was taken and every hash has come."""
        return not (self.keys or self.blocks or self.expected)

    async def drain(self, limit: int = 20_000) -> None:
        """Step until done."""
        while not self.done:
            await self.step()
            limit -= 1
            assert limit, "the unit hangs"

    async def idle(self, limit: int = 100) -> None:
        """Step until the unit says that nothing is inside."""
        await self.drain()
        await self.step()
        while not int(self.dut.idle_o.value):
            await self.step()
            limit -= 1
            assert limit, "not idle although all hashes are out"

    async def step(self) -> None:
        """Drive the inputs for one cycle, wait for its end, and check what happened in it."""
        self._drive()
        await RisingEdge(self.dut.clk_i)
        self.cycle += 1
        self._check_hash()
        self._take_inputs()

    def _drive(self) -> None:
        dut = self.dut
        pause_block, pause_hash = (next(pattern) for pattern in self._stalls)
        if not self._key_offered and self.keys:
            self._key_offered = True
            dut.key_i.value = on_bus(self.keys[0])
        dut.key_valid_i.value = int(self._key_offered)
        if not self._block_offered and self.blocks and not pause_block:
            self._block_offered = True
            block, last = self.blocks[0]
            dut.block_i.value = on_bus(block)
            dut.block_last_i.value = int(last)
        if not self._block_offered:
            # A payload without valid must not matter.
            dut.block_i.value = self.random.getrandbits(128)
            dut.block_last_i.value = self.random.getrandbits(1)
        dut.block_valid_i.value = int(self._block_offered)
        self._hash_ready = not pause_hash
        dut.hash_ready_i.value = int(self._hash_ready)

    def _check_hash(self) -> None:
        dut = self.dut
        now = on_bus(int(dut.hash_o.value))
        if not int(dut.hash_valid_o.value):
            assert now == 0, "hash_o is not zero without valid"
            assert self._held is None, "valid fell before ready"
            return
        assert not int(dut.idle_o.value), "idle with a hash that waits"
        assert self._held in (None, now), "the payload changed before ready"
        self._held = now
        assert self.expected, "an unexpected hash"
        if self._hash_ready:
            wanted = self.expected.popleft()
            assert now == wanted, f"wrong hash: {now:032x}, not {wanted:032x}"
            self.hash_cycles.append(self.cycle)
            self._held = None

    def _take_inputs(self) -> None:
        """Note handshakes. A message uses the key of an earlier cycle."""
        dut = self.dut
        if self._block_offered and int(dut.block_ready_o.value):
            assert self.key is not None, "a block was taken without a key"
            assert self.open or not self._key_offered, "a message began before the key that waits"
            block, last = self.blocks.popleft()
            self._sum = multiply(self._sum ^ block, self.key)
            self.open = not last
            if last:
                self.expected.append(self._sum)
                self._sum = 0
            self.block_cycles.append(self.cycle)
            self._block_offered = False
        if self._key_offered and int(dut.key_ready_o.value):
            assert not self.open, "a key was taken within a message"
            self.key = self.keys.popleft()
            self.key_cycles.append(self.cycle)
            self._key_offered = False
