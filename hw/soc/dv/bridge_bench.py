# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Either bridge between a processor and a coprocessor, with every stall pattern."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
from bridge_models import (
    BOTH_OUT,
    DATA_IN,
    DATA_OUT,
    PATIENCE_CYCLES,
    STATUS,
    Burst,
    Coprocessor,
    Processor,
    register_word,
    reset,
    result_word,
)
from ciphermill_dv.stall import PATTERNS
from cocotb.triggers import RisingEdge, with_timeout

LITE = os.environ["COCOTB_TOPLEVEL"] == "soc_axi_lite_bridge"
WIDTH = int(os.environ.get("PARAM_DataWidth", "32"))  # noqa: SIM112 - the parameter's name
ACTIONS = 80
TIMEOUT_US = 2_000


async def start(dut: Any, pattern: str = "never") -> tuple[Processor, Coprocessor]:
    processor = Processor(dut)
    coprocessor = Coprocessor(dut, processor, LITE, pattern)
    cocotb.start_soon(coprocessor.run())
    await reset(dut)
    return processor, coprocessor


class Work:
    """Random work of a driver, with the values that it must read."""

    def __init__(self, processor: Processor, seed: str) -> None:
        self.processor, self.random = processor, random.Random(seed)
        self.blocks_read = 0

    def word(self) -> int:
        return self.random.getrandbits(32)

    async def push(self, at: int = DATA_IN, words: int = 4) -> None:
        for word in range(words):
            await self.processor.store(at + 4 * word, self.word())
            if self.random.random() < 0.1:
                await self.processor.idle(self.random.randrange(30))

    async def pull(self, at: int = DATA_OUT, blocks: int = 1) -> None:
        for word in range(4 * blocks):
            expected = result_word(self.blocks_read + word // 4, word % 4)
            assert await self.processor.load(at + 4 * word) == expected
            if self.random.random() < 0.1:
                await self.processor.store(DATA_IN + 16 * self.random.randrange(15), self.word())
            if self.random.random() < 0.1:
                assert await self.processor.load(STATUS) == register_word(STATUS)
        self.blocks_read += blocks

    async def act(self) -> None:
        """Do one access that a driver might do, a useless one included."""
        pick = self.random.randrange(9)
        if pick <= 1:
            await self.push(DATA_IN + 16 * self.random.randrange(16))
        elif pick == 2:
            await self.push(DATA_IN + 32 * self.random.randrange(8), 8)
        elif pick == 3:
            await self.push(DATA_IN, self.random.randrange(1, 8))
        elif pick == 4:
            await self.pull(DATA_OUT + 16 * self.random.randrange(8))
        elif pick == 5:
            await self.pull(BOTH_OUT, 2)
        elif pick == 6:
            for word in range(8):
                await self.processor.store(0x020 + 4 * word, self.word())
        elif pick == 7:
            address = self.random.choice((0x004, DATA_IN + 4, DATA_IN + 0x3C))
            await self.processor.store(address, self.word(), self.random.choice((15, 3, 8)))
        else:
            assert await self.processor.load(STATUS) == register_word(STATUS)
            await self.processor.idle(self.random.randrange(40))


@cocotb.test()
@cocotb.parametrize(pattern=list(PATTERNS))
async def every_word_arrives_in_order(dut: Any, pattern: str) -> None:
    processor, coprocessor = await start(dut, pattern)
    work = Work(processor, f"{pattern} {WIDTH} {LITE}")

    async def all_of_it() -> None:
        for _ in range(ACTIONS):
            await work.act()
        while coprocessor.written != processor.stores:
            await processor.idle(PATIENCE_CYCLES)

    await with_timeout(all_of_it(), TIMEOUT_US, "us")
    assert work.blocks_read > 5
    assert coprocessor.popped == work.blocks_read
    assert int(dut.error_o.value) == 0


@cocotb.test()
async def an_error_is_reported(dut: Any) -> None:
    processor, coprocessor = await start(dut, "sparse")
    seen = 0

    async def watch() -> None:
        nonlocal seen
        while True:
            await RisingEdge(dut.clk_i)
            seen += int(dut.error_o.value)

    cocotb.start_soon(watch())
    await processor.store(0x004, 1)
    await processor.load(STATUS)
    assert seen == 0
    coprocessor.response = 2
    await processor.store(0x004, 1)
    await processor.idle(PATIENCE_CYCLES)
    assert seen == 1, "the error of a buffered store"
    await processor.load(STATUS)
    await processor.idle(2)
    assert seen == 2, "the error of a load"


@cocotb.test()
async def a_store_costs_the_processor_one_clock(dut: Any) -> None:
    processor, coprocessor = await start(dut)
    await processor.idle(4)
    cycles = [await processor.store(DATA_IN + 4 * word, word) for word in range(4)]
    assert cycles == [1, 1, 1, 1]
    await processor.idle(PATIENCE_CYCLES)
    assert coprocessor.written == processor.stores


@cocotb.test(skip=LITE)
async def a_block_is_one_burst(dut: Any) -> None:
    processor, coprocessor = await start(dut)
    beat = min(WIDTH // 8, 16)
    block = (16 // beat, beat.bit_length() - 1)
    for word in range(4):
        await processor.store(DATA_IN + 4 * word, word)
    await processor.load(0x000)
    assert coprocessor.write_bursts == [Burst(DATA_IN, *block)]
    for word in range(4):
        assert await processor.load(DATA_OUT + 4 * word) == result_word(0, word)
    assert coprocessor.read_bursts[1:] == [Burst(DATA_OUT, *block)]


@cocotb.test(skip=LITE)
async def two_blocks_are_one_beat_of_256_bits(dut: Any) -> None:
    processor, coprocessor = await start(dut)
    for word in range(8):
        await processor.store(DATA_IN + 0x20 + 4 * word, word)
    await processor.idle(PATIENCE_CYCLES)
    for word in range(8):
        assert await processor.load(BOTH_OUT + 4 * word) == result_word(word // 4, word % 4)
    if WIDTH == 256:
        assert coprocessor.write_bursts == [Burst(DATA_IN + 0x20, 1, 5)]
        assert coprocessor.read_bursts == [Burst(BOTH_OUT, 1, 5)]
    else:
        assert len(coprocessor.write_bursts) == len(coprocessor.read_bursts) == 2


@cocotb.test(skip=LITE)
async def half_a_block_leaves_when_nothing_follows(dut: Any) -> None:
    processor, coprocessor = await start(dut)
    for word in range(2):
        await processor.store(DATA_IN + 4 * word, word)
    assert coprocessor.written == []
    await processor.idle(PATIENCE_CYCLES)
    assert coprocessor.write_bursts == [Burst(DATA_IN, 2, 2)]
    assert coprocessor.written == processor.stores


@cocotb.test(skip=LITE)
async def what_was_fetched_is_void_after_a_store_to_control(dut: Any) -> None:
    processor, coprocessor = await start(dut)
    assert await processor.load(DATA_OUT) == result_word(0, 0)
    await processor.store(0x004, 0x100)
    assert await processor.load(DATA_OUT) == result_word(1, 0)
    assert coprocessor.popped == 2
