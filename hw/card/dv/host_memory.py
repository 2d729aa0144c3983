# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Host memory on the card's AXI4 bus: latency, stalls, refused addresses, and the bus's rules."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import cocotb
from ciphermill_dv.parameters import parameter
from ciphermill_dv.stall import PATTERNS, never
from cocotb.triggers import RisingEdge

PAGE = 4096
OKAY, SLVERR = 0, 2

# What must not change while a channel waits (AXI4, A3.2.1).
HELD = {
    "aw": ("awaddr", "awlen"),
    "ar": ("araddr", "arlen"),
    "w": ("wdata", "wstrb", "wlast"),
}


ADDRESS = ("valid", "addr", "len", "size", "burst", "cache", "prot", "id")
OTHERS = ("wvalid", "wdata", "wstrb", "wlast", "rready", "bready")
INPUTS = ("arready", "awready", "wready", "rvalid", "rid", "rdata", "rresp", "rlast")
INPUTS += ("bvalid", "bid", "bresp")


@dataclass
class _Burst:
    """A burst that the memory has yet to answer."""

    address: int
    beats: int
    due: int  # the first cycle of its answer
    error: bool = False
    data: list[tuple[int, int]] = field(default_factory=list)  # beats of a write, and strobes


class HostMemory:
    """A memory with 64-bit addresses that answers in order.

    Reads and writes have `latency` cycles from the address, or from the last beat of data, to
    the answer; any number may be outstanding. A write changes the memory in the cycle of its
    answer, or with `early` in that of its last beat, so that the host sees it before the card
    does. Behind a link of `link_bytes` a cycle, each way, a beat of data takes as many cycles as
    it needs. It checks the rules that the card keeps on its bus in every cycle.

    Args:
        dut: The design.
        latency: Cycles, 1 or more.
    """

    def __init__(self, dut: Any, latency: int = 1) -> None:
        self.dut = dut
        self.latency = latency
        self.early = False
        self.width = len(dut.m_axi_wdata_o) // 8
        self.link_bytes = self.width
        self.pages: dict[int, bytearray] = {}
        self.refuse_reads: list[range] = []
        self.refuse_writes: list[range] = []
        self.beats = {"r": 0, "w": 0}
        self.cycle = 0
        self.writes: list[tuple[int, int]] = []
        """Address and bytes of every write burst, in order; kept while it is a list."""
        self._reads: deque[_Burst] = deque()
        self._asked: deque[_Burst] = deque()  # writes whose data are still to come
        self._answers: deque[_Burst] = deque()
        self._pauses: dict[str, Iterator[bool]] = {}
        self.stall(None)
        self._outputs = {
            name: getattr(dut, f"m_axi_{name}_o")
            for channel in ("aw", "ar")
            for name in (f"{channel}{part}" for part in ADDRESS)
        }
        self._outputs |= {name: getattr(dut, f"m_axi_{name}_o") for name in OTHERS}
        self._inputs = {name: getattr(dut, f"m_axi_{name}_i") for name in INPUTS}
        self._given: dict[str, int] = {}
        for name in INPUTS:
            self._give(name, 0)
        cocotb.start_soon(self._run())

    # ------------------------------------------------------------ the host's side

    def put(self, address: int, data: bytes) -> None:
        """Write bytes past the bus."""
        at = 0
        while at < len(data):
            page, offset = divmod(address + at, PAGE)
            part = data[at : at + PAGE - offset]
            self.pages.setdefault(page, bytearray(PAGE))[offset : offset + len(part)] = part
            at += len(part)

    def get(self, address: int, length: int) -> bytes:
        """Read bytes past the bus."""
        result = bytearray()
        while len(result) < length:
            page, offset = divmod(address + len(result), PAGE)
            size = min(length - len(result), PAGE - offset)
            found = self.pages.get(page)
            result += found[offset : offset + size] if found else bytes(size)
        return bytes(result)

    def stall(self, seed: int | None) -> None:
        """Pause each channel by a pattern of its own; None means no pauses."""
        generator = random.Random(seed)
        for name in ("ar", "r", "aw", "w", "b"):
            pattern = never if seed is None else PATTERNS[generator.choice(list(PATTERNS))]
            self._pauses[name] = pattern(random.Random(generator.random()))

    @property
    def quiet(self) -> bool:
        """Whether no burst is outstanding."""
        return not (self._reads or self._asked or self._answers)

    # ------------------------------------------------------------ the bus

    def _value(self, name: str) -> int:
        return int(self._outputs[name].value)

    def _give(self, name: str, value: int) -> None:
        if self._given.get(name) != value:
            self._given[name] = value
            self._inputs[name].value = value

    def _check(self, channel: str) -> None:
        address, beats = self._value(f"{channel}addr"), self._value(f"{channel}len") + 1
        assert address % self.width == 0, hex(address)
        assert address // PAGE == (address + beats * self.width - 1) // PAGE, hex(address)
        assert self._value(f"{channel}size") == self.width.bit_length() - 1
        assert self._value(f"{channel}burst") == 1
        assert self._value(f"{channel}cache") == 3
        assert self._value(f"{channel}id") == 0
        assert self._value(f"{channel}prot") == parameter("Protection", 0)

    def _refused(self, refused: list[range], address: int, size: int) -> bool:
        return any(r.start < address + size and address < r.stop for r in refused)

    def _apply(self, burst: _Burst) -> None:
        for n, (data, strobes) in enumerate(burst.data):
            at = burst.address + n * self.width
            if strobes == (1 << self.width) - 1:
                self.put(at, data.to_bytes(self.width, "little"))
                continue
            for lane in range(self.width):
                if strobes >> lane & 1:
                    self.put(at + lane, bytes([data >> 8 * lane & 0xFF]))

    async def _run(self) -> None:
        clock, reset = self.dut.clk_i, self.dut.rst_ni
        ready = {"ar": 0, "aw": 0, "w": 0}
        valid = {"r": 0, "b": 0}
        sent = 0  # beats of the oldest read
        partial: list[tuple[int, int]] = []
        carried = {"r": 0, "w": 0}  # bytes that the link could have carried since the last beat
        waiting: dict[str, tuple[int, ...]] = {}
        while True:
            await RisingEdge(clock)
            self.cycle += 1
            for way, carries in carried.items():
                carried[way] = min(carries + self.link_bytes, 2 * self.width)
            if not int(reset.value):
                waiting.clear()
                continue
            for channel, names in HELD.items():
                if not self._value(f"{channel}valid"):
                    assert channel not in waiting, f"{channel}valid fell before it was taken"
                    continue
                if not ready[channel]:
                    payload = tuple(self._value(name) for name in names)
                    assert waiting.setdefault(channel, payload) == payload, channel
                    continue
                waiting.pop(channel, None)
                due = self.cycle + self.latency
                if channel == "w":
                    partial.append((self._value("wdata"), self._value("wstrb")))
                    self.beats["w"] += 1
                    carried["w"] -= self.width
                    if self._value("wlast"):
                        self._asked[0].data = partial
                        partial = []
                        burst = self._asked.popleft()
                        assert len(burst.data) == burst.beats, "a write of another length"
                        burst.due = due
                        size = burst.beats * self.width
                        burst.error = self._refused(self.refuse_writes, burst.address, size)
                        self.writes.append((burst.address, size))
                        if self.early and not burst.error:
                            self._apply(burst)
                        self._answers.append(burst)
                    continue
                self._check(channel)
                burst = _Burst(self._value(f"{channel}addr"), self._value(f"{channel}len") + 1, due)
                (self._reads if channel == "ar" else self._asked).append(burst)
            assert self._value("rready"), "a read waits for room"
            if valid["r"]:
                sent += 1
                self.beats["r"] += 1
                if sent == self._reads[0].beats:
                    self._reads.popleft()
                    sent = 0
            if valid["b"]:
                assert self._value("bready")
                self._answers.popleft()
            # The next cycle.
            for channel in ready:
                ready[channel] = int(not next(self._pauses[channel]))
            if not self._asked or carried["w"] < self.width:
                ready["w"] = 0
            self._give("arready", ready["ar"])
            self._give("awready", ready["aw"])
            self._give("wready", ready["w"])
            go = self._reads and self._reads[0].due <= self.cycle + 1
            go = go and carried["r"] >= self.width
            valid["r"] = int(bool(go) and (not next(self._pauses["r"])))
            carried["r"] -= self.width * valid["r"]
            self._give("rvalid", valid["r"])
            if valid["r"]:
                burst = self._reads[0]
                at = burst.address + sent * self.width
                bad = self._refused(self.refuse_reads, at, self.width)
                data = bytes(self.width) if bad else self.get(at, self.width)
                self._give("rdata", int.from_bytes(data, "little"))
                self._give("rresp", SLVERR if bad else OKAY)
                self._give("rlast", int(sent + 1 == burst.beats))
            go = self._answers and self._answers[0].due <= self.cycle + 1
            valid["b"] = int(bool(go) and (not next(self._pauses["b"])))
            self._give("bvalid", valid["b"])
            if valid["b"]:
                burst = self._answers[0]
                if not self.early and not burst.error:
                    self._apply(burst)
                self._give("bresp", SLVERR if burst.error else OKAY)
