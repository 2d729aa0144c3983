# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Drives a PRESENT core cycle by cycle, checks its protocol, and compares every result."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import cache
from random import Random

import cocotb
from ciphermill_dv import stall
from ciphermill_dv.parameters import parameter
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from present_reference import KEY_BITS, reference

ITERATIVE, UNROLLED, SERIAL = 0, 1, 2
SCOPES = ("gen_iterative", "gen_unrolled", "gen_serial")

Key = tuple[int, int]
"""``key_size_e`` and the key."""

cached_reference = cache(reference)


class CoreDriver:
    """One PRESENT core: pending offers, handshakes seen, and results still expected.

    Put keys into ``keys`` and ``(direction, block)`` pairs into ``blocks``, then call
    :meth:`step` once a cycle. Whatever was taken is noted with its cycle in ``key_cycles``,
    ``block_cycles`` and ``result_cycles``. Keys and blocks are offered independently of each
    other; ``key_of_last`` is the key that the last block taken goes by.
    """

    def __init__(self, dut, *, seed: int = 1) -> None:
        self.dut = dut
        self.random = Random(seed)
        self.directions = [d for d in (0, 1) if parameter("Directions", 3) >> d & 1]
        self.key_sizes = [s for s in (0, 1) if parameter("KeySizes", 3) >> s & 1]
        self.architecture = parameter("Architecture", ITERATIVE)
        self.tag_mask = (1 << parameter("TagWidth", 8)) - 1
        self.cycle = 0
        self.keys: deque[Key] = deque()
        self.blocks: deque[tuple[int, int]] = deque()
        self.key: Key | None = None
        self.key_of_last: Key = (0, 0)
        self.expected: deque[tuple[int, int]] = deque()
        self.key_cycles: list[int] = []
        self.block_cycles: list[int] = []
        self.result_cycles: list[int] = []
        self.set_stalls("never", "never", "never")
        self._tag = 0
        self._key_offered = False
        self._block_offered = False
        self._held: tuple[int, int] | None = None

    def set_stalls(self, key: str, block: str, result: str) -> None:
        """Choose the idle patterns of both inputs and the back-pressure of the output."""
        self._stalls: list[Iterator[bool]] = [
            getattr(stall, name)(self.random) for name in (key, block, result)
        ]

    async def start(self) -> None:
        """Start the clock, reset the core and wait until it takes something."""
        dut = self.dut
        for name in ("key_valid_i", "key_size_i", "key_i", "block_valid_i", "block_tag_i"):
            getattr(dut, name).value = 0
        for name in ("block_direction_i", "block_i", "block_ready_i", "zeroise_i"):
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

    def forget(self) -> None:
        """Drop all expectations: the core was zeroised."""
        self.key = None
        self.expected.clear()
        self.keys.clear()
        self.blocks.clear()
        self._held = None
        self._key_offered = self._block_offered = False
        self.dut.key_valid_i.value = 0
        self.dut.block_valid_i.value = 0

    def random_key(self, size: int | None = None) -> Key:
        """Return a random key (of a random size among those that the core has)."""
        if size is None:
            size = self.random.choice(self.key_sizes)
        return size, self.random.getrandbits(KEY_BITS[size])

    def random_block(self, direction: int | None = None) -> tuple[int, int]:
        """Return a random block with its direction (random among those that the core has)."""
        if direction is None:
            direction = self.random.choice(self.directions)
        return direction, self.random.getrandbits(64)

    async def set_key(self, key: Key | None = None) -> None:
        """Offer a key (a random one) until it is taken."""
        self.keys.append(key or self.random_key())
        while self.keys:
            await self.step()

    @property
    def done(self) -> bool:
        """Whether every offer was taken and every result has come."""
        return not (self.keys or self.blocks or self.expected)

    async def drain(self, limit: int = 100_000) -> None:
        """Step until done."""
        while not self.done:
            await self.step()
            limit -= 1
            assert limit, "the core hangs"
        await self.step()
        assert int(self.dut.idle_o.value) == 1, "not idle although all results are out"

    async def step(self) -> None:
        """Drive the inputs for one cycle, wait for its end, and check what happened in it."""
        self._drive()
        await RisingEdge(self.dut.clk_i)
        self.cycle += 1
        self._check_result()
        self._take_inputs()

    def _drive(self) -> None:
        dut = self.dut
        pause_key, pause_block, pause_result = (next(pattern) for pattern in self._stalls)
        if not self._key_offered:
            self._key_offered = bool(self.keys) and not pause_key
            dut.key_valid_i.value = int(self._key_offered)
            if self._key_offered:
                size, key = self.keys[0]
                # The bits above a short key must not matter.
                rest = self.random.getrandbits(128 - KEY_BITS[size])
                dut.key_size_i.value = size
                dut.key_i.value = rest << KEY_BITS[size] | key
        if not self._block_offered:
            self._block_offered = bool(self.blocks) and not pause_block
            dut.block_valid_i.value = int(self._block_offered)
            if self._block_offered:
                direction, block = self.blocks[0]
                self._tag = self.random.getrandbits(32) & self.tag_mask
                dut.block_direction_i.value = direction
                dut.block_i.value = block
                dut.block_tag_i.value = self._tag
        dut.block_ready_i.value = int(not pause_result)
        self._result_ready = not pause_result

    def _check_result(self) -> None:
        dut = self.dut
        data = int(dut.block_o.value)
        if not int(dut.block_valid_o.value):
            assert data == 0, "block_o is not zero without valid"
            assert self._held is None, "valid fell before ready"
            return
        now = (data, int(dut.block_tag_o.value))
        assert self._held in (None, now), "the payload changed before ready"
        self._held = now
        assert self.expected, "an unexpected result"
        if self._result_ready:
            block, tag = self.expected.popleft()
            assert now[0] == block, f"wrong block: {now[0]:016x}, not {block:016x}"
            assert now[1] == tag, "wrong tag"
            self.result_cycles.append(self.cycle)
            self._held = None

    def _take_inputs(self) -> None:
        """Note handshakes. A block uses the key of an earlier cycle."""
        dut = self.dut
        if self._block_offered and int(dut.block_ready_o.value):
            assert self.key is not None, "a block was taken without a key"
            direction, block = self.blocks.popleft()
            assert direction in self.directions
            size, key = self.key
            result = cached_reference(direction, KEY_BITS[size], key, block)
            self.expected.append((result, self._tag))
            self.block_cycles.append(self.cycle)
            self.key_of_last = self.key
            self._block_offered = False
        if self._key_offered and int(dut.key_ready_o.value):
            self.key = self.keys.popleft()
            self.key_cycles.append(self.cycle)
            self._key_offered = False
