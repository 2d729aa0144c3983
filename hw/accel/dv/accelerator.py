# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The test bench of the accelerator: its clocks, its buses, and messages."""

from __future__ import annotations

import itertools
import logging
import random
import warnings
from collections.abc import Callable
from typing import Any

import cocotb
import reference
import register_map
from ciphermill_dv import ports
from ciphermill_dv.stall import PATTERNS
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiLiteMaster, AxiStreamFrame, AxiStreamSink, AxiStreamSource

BUS_PERIOD_PS = 10_000
CORE_PERIOD_PS = 7_310  # no multiple of the other
TIMEOUT_US = 2_000
KEY_SIZES = {16: 0, 24: 1, 32: 2, 10: 3}
WIDTHS = {32: 0, 64: 1, 128: 2}

# cocotbext-axi still uses names that cocotb 2.1 is about to drop.
warnings.simplefilter("ignore", DeprecationWarning)

STALLS: dict[str, tuple[bool, bool]] = {
    # Whether the input has idle cycles, and whether the output has back-pressure.
    "none": (False, False),
    "input": (True, False),
    "output": (False, True),
    "both": (True, True),
}
PAUSES = ("sparse", "heavy", "bursts", "alternate")


class Accelerator:
    """An accelerator with drivers for its registers and streams."""

    def __init__(self, dut: Any, core_period_ps: int = CORE_PERIOD_PS) -> None:
        self.dut = dut
        self.asynchronous = int(dut.Asynchronous.value) == 1
        self.lanes = int(dut.StreamWidth.value) // 8
        self.architecture = int(dut.Architecture.value)
        self.has_gcm = int(dut.Gcm.value) == 1
        self.has_xts = int(dut.Xts.value) == 1
        directions, key_sizes = int(dut.Directions.value), int(dut.KeySizes.value)
        self.directions = tuple(
            d for n, d in enumerate(reference.DIRECTIONS) if directions >> n & 1
        )
        self.key_lengths = tuple(length for length, n in KEY_SIZES.items() if key_sizes >> n & 1)
        dut.rst_ni.value = 0
        dut.core_rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, BUS_PERIOD_PS, unit="ps").start())
        if self.asynchronous:
            cocotb.start_soon(Clock(dut.core_clk_i, core_period_ps, unit="ps").start())
        else:
            dut.core_clk_i.value = 0
        clock = (dut.clk_i, dut.rst_ni, False)
        logging.getLogger(f"cocotb.{dut._name}").setLevel("WARNING")
        self.axil = AxiLiteMaster(ports.axi_lite(dut, "s_axil"), *clock)
        self.source = AxiStreamSource(ports.stream_input(dut, "s_axis"), *clock)
        self.sink = AxiStreamSink(ports.stream_output(dut, "m_axis"), *clock)
        for log in (
            self.axil.write_if.log,
            self.axil.read_if.log,
            self.source.log,
            self.sink.log,
        ):
            log.setLevel("ERROR")
        self.stall("none")

    async def reset(self, wait: bool = True) -> None:
        """Reset the device; by default also wait for its first sweep."""
        self.dut.rst_ni.value = 0
        self.dut.core_rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, 5)
        self.dut.rst_ni.value = 1
        self.dut.core_rst_ni.value = 1
        await ClockCycles(self.dut.clk_i, 5)
        if wait:
            await self.wait_status(zeroising=0)

    def stall(self, pattern: str, seed: int = 1) -> None:
        """Pause the streams by a pattern of STALLS."""
        generator = random.Random(seed)
        for stream, wanted in zip((self.source, self.sink), STALLS[pattern], strict=True):
            if wanted:
                pauses = PATTERNS[generator.choice(PAUSES)]
                stream.set_pause_generator(pauses(random.Random(generator.random())))
            else:
                stream.clear_pause_generator()
                stream.pause = False

    def stall_registers(self, seed: int) -> None:
        """Pause the channels of the registers' bus at random."""
        channels = (
            self.axil.write_if.aw_channel,
            self.axil.write_if.w_channel,
            self.axil.write_if.b_channel,
            self.axil.read_if.ar_channel,
            self.axil.read_if.r_channel,
        )
        for n, channel in enumerate(channels):
            pauses = PATTERNS["alternate" if n % 2 else "sparse"]
            channel.set_pause_generator(pauses(random.Random(seed + n)))

    # ------------------------------------------------------------ registers

    async def read(self, name: str, index: int = 0) -> int:
        """Return the word of a register."""
        return await self.axil.read_dword(register_map.address(name) + 4 * index)

    async def fields(self, name: str) -> dict[str, int]:
        """Return the fields of a register."""
        return register_map.unpack(name, await self.read(name))

    async def read_pair(self, name: str) -> int:
        """Return a value of 64 bits from its two registers."""
        return await self.read(f"{name}_LOW") | await self.read(f"{name}_HIGH") << 32

    async def write(self, name: str, word: int, index: int = 0) -> None:
        """Write the word of a register."""
        await self.axil.write_dword(register_map.address(name) + 4 * index, word)

    async def write_bytes(self, name: str, data: bytes) -> None:
        """Write bytes to a register array, word by word."""
        await self.axil.write(register_map.address(name), data)

    async def write_pair(self, name: str, value: int) -> None:
        """Write a value of 64 bits to its two registers."""
        await self.write(f"{name}_LOW", value & 0xFFFF_FFFF)
        await self.write(f"{name}_HIGH", value >> 32)

    async def command(self, *names: str) -> None:
        """Write bits of CONTROL."""
        await self.write("CONTROL", register_map.pack("CONTROL", **dict.fromkeys(names, 1)))

    async def wait_status(self, **wanted: int) -> dict[str, int]:
        """Poll STATUS until these fields have these values."""

        async def poll() -> dict[str, int]:
            while True:
                status = await self.fields("STATUS")
                if all(status[name] == value for name, value in wanted.items()):
                    return status

        return await with_timeout(poll(), TIMEOUT_US, "us")

    async def errors(self, clear: bool = True) -> set[str]:
        """Return the names of the bits of ERROR that are set, and clear them."""
        word = await self.read("ERROR")
        if clear and word:
            await self.write("ERROR", word)
        return {name for name, value in register_map.unpack("ERROR", word).items() if value}

    def can(self, mode: str, direction: str, key_length: int) -> bool:
        """Tell whether this build has what a message needs; CTR only ever encrypts."""
        return (
            direction in self.directions or (mode == "ctr" and "encrypt" in self.directions)
        ) and key_length in self.key_lengths

    # ------------------------------------------------------------ messages

    async def configure(
        self,
        mode: str = "ecb",
        direction: str = "encrypt",
        key_length: int = 16,
        width: int = 128,
        bypass: bool = False,
        sink: bool = False,
    ) -> None:
        """Write CONFIGURATION."""
        word = register_map.pack(
            "CONFIGURATION",
            mode=reference.NUMBERS[mode],
            direction=reference.DIRECTIONS.index(direction),
            key_size=KEY_SIZES[key_length],
            counter_width=WIDTHS[width],
            bypass=int(bypass),
            sink=int(sink),
        )
        await self.write("CONFIGURATION", word)

    async def load_key(self, key: bytes) -> None:
        """Write a key and load it; CONFIGURATION must hold its size."""
        await self.write_bytes("KEY", key + bytes(-len(key) % 4))  # whole words
        await self.command("load_key")

    async def load_iv(self, iv: bytes, blocks: int = 0) -> None:
        """Write the IV and restore the count of blocks."""
        await self.write_bytes("IV", iv)
        if blocks:
            await self.write_pair("IV_BLOCKS", blocks)

    async def read_iv(self) -> bytes:
        """Return the IV registers."""
        return (await self.axil.read(register_map.address("IV"), 16)).data

    async def start(self, length: int) -> None:
        """Start a message of so many bytes."""
        await self.write_pair("MESSAGE_LENGTH", length)
        await self.command("start")

    def send(self, data: bytes) -> None:
        """Queue a whole message on the input stream."""
        if data:
            self.source.send_nowait(AxiStreamFrame(tdata=data))

    async def send_part(self, data: bytes, stop: int) -> None:
        """Send a packet, but stop within a block after so many bytes were taken."""
        self.source.send_nowait(AxiStreamFrame(tdata=data))
        beats = 0
        while beats * self.lanes < stop:
            await RisingEdge(self.dut.clk_i)
            beats += int(self.dut.s_axis_tvalid_i.value) & int(self.dut.s_axis_tready_o.value)
        self.source.pause = True

    async def give_up(self) -> None:
        """Abort the message and drop its data in the streams; the key stays."""
        self.source.pause = True
        await self.command("abort")
        await self.wait_status(busy=0, done=0)
        self.drop_streams()
        self.stall("none")
        await self.command("abort")  # also drop what arrived before the abort took effect
        await self.wait_status(busy=0)

    @property
    def channel(self) -> Any:
        """The only channel, for tests that preset a counter to a value too large to simulate."""
        return self.dut.gen_channel[0].u_channel

    @property
    def modes(self) -> Any:
        """The engine of a block cipher in the only channel."""
        return self.channel.gen_modes.u_engine

    def drop_streams(self) -> None:
        """Drop what both streams still hold, as a host does that gives up."""
        for stream in (self.source, self.sink):
            stream.clear()
            stream.assert_reset()
        self.dut.s_axis_tdata_i.value = 0

    async def receive(self) -> bytes:
        """Return the next message of the output stream, and check its TKEEP."""
        frame = await with_timeout(self.sink.recv(compact=False), TIMEOUT_US, "us")
        keep = list(frame.tkeep)
        length = sum(keep)
        assert keep == [1] * length + [0] * (len(keep) - length), "TKEEP has a gap"
        assert len(keep) - length < self.lanes, "a whole beat without bytes"
        assert not any(frame.tdata[length:]), "lanes beyond TKEEP are not zero"
        return bytes(frame.tdata[:length])

    async def message(self, data: bytes, sink: bool = False) -> bytes:
        """Run a message under the present configuration; return its output."""
        await self.start(len(data))
        self.send(data)
        output = b"" if sink or not data else await self.receive()
        status = await self.wait_status(busy=0)
        assert status["done"] == 1, f"message failed: {await self.errors()}"
        assert self.sink.empty(), "more output than the message has"
        return output

    async def crypt(
        self,
        mode: str,
        direction: str,
        key: bytes,
        iv: bytes,
        data: bytes,
        width: int = 128,
    ) -> bytes:
        """Load everything and run a message."""
        await self.configure(mode, direction, len(key), width)
        await self.load_key(key)
        await self.load_iv(iv)
        return await self.message(data)

    async def start_gcm(self, nonce: bytes, aad_bytes: int, text_bytes: int) -> None:
        """Write an IV of 96 bits and both lengths, and start."""
        await self.write_bytes("IV", nonce)
        await self.write_pair("AAD_LENGTH", aad_bytes)
        await self.start(text_bytes)

    async def gcm(
        self, nonce: bytes, aad: bytes, text: bytes, sink: bool = False
    ) -> tuple[bytes, bytes]:
        """Run a message in GCM under the present configuration; return its output and its tag."""
        await self.start_gcm(nonce, len(aad), len(text))
        self.send(aad)
        self.send(text)
        output = b"" if sink or not text else await self.receive()
        status = await self.wait_status(busy=0)
        assert status["done"] == 1, f"message failed: {await self.errors()}"
        assert self.sink.empty(), "more output than the message has"
        return output, await self.read_tag()

    async def load_keys(self, keys: tuple[bytes, bytes]) -> None:
        """Load both keys of XTS; CONFIGURATION must hold their size."""
        await self.load_key(keys[0])
        await self.wait_status(key_pending=0)
        await self.write_bytes("KEY", keys[1])
        await self.command("load_tweak_key")
        await self.wait_status(key_pending=0)

    async def xts(self, number: int, unit_bytes: int, data: bytes, sink: bool = False) -> bytes:
        """Run a message of data units under the present configuration; return its output."""
        await self.load_iv(number.to_bytes(16, "little"))
        await self.write("DATA_UNIT_LENGTH", unit_bytes)
        return await self.message(data, sink)

    async def read_tag(self) -> bytes:
        """Return the tag registers."""
        return (await self.axil.read(register_map.address("TAG"), 16)).data

    async def cycles_until(self, condition: Callable[[], bool], limit: int = 10_000) -> int:
        """Return the number of bus cycles until a condition holds."""
        for cycles in itertools.count():
            if condition():
                return cycles
            assert cycles < limit, "the condition never came"
            await RisingEdge(self.dut.clk_i)
        raise AssertionError
