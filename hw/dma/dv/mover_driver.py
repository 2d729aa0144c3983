# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The benches of the mover alone: its commands, its streams and a memory at every address."""

from __future__ import annotations

import logging
import random
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import cocotb
from ciphermill_dv import ports
from ciphermill_dv.stall import PATTERNS
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamFrame, AxiStreamSink, AxiStreamSource
from memory_bus import MemoryBus, SparseMemory, Watch

PERIOD_PS = 10_000
LIMIT = 50_000
"""Cycles that anything may take."""

# cocotbext-axi still uses names that cocotb 2.1 is about to drop.
warnings.simplefilter("ignore", DeprecationWarning)


@dataclass(frozen=True)
class Command:
    """A command of one direction: a piece of a message."""

    address: int
    length: int
    message_end: bool = True
    skip: bool = False

    @property
    def span(self) -> range:
        """Return the addresses of its bytes."""
        return range(self.address, self.address + (0 if self.skip else self.length))


class Mover:
    """A mover with its memory, its streams, drivers of its commands and a watch over all."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.data_bytes = int(dut.DataWidth.value) // 8
        self.lanes = int(dut.StreamWidth.value) // 8
        self.space = 1 << int(dut.AddressWidth.value)
        self.any_byte = bool(int(dut.ByteAlignment.value))
        dut.rst_ni.value = 0
        for name in ("abort", "read_valid", "write_valid", "fetch_valid"):
            getattr(dut, f"{name}_i").value = 0
        cocotb.start_soon(Clock(dut.clk_i, PERIOD_PS, unit="ps").start())
        logging.getLogger(f"cocotb.{dut._name}").setLevel("WARNING")
        self.memory = SparseMemory()
        self.bus = MemoryBus(dut, self.memory)
        clock = (dut.clk_i, dut.rst_ni, False)
        self.source = AxiStreamSource(ports.stream_input(dut, "s_axis"), *clock)
        self.sink = AxiStreamSink(ports.stream_output(dut, "m_axis"), *clock)
        for stream in (self.source, self.sink):
            stream.log.setLevel("ERROR")
        self.pause_commands = False
        self.queues: dict[str, deque[Command]] = {"read": deque(), "write": deque()}
        self.done = {"read": 0, "write": 0}
        self.messages: list[bytes] = []
        self.current = b""
        """What has come of the message that is being sent."""
        self.write_errors = 0

    async def begin(self) -> None:
        """Reset the mover and start everything around it."""
        dut = self.dut
        dut.rst_ni.value = 0
        await ClockCycles(dut.clk_i, 3)
        dut.rst_ni.value = 1
        for direction in self.queues:
            cocotb.start_soon(self._drive(direction))
        cocotb.start_soon(self._monitor())
        self.watch = Watch(dut, int(dut.BurstBeats.value))
        await self.until(lambda: not self.level("stopping"))

    def level(self, name: str) -> bool:
        """Tell whether an output is high."""
        return bool(int(getattr(self.dut, f"{name}_o").value))

    async def until(self, condition: Callable[[], bool], limit: int = LIMIT) -> int:
        """Return the cycles until a condition holds at a clock edge."""
        for cycles in range(limit):
            await RisingEdge(self.dut.clk_i)
            if condition():
                return cycles
        raise AssertionError("it never came")

    # ------------------------------------------------------------ commands

    async def _drive(self, direction: str) -> None:
        queue = self.queues[direction]
        port = {
            name: getattr(self.dut, f"{direction}_{name}")
            for name in ("valid_i", "ready_o", "address_i", "length_i", "message_end_i", "skip_i")
        }
        while True:
            if not queue or (self.pause_commands and random.random() < 0.5):
                port["valid_i"].value = 0
                await RisingEdge(self.dut.clk_i)
                continue
            command = queue[0]
            port["valid_i"].value = 1
            port["address_i"].value = command.address
            port["length_i"].value = command.length
            port["message_end_i"].value = int(command.message_end)
            port["skip_i"].value = int(command.skip)
            await RisingEdge(self.dut.clk_i)
            if int(port["ready_o"].value) and queue and queue[0] is command:
                queue.popleft()

    def read(self, *commands: Command) -> None:
        """Give commands of the read direction."""
        self.queues["read"] += commands

    def write(self, *commands: Command) -> None:
        """Give commands of the write direction."""
        self.queues["write"] += commands

    async def idle(self) -> None:
        """Wait until every command is done."""
        await self.until(lambda: not any(self.queues.values()) and not self.level("busy"))
        await ClockCycles(self.dut.clk_i, 1)  # the monitor has seen the last done

    # ------------------------------------------------------------ streams

    def send(self, data: bytes) -> None:
        """Queue a whole message on the incoming stream."""
        self.source.send_nowait(AxiStreamFrame(tdata=data))

    async def _monitor(self) -> None:
        dut = self.dut
        offered: tuple[int, ...] | None = None
        while True:
            await RisingEdge(dut.clk_i)
            for direction in self.done:
                self.done[direction] += self.level(f"{direction}_done")
            self.write_errors += self.level("write_error")
            if not self.level("m_axis_tvalid"):
                assert offered is None or self.level("stopping"), "a beat was withdrawn"
                offered = None
                continue
            names = ("tdata", "tkeep", "tlast")
            data, keep, last = beat = tuple(
                int(getattr(dut, f"m_axis_{name}_o").value) for name in names
            )
            assert offered in (None, beat), "a beat changed while it was offered"
            offered = beat
            if int(dut.m_axis_tready_i.value):
                offered = None
                length = keep.bit_length()
                assert keep == (1 << length) - 1 and keep, "TKEEP has a gap"
                assert last or length == self.lanes, "a beat within a message is not full"
                assert data < 1 << 8 * length, "lanes beyond TKEEP are not zero"
                self.current += data.to_bytes(length, "little")
                if last:
                    self.messages.append(self.current)
                    self.current = b""

    def stall(self, seed: int | None) -> None:
        """Pause memory, streams and commands by patterns from a seed; None means no pauses."""
        self.bus.stall(seed)
        self.pause_commands = seed is not None
        generator = random.Random(seed)
        for stream in (self.source, self.sink):
            if seed is None:
                stream.clear_pause_generator()
                stream.pause = False
            else:
                pattern = PATTERNS[generator.choice(list(PATTERNS))]
                stream.set_pause_generator(pattern(random.Random(generator.random())))

    # ------------------------------------------------------------ stopping

    async def abort(self) -> None:
        """Abort, and wait until the mover takes commands again. Dones still count."""
        for queue in self.queues.values():
            queue.clear()
        self.dut.abort_i.value = 1
        await ClockCycles(self.dut.clk_i, 1)
        self.dut.abort_i.value = 0
        await ClockCycles(self.dut.clk_i, 1)
        assert self.level("stopping")
        await self.until(lambda: not self.level("stopping"))
        for stream in (self.source, self.sink):
            stream.clear()
            stream.assert_reset()
        self.memory.refuse_reads = self.memory.refuse_writes = range(0)
        self.messages, self.current = [], b""
        self.memory.reads, self.memory.written = [], []
        self.done = {"read": 0, "write": 0}
        self.write_errors = 0
        for name in ("busy", "read_error", "write_failed", "framing_error"):
            assert not self.level(name), name


def beats_of(mover: Mover, commands: Sequence[Command]) -> list[int]:
    """Return the addresses of the beats that hold bytes of commands, in order."""
    width = mover.data_bytes
    return [
        beat * width % mover.space
        for command in commands
        if command.span
        for beat in range(command.address // width, command.span[-1] // width + 1)
    ]
