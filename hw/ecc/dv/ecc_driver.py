# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Drives an ECC engine: operations in, answers out, with idle and back-pressure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from ciphermill_dv import stall
from ciphermill_dv.parameters import parameter
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, First, RisingEdge
from cocotb.utils import get_sim_time
from ecc_curves import CURVES, Curve
from ecc_reference import Answer

PERIOD_NS = 10
STEPS_IN_A_NS = 1000
OUTPUTS = ("result_valid_o", "result_o", "result_last_o", "status_valid_o", "status_o")


@dataclass(frozen=True)
class Run:
    """An operation that has ended."""

    answer: Answer
    cycles: int
    """From the start handshake to a valid status."""
    trace: int
    """Digest of all that the engine did in each cycle, but for its data."""


class EccDriver:
    """One engine."""

    def __init__(self, dut, *, seed: int = 1) -> None:
        self.dut = dut
        self.random = Random(seed)
        choice = parameter("Curves", 7)
        self.curves = [curve for curve in CURVES if choice >> curve.code & 1]
        self.set_stalls("never", "never")

    def set_stalls(self, inputs: str, outputs: str) -> None:
        """Choose the idle pattern of the inputs and the back-pressure of the outputs."""
        self._idle: Iterator[bool] = getattr(stall, inputs)(self.random)
        self._busy: Iterator[bool] = getattr(stall, outputs)(self.random)

    def rest(self) -> None:
        """Offer nothing and take nothing."""
        names = ("start_valid_i", "operation_i", "curve_i", "operand_valid_i", "operand_i")
        for name in (*names, "result_ready_i", "status_ready_i", "zeroise_i"):
            getattr(self.dut, name).value = 0

    async def start(self) -> None:
        """Start the clock, reset the engine and wait until its memory is clear."""
        self.rest()
        self.dut.rst_ni.value = 0
        Clock(self.dut.clk_i, PERIOD_NS, unit="ns").start()
        await FallingEdge(self.dut.clk_i)
        await FallingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 1
        await self.until_clear()

    async def until_clear(self) -> None:
        """Wait until the engine is no longer busy."""
        for _ in range(1000):
            await RisingEdge(self.dut.clk_i)
            if not int(self.dut.busy_o.value):
                return
            for name in ("start_ready_o", "operand_ready_o", "result_valid_o", "status_valid_o"):
                assert not int(getattr(self.dut, name).value), f"{name} while busy"
        raise AssertionError("the engine stays busy")

    async def begin(self, curve: Curve, operation: int) -> None:
        """Offer an operation until it is taken."""
        dut = self.dut
        while next(self._idle):
            await RisingEdge(dut.clk_i)
        dut.start_valid_i.value = 1
        dut.operation_i.value = operation
        dut.curve_i.value = curve.code
        await self._taken(dut.start_ready_o)
        dut.start_valid_i.value = 0

    async def give(self, data: bytes) -> None:
        """Offer bytes one after another until they are taken, or the operation ends."""
        dut = self.dut
        for byte in data:
            while next(self._idle):
                await RisingEdge(dut.clk_i)
            dut.operand_valid_i.value = 1
            dut.operand_i.value = byte
            await self._taken(dut.operand_ready_o)
            dut.operand_valid_i.value = 0
            dut.operand_i.value = self.random.getrandbits(8)

    async def _taken(self, ready) -> None:
        for _ in range(3000):
            await RisingEdge(self.dut.clk_i)
            if int(ready.value):
                return
        raise AssertionError(f"{ready._name} does not come")

    async def run(self, curve: Curve, operation: int, operands: list[int]) -> Run:
        """Run an operation to its status."""
        dut = self.dut
        await self.begin(curve, operation)
        begin = get_sim_time("step")
        await self.give(b"".join(number.to_bytes(curve.bytes, "big") for number in operands))
        results: list[int] = []
        data = b""
        while not int(dut.status_valid_o.value):
            if not int(dut.result_valid_o.value):
                await First(RisingEdge(dut.result_valid_o), RisingEdge(dut.status_valid_o))
                await FallingEdge(dut.clk_i)
                continue
            byte, last = int(dut.result_o.value), int(dut.result_last_o.value)
            while next(self._busy):
                await RisingEdge(dut.clk_i)
                await FallingEdge(dut.clk_i)
                assert (int(dut.result_valid_o.value), int(dut.result_o.value)) == (1, byte)
            dut.result_ready_i.value = 1
            await RisingEdge(dut.clk_i)
            data += bytes([byte])
            assert last == (len(data) == curve.bytes), "the last byte of a result"
            if last:
                results.append(int.from_bytes(data, "big"))
                data = b""
            await FallingEdge(dut.clk_i)
            dut.result_ready_i.value = 0
            if not int(dut.result_valid_o.value):
                assert not int(dut.result_o.value), "result_o is not zero without valid"
        cycles = (get_sim_time("step") - begin) // (PERIOD_NS * STEPS_IN_A_NS)
        status, trace = int(dut.status_o.value), int(dut.trace_q.value)
        while next(self._busy):
            await RisingEdge(dut.clk_i)
            await FallingEdge(dut.clk_i)
            assert (int(dut.status_valid_o.value), int(dut.status_o.value)) == (1, status)
        dut.status_ready_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.status_ready_i.value = 0
        await FallingEdge(dut.clk_i)
        assert int(dut.idle_o.value) and not any(int(getattr(dut, n).value) for n in OUTPUTS)
        await RisingEdge(dut.clk_i)
        return Run((status, results), cycles, trace)
