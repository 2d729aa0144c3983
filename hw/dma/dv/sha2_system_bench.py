# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The accelerator with SHA-2 behind the DMA engine: a transfer for key, message and digest each.

Messages run under every pattern of idle and back-pressure of the memory; their cycles are
compared with those of the core alone.
"""

from __future__ import annotations

import hashlib
import hmac
import random
from typing import Any

import cocotb
from cocotb.utils import get_sim_time
from memory_bus import PAGE, SIZE
from system_bench import ACCEL, System

MODES = ACCEL.values("CONFIGURATION", "mode")
HASHES = ACCEL.values("CONFIGURATION", "hash")
FUNCTIONS = ("sha_224", "sha_256", "sha_384", "sha_512", "sha_512_224", "sha_512_256")
KEY, TEXT, OUTPUT = PAGE + 4, 3 * PAGE + 8, 8 * PAGE + 12
LENGTHS = (0, 1, 16, 55, 64, 111, 128, 300)
SEEDS = (None, 1, 2, 3)
"""Of the stalls of the memory's channels; None has none."""
PERIOD_NS = 10
MEASURED = {"sha_256": (64, 8, 64), "sha_512": (128, 16, 80)}
"""Bytes of a hash block and of its length field, and cycles of a hash block."""
SIZES = (64, 1024, 65536)
OVERHEAD = 2.0  # over the core alone, from 1 KiB on


def alone(function: str, length: int) -> int:
    """Return the cycles of ``sha2_core`` from start to the last block of a digest.

    They are in ``hw/sha2/README.md``.
    """
    block_bytes, length_bytes, cycles = MEASURED[function]
    blocks = (length + length_bytes) // block_bytes + 1
    digest_blocks = hashlib.new(function.replace("_", "")).digest_size // 16
    return 7 + cycles * blocks + digest_blocks - 1


class Sha2(System):
    """Both devices and a memory, with messages of SHA-2."""

    async def digest(
        self, function: str, length: int, digest_bytes: int, text: int, key_bytes: int | None
    ) -> int:
        """Run a message; return the cycles from its first register write to the digest."""
        begun = get_sim_time("ns")
        word = ACCEL.pack(
            "CONFIGURATION",
            mode=MODES["digest"],
            hash=HASHES[function],
            authenticate=int(key_bytes is not None),
        )
        await self.accel("CONFIGURATION", word)
        await self.accel("MESSAGE_LENGTH_LOW", length)
        if key_bytes is not None:
            await self.accel("AAD_LENGTH_LOW", key_bytes)
        await self.accel("CONTROL", ACCEL.pack("CONTROL", start=1))
        await self.transfer(key_bytes or 0, source=KEY)
        await self.transfer(length, source=text)
        await self.transfer(digest_bytes, destination=OUTPUT)
        await self.cycles()
        cycles = round((get_sim_time("ns") - begun) / PERIOD_NS)
        status = ACCEL.address("STATUS")
        while ACCEL.unpack("STATUS", await self.buses["accel"].read_dword(status))["busy"]:
            pass  # the sweep after HMAC
        return cycles

    async def check_message(self, function: str, length: int, key_bytes: int | None) -> None:
        """Run a random message, with a key or without, and compare."""
        name, text = function.replace("_", "", 1), self.memory.get(TEXT, length)
        answer = hashlib.new(name, text).digest()
        if key_bytes is not None:
            answer = hmac.digest(self.memory.get(KEY, key_bytes), text, name)
        beyond = self.memory.get(OUTPUT + len(answer), 16)
        await self.digest(function, length, len(answer), TEXT, key_bytes)
        assert self.memory.get(OUTPUT, len(answer)) == answer, (function, length, key_bytes)
        assert self.memory.get(OUTPUT + len(answer), 16) == beyond, "a byte behind the digest"


@cocotb.test()
async def messages_under_stalls(dut: Any) -> None:
    """Digests and codes of every function, whatever the memory's channels do."""
    system = Sha2(dut)
    await system.reset()
    for seed in SEEDS:
        system.bus.stall(seed)
        for function in FUNCTIONS:
            for length in random.sample(LENGTHS, 3):
                await system.check_message(function, length, None)
                await system.check_message(function, length, random.choice(LENGTHS))
        await system.check()


@cocotb.test()
async def cycles_of_whole_messages(dut: Any) -> None:
    """From 1 KiB on a message takes at most twice the cycles of the core alone."""
    system = Sha2(dut)
    await system.reset()
    for function in MEASURED:
        for length in SIZES:
            text = 0 if length == SIZE else TEXT  # the digest then lies in what has been read
            name = function.replace("_", "")
            answer = hashlib.new(name, system.memory.get(text, length)).digest()
            cycles = await system.digest(function, length, len(answer), text, None)
            assert system.memory.get(OUTPUT, len(answer)) == answer
            core = alone(function, length)
            dut._log.warning(
                f"{name}, {length} bytes: {cycles} cycles, {cycles / core:.3f} of the core alone, "
                f"{core}"
            )
            assert length < 1024 or cycles <= OVERHEAD * core
    await system.check()
