# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A memory on the AXI4 bus that can refuse addresses, and a watch over the bus."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from ciphermill_dv import ports
from ciphermill_dv.parameters import parameter
from ciphermill_dv.stall import PATTERNS
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiSlave

PAGE = 4096
SIZE = 1 << 16
"""Bytes of the memory; it repeats over the address space."""


class Memory:
    """A memory; reads and writes of refused addresses fail, which answers SLVERR."""

    def __init__(self) -> None:
        self.data = bytearray(SIZE)
        self.refuse_reads: range = range(0)
        self.refuse_writes: range = range(0)

    async def read(self, address: int, length: int) -> bytes:
        """Return bytes, for the bus."""
        if any(byte in self.refuse_reads for byte in range(address, address + length)):
            raise ValueError(f"refused read at {address:#x}")
        begin = address % SIZE
        return bytes(self.data[begin : begin + length])

    async def write(self, address: int, data: bytes) -> None:
        """Take bytes from the bus."""
        if any(byte in self.refuse_writes for byte in range(address, address + len(data))):
            raise ValueError(f"refused write at {address:#x}")
        begin = address % SIZE
        self.data[begin : begin + len(data)] = data

    def put(self, address: int, data: bytes) -> None:
        """Write bytes past the bus; they may wrap around the memory's end."""
        for n, byte in enumerate(data):
            self.data[(address + n) % SIZE] = byte

    def get(self, address: int, length: int) -> bytes:
        """Read bytes past the bus."""
        return bytes(self.data[(address + n) % SIZE] for n in range(length))


class SparseMemory(Memory):
    """A memory at every address, random at first, that records which bytes are accessed."""

    def __init__(self) -> None:
        super().__init__()
        self.seed = random.getrandbits(64)
        self.pages: dict[int, bytearray] = {}
        self.reads: list[int] = []
        """Addresses of the accesses, in order."""
        self.written: list[int] = []
        """Addresses of the bytes that were written, in order."""

    def _page(self, number: int) -> bytearray:
        if number not in self.pages:
            generator = random.Random(self.seed + number)
            self.pages[number] = bytearray(generator.randbytes(PAGE))
        return self.pages[number]

    def first(self, address: int, length: int) -> bytes:
        """Return what was at an address before any write."""
        numbers = range(address // PAGE, (address + length - 1) // PAGE + 1)
        pages = b"".join(random.Random(self.seed + n).randbytes(PAGE) for n in numbers)
        return pages[address % PAGE : address % PAGE + length]

    async def read(self, address: int, length: int) -> bytes:
        """Return bytes, for the bus."""
        self.reads.append(address)
        if any(byte in self.refuse_reads for byte in range(address, address + length)):
            raise ValueError(f"refused read at {address:#x}")
        return self.get(address, length)

    async def write(self, address: int, data: bytes) -> None:
        """Take bytes from the bus."""
        if any(byte in self.refuse_writes for byte in range(address, address + len(data))):
            raise ValueError(f"refused write at {address:#x}")
        self.written += range(address, address + len(data))
        self.put(address, data)

    def put(self, address: int, data: bytes) -> None:
        """Write bytes past the bus."""
        for n, byte in enumerate(data, address):
            self._page(n // PAGE)[n % PAGE] = byte

    def get(self, address: int, length: int) -> bytes:
        """Read bytes past the bus."""
        return bytes(self._page(n // PAGE)[n % PAGE] for n in range(address, address + length))


class MemoryBus:
    """The memory on the design's bus, with stalls on each channel."""

    def __init__(self, dut: Any, memory: Memory | None = None) -> None:
        self.dut = dut
        self.memory = memory or Memory()
        bus = ports.axi_manager(dut, "m_axi")
        self.slave = AxiSlave(bus, dut.clk_i, dut.rst_ni, self.memory, reset_active_level=False)
        for interface in (self.slave.write_if, self.slave.read_if):
            interface.log.setLevel("ERROR")
        self.channels = {
            "aw": self.slave.write_if.aw_channel,
            "w": self.slave.write_if.w_channel,
            "b": self.slave.write_if.b_channel,
            "ar": self.slave.read_if.ar_channel,
            "r": self.slave.read_if.r_channel,
        }
        for name in ("aw", "ar", "w", "b"):
            self.channels[name].queue_occupancy_limit = 16

    def stall(self, seed: int | None) -> None:
        """Pause each channel by a pattern of its own; None means no pauses."""
        generator = random.Random(seed)
        for channel in self.channels.values():
            if seed is None:
                channel.clear_pause_generator()
                channel.pause = False
            else:
                pattern = PATTERNS[generator.choice(list(PATTERNS))]
                channel.set_pause_generator(pattern(random.Random(generator.random())))


# The attributes of every request, besides the size of its beats and AxPROT: one ID, INCR
# bursts, normal memory that is bufferable and not cacheable (AXI4, tables A3-3 and A4-5).
ALWAYS = {"id": 0, "burst": 0b01, "cache": 0b0011}

# What must not change while a channel waits.
HELD = {
    "aw": ("awaddr", "awlen"),
    "ar": ("araddr", "arlen"),
    "w": ("wdata", "wstrb", "wlast"),
}


class Watch:
    """Monitors the bus in every cycle: the rules of AXI4, and the number of beats.

    The engine keeps more than the rules: it never lets the memory wait, neither for a beat of a
    write that it has asked for nor to take a beat of a read.

    Args:
        dut: The design.
        burst_beats: The longest burst allowed.
    """

    def __init__(self, dut: Any, burst_beats: int) -> None:
        self.dut = dut
        self.burst_beats = burst_beats
        self.beats = {"r": 0, "w": 0, "aw": 0, "ar": 0}
        self.cycles = 0
        self.reads_ahead = self.writes_ahead = 0
        """The most bursts outstanding at one time."""
        self.task = cocotb.start_soon(self._run())

    def reset(self) -> None:
        """Count from zero again."""
        self.beats = dict.fromkeys(self.beats, 0)
        self.cycles = 0

    def _signal(self, name: str, direction: str) -> int:
        return int(getattr(self.dut, f"m_axi_{name}_{direction}").value)

    async def _run(self) -> None:
        width = len(self.dut.m_axi_wdata_o) // 8
        protection = parameter("Protection", 0)
        waiting: dict[str, tuple[int, ...]] = {}
        asked = {"ar": 0, "aw": 0}
        in_burst = False
        while True:
            await RisingEdge(self.dut.clk_i)
            self.cycles += 1
            for channel, names in HELD.items():
                valid, ready = (
                    self._signal(f"{channel}valid", "o"),
                    self._signal(f"{channel}ready", "i"),
                )
                if not valid:
                    assert channel not in waiting, f"{channel}valid fell before it was taken"
                    continue
                payload = tuple(self._signal(name, "o") for name in names)
                assert waiting.pop(channel, payload) == payload, f"{channel} changed while offered"
                if not ready:
                    waiting[channel] = payload
                    continue
                self.beats[channel] += 1
                if channel == "w":
                    in_burst = not payload[2]
                else:
                    asked[channel] += 1
                    always = {**ALWAYS, "size": width.bit_length() - 1, "prot": protection}
                    for name, wanted in always.items():
                        assert self._signal(f"{channel}{name}", "o") == wanted, (channel, name)
                    address, beats = payload[0], payload[1] + 1
                    assert beats <= self.burst_beats
                    assert address % width == 0
                    assert address // PAGE == (address + beats * width - 1) // PAGE
            assert not in_burst or self._signal("wvalid", "o"), "a burst waits for its data"
            assert self._signal("rready", "o"), "a read waits for room"
            if self._signal("rvalid", "i"):
                self.beats["r"] += 1
                asked["ar"] -= self._signal("rlast", "i")
            asked["aw"] -= self._signal("bvalid", "i") & self._signal("bready", "o")
            self.reads_ahead = max(self.reads_ahead, asked["ar"])
            self.writes_ahead = max(self.writes_ahead, asked["aw"])
