# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Models of both sides of a bridge: the processor's port, and a coprocessor's bus.

The coprocessor logs the words that reach it in their order, checks the rules of AXI on
its way, and holds up every channel as a stall pattern says.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cocotb
from ciphermill_dv.registers import RegisterMap
from ciphermill_dv.stall import PATTERNS
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge

PERIOD_PS = 10_000
HARDWARE = Path(__file__).resolve().parents[2]
MAP = RegisterMap(HARDWARE / "coprocessor" / "coprocessor.rdl")
DATA_IN, DATA_OUT, BOTH_OUT, STATUS = (
    MAP.address(name) for name in ("DATA_IN", "DATA_OUT", "DATA_OUT_WIDE", "STATUS")
)
COPROCESSOR = RegisterMap(HARDWARE / "soc" / "soc.rdl").address("coprocessor")
PATIENCE_CYCLES = 64
"""After so many cycles without an access, everything gathered has long left."""


def result_word(block: int, word: int) -> int:
    """Return a word of the coprocessor's results."""
    return (block * 0x9E3779B1 + word * 0x01000193 + 0x1234567) & 0xFFFFFFFF


def register_word(address: int) -> int:
    """Return what any other register reads as."""
    return 0xC0DE0000 | address


@dataclass
class Burst:
    """An address as it was taken, and its beats so far."""

    address: int
    beats: int
    size: int


class Processor:
    """The local bus: one access at a time, held until it is answered."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.stores: list[tuple[int, int, int]] = []

    async def access(
        self, address: int, write: bool, data: int = 0, strobes: int = 0
    ) -> tuple[int, int]:
        """Return the data of an access and the cycles that it took."""
        fields = ((1, 1), (int(write), 1), (0, 1), (COPROCESSOR | address, 32), (data, 32))
        value = 0
        for field, width in (*fields, (strobes, 4)):
            value = value << width | field
        self.dut.request_i.value = value
        cycles = 0
        while True:
            await RisingEdge(self.dut.clk_i)
            cycles += 1
            response = int(self.dut.response_o.value)
            if response >> 32:
                self.dut.request_i.value = 0
                return response & 0xFFFFFFFF, cycles
            assert cycles < 10_000, "the bridge does not answer"

    async def store(self, address: int, data: int, strobes: int = 0xF) -> int:
        # From now on it counts for every later load.
        self.stores.append((address, data, strobes))
        return (await self.access(address, True, data, strobes))[1]

    async def load(self, address: int) -> int:
        return (await self.access(address, False))[0]

    async def idle(self, cycles: int) -> None:
        await ClockCycles(self.dut.clk_i, cycles)


class Coprocessor:
    """An AXI4 or AXI4-Lite slave with a DATA_IN and a DATA_OUT window."""

    def __init__(self, dut: Any, processor: Processor, lite: bool, pattern: str) -> None:
        self.dut, self.processor, self.lite = dut, processor, lite
        self.prefix = "m_axil_" if lite else "m_axi_"
        self.lanes = len(dut.m_axil_wdata_o if lite else dut.m_axi_wdata_o) // 8
        self.written: list[tuple[int, int, int]] = []
        self.write_bursts: list[Burst] = []
        self.read_bursts: list[Burst] = []
        self.popped = 0
        self.response = 0
        self.pauses: dict[str, Iterator[bool]] = {
            name: PATTERNS[pattern](random.Random(f"{pattern} {name}"))
            for name in ("aw", "w", "b", "ar", "r")
        }

    def get(self, name: str) -> int:
        return int(getattr(self.dut, f"{self.prefix}{name}_o").value)

    def put(self, name: str, value: int) -> None:
        getattr(self.dut, f"{self.prefix}{name}_i").value = value

    def burst(self, channel: str) -> Burst:
        if self.lite:
            burst = Burst(self.get(f"{channel}addr"), 1, 2)
        else:
            assert self.get(f"{channel}burst") == 1, "only INCR bursts"
            size = self.get(f"{channel}size")
            burst = Burst(self.get(f"{channel}addr"), self.get(f"{channel}len") + 1, size)
        assert 1 << burst.size <= self.lanes
        assert burst.address % (1 << burst.size) == 0, "a burst starts at a whole beat"
        return burst

    def payload(self, channel: str) -> tuple[int, ...]:
        names = {"w": ("data", "strb") if self.lite else ("data", "strb", "last")}
        others = ("addr",) if self.lite else ("addr", "len", "size")
        return tuple(self.get(channel + name) for name in names.get(channel, others))

    async def run(self) -> None:
        """Serve for ever."""
        addresses: deque[Burst] = deque()
        beats: deque[tuple[int, int, bool]] = deque()
        answers = 0
        reads: deque[tuple[int, bool]] = deque()
        held: dict[str, tuple[int, ...]] = {}
        ready = dict.fromkeys(("aw", "w", "ar"), False)
        offered = {"b": False, "r": False}
        for name in ("awready", "wready", "arready", "bvalid", "rvalid"):
            self.put(name, 0)
        while True:
            await RisingEdge(self.dut.clk_i)
            for channel in ("aw", "w", "ar"):
                if not self.get(f"{channel}valid"):
                    assert channel not in held, f"{channel}: valid fell before it was taken"
                    continue
                payload = self.payload(channel)
                assert held.get(channel, payload) == payload, f"{channel}: changed while waiting"
                held[channel] = payload
                if not ready[channel]:
                    continue
                del held[channel]
                if channel == "w":
                    beats.append((payload[0], payload[1], self.lite or bool(payload[2])))
                elif channel == "aw":
                    addresses.append(self.burst("aw"))
                else:
                    assert self.written == self.processor.stores, "a load overtook a store"
                    reads.extend(self.read(self.burst("ar")))
            if offered["b"] and self.get("bready"):
                offered["b"] = False
            if offered["r"] and self.get("rready"):
                offered["r"] = False

            while addresses and len(beats) >= addresses[0].beats:
                self.commit(addresses[0], [beats.popleft() for _ in range(addresses[0].beats)])
                addresses.popleft()
                answers += 1
            if not offered["b"] and answers and not next(self.pauses["b"]):
                offered["b"], answers = True, answers - 1
            if not offered["r"] and reads and not next(self.pauses["r"]):
                data, last = reads.popleft()
                offered["r"] = True
                self.put("rdata", data)
                if not self.lite:
                    self.put("rlast", int(last))
            for channel in ready:
                ready[channel] = not next(self.pauses[channel])
                self.put(f"{channel}ready", int(ready[channel]))
            for channel, valid in offered.items():
                self.put(f"{channel}valid", int(valid))
                self.put(f"{channel}resp", self.response)

    def commit(self, burst: Burst, beats: list[tuple[int, int, bool]]) -> None:
        """Take the words of a burst, in the order of their addresses."""
        self.write_bursts.append(burst)
        for number, (data, strobes, last) in enumerate(beats):
            assert last == (number == burst.beats - 1), "WLAST"
            address = burst.address + (number << burst.size)
            first = address % self.lanes
            allowed = ((1 << (1 << burst.size)) - 1) << first
            assert strobes & ~allowed == 0, "a strobe outside of the beat"
            for lane in range(first, first + (1 << burst.size), 4):
                word = address - first + lane
                entry = (word, data >> 8 * lane & 0xFFFFFFFF, strobes >> lane & 0xF)
                self.written.append(entry)

    def read(self, burst: Burst) -> list[tuple[int, bool]]:
        """Return the beats of a read; word 3 of a block in DATA_OUT takes it away."""
        self.read_bursts.append(burst)
        beats = []
        for number in range(burst.beats):
            start = burst.address + (number << burst.size)
            data = 0
            for address in range(start, start + (1 << burst.size), 4):
                word = register_word(address)
                if address >> 8 == DATA_OUT >> 8:
                    word = result_word(self.popped, address // 4 % 4)
                    self.popped += address // 4 % 4 == 3
                data |= word << 8 * (address % self.lanes)
            beats.append((data, number == burst.beats - 1))
        return beats


async def reset(dut: Any) -> None:
    """Start the clock and reset the bridge."""
    dut.request_i.value = 0
    dut.rst_ni.value = 0
    cocotb.start_soon(Clock(dut.clk_i, PERIOD_PS, unit="ps").start())
    await ClockCycles(dut.clk_i, 4)
    dut.rst_ni.value = 1
    await ClockCycles(dut.clk_i, 2)
