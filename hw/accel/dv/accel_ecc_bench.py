# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Elliptic curves in the accelerator: operations, refusals, aborts, zeroises.

``CIPHERMILL_CURVE`` is the code of the curve to test.
"""

from __future__ import annotations

import itertools
import os
import random
from typing import Any

import cocotb
import ecc_reference as ecc
import register_map
from accelerator import STALLS, Accelerator
from ciphermill_dv import residue
from cocotb.triggers import ClockCycles, RisingEdge, Timer, with_timeout
from cocotbext.axi import AxiStreamFrame
from ecc_curves import CURVES, Curve

CURVE = CURVES[int(os.environ.get("CIPHERMILL_CURVE", 0))]
FASTEST_CYCLES = 1000
"""No operation that is not refused ends within so many cycles."""
LONGEST_MS = 20
"""No operation takes as long: 2 million cycles."""


async def ready(dut: Any) -> Accelerator:
    """Return an accelerator after reset that interrupts at the end of a message."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    await accelerator.write("INTERRUPT_ENABLE", register_map.pack("INTERRUPT_ENABLE", done=1))
    return accelerator


def octets(curve: Curve, operands: list[int]) -> bytes:
    """Return operands as a message has them."""
    return b"".join(number.to_bytes(curve.bytes, "big") for number in operands)


async def start(
    accelerator: Accelerator, operation: int, length: int, curve: int, **others: int
) -> None:
    """Configure and start an operation, without an interrupt of an earlier one."""
    await accelerator.write("INTERRUPT_STATE", 3)
    word = register_map.pack("CONFIGURATION", operation=operation, curve=curve, **others)
    await accelerator.write("CONFIGURATION", word)
    await accelerator.start(length)


async def run(
    accelerator: Accelerator, operation: int, operands: list[int], sink: bool = False
) -> ecc.Answer:
    """Run an operation; return its outcome and its results."""
    data = octets(CURVE, operands)
    await start(accelerator, operation, len(data), CURVE.code, sink=int(sink))
    accelerator.send(data)
    await with_timeout(RisingEdge(accelerator.channel.interrupt_o), LONGEST_MS, "ms")
    status = await accelerator.fields("STATUS")
    assert status["busy"] == status["forged"] == 0
    assert status["done"] == (status["outcome"] == 0), status
    given = b"" if accelerator.sink.empty() else await accelerator.receive()
    assert accelerator.sink.empty(), "more output than the operation has"
    size = CURVE.bytes
    parts = [given[n : n + size] for n in range(0, len(given), size)]
    return status["outcome"], [int.from_bytes(part, "big") for part in parts]


async def check(accelerator: Accelerator, operation: int, operands: list[int]) -> list[int]:
    """Run an operation and compare with the reference; return the results."""
    got = await run(accelerator, operation, operands)
    assert got == ecc.answer(CURVE, operation, operands), (ecc.NAMES[operation], operands)
    return got[1]


async def check_alive(accelerator: Accelerator) -> None:
    """Run an operation that ends well."""
    assert not await accelerator.errors()
    await check(accelerator, ecc.PUBLIC, [random.randrange(1, CURVE.n)])


def digest() -> int:
    return random.getrandbits(CURVE.bits)


@cocotb.test()
async def operations(dut: Any) -> None:
    """Every operation, with idle and back-pressure; its cycles."""
    accelerator = await ready(dut)
    stalls = itertools.cycle(STALLS)
    seen = []

    async def one(operation: int, operands: list[int]) -> list[int]:
        accelerator.stall(next(stalls), operation + 1)
        results = await check(accelerator, operation, operands)
        seen.append(f"{ecc.NAMES[operation]} {await accelerator.read_pair('CYCLES')}")
        return results

    d, *q = await one(ecc.GENERATE, [random.randrange(CURVE.n - 1)])
    assert await one(ecc.PUBLIC, [d]) == q
    number = digest()
    signature = await one(ecc.SIGN, [d, random.randrange(1, CURVE.n), number])
    await one(ecc.VERIFY, [*q, *signature, number])
    await one(ecc.AGREE, [d, *q])
    assert not await accelerator.errors()
    dut._log.warning(f"{CURVE.name}: {', '.join(seen)} cycles")


@cocotb.test()
async def outcomes(dut: Any) -> None:
    """Operands that are refused, and a wrong signature: the outcome says why, nothing leaves."""
    accelerator = await ready(dut)
    n, p, g = CURVE.n, CURVE.p, CURVE.g
    number = digest()
    refused: list[tuple[int, list[int]]] = [
        (ecc.GENERATE, [n - 1]),
        (ecc.PUBLIC, [0]),
        (ecc.SIGN, [n, 1, number]),
        (ecc.SIGN, [1, 0, number]),
        (ecc.AGREE, [1, p, g[1]]),
        (ecc.AGREE, [1, 0, 0]),
        (ecc.AGREE, [1, g[0], g[1] ^ 1]),
        (ecc.VERIFY, [*g, 0, 1, number]),
        (ecc.VERIFY, [*g, 1, 1, number]),
    ]
    found = set()
    for operation, operands in refused:
        assert await check(accelerator, operation, operands) == []
        found.add((await accelerator.fields("STATUS"))["outcome"])
    assert found == set(range(1, 9)), "every outcome that operands can cause"
    await check_alive(accelerator)


@cocotb.test()
async def identity(dut: Any) -> None:
    """The capability registers agree with the build's parameters."""
    accelerator = await ready(dut)
    capability = await accelerator.fields("CAPABILITY")
    curves, sha2 = int(dut.Curves.value), int(dut.Sha2WordSizes.value)
    wanted = {
        "algorithm": 3,
        "architecture": int(dut.EccArchitecture.value),
        "p_256": curves & 1,
        "p_384": curves >> 1 & 1,
        "p_521": curves >> 2,
        "sha2_32": sha2 & 1,
        "sha2_64": sha2 >> 1,
        "sink": 1,
        "asynchronous": int(accelerator.asynchronous),
    }
    assert {name: value for name, value in capability.items() if value} == {
        name: value for name, value in wanted.items() if value
    }


@cocotb.test()
async def refused(dut: Any) -> None:
    """Refused: absent operations and curves, other lengths, a key, the bypass."""
    accelerator = await ready(dut)

    async def refusal(operation: int, length: int, curve: int = CURVE.code, **others: int) -> set:
        await start(accelerator, operation, length, curve, **others)
        assert (await accelerator.wait_status(busy=0))["done"] == 0
        found = await accelerator.errors()
        await accelerator.give_up()
        return found

    size, curves = CURVE.bytes, int(dut.Curves.value)
    for operation in range(ecc.AGREE + 1, 8):
        assert await refusal(operation, size) == {"unsupported"}
    for curve in range(4):
        if not curves >> curve & 1:
            assert "unsupported" in await refusal(ecc.PUBLIC, size, curve)
    for operation, count in enumerate(ecc.OPERANDS):
        for length in (0, count * size - 1, count * size + 1, count * size + (1 << 32)):
            assert await refusal(operation, length) == {"length"}
    assert await refusal(ecc.PUBLIC, size, bypass=1) == {"unsupported"}
    await accelerator.load_key(bytes(range(16)))
    assert await accelerator.errors() == {"unsupported"}
    await check_alive(accelerator)


@cocotb.test()
async def framing(dut: Any) -> None:
    """A packet of another length than its operands ends the message."""
    accelerator = await ready(dut)
    length = 3 * CURVE.bytes
    hole = [1] * length
    hole[18] = 0
    frames = {
        "early": bytes(length - 1),
        "a block early": bytes(length - 16),
        "late": bytes(length + 1),
        "hole": AxiStreamFrame(tdata=bytes(length), tkeep=hole),
    }
    for name, frame in frames.items():
        await start(accelerator, ecc.SIGN, length, CURVE.code)
        accelerator.source.send_nowait(frame)
        status = await accelerator.wait_status(busy=0)
        assert status["done"] == status["outcome"] == 0, name
        assert await accelerator.errors() == {"framing"}, name
        await accelerator.source.wait()  # the rest is dropped, and the sender does not hang
        await accelerator.give_up()
    await check_alive(accelerator)


@cocotb.test()
async def sink(dut: Any) -> None:
    """The sink counts the results."""
    accelerator = await ready(dut)
    assert await run(accelerator, ecc.PUBLIC, [1], sink=True) == (0, [])
    assert await accelerator.read_pair("SINK_BYTES") == 2 * CURVE.bytes


@cocotb.test()
async def forgotten(dut: Any) -> None:
    """After an operation, an abort and a zeroise, nothing holds a word of operand or result."""
    accelerator = await ready(dut)
    private = random.randrange(1, CURVE.n)
    point = CURVE.multiply(private, CURVE.g)
    for end in ("operation", "abort", "zeroise", "operation"):
        data = octets(CURVE, [private])
        secrets = [data, data[::-1], octets(CURVE, list(point)), octets(CURVE, list(point))[::-1]]
        if end == "operation":
            await check(accelerator, ecc.PUBLIC, [private])
        else:
            await start(accelerator, ecc.PUBLIC, len(data), CURVE.code)
            accelerator.send(data)
            await ClockCycles(dut.clk_i, FASTEST_CYCLES)
            assert residue.find(dut, secrets), "the search does not see the private key"
            await accelerator.command(end)
            await accelerator.wait_status(busy=0, zeroising=0)
            assert (await accelerator.fields("STATUS"))["done"] == 0
        accelerator.drop_streams()
        await ClockCycles(dut.clk_i, 2)
        await Timer(1, "ns")
        found = residue.find(dut, secrets)
        assert not found, (end, found)
    await check_alive(accelerator)


@cocotb.test()
async def aborted(dut: Any) -> None:
    """An abort at any moment drops the operation, also while it takes operands or gives results."""
    accelerator = await ready(dut)
    operands = [random.randrange(1, CURVE.n), random.randrange(1, CURVE.n), digest()]
    data = octets(CURVE, operands)
    for cycles in (0, 2, 7, 40, len(data), 3 * len(data)):
        await start(accelerator, ecc.SIGN, len(data), CURVE.code)
        accelerator.send(data)
        await ClockCycles(dut.clk_i, cycles)
        await accelerator.give_up()
    accelerator.sink.pause = True
    await start(accelerator, ecc.PUBLIC, CURVE.bytes, CURVE.code)
    accelerator.send(octets(CURVE, [1]))
    await with_timeout(RisingEdge(accelerator.channel.u_streams.out_valid_i), LONGEST_MS, "ms")
    await ClockCycles(dut.clk_i, 200)
    assert (await accelerator.fields("STATUS"))["busy"] == 1, "the results have not left"
    await accelerator.give_up()
    await check_alive(accelerator)
