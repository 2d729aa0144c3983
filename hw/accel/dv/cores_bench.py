# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Shared cores without the channels around them: keys, blocks, results, sweeps."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import cocotb
from ciphermill_dv import residue
from ciphermill_dv.parameters import parameter
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, Timer
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

BLOCK = 16
SIZES = (16, 24, 32)
ITERATIVE, PIPELINED, SERIAL = range(3)
# Cycles of a turn, and of a key and a block at most.
TURN = {ITERATIVE: 256, PIPELINED: 128, SERIAL: 1024}
SETUP = {ITERATIVE: 32, PIPELINED: 16, SERIAL: 140}


@dataclass
class Channel:
    """A channel as the core sees it: one key at a time, blocks, and results in order."""

    idle: float = 0.0  # share of cycles without a new offer
    stall: float = 0.0  # share of cycles with back-pressure
    decrypts: bool = False
    key: bytes = b""
    new_key: bytes = b""  # to be loaded before the next block
    offers_key: bool = False
    blocks: int = 0  # to be offered
    offered: bytes = b""
    open: bool = False
    expected: deque[bytes] = field(default_factory=deque)
    done: int = 0
    waited: int = 0  # cycles since its block was offered
    longest: int = 0

    def answer(self, block: bytes) -> bytes:
        """Return a block encrypted or decrypted under the channel's key."""
        cipher = Cipher(algorithms.AES(self.key), modes.ECB())
        context = cipher.decryptor() if self.decrypts else cipher.encryptor()
        return context.update(block)


class Cores:
    """All channels, driven by one coroutine; every result is checked."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.architecture = parameter("Architecture", 0)
        self.cores = parameter("Cores", 1)
        self.channels = [Channel() for _ in range(parameter("Channels", 1))]
        self.secrets: list[list[bytes]] = [[] for _ in self.channels]
        self._random = random.Random(7)
        dut.rst_ni.value = 0
        for name in ("key_valid", "key_size", "key", "block_valid", "block_direction", "block"):
            getattr(dut, f"{name}_i").value = 0
        dut.block_ready_i.value = 0
        dut.zeroise_i.value = 0
        cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start())
        cocotb.start_soon(self._serve())

    async def reset(self) -> None:
        """Reset, and wait for the sweep."""
        await ClockCycles(self.dut.clk_i, 3)
        self.dut.rst_ni.value = 1
        await self.until(lambda: int(self.dut.busy_o.value) == 0)

    async def until(self, condition: Any, limit: int = 60_000) -> None:
        """Wait for a condition."""
        for _ in range(limit):
            await RisingEdge(self.dut.clk_i)
            if condition():
                return
        raise AssertionError("it never came")

    async def _serve(self) -> None:
        dut, edge = self.dut, RisingEdge(self.dut.clk_i)
        while True:
            await edge
            if not int(dut.rst_ni.value):
                continue
            keys, blocks = int(dut.key_ready_o.value), int(dut.block_ready_o.value)
            results, data = int(dut.block_valid_o.value), int(dut.block_o.value)
            drive = dict.fromkeys(("key_valid", "key_size", "key", "block_valid"), 0)
            drive |= dict.fromkeys(("block_direction", "block", "block_ready"), 0)
            for n, channel in enumerate(self.channels):
                self._after(n, channel, keys >> n & 1, blocks >> n & 1)
                result = data >> 128 * n & (1 << 128) - 1
                if not results >> n & 1:
                    assert result == 0, "data without a result"
                elif channel.open:
                    assert result.to_bytes(BLOCK, "little") == channel.expected.popleft(), n
                    channel.done += 1
                self._before(n, channel, drive)
            for name, value in drive.items():
                getattr(dut, f"{name}_i").value = value

    def _after(self, n: int, channel: Channel, key_taken: int, block_taken: int) -> None:
        """Note what was taken in the cycle that ended."""
        if channel.offers_key and key_taken:
            channel.key, channel.new_key, channel.offers_key = channel.new_key, b"", False
            self.secrets[n].append(channel.key)
        if channel.offered:
            channel.waited += 1
            channel.longest = max(channel.longest, channel.waited)
            if block_taken:
                channel.expected.append(channel.answer(channel.offered))
                self.secrets[n] += [channel.offered, channel.expected[-1]]
                channel.offered = b""

    def _before(self, n: int, channel: Channel, drive: dict[str, int]) -> None:
        """Drive the next cycle."""
        if channel.new_key and not channel.expected and not channel.offered:
            channel.offers_key = True
            drive["key_valid"] |= 1 << n
            drive["key_size"] |= SIZES.index(len(channel.new_key)) << 2 * n
            drive["key"] |= int.from_bytes(channel.new_key, "little") << 256 * n
        elif (
            not channel.new_key
            and channel.blocks
            and not channel.offered
            and self._random.random() >= channel.idle
        ):
            channel.offered = self._random.randbytes(BLOCK)
            channel.blocks -= 1
            channel.waited = 0
        if channel.offered:
            drive["block_valid"] |= 1 << n
            drive["block"] |= int.from_bytes(channel.offered, "little") << 128 * n
        drive["block_direction"] |= int(channel.decrypts) << n
        channel.open = self._random.random() >= channel.stall
        drive["block_ready"] |= int(channel.open) << n

    def busy(self, n: int) -> bool:
        """Tell whether a channel has a key or blocks to go, or results to come."""
        channel = self.channels[n]
        return bool(channel.new_key or channel.blocks or channel.offered or channel.expected)


@cocotb.test()
async def traffic(dut: Any) -> None:
    """Every channel gets the results of its own blocks under its own key."""
    cores = Cores(dut)
    await cores.reset()
    for _ in range(4):
        for n, channel in enumerate(cores.channels):
            if not channel.key or random.random() < 0.7:
                channel.new_key = random.randbytes(random.choice(SIZES))
            channel.decrypts = random.random() < 0.5
            channel.idle, channel.stall = random.choices((0, 0, 0.5, 0.95), k=2)
            channel.blocks = random.randrange(1, 12)
            assert not cores.busy(n) or channel.blocks
        await cores.until(lambda: not any(cores.busy(n) for n in range(len(cores.channels))))


@cocotb.test()
async def results_wait_for_who_takes_none(dut: Any) -> None:
    """A channel that takes no results loses none and blocks no other channel."""
    cores = Cores(dut)
    await cores.reset()
    for n, channel in enumerate(cores.channels):
        channel.new_key = random.randbytes(32)
        channel.stall = int(n == 0)
        channel.blocks = 60
    others = range(1, len(cores.channels))
    await cores.until(lambda: not any(cores.busy(n) for n in others))
    assert cores.channels[0].done == 0
    cores.channels[0].stall = 0
    await cores.until(lambda: not cores.busy(0))
    assert cores.channels[0].done == 60


@cocotb.test()
async def bounded_wait(dut: Any) -> None:
    """While all request the core all the time, each gets a turn after those of the others."""
    cores = Cores(dut)
    await cores.reset()
    turn = TURN[cores.architecture] + SETUP[cores.architecture]
    for n, channel in enumerate(cores.channels):
        channel.new_key = random.randbytes(32)
        channel.decrypts = n % 3 != 1
        channel.blocks = 1 << 30
    await ClockCycles(dut.clk_i, 5 * turn)
    for n, channel in enumerate(cores.channels):
        sharers = len(range(n % cores.cores, len(cores.channels), cores.cores))
        longest = max(channel.longest, channel.waited)
        assert longest <= (sharers - 1) * turn + SETUP[cores.architecture], (n, longest)
        assert channel.done > 0, n
        if sharers > 1 and cores.architecture != PIPELINED:
            assert longest > turn / 2, "turns are shorter than stated"


@cocotb.test()
async def zeroise(dut: Any) -> None:
    """A zeroise clears its channel's secrets everywhere; the other channels go on."""
    cores = Cores(dut)
    await cores.reset()
    for victim in (0, len(cores.channels) - 1):
        for channel in cores.channels:
            channel.new_key = channel.new_key or random.randbytes(32)
            channel.blocks = 400 if cores.architecture == PIPELINED else 40
            channel.stall = 0.3
        await ClockCycles(dut.clk_i, 300)
        lost = cores.channels[victim]
        assert residue.find(dut, [lost.key])
        assert all(channel.blocks for channel in cores.channels), "some have ended already"
        secrets = [*cores.secrets[victim], lost.offered]
        # The channel stops in the cycle of the command.
        lost.blocks, lost.offered, lost.open = 0, b"", False
        dut.block_valid_i.value = int(dut.block_valid_i.value) & ~(1 << victim)
        dut.zeroise_i.value = 1 << victim
        lost.expected.clear()
        lost.stall = 1
        await RisingEdge(dut.clk_i)
        dut.zeroise_i.value = 0
        await cores.until(lambda victim=victim: not int(dut.busy_o.value) >> victim & 1)
        await Timer(1, "ns")
        lost.expected.clear()
        found = [path for path in residue.find(dut, secrets) if not path.endswith("_i")]
        assert not found, found
        cores.secrets[victim].clear()
        lost.new_key, lost.stall = random.randbytes(16), 0
        lost.blocks = 5
        await cores.until(lambda: not any(cores.busy(n) for n in range(len(cores.channels))))
