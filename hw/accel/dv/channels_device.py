# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""An accelerator with several channels, and the streams of all of them."""

from __future__ import annotations

import logging
import random
import warnings
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import cocotb
import reference
import register_map
from ciphermill_dv import ports
from ciphermill_dv.parameters import parameter
from ciphermill_dv.stall import PATTERNS
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Event, RisingEdge, with_timeout
from cocotbext.axi import AxiLiteMaster
from reference import BLOCK

PERIOD_PS = 10_000
CORE_PERIOD_PS = 7_310
TIMEOUT_US = 3_000
KEY_SIZES = {16: 0, 24: 1, 32: 2, 10: 3}

warnings.simplefilter("ignore", DeprecationWarning)


@dataclass
class Stream:
    """What a host has on the two streams of a channel."""

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


class Device:
    """The accelerator, its registers' bus, and a driver of all its streams.

    One coroutine serves the streams of all channels, whose bits are side by side in
    the ports.
    """

    def __init__(self, dut: Any, seed: int = 1) -> None:
        self.dut = dut
        self.channels = parameter("Channels", 1)
        self.cores = parameter("Cores", 1)
        self.lanes = parameter("StreamWidth", 128) // 8
        self.architecture = parameter("Architecture", 0)
        self.streams = [Stream() for _ in range(self.channels)]
        self.cycle = 0
        self._random = random.Random(seed)
        dut.rst_ni.value = 0
        dut.core_rst_ni.value = 0
        dut.core_clk_i.value = 0
        cocotb.start_soon(Clock(dut.clk_i, PERIOD_PS, unit="ps").start())
        if parameter("Asynchronous", 0):
            cocotb.start_soon(Clock(dut.core_clk_i, CORE_PERIOD_PS, unit="ps").start())
        logging.getLogger(f"cocotb.{dut._name}").setLevel("WARNING")
        self.axil = AxiLiteMaster(ports.axi_lite(dut, "s_axil"), dut.clk_i, dut.rst_ni, False)
        self.axil.write_if.log.setLevel("ERROR")
        self.axil.read_if.log.setLevel("ERROR")
        for name in ("tdata", "tkeep", "tlast", "tvalid"):
            getattr(dut, f"s_axis_{name}_i").value = 0
        dut.m_axis_tready_i.value = 0
        cocotb.start_soon(self._serve())

    async def reset(self) -> None:
        """Reset the device and wait for its first sweep."""
        await ClockCycles(self.dut.clk_i, 5)
        self.dut.rst_ni.value = 1
        self.dut.core_rst_ni.value = 1
        await ClockCycles(self.dut.clk_i, 5)
        for channel in range(self.channels):
            await self.wait(channel, zeroising=0)

    # ------------------------------------------------------------ streams

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

    def send(self, channel: int, data: bytes) -> None:
        """Queue a message on a channel's input."""
        for at in range(0, len(data), self.lanes):
            part = data[at : at + self.lanes]
            ends = at + self.lanes >= len(data)
            beat = int.from_bytes(part, "little"), (1 << len(part)) - 1, ends
            self.streams[channel].beats.append(beat)

    async def receive(self, channel: int) -> bytes:
        """Return the next message of a channel's output."""
        stream = self.streams[channel]
        while not stream.messages:
            stream.arrived.clear()
            await with_timeout(stream.arrived.wait(), TIMEOUT_US, "us")
        return stream.messages.popleft()

    # ------------------------------------------------------------ registers

    def stall_registers(self, seed: int) -> None:
        """Pause the five channels of the registers' bus at random."""
        writes, reads = self.axil.write_if, self.axil.read_if
        channels = (
            writes.aw_channel,
            writes.w_channel,
            writes.b_channel,
            reads.ar_channel,
            reads.r_channel,
        )
        for n, channel in enumerate(channels):
            pauses = PATTERNS["alternate" if n % 2 else "sparse"]
            channel.set_pause_generator(pauses(random.Random(seed + n)))

    def address(self, channel: int, name: str) -> int:
        """Return the address of a channel's register."""
        return 256 * channel + register_map.address(name)

    async def read(self, channel: int, name: str) -> int:
        """Return the word of a register."""
        return await self.axil.read_dword(self.address(channel, name))

    async def write(self, channel: int, name: str, word: int) -> None:
        """Write the word of a register."""
        await self.axil.write_dword(self.address(channel, name), word)

    async def command(self, channel: int, name: str) -> None:
        """Write a bit of CONTROL."""
        await self.write(channel, "CONTROL", register_map.pack("CONTROL", **{name: 1}))

    async def wait(self, channel: int, **wanted: int) -> dict[str, int]:
        """Poll STATUS of a channel until these fields have these values."""

        async def poll() -> dict[str, int]:
            while True:
                status = register_map.unpack("STATUS", await self.read(channel, "STATUS"))
                if all(status[name] == value for name, value in wanted.items()):
                    return status

        return await with_timeout(poll(), TIMEOUT_US, "us")

    # ------------------------------------------------------------ messages

    async def configure(
        self, channel: int, mode: str, direction: str, key_length: int, width: int = 2
    ) -> None:
        """Write CONFIGURATION."""
        word = register_map.pack(
            "CONFIGURATION",
            mode=reference.NUMBERS[mode],
            direction=reference.DIRECTIONS.index(direction),
            key_size=KEY_SIZES[key_length],
            counter_width=width,
        )
        await self.write(channel, "CONFIGURATION", word)

    async def load(self, channel: int, key: bytes, iv: bytes) -> None:
        """Load a key and an IV; CONFIGURATION must hold the key's size."""
        words = key + bytes(-len(key) % 4)
        await self.axil.write(self.address(channel, "KEY"), words)
        await self.command(channel, "load_key")
        await self.axil.write(self.address(channel, "IV"), iv)

    async def start(self, channel: int, length: int) -> None:
        """Start a message of so many bytes."""
        await self.write(channel, "MESSAGE_LENGTH_LOW", length)
        await self.command(channel, "start")

    async def prepare(self, channel: int, mode: str, direction: str, key: bytes) -> bytes:
        """Load a key, a random IV and the configuration; return the IV."""
        iv = random.randbytes(BLOCK)
        await self.configure(channel, mode, direction, len(key))
        await self.load(channel, key, iv)
        return iv

    async def gcm(self, channel: int, direction: str, key: bytes, aad: bytes, text: bytes) -> None:
        """Run a message in GCM, and compare its output and its tag with the reference."""
        nonce = (await self.prepare(channel, reference.GCM, direction, key))[:12]
        sealed, tag = reference.seal(key, nonce, aad, text)
        given, wanted = (text, sealed) if direction == "encrypt" else (sealed, text)
        await self.write(channel, "AAD_LENGTH_LOW", len(aad))
        await self.start(channel, len(text))
        self.send(channel, aad)
        self.send(channel, given)
        assert await self.receive(channel) == wanted, (channel, direction, len(key))
        await self.wait(channel, busy=0, done=1)
        assert (await self.axil.read(self.address(channel, "TAG"), BLOCK)).data == tag, channel

    async def run(self, channel: int, mode: str, direction: str, key: bytes, data: bytes) -> None:
        """Load everything, run a message, and compare its output with the reference."""
        iv = await self.prepare(channel, mode, direction, key)
        await self.start(channel, len(data))
        self.send(channel, data)
        answer = reference.crypt(mode, direction, key, iv, data)
        assert await self.receive(channel) == answer.data, (channel, mode, direction, len(key))
        await self.wait(channel, busy=0, done=1)
        assert not self.streams[channel].messages, "more output than the message has"
