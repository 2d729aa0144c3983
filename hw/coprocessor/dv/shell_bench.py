# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The coprocessor shell: its instructions one by one, and its stream modes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import cocotb
from bus import RegisterBus
from ciphermill_dv import residue
from ciphermill_dv.parameters import parameter
from ciphermill_dv.registers import RegisterMap
from ciphers import AES, PRESENT
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles

MAP = RegisterMap(Path(__file__).resolve().parents[1] / "coprocessor_shell.rdl")
COMMAND, DATA_IN, DATA_OUT, CONTROL, STATUS, CLEAR = (
    MAP.address(name) for name in ("COMMAND", "DATA_IN", "DATA_OUT", "CONTROL", "STATUS", "ERROR")
)
NONE, LOAD_KEY, LOAD_TEXT, RUN, READ, STREAM, STREAM_KEY, ZEROISE = (
    MAP.values("COMMAND", "instruction")[name]
    for name in ["none", "load_key", "load_text", "run", "read", "stream", "stream_key", "zeroise"]
)
DECRYPT = MAP.mask("COMMAND", "decrypt")
BUSY, AVAILABLE, ACCEPTS, ERROR = (
    MAP.mask("COMMAND", name) for name in ("busy", "available", "accepts", "error")
)
STALLS = ("never", "sparse", "alternate", "heavy")


class Shell:
    """The device, driven as the C driver drives it."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.random = Random(1)
        self.bus = RegisterBus(dut, self.random)
        self.cipher = (AES, PRESENT)[parameter("Algorithm", 0)]
        self.text_words = self.cipher.block_bytes // 4

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk_i, 10, unit="ns").start())
        self.dut.rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, 3)
        self.dut.rst_ni.value = 1
        await self.settle()
        for address in (DATA_IN, CONTROL, 0x00C, 0xFFC):
            assert await self.bus.read_word(address) == 0, "an address without a register"

    async def status(self) -> int:
        word = await self.bus.read_word(self.random.choice((COMMAND, STATUS)))
        assert word < 16, "bits without a meaning are not zero"
        return word

    async def settle(self) -> None:
        while await self.status() & BUSY:
            pass

    async def instruct(self, instruction: int, index: int = 0, flags: int = 0) -> None:
        await self.bus.write_word(
            COMMAND, MAP.pack("COMMAND", instruction=instruction, index=index) | flags
        )

    def fresh(self) -> tuple[bytes, bytes]:
        key = self.random.randbytes(self.cipher.key_bytes[0])
        return key, self.random.randbytes(self.cipher.block_bytes)

    def words(self, data: bytes) -> list[int]:
        data += self.random.randbytes(-len(data) % 4)
        return [int.from_bytes(data[n : n + 4], "little") for n in range(0, len(data), 4)]

    async def load(self, instruction: int, data: bytes) -> None:
        """Load a key or a text word by word."""
        for index, word in enumerate(self.words(data)):
            await self.bus.write_word(DATA_IN, word)
            await self.instruct(instruction, index)

    async def read(self) -> bytes:
        """Read a result word by word."""
        found = b""
        for index in range(self.text_words):
            await self.instruct(READ, index)
            found += await self.bus.read(DATA_OUT, 4)
        return found

    async def put(self, data: bytes) -> None:
        """Write words in stream mode."""
        for word in self.words(data):
            await self.bus.write_word(DATA_IN, word)

    async def take(self) -> bytes:
        """Read a result in stream mode."""
        return b"".join([await self.bus.read(DATA_OUT, 4) for _ in range(self.text_words)])


@cocotb.test()
async def the_header_tells_map_algorithm_and_directions(dut):
    shell = Shell(dut)
    await shell.start()
    names = ("IDENTIFICATION", "VERSION", "CAPABILITY")
    words = [await shell.bus.read_word(MAP.address(name)) for name in names]
    assert words[0].to_bytes(4, "little") == b"CMSH"
    assert words[1] == MAP.pack("VERSION", major=1)
    name = "aes_128" if shell.cipher is AES else "present_80"
    directions = parameter("Directions", 3)
    assert words[2] == MAP.pack(
        "CAPABILITY",
        algorithm=MAP.values("CAPABILITY", "algorithm")[name],
        encrypt=directions & 1,
        decrypt=directions >> 1,
    )


@cocotb.test()
async def instructions_one_by_one(dut):
    shell = Shell(dut)
    await shell.start()
    for pattern in STALLS:
        shell.bus.pause(pattern)
        for _ in range(4):
            key, text = shell.fresh()
            direction = shell.random.getrandbits(1)
            await shell.load(LOAD_KEY, key)
            await shell.load(LOAD_TEXT, text)
            await shell.instruct(RUN, flags=DECRYPT * direction)
            assert await shell.read() == shell.cipher.reference(direction, key, text)
            # The same key, another text, words in another order.
            _, text = shell.fresh()
            for index, word in reversed(list(enumerate(shell.words(text)))):
                await shell.bus.write_word(DATA_IN, word)
                await shell.instruct(LOAD_TEXT, index)
            await shell.instruct(RUN)
            await shell.instruct(READ, 0)
            wanted = shell.cipher.reference(0, key, text)
            for _ in range(2):
                assert await shell.bus.read(DATA_OUT, 4) == wanted[:4]
            assert await shell.read() == wanted
    assert not await shell.status() & (ERROR | AVAILABLE | BUSY)


@cocotb.test()
async def streams_with_two_texts_in_flight(dut):
    shell = Shell(dut)
    await shell.start()
    for pattern in STALLS:
        shell.bus.pause(pattern)
        for direction in (0, 1):
            await shell.instruct(STREAM_KEY, flags=DECRYPT * direction)
            wanted = []
            for _ in range(8):
                key, text = shell.fresh()
                await shell.put(key)
                await shell.put(text)
                wanted.append(shell.cipher.reference(direction, key, text))
                if len(wanted) == 2:
                    assert await shell.take() == wanted.pop(0)
            # Leaving the mode keeps the result; the key stays for more texts.
            await shell.instruct(STREAM, flags=DECRYPT * direction)
            assert await shell.take() == wanted.pop(0)
            for _ in range(3):
                _, text = shell.fresh()
                await shell.put(text)
                assert await shell.take() == shell.cipher.reference(direction, key, text)
    assert not await shell.status() & (ERROR | AVAILABLE | BUSY)


@cocotb.test()
async def cycles_with_a_fresh_key_each_time(dut):
    """The workload of the paper: computing and transfers overlap."""
    shell = Shell(dut)
    await shell.start()
    await shell.instruct(STREAM_KEY)
    wanted = []
    blocks = 10
    start = shell.bus.cycles
    for n in range(blocks + 1):
        if n < blocks:
            key, text = shell.fresh()
            await shell.put(key)
            await shell.put(text)
            wanted.append(shell.cipher.reference(0, key, text))
        if n:
            assert await shell.take() == wanted.pop(0)
    transfers = 12 if shell.cipher is AES else 7
    core = 10 if shell.cipher is AES else 32
    cycles = (shell.bus.cycles - start) / blocks
    assert cycles <= max(transfers, core) + 6, cycles


@cocotb.test()
async def errors(dut):
    shell = Shell(dut)
    await shell.start()
    last = shell.text_words - 1
    assert await shell.bus.read_word(DATA_OUT) == 0
    assert await shell.status() & ERROR, "a read with nothing in flight"
    await shell.instruct(ZEROISE)
    assert await shell.bus.read_word(DATA_OUT) == 0, "in the cycle after a zeroise"
    await shell.instruct(ZEROISE)
    await shell.settle()
    assert not await shell.status() & ERROR
    await shell.instruct(RUN)
    assert await shell.status() & ERROR, "a run without a key"
    await shell.bus.write_word(CLEAR, 0)
    assert await shell.bus.read_word(CLEAR) == 1, "zero clears nothing"
    await shell.bus.write_word(CLEAR, 1)
    assert not await shell.status() & ERROR
    key, text = shell.fresh()
    await shell.load(LOAD_KEY, key)
    for _ in range(2):
        await shell.load(LOAD_TEXT, text)
        await shell.instruct(RUN)
    assert not await shell.status() & ERROR
    await shell.load(LOAD_TEXT, text[::-1])
    await shell.instruct(RUN)
    assert await shell.status() & ERROR, "a third text in flight"
    for _ in range(2):
        assert await shell.read() == shell.cipher.reference(0, key, text)
    await shell.instruct(READ, last)
    assert await shell.bus.read_word(DATA_OUT) == 0
    assert await shell.bus.read_word(DATA_IN) == 0, "DATA_IN can be read"


@cocotb.test()
async def a_key_without_its_last_word_is_none(dut):
    """Neither by instructions nor in stream mode; a word that was not written is zero."""
    shell = Shell(dut)
    await shell.start()
    key, text = shell.fresh()
    words = shell.words(key)
    for way in ("instructions", "stream"):
        if way == "instructions":
            for index, word in enumerate(words[:-1]):
                await shell.bus.write_word(DATA_IN, word)
                await shell.instruct(LOAD_KEY, index)
            await shell.load(LOAD_TEXT, text)
            await shell.instruct(RUN)
        else:
            await shell.instruct(STREAM_KEY)
            for word in words[:-1]:
                await shell.bus.write_word(DATA_IN, word)
            await shell.instruct(STREAM)
            await shell.put(text)
        assert await shell.status() & ERROR, way
        await shell.instruct(ZEROISE)
        await shell.settle()
    await shell.load(LOAD_KEY, key)
    await shell.bus.write_word(DATA_IN, words[-1])
    await shell.instruct(LOAD_KEY, len(words) - 1)
    await shell.load(LOAD_TEXT, text)
    await shell.instruct(RUN)
    rest = bytes(4 * (len(words) - 1)) + words[-1].to_bytes(4, "little")
    assert await shell.read() == shell.cipher.reference(0, rest[: len(key)], text)


@cocotb.test()
async def zeroise_and_reset_leave_no_secret(dut):
    shell = Shell(dut)
    await shell.start()
    for way in ("zeroise", "control", "reset"):
        key, text = shell.fresh()
        spare = shell.random.randbytes(8)
        await shell.load(LOAD_KEY, key)
        await shell.load(LOAD_TEXT, text)
        await shell.instruct(RUN)
        await shell.load(LOAD_TEXT, spare[:4])
        await shell.bus.write_word(DATA_IN, int.from_bytes(spare[4:], "little"))
        while not await shell.status() & AVAILABLE:
            pass
        secrets = [key[:8], spare, shell.cipher.reference(0, key, text)]
        assert residue.find(dut, secrets)
        if way == "zeroise":
            await shell.instruct(ZEROISE)
        elif way == "control":
            await shell.bus.write_word(CONTROL, MAP.pack("CONTROL", zeroise=1))
        else:
            await shell.start()
        await shell.settle()
        left = [path for path in residue.find(dut, secrets) if not path.endswith(("_i", "data"))]
        assert not left, left
        assert not await shell.status() & (AVAILABLE | ERROR)
        await shell.instruct(RUN)
        assert await shell.status() & ERROR, "the key is still there"
        await shell.instruct(ZEROISE)
