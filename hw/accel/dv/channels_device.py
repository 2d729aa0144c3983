# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""An accelerator with several channels, and the streams of all of them."""

from __future__ import annotations

import logging
import random
import warnings
from typing import Any

import cocotb
import reference
import register_map
from ciphermill_dv import ports
from ciphermill_dv.parameters import parameter
from ciphermill_dv.stall import PATTERNS
from ciphermill_dv.stream_vectors import StreamVectors
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, with_timeout
from cocotbext.axi import AxiLiteMaster
from reference import BLOCK

PERIOD_PS = 10_000
CORE_PERIOD_PS = 7_310
TIMEOUT_US = 3_000
KEY_SIZES = {16: 0, 24: 1, 32: 2, 10: 3}

warnings.simplefilter("ignore", DeprecationWarning)


class Device(StreamVectors):
    """The accelerator, its registers' bus, and the streams of all channels."""

    def __init__(self, dut: Any, seed: int = 1) -> None:
        self.channels = parameter("Channels", 1)
        self.cores = parameter("Cores", 1)
        self.architecture = parameter("Architecture", 0)
        super().__init__(dut, self.channels, parameter("StreamWidth", 128) // 8, seed)
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

    async def reset(self) -> None:
        """Reset the device and wait for its first sweep."""
        await ClockCycles(self.dut.clk_i, 5)
        self.dut.rst_ni.value = 1
        self.dut.core_rst_ni.value = 1
        await ClockCycles(self.dut.clk_i, 5)
        for channel in range(self.channels):
            await self.wait(channel, zeroising=0)

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
