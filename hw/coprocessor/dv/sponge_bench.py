# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The instructions of Ascon's state and permutation, against the standard in plain Python."""

from __future__ import annotations

from pathlib import Path
from random import Random

import cocotb
from ascon_reference import permute
from ciphermill_dv import residue, stall
from ciphermill_dv.registers import RegisterMap
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge

MAP = RegisterMap(Path(__file__).resolve().parents[1] / "coprocessor_instruction.rdl")
UNIT = MAP.constant("SPONGE", "funct3")
ADD, SET, GET, LONG, SHORT, ZEROISE = MAP.values("SPONGE", "funct7").values()
KNOWN = {
    *(function + word for function in (ADD, SET) for word in range(5)),
    *(GET + half for half in range(10)),
    *(LONG, SHORT, ZEROISE),
}
ROUNDS = {LONG: 12, SHORT: 8}


class Port:
    """The processor's side of the instruction port."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.random = Random(1)
        self.pauses = stall.never(self.random)
        self.cycles = 0

    async def start(self) -> None:
        self.dut.instruction_valid_i.value = 0
        cocotb.start_soon(Clock(self.dut.clk_i, 10, unit="ns").start())
        self.dut.rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, 3)
        self.dut.rst_ni.value = 1
        await ClockCycles(self.dut.clk_i, 1)

    async def step(self) -> None:
        await RisingEdge(self.dut.clk_i)
        self.cycles += 1

    async def issue(self, function: int, value: int = 0, unit: int = UNIT) -> int:
        """Execute an instruction with a word of 64 bits in its operands."""
        dut = self.dut
        while next(self.pauses):
            await self.step()
        dut.instruction_function_i.value = function << 3 | unit
        dut.instruction_a_i.value = value & 0xFFFF_FFFF
        dut.instruction_b_i.value = value >> 32
        dut.instruction_valid_i.value = 1
        for _ in range(13):
            await self.step()
            known = unit == UNIT and function in KNOWN
            assert int(dut.instruction_known_o.value) == known, hex(function)
            if int(dut.instruction_ready_o.value):
                result = int(dut.instruction_result_o.value)
                dut.instruction_valid_i.value = 0
                dut.instruction_a_i.value = self.random.getrandbits(32)
                dut.instruction_b_i.value = self.random.getrandbits(32)
                assert (known and GET <= function < LONG) or result == 0
                return result
        raise AssertionError(f"function {function:#x} waits longer than a permutation takes")

    async def state(self) -> list[int]:
        halves = [await self.issue(GET + n) for n in range(10)]
        return [halves[n] | halves[n + 1] << 32 for n in range(0, 10, 2)]


@cocotb.test()
async def random_sequences(dut):
    port = Port(dut)
    await port.start()
    state = [0] * 5
    for pattern in ("never", "sparse", "alternate", "heavy"):
        port.pauses = stall.PATTERNS[pattern](port.random)
        for _ in range(150):
            what = port.random.choice((ADD, ADD, SET, SET, LONG, SHORT, GET))
            word, value = port.random.randrange(5), port.random.getrandbits(64)
            if what in ROUNDS:
                await port.issue(what, value)
                state = permute(state, ROUNDS[what])
            elif what == GET:
                half = port.random.randrange(2)
                found = await port.issue(GET + 2 * word + half, value)
                assert found == state[word] >> 32 * half & 0xFFFF_FFFF
            else:
                await port.issue(what + word, value)
                state[word] = value if what == SET else state[word] ^ value
        assert await port.state() == state


@cocotb.test()
async def cycles_of_a_permutation(dut):
    """The permutation takes a cycle a round, and the next instruction waits for it."""
    port = Port(dut)
    await port.start()
    for function, rounds in ROUNDS.items():
        await port.issue(function)
        begin = port.cycles
        await port.issue(GET)
        assert port.cycles - begin == rounds + 1
        assert not int(dut.busy_o.value)


@cocotb.test()
async def unknown_functions_answer_at_once_with_zero(dut):
    port = Port(dut)
    await port.start()
    for function in range(128):
        if function not in KNOWN:
            await port.issue(function, port.random.getrandbits(64))
    for unit in range(8):
        if unit != UNIT:
            await port.issue(ADD, port.random.getrandbits(64), unit)
    assert await port.state() == [0] * 5


@cocotb.test()
async def zeroise_does_not_wait_and_leaves_nothing(dut):
    port = Port(dut)
    await port.start()
    secret = port.random.randbytes(8)
    await port.issue(SET + 2, int.from_bytes(secret, "little"))
    assert residue.find(dut, [secret])
    await port.issue(LONG)
    begin = port.cycles
    await port.issue(ZEROISE)
    assert port.cycles - begin == 1
    assert await port.state() == [0] * 5
    left = [path for path in residue.find(dut, [secret]) if not path.endswith("_i")]
    assert not left, left
