# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The FPGA of a board with memory banks: messages at any clocks (cocotb tests)."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from random import Random

import cocotb
from ciphermill_dv import stall
from ciphermill_dv.parameters import parameter, ports_only
from ciphermill_dv.residue import find
from ciphermill_dv.stall import PATTERNS
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

BANKS, CORES = parameter("Banks", 4), parameter("Cores", 4)
WORDS = 1 << parameter("AddressWidth", 19)
BLOCK = 16
MEMORY_PS = 30_000
CORE_PS = int(os.environ.get("CORE_PS", 14_290))
# SP 800-38A, F.5.1: key, initial counter, plaintext and ciphertext.
VECTOR = tuple(
    bytes.fromhex(text)
    for text in (
        "2b7e151628aed2a6abf7158809cf4f3c",
        "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
        "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
        "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
        "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
    )
)


def ctr(key: bytes, counter: bytes, data: bytes) -> bytes:
    """Return the output of AES-CTR, whose counter has 128 bits."""
    return Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor().update(data)


class Board:
    """The banks, with stalls of their own, and the host."""

    def __init__(self, dut, seed: int = 1) -> None:
        self.dut = dut
        self.random = Random(seed)
        self.banks = [bytearray(4 * WORDS) for _ in range(BANKS)]
        self.accesses = [0] * BANKS
        self.set_stalls("never")

    def set_stalls(self, name: str) -> None:
        """Choose when the banks are not ready, each by itself."""
        self.stalls: list[Iterator[bool]] = [
            getattr(stall, name)(Random(self.random.random())) for _ in range(BANKS)
        ]

    async def start(self) -> None:
        """Start both clocks and reset the FPGA."""
        dut = self.dut
        for name in ("start_valid_i", "key_i", "counter_i", "bytes_i", "memory_ready_i"):
            getattr(dut, name).value = 0
        dut.memory_data_i.value = 0
        dut.rst_ni.value = 0
        cocotb.start_soon(Clock(dut.memory_clk_i, MEMORY_PS, unit="ps").start())
        cocotb.start_soon(Clock(dut.core_clk_i, CORE_PS, unit="ps").start())
        await FallingEdge(dut.memory_clk_i)
        await FallingEdge(dut.memory_clk_i)
        dut.rst_ni.value = 1
        cocotb.start_soon(self._serve())

    async def _serve(self) -> None:
        """The memory: each bank is ready or not, and reads arrive a cycle later."""
        dut = self.dut
        held: list[tuple[int, ...] | None] = [None] * BANKS
        while True:
            ready = [not next(stall) for stall in self.stalls]
            dut.memory_ready_i.value = sum(one << n for n, one in enumerate(ready))
            await RisingEdge(dut.memory_clk_i)
            if not int(dut.rst_ni.value):
                held = [None] * BANKS
                continue
            valid, write = int(dut.memory_valid_o.value), int(dut.memory_write_o.value)
            address, strobe, data = (
                int(getattr(dut, f"memory_{name}_o").value)
                for name in ("address", "strobe", "data")
            )
            # A word that was not asked for is noise.
            answer = self.random.getrandbits(32 * BANKS)
            for n, bank in enumerate(self.banks):
                if not valid >> n & 1:
                    assert held[n] is None, f"bank {n}: valid fell before ready"
                    continue
                at = 4 * (address // WORDS**n % WORDS)
                word = data >> 32 * n & 0xFFFF_FFFF
                lanes = strobe >> 4 * n & 15
                offer = (write >> n & 1, at, lanes, word)
                assert held[n] in (None, offer), f"bank {n}: the access changed before ready"
                held[n] = None if ready[n] else offer
                if not ready[n]:
                    continue
                self.accesses[n] += 1
                if not write >> n & 1:
                    answer &= ~(0xFFFF_FFFF << 32 * n)
                    answer |= int.from_bytes(bank[at : at + 4], "little") << 32 * n
                for lane in range(4):
                    if write >> n & 1 and lanes >> lane & 1:
                        bank[at + lane] = word >> 8 * lane & 0xFF
            dut.memory_data_i.value = answer

    def place(self, data: bytes) -> None:
        """Put a message into the banks: block n into bank n modulo their number."""
        for n, at in enumerate(range(0, len(data), BLOCK)):
            row = n // BANKS * BLOCK
            part = data[at : at + BLOCK]
            self.banks[n % BANKS][row : row + len(part)] = part

    def read(self, length: int) -> bytes:
        """Return a message from the banks."""
        blocks = -(-length // BLOCK)
        found = bytearray()
        for n in range(blocks):
            row = n // BANKS * BLOCK
            found += self.banks[n % BANKS][row : row + BLOCK]
        return bytes(found[:length])

    async def begin(self, key: bytes, counter: bytes, length: int) -> None:
        """Start a message."""
        dut = self.dut
        dut.key_i.value = int.from_bytes(key, "little")
        dut.counter_i.value = int.from_bytes(counter, "little")
        dut.bytes_i.value = length
        dut.start_valid_i.value = 1
        await RisingEdge(dut.memory_clk_i)
        while not int(dut.start_ready_o.value):
            await RisingEdge(dut.memory_clk_i)
        dut.start_valid_i.value = 0
        # The fields are read with the start alone.
        dut.key_i.value = dut.counter_i.value = dut.bytes_i.value = 0

    async def wait(self, limit: int = 200_000) -> int:
        """Wait for the end of a message; return the cycles that it took by the timer."""
        dut = self.dut
        for _ in range(limit):
            await RisingEdge(dut.memory_clk_i)
            if not int(dut.busy_o.value):
                return int(dut.cycles_o.value)
        raise AssertionError("the message does not end")

    async def run(self, key: bytes, counter: bytes, data: bytes) -> int:
        """Encrypt a message and check the whole memory; return the cycles by the timer."""
        self.banks = [bytearray(self.random.randbytes(len(bank))) for bank in self.banks]
        self.place(data)
        wanted = Board.__new__(Board)
        wanted.banks = [bytearray(bank) for bank in self.banks]
        wanted.place(ctr(key, counter, data))
        await self.begin(key, counter, len(data))
        cycles = await self.wait()
        assert self.read(len(data)) == ctr(key, counter, data), f"{len(data)} bytes: wrong output"
        assert self.banks == wanted.banks, f"{len(data)} bytes: written behind the message"
        return cycles

    def any_message(self, length: int) -> tuple[bytes, bytes, bytes]:
        """Return a random key, counter and message."""
        return tuple(self.random.randbytes(n) for n in (BLOCK, BLOCK, length))


@cocotb.test()
async def published_vector(dut):
    """SP 800-38A, F.5.1; its counter carries over within the four blocks."""
    board = Board(dut)
    await board.start()
    key, counter, plain, cipher = VECTOR
    assert ctr(key, counter, plain) == cipher, "the reference disagrees"
    await board.run(key, counter, plain)


@cocotb.test()
async def lengths(dut):
    """Every length around the rows of banks and cores, none included, with stalling banks."""
    board = Board(dut)
    await board.start()
    row = BLOCK * max(BANKS, CORES)
    edges = {0, 1, 15, 16, 17, 31, 32, 33, row - 1, row, row + 1, 2 * row + 5, 3 * row - 16}
    for length, name in zip(sorted(edges), itertools.cycle(PATTERNS), strict=False):
        board.set_stalls(name)
        await board.run(*board.any_message(length))


@cocotb.test()
async def stalling_banks(dut):
    """Each pattern of stalls, with more blocks than the FIFOs hold."""
    board = Board(dut, seed=2)
    await board.start()
    for name in PATTERNS:
        board.set_stalls(name)
        await board.run(*board.any_message(min(BLOCK * (18 * CORES + 3), 4 * WORDS * BANKS) - 9))


@cocotb.test()
async def counters(dut):
    """The counter carries through all 128 bits, in whichever core that happens."""
    board = Board(dut, seed=3)
    await board.start()
    highs = (1 << 128, 1 << 64, 1 << 32)
    for before, high in zip(range(CORES + 3), itertools.cycle(highs), strict=False):
        key, _, data = board.any_message(BLOCK * (CORES + 4))
        await board.run(key, ((high - before) % (1 << 128)).to_bytes(BLOCK, "big"), data)


@cocotb.test()
async def whole_memory(dut):
    """A message that fills the banks, and a start that waits for it."""
    if WORDS > 256:
        return
    board = Board(dut, seed=4)
    await board.start()
    await board.run(*board.any_message(4 * WORDS * BANKS))
    key, counter, data = board.any_message(5 * BLOCK)
    board.place(data)
    await board.begin(key, counter, len(data))
    await board.begin(key, counter, len(data))  # decrypts, when the first has ended
    await board.wait()
    assert board.read(len(data)) == data


@cocotb.test()
async def rate(dut):
    """The slower of cores and memory decides: 33 or 10 cycles a block, or 8 a block and bank."""
    board = Board(dut, seed=5)
    await board.start()
    # After a reset the first blocks wait until the FIFOs are cleared.
    await board.run(*board.any_message(BLOCK))
    blocks = min(WORDS // 4 * BANKS, 48 * CORES)
    cycles = await board.run(*board.any_message(BLOCK * blocks))
    of_cores = (33 if parameter("Stepped", 0) else 10) * CORE_PS / CORES
    of_banks = 8 * MEMORY_PS / BANKS
    bound = max(of_cores, of_banks) * blocks / MEMORY_PS
    dut._log.info("%d blocks: %d cycles, bound %.0f", blocks, cycles, bound)
    assert bound < cycles < 1.05 * bound + 80 + 40 * CORE_PS / MEMORY_PS


@cocotb.test(skip=ports_only())
async def reset_clears(dut):
    """A reset in the middle of a message leaves no key and no data, and the next one is right."""
    board = Board(dut, seed=6)
    await board.start()
    for cycles in (3, 40, 97):
        key, counter, data = board.any_message(BLOCK * 40)
        board.place(data)
        await board.begin(key, counter, len(data))
        for _ in range(cycles):
            await RisingEdge(dut.memory_clk_i)
        secrets = [key, data, ctr(key, counter, data)]
        assert find(dut, secrets), "the search sees nothing"
        board.set_stalls("always")
        dut.rst_ni.value = 0
        await RisingEdge(dut.memory_clk_i)
        dut.rst_ni.value = 1
        sweep = 60 + parameter("FifoBlocks", 8)
        for _ in range(sweep + sweep * CORE_PS // MEMORY_PS):
            await RisingEdge(dut.memory_clk_i)
        left = find(dut, secrets)
        assert not left, f"left after a reset: {left}"
        board.set_stalls("sparse")
        await board.run(*board.any_message(BLOCK * 9 + 3))
