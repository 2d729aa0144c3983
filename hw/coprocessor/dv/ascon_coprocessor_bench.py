# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The Ascon coprocessor on its bus: messages of every shape, errors, zeroisation."""

from __future__ import annotations

from pathlib import Path
from random import Random

import ascon_reference as reference
import cocotb
from bus import RegisterBus
from ciphermill_dv import residue
from ciphermill_dv.parameters import parameter
from ciphermill_dv.registers import RegisterMap
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles

MAP = RegisterMap(Path(__file__).resolve().parents[1] / "coprocessor_ascon.rdl")
CONTROL, MESSAGE, STATUS, ERROR, KEY, NONCE, DATA_IN, DATA_OUT = (
    MAP.address(name)
    for name in ("CONTROL", "MESSAGE", "STATUS", "ERROR", "KEY", "NONCE", "DATA_IN", "DATA_OUT")
)
ASSOCIATED_BYTES, TEXT_BYTES = MAP.address("ASSOCIATED_BYTES"), MAP.address("TEXT_BYTES")
START, DROP, ZEROISE = (MAP.mask("CONTROL", name) for name in ("start", "drop", "zeroise"))
BUSY, AVAILABLE, INSIDE = (MAP.mask("STATUS", name) for name in ("busy", "available", "message"))
ORDER, TAG = MAP.mask("ERROR", "order"), MAP.mask("ERROR", "tag")
OPERATIONS = MAP.values("MESSAGE", "operation")
STALLS = ("never", "sparse", "alternate", "heavy")
LENGTHS = (0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 50)


class Ascon:
    """The device, driven as the C driver drives it."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.random = Random(1)
        self.bus = RegisterBus(dut, self.random)
        self.key = b""

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk_i, 10, unit="ns").start())
        self.dut.rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, 3)
        self.dut.rst_ni.value = 1
        await ClockCycles(self.dut.clk_i, 1)

    async def set_key(self) -> None:
        self.key = self.random.randbytes(16)
        await self.put(KEY, self.key)

    async def put(self, address: int, data: bytes) -> None:
        """Write in accesses of one width that the bus has."""
        size = self.random.choice([n for n in (4, 8, 16) if n <= self.bus.width])
        for n in range(0, len(data), size):
            await self.bus.write(address + n, data[n : n + size])

    async def push(self, block: bytes) -> None:
        """Push a block; the bytes after the last one must not matter."""
        rest = self.random.randbytes(16 - len(block))
        await self.put(DATA_IN + 16 * self.random.randrange(16), block + rest)

    async def pop(self) -> bytes:
        size = self.random.choice([n for n in (4, 8, 16) if n <= self.bus.width])
        address = DATA_OUT + 16 * self.random.randrange(8)
        return b"".join([await self.bus.read(address + n, size) for n in range(0, 16, size)])

    async def begin(self, operation: str, text: int, associated: int = 0, nonce: bytes = b""):
        await self.bus.write_word(MESSAGE, OPERATIONS[operation])
        await self.bus.write_word(TEXT_BYTES, text)
        if nonce:
            await self.bus.write_word(ASSOCIATED_BYTES, associated)
            await self.put(NONCE, nonce)
        await self.bus.write_word(CONTROL, START)

    async def text(self, text: bytes) -> bytes:
        """Push a text and pop the result."""
        found = b""
        for n in range(0, len(text), 16):
            block = text[n : n + 16]
            await self.push(block)
            out = await self.pop()
            assert not any(out[len(block) :]), "bytes behind the last one"
            found += out[: len(block)]
        return found

    async def seal(self, nonce: bytes, associated: bytes, text: bytes) -> tuple[bytes, bytes]:
        await self.begin("encrypt", len(text), len(associated), nonce)
        for n in range(0, len(associated), 16):
            await self.push(associated[n : n + 16])
        return await self.text(text), await self.pop()

    async def unseal(self, nonce: bytes, associated: bytes, text: bytes, tag: bytes) -> bytes:
        await self.begin("decrypt", len(text), len(associated), nonce)
        for n in range(0, len(associated), 16):
            await self.push(associated[n : n + 16])
        plain = await self.text(text)
        await self.push(tag)
        return plain

    async def digest(self, text: bytes) -> bytes:
        await self.begin("digest", len(text))
        for n in range(0, len(text), 16):
            await self.push(text[n : n + 16])
        return await self.pop() + await self.pop()

    async def error(self) -> int:
        """Return ERROR and clear it."""
        word = await self.bus.read_word(ERROR)
        await self.bus.write_word(ERROR, word)
        assert await self.bus.read_word(ERROR) == 0
        return word

    async def idle(self) -> bool:
        return not await self.bus.read_word(STATUS)


@cocotb.test()
async def messages_of_every_length(dut):
    ascon = Ascon(dut)
    await ascon.start()
    for pattern in STALLS:
        ascon.bus.pause(pattern)
        await ascon.set_key()
        for length in LENGTHS:
            nonce = ascon.random.randbytes(16)
            text = ascon.random.randbytes(length)
            associated = ascon.random.randbytes(ascon.random.choice(LENGTHS))
            sealed = reference.encrypt(ascon.key, nonce, associated, text)
            assert await ascon.seal(nonce, associated, text) == sealed, (length, len(associated))
            assert await ascon.unseal(nonce, associated, *sealed) == text
            assert await ascon.digest(text) == reference.hash256(text), length
            assert await ascon.error() == 0
    assert await ascon.idle()


@cocotb.test()
async def a_wrong_tag_is_told(dut):
    ascon = Ascon(dut)
    await ascon.start()
    await ascon.set_key()
    for length in (0, 5, 16, 33):
        nonce, text = ascon.random.randbytes(16), ascon.random.randbytes(length)
        coded, tag = reference.encrypt(ascon.key, nonce, b"", text)
        bit = ascon.random.randrange(128)
        forged = (int.from_bytes(tag, "little") ^ 1 << bit).to_bytes(16, "little")
        await ascon.unseal(nonce, b"", coded, forged)
        assert await ascon.error() == TAG, bit
        await ascon.unseal(nonce, b"", coded, tag)
        assert await ascon.error() == 0


@cocotb.test()
async def what_comes_out_of_turn_is_dropped(dut):
    """Wrong accesses set errors, no access hangs, and later messages are right."""
    ascon = Ascon(dut)
    await ascon.start()
    nonce = bytes(16)
    await ascon.begin("encrypt", 16, 0, nonce)
    assert await ascon.error() == ORDER, "a start without a key"
    await ascon.set_key()
    assert await ascon.pop() == bytes(16)
    assert await ascon.error() == ORDER, "a read with nothing to come"
    await ascon.push(bytes(16))
    assert await ascon.error() == ORDER, "a block without a message"
    await ascon.bus.write_word(MESSAGE, 3)
    await ascon.bus.write_word(CONTROL, START)
    assert await ascon.error() == ORDER, "no such operation"
    text = ascon.random.randbytes(48)
    coded, tag = reference.encrypt(ascon.key, nonce, b"", text)
    await ascon.begin("encrypt", 48, 0, nonce)
    await ascon.push(text[:16])
    await ascon.push(bytes(16))
    assert await ascon.error() == ORDER, "a block while another waits to be read"
    await ascon.put(KEY, bytes(16))
    assert await ascon.error() == ORDER, "a key in a message"
    await ascon.bus.write_word(CONTROL, START)
    assert await ascon.error() == ORDER, "a start in a message"
    assert await ascon.pop() == coded[:16]
    assert await ascon.pop() == bytes(16)
    assert await ascon.error() == ORDER, "a read before the next block"
    assert (await ascon.text(text[16:]), await ascon.pop()) == (coded[16:], tag)
    await ascon.begin("decrypt", 48, 0, nonce)
    await ascon.push(coded[:16])
    await ascon.bus.write_word(CONTROL, DROP)
    assert await ascon.idle(), "a message that was dropped"
    assert await ascon.seal(nonce, b"", text) == (coded, tag), "the key stays"
    assert await ascon.error() == 0


@cocotb.test()
async def status_and_constants(dut):
    ascon = Ascon(dut)
    await ascon.start()
    bus = ascon.bus
    assert await bus.read_word(MAP.address("IDENTIFICATION")) == int.from_bytes(b"CMAS", "little")
    assert await bus.read_word(MAP.address("VERSION")) == 0x10000
    rounds = parameter("RoundsPerCycle", 1)
    wanted = MAP.pack("CAPABILITY", operations=7, rounds_per_cycle=rounds)
    assert await bus.read_word(MAP.address("CAPABILITY")) == wanted
    await bus.write_word(TEXT_BYTES, 7)
    await bus.write_word(ASSOCIATED_BYTES, 9)
    await bus.write_word(MESSAGE, 2)
    found = [await bus.read_word(at) for at in (TEXT_BYTES, ASSOCIATED_BYTES, MESSAGE)]
    assert found == [7, 9, 2]
    for address in (CONTROL, KEY, NONCE, DATA_IN, 0x00C, 0x050, 0xFFC):
        assert await bus.read_word(address) == 0, hex(address)
    await ascon.begin("digest", 0)
    status = await bus.read_word(STATUS)
    assert status & INSIDE
    while not await bus.read_word(STATUS) & AVAILABLE:
        pass
    assert int(dut.irq_o.value) and not int(dut.busy_o.value)
    assert await ascon.pop() + await ascon.pop() == reference.hash256(b"")
    assert await ascon.idle()


@cocotb.test()
async def cycles_of_a_long_text(dut):
    """The bus sets the rate: eight transfers a block, and the core's rounds overlap with them."""
    ascon = Ascon(dut)
    await ascon.start()
    await ascon.set_key()
    blocks, text = 20, ascon.random.randbytes(320)
    await ascon.begin("encrypt", len(text), 0, bytes(16))
    await ascon.push(text[:16])
    await ascon.pop()
    begin = ascon.bus.cycles
    await ascon.text(text[16:])
    transfers = 8 if ascon.bus.width == 4 else 2
    cycles = (ascon.bus.cycles - begin) / (blocks - 1)
    assert cycles <= max(8, 4 + transfers * 2), cycles


@cocotb.test()
async def zeroise_and_reset_leave_no_secret(dut):
    ascon = Ascon(dut)
    await ascon.start()
    for way in ("zeroise", "reset"):
        await ascon.set_key()
        nonce, text = ascon.random.randbytes(16), ascon.random.randbytes(32)
        coded, _ = reference.encrypt(ascon.key, nonce, b"", text)
        spare = ascon.random.randbytes(12)
        await ascon.begin("encrypt", len(text), 0, nonce)
        await ascon.push(text[:16])
        for n in range(0, 12, 4):
            await ascon.bus.write(DATA_IN + n, spare[n : n + 4])
        secrets = [ascon.key, nonce, spare, coded[:16]]
        assert residue.find(dut, secrets)
        if way == "zeroise":
            await ascon.bus.write_word(CONTROL, ZEROISE)
        else:
            await ascon.start()
        await ascon.bus.read_word(STATUS)  # the core is busy in the cycle after
        assert await ascon.idle()
        left = [path for path in residue.find(dut, secrets) if not path.endswith(("_i", "data"))]
        assert not left, left
        await ascon.begin("encrypt", 16, 0, nonce)
        assert await ascon.error() == ORDER, "the key is still there"
