# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Both ends of AXI4-Streams whose bits are side by side in the ports of a module.

Element n of each vector of ``s_axis`` and ``m_axis`` is that of stream n.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import cocotb
from cocotb.triggers import Event, RisingEdge, with_timeout

TIMEOUT_US = 3_000


@dataclass
class Stream:
    """What the bench has on the two streams of one number."""

    beats: deque[tuple[int, int, bool]] = field(default_factory=deque)  # data, TKEEP, TLAST
    offered: bool = False  # the first beat stands on the port
    open: bool = False  # TREADY is high
    source_idle: float = 0.0  # share of cycles in which no new beat is offered
    sink_idle: float = 0.0  # share of cycles in which no beat is taken
    received: bytearray = field(default_factory=bytearray)
    messages: deque[bytes] = field(default_factory=deque)
    arrived: Event = field(default_factory=Event)
    beats_out: list[int] = field(default_factory=list)  # the cycle of each beat

    def drop(self) -> None:
        """Drop everything, as a host does that gives up."""
        self.beats.clear()
        self.received.clear()
        self.messages.clear()
        self.offered = False


class StreamVectors:
    """Senders and receivers on all streams of a module; one coroutine serves them.

    Args:
        dut: The module; its clock is ``clk_i``.
        count: The number of streams in each direction.
        lanes: The bytes of a beat.
        seed: Of idle and back-pressure.
    """

    def __init__(self, dut: Any, count: int, lanes: int, seed: int = 1) -> None:
        self.dut = dut
        self.lanes = lanes
        self.streams = [Stream() for _ in range(count)]
        self.cycle = 0
        self._random = random.Random(seed)
        for name in ("tdata", "tkeep", "tlast", "tvalid"):
            getattr(dut, f"s_axis_{name}_i").value = 0
        dut.m_axis_tready_i.value = 0
        cocotb.start_soon(self._serve())

    async def _serve(self) -> None:
        dut = self.dut
        edge = RisingEdge(dut.clk_i)
        while True:
            await edge
            self.cycle += 1
            taken = int(dut.s_axis_tready_o.value)
            given = int(dut.m_axis_tvalid_o.value)
            if given:
                self._collect(given)
            data = keep = last = valid = ready = 0
            for n, stream in enumerate(self.streams):
                if stream.offered and taken >> n & 1:
                    stream.beats.popleft()
                    stream.offered = False
                if stream.beats and not stream.offered:
                    stream.offered = self._random.random() >= stream.source_idle
                if stream.offered:
                    beat, lanes, ends = stream.beats[0]
                    data |= beat << (8 * self.lanes * n)
                    keep |= lanes << (self.lanes * n)
                    last |= int(ends) << n
                    valid |= 1 << n
                stream.open = self._random.random() >= stream.sink_idle
                ready |= int(stream.open) << n
            dut.s_axis_tdata_i.value = data
            dut.s_axis_tkeep_i.value = keep
            dut.s_axis_tlast_i.value = last
            dut.s_axis_tvalid_i.value = valid
            dut.m_axis_tready_i.value = ready

    def _collect(self, given: int) -> None:
        data, keep = int(self.dut.m_axis_tdata_o.value), int(self.dut.m_axis_tkeep_o.value)
        last = int(self.dut.m_axis_tlast_o.value)
        for n, stream in enumerate(self.streams):
            if not (given >> n & 1 and stream.open):
                continue
            beat = (data >> (8 * self.lanes * n)) & ((1 << 8 * self.lanes) - 1)
            bytes_given = (keep >> (self.lanes * n) & ((1 << self.lanes) - 1)).bit_count()
            stream.received += beat.to_bytes(self.lanes, "little")[:bytes_given]
            stream.beats_out.append(self.cycle)
            if last >> n & 1:
                stream.messages.append(bytes(stream.received))
                stream.received.clear()
                stream.arrived.set()

    def send(self, number: int, data: bytes) -> None:
        """Queue a message on an input."""
        for at in range(0, len(data), self.lanes):
            part = data[at : at + self.lanes]
            ends = at + self.lanes >= len(data)
            beat = int.from_bytes(part, "little"), (1 << len(part)) - 1, ends
            self.streams[number].beats.append(beat)

    async def receive(self, number: int) -> bytes:
        """Return the next message of an output."""
        stream = self.streams[number]
        while not stream.messages:
            stream.arrived.clear()
            await with_timeout(stream.arrived.wait(), TIMEOUT_US, "us")
        return stream.messages.popleft()
