# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The accelerator with Ascon behind the DMA engine: a transfer for each packet of a message.

Both transfers and messages run under every pattern of idle and back-pressure of the memory.
"""

from __future__ import annotations

import random
from typing import Any

import ascon_reference as ascon
import cocotb
from cocotb.triggers import ClockCycles
from memory_bus import PAGE
from system_bench import ACCEL, DMA, System

KEY = bytes(range(16))
TAG_BYTES, DIGEST_BYTES = 16, 32
MODES = ACCEL.values("CONFIGURATION", "mode")
ASSOCIATED, TEXT, TAG, OUTPUT = PAGE, 3 * PAGE + 8, 5 * PAGE + 4, 8 * PAGE + 12
LENGTHS = (0, 1, 15, 16, 17, 64, 100)
SEEDS = (None, 1, 2, 3, 4, 5)
"""Of the stalls of the memory's channels; None has none."""
PATIENCE = 20_000
CYCLES_PER_BLOCK = 8


class Ascon(System):
    """Both devices and a memory, with messages of Ascon."""

    async def begin(self, mode: int = 0) -> None:
        """Reset both and load the key; messages choose their mode."""
        await self.reset()
        await self.buses["accel"].write(ACCEL.address("KEY"), KEY)
        await self.accel("CONTROL", ACCEL.pack("CONTROL", load_key=1))

    async def ended(self) -> dict[str, int]:
        """Wait until neither device is busy, and return the accelerator's STATUS."""
        for _ in range(PATIENCE):
            status = ACCEL.unpack("STATUS", await self.read("accel", "STATUS"))
            transfers = DMA.unpack("STATUS", await self.read("dma", "STATUS"))
            if not status["busy"] and not transfers["busy"]:
                return status
        raise AssertionError("the message did not end")

    async def read(self, device: str, name: str) -> int:
        """Read a register."""
        offset = (ACCEL if device == "accel" else DMA).address(name)
        return int(await self.buses[device].read_dword(offset))

    async def message(
        self, nonce: bytes, associated: bytes, text: bytes, tag: bytes | None = None
    ) -> tuple[bytes, bytes, dict[str, int]]:
        """Encrypt, or with a tag decrypt, a message: its output, tag and STATUS."""
        self.memory.put(ASSOCIATED, associated)
        self.memory.put(TEXT, text)
        self.memory.put(TAG, tag or b"")
        await self.accel(
            "CONFIGURATION",
            ACCEL.pack("CONFIGURATION", mode=MODES["aead"], direction=int(tag is not None)),
        )
        await self.buses["accel"].write(ACCEL.address("IV"), nonce)
        await self.accel("AAD_LENGTH_LOW", len(associated))
        await self.accel("MESSAGE_LENGTH_LOW", len(text))
        await self.accel("CONTROL", ACCEL.pack("CONTROL", start=1))
        await self.transfer(len(associated), source=ASSOCIATED)
        await self.transfer(len(text), source=TEXT, destination=OUTPUT)
        if tag is not None:
            await self.transfer(TAG_BYTES, source=TAG)
        status = await self.ended()
        got = await self.buses["accel"].read(ACCEL.address("TAG"), TAG_BYTES)
        return self.memory.get(OUTPUT, len(text)), bytes(got.data), status

    async def digest(self, data: bytes) -> bytes:
        """Return the digest of a message."""
        self.memory.put(TEXT, data)
        await self.accel("CONFIGURATION", ACCEL.pack("CONFIGURATION", mode=MODES["digest"]))
        await self.accel("MESSAGE_LENGTH_LOW", len(data))
        await self.accel("CONTROL", ACCEL.pack("CONTROL", start=1))
        await self.transfer(len(data), source=TEXT)
        await self.transfer(DIGEST_BYTES, destination=OUTPUT)
        status = await self.ended()
        assert status["done"] == 1
        return self.memory.get(OUTPUT, DIGEST_BYTES)

    async def check_message(self, associated_bytes: int, text_bytes: int) -> None:
        """Run a random message in both directions, and once with a wrong bit in its tag."""
        nonce, associated = random.randbytes(16), random.randbytes(associated_bytes)
        plain = random.randbytes(text_bytes)
        coded, tag = ascon.encrypt(KEY, nonce, associated, plain)
        beyond = self.memory.get(OUTPUT + text_bytes, 16)
        got = await self.message(nonce, associated, plain)
        assert got[:2] == (coded, tag), (associated_bytes, text_bytes)
        assert got[2]["done"] == 1
        got = await self.message(nonce, associated, coded, tag)
        assert got[0] == plain
        assert (got[2]["done"], got[2]["forged"]) == (1, 0)
        wrong = (int.from_bytes(tag, "little") ^ 1 << random.randrange(128)).to_bytes(16, "little")
        got = await self.message(nonce, associated, coded, wrong)
        assert (got[2]["done"], got[2]["forged"]) == (0, 1)
        assert self.memory.get(OUTPUT + text_bytes, 16) == beyond, "a byte behind the text"


@cocotb.test()
async def messages_under_stalls(dut: Any) -> None:
    """Messages of every shape, and digests, whatever the memory's channels do."""
    system = Ascon(dut)
    await system.begin()
    for seed in SEEDS:
        system.bus.stall(seed)
        for length in LENGTHS:
            await system.check_message(random.choice(LENGTHS), length)
            data = random.randbytes(length)
            assert await system.digest(data) == ascon.hash256(data)
            await system.check()


@cocotb.test()
async def at_the_rate_of_the_core(dut: Any) -> None:
    """A long text moves a block every 8 cycles: the memory hides behind the core."""
    system = Ascon(dut)
    await system.begin()
    cycles = []
    for blocks in (64, 128):
        nonce, plain = random.randbytes(16), random.randbytes(16 * blocks)
        coded, tag = ascon.encrypt(KEY, nonce, b"", plain)
        got = await system.message(nonce, b"", plain)
        assert got[:2] == (coded, tag)
        cycles.append(await system.core_cycles())
    assert (cycles[1] - cycles[0]) / 64 == CYCLES_PER_BLOCK
    dut._log.warning(f"ascon behind the DMA engine: {cycles[0] - 64 * CYCLES_PER_BLOCK} and 8 n")


@cocotb.test()
async def a_memory_that_fails(dut: Any) -> None:
    """An error of the memory is reported; after aborts of both devices messages are right again."""
    system = Ascon(dut)
    await system.begin()
    system.memory.refuse_reads = range(TEXT + 32, TEXT + 48)
    with_fault = cocotb.start_soon(system.message(random.randbytes(16), b"with it", bytes(100)))
    await ClockCycles(dut.clk_i, 2000)
    assert DMA.unpack("ERROR", await system.read("dma", "ERROR"))["read"] == 1
    assert ACCEL.unpack("STATUS", await system.read("accel", "STATUS"))["busy"] == 1
    system.memory.refuse_reads = range(0)
    await system.dma("CONTROL", DMA.pack("CONTROL", abort=1))
    await system.accel("CONTROL", ACCEL.pack("CONTROL", abort=1))
    await with_fault
    await system.dma("ERROR", 0xFFFFFFFF)
    await system.check_message(20, 40)
    await system.check()
