# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The test benches of the DMA engine: its clock, its buses, transfers and chains."""

from __future__ import annotations

import itertools
import logging
import random
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cocotb
from ciphermill_dv import ports
from ciphermill_dv.registers import RegisterMap
from ciphermill_dv.stall import PATTERNS
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiLiteMaster, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from memory_bus import MemoryBus

REGISTERS = RegisterMap(Path(__file__).resolve().parents[1] / "dma.rdl")
PERIOD_PS = 10_000
TIMEOUT_US = 1_000
DESCRIPTOR_BYTES = 32
STOP = 1 << 4

# cocotbext-axi still uses names that cocotb 2.1 is about to drop.
warnings.simplefilter("ignore", DeprecationWarning)


@dataclass
class Transfer:
    """A transfer, as a descriptor or register writes ask for it."""

    source: int = 0
    destination: int = 0
    length: int = 0  # bytes
    read: bool = True
    write: bool = True
    message_end: bool = True
    interrupt: bool = False
    stream: int = 0  # of transfers by the registers

    @property
    def flags(self) -> int:
        """Return the flags, as a descriptor has them."""
        return REGISTERS.pack(
            "FLAGS",
            read=int(self.read),
            write=int(self.write),
            message_end=int(self.message_end),
            interrupt=int(self.interrupt),
        )

    def descriptor(self, following: int | None) -> bytes:
        """Return the descriptor; the word that the host may use is random."""
        link = STOP if following is None else following
        words = (self.source, self.destination, self.length, link | self.flags)
        return b"".join(word.to_bytes(4, "little") for word in words) + random.randbytes(16)


class Host:
    """A DMA engine with its memory and a driver of its registers."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.data_bytes = int(dut.DataWidth.value) // 8
        self.lanes = int(dut.StreamWidth.value) // 8
        dut.rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, PERIOD_PS, unit="ps").start())
        logging.getLogger(f"cocotb.{dut._name}").setLevel("WARNING")
        self.bus = MemoryBus(dut)
        self.memory = self.bus.memory
        self.axil = AxiLiteMaster(ports.axi_lite(dut, "s_axil"), dut.clk_i, dut.rst_ni, False)
        for log in (self.axil.write_if.log, self.axil.read_if.log):
            log.setLevel("ERROR")

    async def reset(self) -> None:
        """Reset the engine and wait for its first sweep."""
        self.dut.rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, 5)
        self.dut.rst_ni.value = 1
        await ClockCycles(self.dut.clk_i, 5)
        await self.wait_idle()

    # ------------------------------------------------------------ registers

    async def read(self, name: str) -> int:
        """Return the word of a register."""
        return await self.axil.read_dword(REGISTERS.address(name))

    async def fields(self, name: str) -> dict[str, int]:
        """Return the fields of a register."""
        return REGISTERS.unpack(name, await self.read(name))

    async def write(self, name: str, word: int) -> None:
        """Write the word of a register."""
        await self.axil.write_dword(REGISTERS.address(name), word)

    async def write_part(self, name: str, word: int, strobes: int) -> None:
        """Write the word of a register with some of its byte strobes high."""
        for n in range(4):
            if strobes >> n & 1:
                byte = word >> 8 * n & 0xFF
                await self.axil.write(REGISTERS.address(name) + n, bytes([byte]))

    async def errors(self) -> set[str]:
        """Return the names of the bits of ERROR that are set, and clear them."""
        word = await self.read("ERROR")
        await self.write("ERROR", word)
        return {name for name, value in REGISTERS.unpack("ERROR", word).items() if value}

    async def wait_status(self, **wanted: int) -> dict[str, int]:
        """Poll STATUS until these fields have these values."""

        async def poll() -> dict[str, int]:
            while True:
                status = await self.fields("STATUS")
                if all(status[name] == value for name, value in wanted.items()):
                    return status

        return await with_timeout(poll(), TIMEOUT_US, "us")

    async def wait_idle(self) -> None:
        """Poll STATUS until nothing is in progress."""
        await self.wait_status(busy=0, ready=1)

    async def cycles_until(self, condition: Callable[[], bool], limit: int = 10_000) -> int:
        """Return the number of cycles until a condition holds at a clock edge."""
        for cycles in itertools.count():
            await RisingEdge(self.dut.clk_i)
            if condition():
                return cycles
            assert cycles < limit, "the condition never came"
        raise AssertionError

    # ------------------------------------------------------------ transfers

    async def start(self, transfer: Transfer) -> None:
        """Ask for a transfer by the registers."""
        stream = REGISTERS.pack("FLAGS", stream=transfer.stream)
        await self.write("FLAGS", transfer.flags | stream)
        await self.write("SOURCE", transfer.source)
        await self.write("DESTINATION", transfer.destination)
        await self.write("LENGTH", transfer.length)

    def put_chain(self, transfers: Sequence[Transfer], places: Sequence[int]) -> None:
        """Write descriptors to memory, linked in order."""
        for n, transfer in enumerate(transfers):
            following = places[n + 1] if n + 1 < len(transfers) else None
            self.memory.put(places[n], transfer.descriptor(following))

    async def start_chain(self, transfers: Sequence[Transfer], places: Sequence[int]) -> None:
        """Write descriptors to memory and start their chain."""
        self.put_chain(transfers, places)
        await self.write("CHAIN", places[0])


class Engine(Host):
    """A DMA engine with one pair of streams, its memory and a driver of its registers."""

    def __init__(self, dut: Any) -> None:
        super().__init__(dut)
        clock = (dut.clk_i, dut.rst_ni, False)
        self.source = AxiStreamSource(ports.stream_input(dut, "s_axis"), *clock)
        self.sink = AxiStreamSink(ports.stream_output(dut, "m_axis"), *clock)
        for stream in (self.source, self.sink):
            stream.log.setLevel("ERROR")

    def stall(self, seed: int | None) -> None:
        """Pause memory and streams by patterns drawn from a seed; None means no pauses."""
        self.bus.stall(seed)
        generator = random.Random(seed)
        for stream in (self.source, self.sink):
            if seed is None:
                stream.clear_pause_generator()
                stream.pause = False
            else:
                pattern = PATTERNS[generator.choice(list(PATTERNS))]
                stream.set_pause_generator(pattern(random.Random(generator.random())))

    def send(self, data: bytes) -> None:
        """Queue a whole message on the incoming stream."""
        self.source.send_nowait(AxiStreamFrame(tdata=data))

    async def receive(self) -> bytes:
        """Return the next message of the outgoing stream, and check its TKEEP."""
        frame = await with_timeout(self.sink.recv(compact=False), TIMEOUT_US, "us")
        keep = list(frame.tkeep)
        length = sum(keep)
        assert keep == [1] * length + [0] * (len(keep) - length), "TKEEP has a gap"
        assert len(keep) - length < self.lanes, "a whole beat without bytes"
        assert not any(frame.tdata[length:]), "lanes beyond TKEEP are not zero"
        return bytes(frame.tdata[:length])

    def drop_streams(self) -> None:
        """Drop what both streams still hold, as an aborted accelerator does."""
        for stream in (self.source, self.sink):
            stream.clear()
            stream.assert_reset()
