# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The accelerator behind the DMA engine: right results, and cycles of whole messages."""

from __future__ import annotations

import logging
import random
import warnings
from pathlib import Path
from typing import Any

import cocotb
from ciphermill_dv import ports
from ciphermill_dv.registers import RegisterMap
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiLiteMaster
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from memory_bus import PAGE, SIZE, MemoryBus

HARDWARE = Path(__file__).resolve().parents[2]
DMA = RegisterMap(HARDWARE / "dma" / "dma.rdl")
ACCEL = RegisterMap(HARDWARE / "accel" / "accel.rdl")
HALF = SIZE // 2
BLOCK = 16
KEY = bytes(range(32))
AES_256, ECB, CTR = 2, 0, 2
KIBIBYTE = 1024
OVERHEAD = 1.05  # over the core alone, from 1 KiB messages on
ITERATIVE, PIPELINED = 0, 1
READ, WRITE, MESSAGE_END = 1, 2, 4

# cocotbext-axi still uses names that cocotb 2.1 is about to drop.
warnings.simplefilter("ignore", DeprecationWarning)


class System:
    """Both devices, a memory, and a host that writes their registers."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.architecture = int(dut.Architecture.value)
        dut.rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, 10_000, unit="ps").start())
        clock = (dut.clk_i, dut.rst_ni, False)
        logging.getLogger(f"cocotb.{dut._name}").setLevel("WARNING")
        self.bus = MemoryBus(dut)
        self.memory = self.bus.memory
        self.buses = {
            name: AxiLiteMaster(ports.axi_lite(dut, name), *clock) for name in ("dma", "accel")
        }
        for bus in self.buses.values():
            bus.write_if.log.setLevel("ERROR")
            bus.read_if.log.setLevel("ERROR")

    async def dma(self, name: str, word: int) -> None:
        """Write a register of the DMA engine."""
        await self.buses["dma"].write_dword(DMA.address(name), word)

    async def accel(self, name: str, word: int, channel: int = 0) -> None:
        """Write a register of a channel of the accelerator."""
        await self.buses["accel"].write_dword(256 * channel + ACCEL.address(name), word)

    async def reset(self) -> None:
        """Reset both and wait for their sweeps; the memory is random then."""
        self.memory.data[:] = random.randbytes(SIZE)
        await ClockCycles(self.dut.clk_i, 5)
        self.dut.rst_ni.value = 1
        await ClockCycles(self.dut.clk_i, 400)

    async def begin(self, mode: int = ECB) -> None:
        """Reset both and load the key."""
        await self.reset()
        await self.buses["accel"].write(ACCEL.address("KEY"), KEY)
        await self.accel("CONFIGURATION", ACCEL.pack("CONFIGURATION", mode=mode, key_size=AES_256))
        await self.accel("CONTROL", ACCEL.pack("CONTROL", load_key=1))
        await ClockCycles(self.dut.clk_i, 100)

    async def start(self, source: int, destination: int, length: int) -> None:
        """Start a message: the accelerator first, then its data."""
        await self.accel("MESSAGE_LENGTH_LOW", length)
        await self.accel("CONTROL", ACCEL.pack("CONTROL", start=1))
        await self.dma("SOURCE", source)
        await self.dma("DESTINATION", destination)
        await self.dma("LENGTH", length)

    async def transfer(
        self,
        length: int,
        source: int | None = None,
        destination: int | None = None,
        stream: int = 0,
    ) -> None:
        """Ask for one packet; an empty one is none."""
        if not length:
            return
        flags = MESSAGE_END | READ * (source is not None) | WRITE * (destination is not None)
        await self.dma("FLAGS", flags | DMA.pack("FLAGS", stream=stream))
        await self.dma("SOURCE", source or 0)
        await self.dma("DESTINATION", destination or 0)
        await self.dma("LENGTH", length)

    async def cycles(self) -> int:
        """Return the cycles from now until nothing is busy any more."""
        count = 0
        while not int(self.dut.dma_busy_o.value):
            await RisingEdge(self.dut.clk_i)
        while int(self.dut.dma_busy_o.value):
            await RisingEdge(self.dut.clk_i)
            count += 1
        return count

    async def core_cycles(self) -> int:
        """Return the accelerator's own count of the last message."""
        return int(await self.buses["accel"].read_dword(ACCEL.address("CYCLES_LOW")))

    async def check(self) -> None:
        """Neither device has an error."""
        assert await self.buses["dma"].read_dword(DMA.address("ERROR")) == 0
        assert await self.buses["accel"].read_dword(ACCEL.address("ERROR")) == 0


def encrypted(data: bytes) -> bytes:
    """Return data encrypted with AES-256 in ECB."""
    return Cipher(algorithms.AES(KEY), modes.ECB()).encryptor().update(data)


def alone(architecture: int, blocks: int) -> int:
    """Return the cycles of the accelerator alone (hw/accel/README.md)."""
    return 14 * blocks + 5 if architecture == ITERATIVE else blocks + 18


@cocotb.test()
async def messages_from_memory(dut: Any) -> None:
    """Messages of many lengths are right and take no more than the stated cycles."""
    system = System(dut)
    await system.begin()
    for blocks in (1, 4, KIBIBYTE // BLOCK, 100):
        length = blocks * BLOCK
        data = system.memory.get(PAGE + 4, length)
        begun = cocotb.start_soon(system.start(PAGE + 4, HALF + 8, length))
        cycles = await system.cycles()
        await begun
        await system.check()
        assert system.memory.get(HALF + 8, length) == encrypted(data)
        core = alone(system.architecture, blocks)
        dut._log.warning(
            f"{blocks} blocks: {cycles} cycles, {cycles / blocks:.2f} a block, "
            f"{cycles / core:.3f} of the accelerator alone"
        )
        if length >= KIBIBYTE and system.architecture == ITERATIVE:
            assert cycles <= OVERHEAD * core


@cocotb.test()
async def ragged_message(dut: Any) -> None:
    """A CTR message of any length, its last block not whole."""
    system = System(dut)
    await system.begin(mode=CTR)
    counter = bytes(12) + b"\0\0\0\1"
    for length in (1, 15, 17, 333):
        data = system.memory.get(PAGE, length)
        await system.buses["accel"].write(ACCEL.address("IV"), counter)
        begun = cocotb.start_soon(system.start(PAGE, HALF + 4, length))
        await system.cycles()
        await begun
        await system.check()
        cipher = Cipher(algorithms.AES(KEY), modes.CTR(counter)).encryptor()
        assert system.memory.get(HALF + 4, length) == cipher.update(data)


@cocotb.test()
async def scattered_message(dut: Any) -> None:
    """One message gathered from pieces and written where each piece says."""
    system = System(dut)
    await system.begin()
    sizes = [16, 48, 160, 32]
    sources = [PAGE + 1000 * n for n in range(len(sizes))]
    targets = [HALF + 512 * n + 4 * n for n in (2, 0, 3, 1)]
    pieces = [system.memory.get(at, size) for at, size in zip(sources, sizes, strict=True)]
    for n, size in enumerate(sizes):
        last = n + 1 == len(sizes)
        flags = 0b10111 if last else 0b00011
        words = (sources[n], targets[n], size, (0 if last else 32 * (n + 1)) | flags)
        system.memory.put(32 * n, b"".join(word.to_bytes(4, "little") for word in words))
    await system.accel("MESSAGE_LENGTH_LOW", sum(sizes))
    await system.accel("CONTROL", ACCEL.pack("CONTROL", start=1))
    begun = cocotb.start_soon(system.dma("CHAIN", 0))
    await system.cycles()
    await begun
    await system.check()
    answer = encrypted(b"".join(pieces))
    for target, size in zip(targets, sizes, strict=True):
        assert system.memory.get(target, size) == answer[:size]
        answer = answer[size:]
