# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The ECC coprocessor on its bus: every operation, refusals, accesses out of turn, zeroisation."""

from __future__ import annotations

from pathlib import Path
from random import Random

import cocotb
import ecc_reference as reference
from bus import RegisterBus
from ciphermill_dv import residue
from ciphermill_dv.parameters import parameter
from ciphermill_dv.registers import RegisterMap
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from ecc_curves import CURVES, Curve

MAP = RegisterMap(Path(__file__).resolve().parents[1] / "coprocessor_ecc.rdl")
CONTROL, OPERATION, STATUS, ERROR, DATA_IN, DATA_OUT = (
    MAP.address(name) for name in ("CONTROL", "OPERATION", "STATUS", "ERROR", "DATA_IN", "DATA_OUT")
)
START, ZEROISE = (MAP.mask("CONTROL", name) for name in ("start", "zeroise"))
BUSY, AVAILABLE, ENDED, OUTCOME = (
    MAP.mask("STATUS", name) for name in ("busy", "available", "ended", "outcome")
)
ORDER = MAP.mask("ERROR", "order")
MASK, MULTIPLIERS = parameter("Curves", 7), parameter("Multipliers", 1)
BUILT = [one for one in CURVES if MASK >> one.code & 1]
MISSING = [one for one in range(4) if not MASK >> one & 1]
MOST_NS = 20_000_000
"""Time of an operation: two million cycles."""


class Ecc:
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
        await self.swept()

    async def swept(self) -> None:
        """Wait until the core's memory is erased."""
        while True:
            await self.bus.step()
            if not int(self.dut.busy_o.value):
                return

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

    async def begin(self, curve: int, operation: int) -> None:
        await self.bus.write_word(
            OPERATION, MAP.pack("OPERATION", operation=operation, curve=curve)
        )
        await self.bus.write_word(CONTROL, START)

    async def wait(self, wanted: int) -> int:
        """Wait for a bit of STATUS, by the interrupt."""
        while not (word := await self.bus.read_word(STATUS)) & wanted:
            if not int(self.dut.irq_o.value):
                await with_timeout(RisingEdge(self.dut.irq_o), MOST_NS, "ns")
            await self.bus.step()
        return word

    async def run(self, curve: Curve, operation: int, operands: list[int]) -> reference.Answer:
        size = curve.bytes
        data = b"".join(one.to_bytes(size, "big") for one in operands)
        await self.begin(curve.code, operation)
        for n in range(0, len(data), 16):
            await self.push(data[n : n + 16])
        found = b""
        while (await self.wait(AVAILABLE | ENDED)) & AVAILABLE:
            found += await self.pop()
        status = await self.wait(ENDED)
        assert not status & (BUSY | AVAILABLE)
        given = len(found) // size * size
        assert len(found) - given < 16 and not any(found[given:]), "bytes behind the last one"
        results = [int.from_bytes(found[n : n + size], "big") for n in range(0, given, size)]
        return (status & OUTCOME) // (OUTCOME & -OUTCOME), results

    async def error(self) -> int:
        """Return ERROR and clear it."""
        word = await self.bus.read_word(ERROR)
        await self.bus.write_word(ERROR, word)
        assert await self.bus.read_word(ERROR) == 0
        return word


async def check(ecc: Ecc, curve: Curve, operation: int, operands: list[int]) -> list[int]:
    expected = reference.answer(curve, operation, operands)
    assert await ecc.run(curve, operation, operands) == expected, (curve.name, operation)
    return expected[1]


@cocotb.test()
async def every_operation_and_refusal(dut):
    ecc = Ecc(dut)
    await ecc.start()
    for curve, pattern in zip(BUILT, ("heavy", "sparse", "never"), strict=False):
        ecc.bus.pause(pattern)
        private, *public = await check(ecc, curve, 0, [ecc.random.randrange(curve.n - 1)])
        await check(ecc, curve, 1, [private])
        nonce, digest = ecc.random.randrange(1, curve.n), ecc.random.getrandbits(curve.bits)
        r, s = await check(ecc, curve, 2, [private, nonce, digest])
        await check(ecc, curve, 3, [*public, r, s, digest])
        await check(ecc, curve, 4, [private, *curve.g])
        for operation, operands in (
            (0, [curve.n - 1]),
            (2, [0, nonce, digest]),
            (2, [private, curve.n, digest]),
            (3, [*public, r, s, digest ^ 1]),
            (3, [*public, 0, s, digest]),
            (4, [private, 0, 0]),
            (4, [private, public[0], public[1] ^ 1]),
            (4, [private, curve.p, 1]),
        ):
            assert not await check(ecc, curve, operation, operands)
    assert await ecc.error() == 0


@cocotb.test()
async def what_comes_out_of_turn_is_dropped(dut):
    """Wrong accesses set the error, no access hangs, and later operations are right."""
    ecc = Ecc(dut)
    await ecc.start()
    curve = BUILT[0]
    assert await ecc.pop() == bytes(16)
    assert await ecc.error() == ORDER, "a read with nothing to come"
    await ecc.push(bytes(16))
    assert await ecc.error() == ORDER, "a block without an operation"
    for code, operation in ((one, 0) for one in MISSING):
        await ecc.begin(code, operation)
        assert await ecc.error() == ORDER, code
    for operation in (5, 6, 7):
        await ecc.begin(curve.code, operation)
        assert await ecc.error() == ORDER, operation
    assert await ecc.bus.read_word(STATUS) == 0
    private = ecc.random.randrange(1, curve.n)
    data = private.to_bytes(curve.bytes, "big")
    await ecc.begin(curve.code, 1)
    await ecc.push(data[:16])
    await ecc.begin(curve.code, 4)
    assert await ecc.error() == ORDER, "a start in an operation"
    assert await ecc.pop() == bytes(16)
    assert await ecc.error() == ORDER, "a read before the results"
    for n in range(16, len(data), 16):
        await ecc.push(data[n : n + 16])
    await ecc.push(bytes(16))
    assert await ecc.error() == ORDER, "a block behind the operands"
    assert await ecc.bus.read_word(STATUS) == BUSY
    await ecc.wait(AVAILABLE)
    await ecc.begin(curve.code, 1)
    assert await ecc.error() == ORDER, "a start before the results are read"
    expected = b"".join(
        one.to_bytes(curve.bytes, "big") for one in reference.answer(curve, 1, [private])[1]
    )
    found = b""
    while len(found) < len(expected):
        await ecc.wait(AVAILABLE)
        found += await ecc.pop()
    assert found[: len(expected)] == expected
    await ecc.wait(ENDED)
    await check(ecc, curve, 4, [private, *curve.g])
    assert await ecc.error() == 0


@cocotb.test()
async def status_and_constants(dut):
    ecc = Ecc(dut)
    await ecc.start()
    bus = ecc.bus
    assert await bus.read_word(MAP.address("IDENTIFICATION")) == int.from_bytes(b"CMEC", "little")
    assert await bus.read_word(MAP.address("VERSION")) == 0x10000
    wanted = MAP.pack("CAPABILITY", curves=MASK, multipliers=MULTIPLIERS)
    assert await bus.read_word(MAP.address("CAPABILITY")) == wanted
    word = MAP.pack("OPERATION", operation=4, curve=2)
    await bus.write_word(OPERATION, word)
    assert await bus.read_word(OPERATION) == word
    for address in (CONTROL, DATA_IN, DATA_OUT, 0x00C, 0x030, 0xFFC):
        assert await bus.read_word(address) == 0, hex(address)
    assert await ecc.error() == ORDER  # DATA_OUT was read


@cocotb.test()
async def zeroise_and_reset_leave_no_operand(dut):
    ecc = Ecc(dut)
    await ecc.start()
    curve = BUILT[-1]
    for way in ("zeroise", "reset"):
        private = ecc.random.randrange(1 << 8 * (curve.bytes - 1), curve.n)
        data, spare = private.to_bytes(curve.bytes, "big"), ecc.random.randbytes(12)
        await ecc.begin(curve.code, 0)
        for n in range(0, len(data) - 16, 16):
            await ecc.push(data[n : n + 16])
        for n in range(0, 12, 4):
            await ecc.bus.write(DATA_IN + n, spare[n : n + 4])
        assert residue.find(dut, [spare])
        if way == "zeroise":
            await ecc.bus.write_word(CONTROL, ZEROISE)
            await ecc.swept()
        else:
            await ecc.start()
        assert await ecc.bus.read_word(STATUS) == 0
        secrets = [spare, *(data[n : n + 16] for n in range(2, len(data) - 16, 16))]
        secrets += [one[::-1] for one in secrets]
        left = residue.find(dut, secrets)
        left = [path for path in left if not path.endswith(("_i", "data"))]
        assert not left, left
        await check(ecc, curve, 1, [private])
        assert await ecc.error() == 0
