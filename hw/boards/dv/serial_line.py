# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A serial line to a simulated board: its clocks, and the host's end of the line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cocotb
from ciphermill_dv.parameters import parameter
from cocotb.clock import Clock
from cocotb.task import bridge, resume
from cocotb.triggers import ClockCycles, FallingEdge, Timer

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host"))

from serial_accelerator import SerialAccelerator
from serial_bridge import Bridge

BUS_PS = 40_000
CORE_PS = 61_310  # no multiple of the other, and few events
BIT_PS = parameter("ClocksPerBit", 25) * BUS_PS
BYTE_PS = 10 * BIT_PS
TIMEOUT_BYTES = 80
"""Byte times in which a reply begins, or goes on: longer than StallCycles and TimeoutCycles."""


class SimulatedLine:
    """The host's end: what ``serial_port.SerialPort`` is on a machine."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.received = bytearray()
        self.bit_ps = BIT_PS
        """The sender's bit time: other than BIT_PS where its clock differs."""
        self.gap_bits = 0
        """Idle bits between two bytes."""
        self.core_clock: Any = None
        dut.rx_i.value = 1

    async def begin(self) -> None:
        """Start the clocks and reset the device."""
        dut = self.dut
        dut.rst_ni.value = 0
        dut.core_rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, BUS_PS, unit="ps").start())
        self.start_core()
        await ClockCycles(dut.clk_i, 5)
        dut.rst_ni.value = 1
        dut.core_rst_ni.value = 1
        cocotb.start_soon(self._receive())
        await Timer(BYTE_PS, "ps")

    def start_core(self) -> None:
        """Start the core's clock."""
        self.core_clock = cocotb.start_soon(Clock(self.dut.core_clk_i, CORE_PS, unit="ps").start())

    def stop_core(self) -> None:
        """Stop the core's clock."""
        self.core_clock.cancel()
        self.dut.core_clk_i.value = 0

    async def send(self, data: bytes, stop_bit: int = 1) -> None:
        """Send bytes, the last of them with this stop bit."""
        for place, byte in enumerate(data):
            last = place + 1 == len(data)
            bits = [0, *(byte >> n & 1 for n in range(8)), stop_bit if last else 1]
            for bit in bits:
                self.dut.rx_i.value = bit
                await Timer(self.bit_ps, "ps")
            self.dut.rx_i.value = 1
            if self.gap_bits:
                await Timer(self.gap_bits * self.bit_ps, "ps")

    async def receive(self, count: int, limit_bytes: int = TIMEOUT_BYTES) -> bytes:
        """Return ``count`` bytes, or fewer if for ``limit_bytes`` byte times none comes."""
        have, waited = len(self.received), 0
        while len(self.received) < count and waited < 2 * limit_bytes:
            await Timer(BYTE_PS // 2, "ps")
            waited += 1
            if len(self.received) != have:
                have, waited = len(self.received), 0
        data = bytes(self.received[:count])
        del self.received[:count]
        return data

    async def _receive(self) -> None:
        while True:
            await FallingEdge(self.dut.tx_o)
            await Timer(BIT_PS // 2, "ps")
            assert self.dut.tx_o.value == 0, "a start bit is too short"
            byte = 0
            for n in range(8):
                await Timer(BIT_PS, "ps")
                byte |= int(self.dut.tx_o.value) << n
            await Timer(BIT_PS, "ps")
            assert self.dut.tx_o.value == 1, "a stop bit is missing"
            self.received.append(byte)

    # For code of the host, which blocks.

    def write(self, data: bytes) -> None:
        """Send bytes."""
        resume(self.send)(data)

    def read(self, count: int, timeout_s: float) -> bytes:
        """Return ``count`` bytes, or fewer if no more come; the time is that of the bench."""
        return resume(self.receive)(count)


async def as_host(line: SimulatedLine, run: Callable[[SerialAccelerator], None]) -> None:
    """Run blocking code of the host with an accelerator on the line."""
    await bridge(run)(SerialAccelerator(Bridge(line)))
