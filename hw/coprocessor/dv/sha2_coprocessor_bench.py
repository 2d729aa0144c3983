# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The SHA-2 coprocessor on its bus: every function and length, errors, zeroisation."""

from __future__ import annotations

import hashlib
from pathlib import Path
from random import Random

import cocotb
from bus import RegisterBus
from ciphermill_dv import residue
from ciphermill_dv.parameters import parameter
from ciphermill_dv.registers import RegisterMap
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles

MAP = RegisterMap(Path(__file__).resolve().parents[1] / "coprocessor_sha2.rdl")
CONTROL, MESSAGE, STATUS, ERROR, MESSAGE_BYTES, DATA_IN, DATA_OUT = (
    MAP.address(name)
    for name in (
        "CONTROL",
        "MESSAGE",
        "STATUS",
        "ERROR",
        "MESSAGE_BYTES",
        "DATA_IN",
        "DATA_OUT",
    )
)
START, DROP, ZEROISE = (MAP.mask("CONTROL", name) for name in ("start", "drop", "zeroise"))
BUSY, AVAILABLE, INSIDE = (MAP.mask("STATUS", name) for name in ("busy", "available", "message"))
ORDER = MAP.mask("ERROR", "order")
FUNCTIONS = MAP.values("MESSAGE", "function")
WORD_SIZES, ROUNDS_PER_CYCLE = parameter("WordSizes", 3), parameter("RoundsPerCycle", 1)
NARROW = ("sha224", "sha256")
BUILT = [one for one in FUNCTIONS if WORD_SIZES & (1 if one in NARROW else 2)]
STALLS = ("never", "sparse", "alternate", "heavy")
LENGTHS = (0, 1, 15, 16, 17, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 200)


def expected(function: str, message: bytes) -> bytes:
    return hashlib.new(function, message).digest()


class Sha2:
    """The device, driven as the C driver drives it."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.random = Random(1)
        self.bus = RegisterBus(dut, self.random)

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk_i, 10, unit="ns").start())
        self.dut.rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, 3)
        self.dut.rst_ni.value = 1
        await ClockCycles(self.dut.clk_i, 1)

    def size(self) -> int:
        """Return a width of access that the bus has."""
        return self.random.choice([n for n in (4, 8, 16) if n <= self.bus.width])

    async def push(self, block: bytes) -> None:
        """Push a block; the bytes after the last one must not matter."""
        block += self.random.randbytes(16 - len(block))
        address, size = DATA_IN + 16 * self.random.randrange(16), self.size()
        for n in range(0, 16, size):
            await self.bus.write(address + n, block[n : n + size])

    async def pop(self) -> bytes:
        address, size = DATA_OUT + 16 * self.random.randrange(8), self.size()
        return b"".join([await self.bus.read(address + n, size) for n in range(0, 16, size)])

    async def begin(self, function: str, length: int) -> None:
        await self.bus.write_word(MESSAGE, FUNCTIONS[function])
        await self.bus.write_word(MESSAGE_BYTES, length)
        await self.bus.write_word(CONTROL, START)

    async def digest(self, function: str, message: bytes) -> bytes:
        await self.begin(function, len(message))
        for n in range(0, len(message), 16):
            await self.push(message[n : n + 16])
        wanted = len(expected(function, b""))
        found = b"".join([await self.pop() for _ in range(0, wanted, 16)])
        assert not any(found[wanted:]), "bytes behind the last one"
        return found[:wanted]

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
    sha2 = Sha2(dut)
    await sha2.start()
    for pattern in STALLS:
        sha2.bus.pause(pattern)
        for length in LENGTHS:
            function = sha2.random.choice(BUILT)
            message = sha2.random.randbytes(length)
            assert await sha2.digest(function, message) == expected(function, message), length
    sha2.bus.pause("never")
    for function in BUILT:
        message = sha2.random.randbytes(sha2.random.randrange(300))
        assert await sha2.digest(function, message) == expected(function, message), function
    assert await sha2.error() == 0
    assert await sha2.idle()


@cocotb.test(skip=parameter("DataWidth", 32) < 256)
async def a_wide_beat_has_several_blocks(dut):
    """A beat of 256 bits in DATA_IN pushes two blocks, one in DATA_OUT_WIDE pops two."""
    sha2 = Sha2(dut)
    await sha2.start()
    function = BUILT[-1]
    message = sha2.random.randbytes(160)
    await sha2.begin(function, len(message))
    for n in range(0, len(message), 32):
        await sha2.bus.write(DATA_IN, message[n : n + 32])
    wide = MAP.address("DATA_OUT_WIDE")
    wanted = expected(function, message)
    found = b"".join([await sha2.bus.read(wide, 32) for _ in range(0, len(wanted), 32)])
    assert found[: len(wanted)] == wanted


@cocotb.test()
async def what_comes_out_of_turn_is_dropped(dut):
    """Wrong accesses set the error, no access hangs, and later messages are right."""
    sha2 = Sha2(dut)
    await sha2.start()
    assert await sha2.pop() == bytes(16)
    assert await sha2.error() == ORDER, "a read with nothing to come"
    await sha2.push(bytes(16))
    assert await sha2.error() == ORDER, "a block without a message"
    for number in {*range(8)} - {FUNCTIONS[one] for one in BUILT}:
        await sha2.bus.write_word(MESSAGE, number)
        await sha2.bus.write_word(CONTROL, START)
        assert await sha2.error() == ORDER, number
        assert await sha2.idle()
    function, message = BUILT[0], sha2.random.randbytes(20)
    await sha2.begin(function, len(message))
    await sha2.push(message[:16])
    await sha2.bus.write_word(CONTROL, START)
    assert await sha2.error() == ORDER, "a start in a message"
    assert await sha2.pop() == bytes(16)
    assert await sha2.error() == ORDER, "a read before the message's end"
    await sha2.push(message[16:])
    await sha2.push(bytes(16))
    assert await sha2.error() == ORDER, "a block behind the message's end"
    assert await sha2.pop() == expected(function, message)[:16]
    await sha2.bus.write_word(CONTROL, DROP)
    assert await sha2.idle(), "a message that was dropped"
    await sha2.begin(function, 40)
    await sha2.push(message[:16])
    await sha2.bus.write_word(CONTROL, DROP)
    await sha2.begin(function, 0)
    await sha2.push(bytes(16))
    assert await sha2.error() == ORDER, "a block of an empty message"
    assert await sha2.pop() == expected(function, b"")[:16]
    await sha2.bus.write_word(CONTROL, DROP)
    assert await sha2.digest(function, message) == expected(function, message)
    assert await sha2.error() == 0


@cocotb.test()
async def status_and_constants(dut):
    sha2 = Sha2(dut)
    await sha2.start()
    bus = sha2.bus
    assert await bus.read_word(MAP.address("IDENTIFICATION")) == int.from_bytes(b"CMS2", "little")
    assert await bus.read_word(MAP.address("VERSION")) == 0x10000
    functions = sum(1 << FUNCTIONS[one] for one in BUILT)
    wanted = MAP.pack("CAPABILITY", functions=functions, rounds_per_cycle=ROUNDS_PER_CYCLE)
    assert await bus.read_word(MAP.address("CAPABILITY")) == wanted
    function = BUILT[0]
    await bus.write_word(MESSAGE_BYTES, 0x12345678)
    await bus.write_word(MESSAGE, FUNCTIONS[function])
    assert await bus.read_word(MESSAGE_BYTES) == 0x12345678
    assert await bus.read_word(MESSAGE) == FUNCTIONS[function]
    for address in (CONTROL, DATA_IN, DATA_OUT, 0x00C, 0x030, 0xFFC):
        assert await bus.read_word(address) == 0, hex(address)
    await sha2.error()  # DATA_OUT was read
    await sha2.begin(function, 0)
    assert await bus.read_word(STATUS) == INSIDE | BUSY
    while not await bus.read_word(STATUS) & AVAILABLE:
        assert not int(dut.irq_o.value)
    assert int(dut.irq_o.value) and not int(dut.busy_o.value)
    await bus.write_word(CONTROL, DROP)
    assert await sha2.idle()


@cocotb.test()
async def busy_while_rounds_run(dut):
    """Behind a hash block's words the rest of its rounds is what the hardware computes alone."""
    sha2 = Sha2(dut)
    await sha2.start()
    for function in (BUILT[0], BUILT[-1]):
        narrow = function in NARROW
        await sha2.begin(function, 1000)
        await sha2.bus.step()
        assert not int(dut.busy_o.value)
        for _ in range(4 if narrow else 8):
            await sha2.push(bytes(16))
        await sha2.bus.step()
        busy = 0
        while int(dut.busy_o.value):
            await sha2.bus.step()
            busy += 1
        assert busy == (48 if narrow else 64) // ROUNDS_PER_CYCLE
        await sha2.bus.write_word(CONTROL, DROP)


@cocotb.test()
async def cycles_of_a_long_message(dut):
    """The bus sets the rate: the words of a hash block, then its other rounds."""
    sha2 = Sha2(dut)
    await sha2.start()
    function = BUILT[-1]
    narrow = function in NARROW
    block = 64 if narrow else 128
    message = sha2.random.randbytes(10 * block)
    await sha2.begin(function, len(message))
    begin, size = sha2.bus.cycles, min(16, sha2.bus.width)
    for n in range(0, len(message), size):
        await sha2.bus.write(DATA_IN + n % 16, message[n : n + size])
    rounds = (48 if narrow else 64) // ROUNDS_PER_CYCLE
    cycles = (sha2.bus.cycles - begin) / 10
    assert cycles <= rounds + block / size + 16, cycles


@cocotb.test()
async def zeroise_and_reset_leave_no_message(dut):
    sha2 = Sha2(dut)
    await sha2.start()
    function = BUILT[-1]
    for way in ("zeroise", "reset"):
        message, spare = sha2.random.randbytes(144), sha2.random.randbytes(12)
        await sha2.begin(function, len(message))
        for n in range(0, 128, 16):
            await sha2.push(message[n : n + 16])
        for n in range(0, 12, 4):
            await sha2.bus.write(DATA_IN + n, spare[n : n + 4])
        assert residue.find(dut, [spare])
        if way == "zeroise":
            await sha2.bus.write_word(CONTROL, ZEROISE)
        else:
            await sha2.start()
        await sha2.bus.read_word(STATUS)  # the core is busy in the cycle after
        assert await sha2.idle()
        left = residue.find(dut, [spare, *(message[n : n + 16] for n in range(0, 128, 16))])
        left = [path for path in left if not path.endswith(("_i", "data"))]
        assert not left, left
        assert await sha2.digest(function, b"abc") == expected(function, b"abc")
