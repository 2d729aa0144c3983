# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""CVA6's AXI4 port on the local bus: random transactions with every stall pattern.

The transactions are of the kinds that CVA6 makes. As each is taken, a plain model says which
transfers must follow on the local bus and which answers on AXI.
"""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import cocotb
from ciphermill_dv.stall import PATTERNS
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadWrite, RisingEdge, with_timeout

PERIOD_PS = 10_000
TRANSACTIONS = 150
TIMEOUT_US = 500
NOWHERE = 0xFFFF_FFF8
Transfer = tuple[int, int, int, int, int]
"""Write, following, address, data and strobes; data and strobes of a write only."""


def content(address: int) -> int:
    """Return the word that the local bus reads at an address."""
    return (address * 0x9E3779B1 + 0x1234567) & 0xFFFF_FFFF


class Bench:
    """Both sides of the bridge, and the model between them."""

    def __init__(self, dut: Any, pattern: str) -> None:
        self.dut = dut
        self.random = random.Random(pattern)
        self.pauses = {
            name: PATTERNS[pattern](random.Random(f"{pattern} {name}"))
            for name in ("write", "read", "local", "b", "r")
        }
        self.offered: dict[str, dict[str, int] | None] = {"aw": None, "ar": None}
        self.transfers: deque[Transfer] = deque()
        self.written: deque[int] = deque()
        self.read: deque[tuple[int, int, int, int]] = deque()
        self.waiting = False
        self.taken = 0
        self.unknown = 0

    def a_write(self, **others: int) -> dict[str, int]:
        """Return a write of an aligned byte, half, word or doubleword."""
        size = self.random.randrange(4)
        address = self.random.randrange(1 << 12) >> size << size
        strobes = ((1 << (1 << size)) - 1) << address % 8
        data = self.random.getrandbits(64)
        common = {"awid": self.random.randrange(16), "awlock": 0, "awatop": 0}
        return {**common, "awaddr": address, "wdata": data, "wstrb": strobes, **others}

    def a_read(self, **others: int) -> dict[str, int]:
        """Return a read of an aligned narrow beat, or of one or two doublewords."""
        size = self.random.randrange(4)
        length = self.random.randrange(2) if size == 3 else 0
        beats = self.random.randrange(1 << 8)
        address = beats << 4 if length else beats << size
        common = {"arid": self.random.randrange(16), "arlock": 0}
        return {**common, "araddr": address, "arlen": length, "arsize": size, **others}

    def expect(self, channel: str, taken: dict[str, int]) -> None:
        """Note what must follow on a transaction."""
        self.taken += 1
        words: list[tuple[int, int, int]] = []
        address = taken[f"{channel}addr"]
        address = NOWHERE | address & 7 if address >> 32 else address
        if channel == "aw":
            self.written.append(taken["awid"])
            for half in (0, 1):
                strobes = taken["wstrb"] >> 4 * half & 15
                data = taken["wdata"] >> 32 * half & 0xFFFF_FFFF
                words += [(address & ~7 | 4 * half, data, strobes)] if strobes else []
        else:
            wide = taken["arsize"] == 3
            for beat in range(taken["arlen"] + 1):
                at = (address & ~3) + 8 * beat
                pair = [at, at + 4] if wide else [at, at]
                value = content(pair[1]) << 32 | content(pair[0])
                self.read.append((1, taken["arid"], value, int(beat == taken["arlen"])))
                words += [(one, 0, 0) for one in (pair if wide else pair[:1])]
        for number, (at, data, strobes) in enumerate(words):
            self.transfers.append((int(channel == "aw"), int(number > 0), at, data, strobes))

    def local_transfer(self) -> None:
        """Check the transfer that happens on the local bus in this cycle."""
        value = int(self.dut.data_o.value)
        fields = []
        for width in (4, 32, 32, 1, 1, 1):
            fields.append(value & ((1 << width) - 1))
            value >>= width
        strobes, data, address, following, write, valid = fields
        assert valid or not self.waiting, "a request fell before it was answered"
        response = int(self.dut.data_i.value)
        self.waiting = bool(valid) and not response >> 32
        if valid and response >> 32:
            got = (write, following, address, data * write, strobes)
            assert got == self.transfers.popleft()

    def offer(self, channel: str, transaction: dict[str, int] | None) -> None:
        """Drive a channel."""
        self.offered[channel] = transaction
        for name, value in (transaction or {}).items():
            getattr(self.dut, f"s_axi_{name}_i").value = value
        for name in ("aw", "w") if channel == "aw" else ("ar",):
            getattr(self.dut, f"s_axi_{name}valid_i").value = int(transaction is not None)

    async def step(self) -> None:
        """Pass a cycle, and check what happened in it."""
        await RisingEdge(self.dut.clk_i)
        dut = self.dut
        self.unknown += int(dut.unknown_o.value)
        self.local_transfer()
        for channel in ("aw", "ar"):
            ready = int(getattr(dut, f"s_axi_{channel}ready_o").value)
            offered = self.offered[channel]
            if ready and offered is not None:
                self.expect(channel, offered)
                self.offer(channel, None)
        if int(dut.s_axi_bvalid_o.value) and int(dut.s_axi_bready_i.value):
            assert int(dut.s_axi_bid_o.value) == self.written.popleft()
        if int(dut.s_axi_rvalid_o.value) and int(dut.s_axi_rready_i.value):
            got = tuple(int(getattr(dut, f"s_axi_r{n}_o").value) for n in ("id", "data", "last"))
            assert (1, *got) == self.read.popleft()
        dut.s_axi_bready_i.value = int(not next(self.pauses["b"]))
        dut.s_axi_rready_i.value = int(not next(self.pauses["r"]))
        await ReadWrite()  # the local bus sees what the registers request from now on
        address = int(dut.data_o.value) >> 36 & 0xFFFF_FFFF
        ready = not next(self.pauses["local"])
        dut.data_i.value = int(ready) << 32 | content(address)

    async def drain(self) -> None:
        """Wait until everything is answered."""
        while any((*self.offered.values(), self.transfers, self.written, self.read)):
            await self.step()


async def start(dut: Any, pattern: str = "never") -> Bench:
    dut.rst_ni.value = 0
    dut.data_i.value = 0
    for name in ("b", "r"):
        getattr(dut, f"s_axi_{name}ready_i").value = 0
    bench = Bench(dut, pattern)
    for channel in ("aw", "ar"):
        bench.offer(channel, None)
    cocotb.start_soon(Clock(dut.clk_i, PERIOD_PS, unit="ps").start())
    await ClockCycles(dut.clk_i, 3)
    dut.rst_ni.value = 1
    return bench


@cocotb.test()
@cocotb.parametrize(pattern=list(PATTERNS))
async def every_transaction_becomes_its_transfers(dut: Any, pattern: str) -> None:
    bench = await start(dut, pattern)

    async def all_of_it() -> None:
        while bench.taken < TRANSACTIONS:
            await bench.step()
            if bench.offered["aw"] is None and not next(bench.pauses["write"]):
                bench.offer("aw", bench.a_write())
            if bench.offered["ar"] is None and not next(bench.pauses["read"]):
                # Writes go first, so a read is taken only where none is offered.
                bench.offer("ar", bench.a_read())
                bench.offer("aw", bench.offered["aw"] if bench.random.random() < 0.5 else None)
        await bench.drain()

    await with_timeout(all_of_it(), TIMEOUT_US, "us")
    assert bench.unknown == 0


@cocotb.test()
async def a_line_takes_four_transfers_in_a_row(dut: Any) -> None:
    bench = await start(dut)
    await bench.step()
    bench.offer("ar", bench.a_read(araddr=0x40, arlen=1, arsize=3))
    cycles = 0
    while bench.offered["ar"] or bench.read:
        await bench.step()
        cycles += 1
    assert cycles == 6  # the address, four transfers, the last answer


@cocotb.test()
async def an_address_above_32_bits_is_that_of_nothing(dut: Any) -> None:
    bench = await start(dut)
    await bench.step()
    bench.offer("aw", bench.a_write(awaddr=1 << 32, wstrb=0x0F))
    await bench.drain()
    bench.offer("ar", bench.a_read(araddr=1 << 63, arlen=0, arsize=2))
    await bench.drain()
    assert bench.taken == 2


@cocotb.test()
async def atomic_accesses_are_reported(dut: Any) -> None:
    bench = await start(dut)
    await bench.step()
    bench.offer("aw", bench.a_write(awatop=0x20))
    await bench.drain()
    assert bench.unknown == 1
    bench.offer("aw", bench.a_write(awlock=1))
    await bench.drain()
    assert bench.unknown == 2
    bench.offer("ar", bench.a_read(arlock=1))
    await bench.drain()
    assert bench.unknown == 3
