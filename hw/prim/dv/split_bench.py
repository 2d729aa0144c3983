# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""AXI4-Lite to several subordinates: each access reaches the right one, under all stalls."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import cocotb
from ciphermill_dv.parameters import parameter
from ciphermill_dv.residue import nonzero_registers
from ciphermill_dv.stall import PATTERNS
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, ReadOnly, RisingEdge, with_timeout

PORTS = parameter("Ports", 2)
LOCAL = parameter("LocalWidth", 8)
PLACES = 1 << (PORTS - 1).bit_length()
DECODE_ERROR = 3

Access = tuple[int, int, int, int]
"""Address, protection, data and strobes of a write; the last two are zero for a read."""


async def begin(dut: Any) -> None:
    """Start the clock and reset."""
    for child in dut:
        if child._name.startswith(("s_axil", "m_axil")) and child._name.endswith("_i"):
            child.value = 0
    dut.rst_ni.value = 0
    cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start())
    await ClockCycles(dut.clk_i, 3)
    dut.rst_ni.value = 1
    await ClockCycles(dut.clk_i, 2)


class Subordinates:
    """All subordinates: they answer at random moments and note what they were asked."""

    def __init__(self, dut: Any, share: float) -> None:
        self.dut, self.share = dut, share
        self.writes: list[tuple[int, ...]] = []
        """Of each write: subordinate, address, protection, data, strobes, answer."""
        self.reads: list[tuple[int, ...]] = []
        """Of each read: subordinate, address, protection, answer, data."""

    def _get(self, name: str, port: int, width: int = 1) -> int:
        return int(getattr(self.dut, f"m_axil_{name}").value) >> (port * width) & ((1 << width) - 1)

    def _isolated(self) -> None:
        """No more than one subordinate is asked, and the others see no data."""
        for name in ("awvalid_o", "wvalid_o", "arvalid_o", "bready_o", "rready_o"):
            assert int(getattr(self.dut, f"m_axil_{name}").value).bit_count() <= 1, name
        for port in range(PORTS):
            if not self._get("wvalid_o", port):
                assert self._get("wdata_o", port, 32) == 0, "data beside a write of its own"

    async def run(self) -> None:
        """Answer for ever."""
        dut = self.dut
        ready = dict.fromkeys(("awready_i", "wready_i", "arready_i"), 0)
        address: dict[int, tuple[int, int]] = {}
        data: dict[int, tuple[int, int]] = {}
        asked: dict[int, tuple[int, int]] = {}
        answer: dict[int, int] = {}
        result: dict[int, tuple[int, int]] = {}
        for name in (*ready, "bvalid_i", "rvalid_i"):
            getattr(dut, f"m_axil_{name}").value = 0
        while True:
            await RisingEdge(dut.clk_i)
            self._isolated()
            for port in range(PORTS):
                if self._get("awvalid_o", port) and ready["awready_i"] >> port & 1:
                    address[port] = (int(dut.m_axil_awaddr_o.value), int(dut.m_axil_awprot_o.value))
                if self._get("wvalid_o", port) and ready["wready_i"] >> port & 1:
                    data[port] = (self._get("wdata_o", port, 32), int(dut.m_axil_wstrb_o.value))
                if self._get("arvalid_o", port) and ready["arready_i"] >> port & 1:
                    asked[port] = (int(dut.m_axil_araddr_o.value), int(dut.m_axil_arprot_o.value))
                if port in answer and self._get("bready_o", port):
                    self.writes.append(
                        (port, *address.pop(port), *data.pop(port), answer.pop(port))
                    )
                if port in result and self._get("rready_o", port):
                    self.reads.append((port, *asked.pop(port), *result.pop(port)))
                if port in address and port in data and random.random() < self.share:
                    answer.setdefault(port, random.choice((0, 2)))
                if port in asked and random.random() < self.share:
                    result.setdefault(port, (random.choice((0, 2)), random.getrandbits(32)))
            for name, taken in (("awready_i", address), ("wready_i", data), ("arready_i", asked)):
                ready[name] = sum(
                    1 << port
                    for port in range(PORTS)
                    if port not in taken and random.random() < self.share
                )
                getattr(dut, f"m_axil_{name}").value = ready[name]
            dut.m_axil_bvalid_i.value = sum(1 << port for port in answer)
            dut.m_axil_bresp_i.value = sum(code << 2 * port for port, code in answer.items())
            dut.m_axil_rvalid_i.value = sum(1 << port for port in result)
            # A payload without valid may have any value.
            others = [random.getrandbits(34) for _ in range(PORTS)]
            words = [result.get(n, (others[n] & 3, others[n] >> 2)) for n in range(PORTS)]
            dut.m_axil_rresp_i.value = sum(code << 2 * n for n, (code, _) in enumerate(words))
            dut.m_axil_rdata_i.value = sum(word << 32 * n for n, (_, word) in enumerate(words))


async def offer(
    dut: Any, channel: str, items: Sequence[dict[str, int]], pauses: Iterator[bool]
) -> None:
    """Give words to a channel of the manager's side, each until it is taken."""
    valid, ready = (getattr(dut, f"s_axil_{channel}{name}") for name in ("valid_i", "ready_o"))
    for item in items:
        while next(pauses):
            await RisingEdge(dut.clk_i)
        valid.value = 1
        for name, value in item.items():
            getattr(dut, f"s_axil_{name}_i").value = value
        await RisingEdge(dut.clk_i)
        while not int(ready.value):
            await RisingEdge(dut.clk_i)
        valid.value = 0


async def answers(
    dut: Any, channel: str, names: Sequence[str], count: int, pauses: Iterator[bool]
) -> list[tuple[int, ...]]:
    """Take answers on the manager's side; each must hold until it is taken."""
    valid, ready = (getattr(dut, f"s_axil_{channel}{name}") for name in ("valid_o", "ready_i"))
    got: list[tuple[int, ...]] = []
    waiting: tuple[int, ...] | None = None
    while len(got) < count:
        ready.value = int(not next(pauses))
        await RisingEdge(dut.clk_i)
        if int(valid.value):
            answer = tuple(int(getattr(dut, f"s_axil_{name}_o").value) for name in names)
            assert waiting in (None, answer), f"{channel}: the answer changed before it was taken"
            waiting = None if int(ready.value) else answer
            if waiting is None:
                got.append(answer)
        else:
            assert waiting is None, f"{channel}: valid fell before it was taken"
    ready.value = 0
    return got


def accesses(count: int) -> list[Access]:
    """Return accesses all over the address space, beyond the last subordinate too."""
    return [
        (
            random.getrandbits(LOCAL) | random.randrange(PLACES) << LOCAL,
            random.getrandbits(3),
            random.getrandbits(32) | 1,
            random.getrandbits(4),
        )
        for _ in range(count)
    ]


async def write_all(dut: Any, items: Sequence[Access], patterns: Sequence[str]) -> list[int]:
    """Write everything, address and data each at its own pace; return the answers."""
    pauses = [PATTERNS[name](random.Random(random.random())) for name in patterns]
    cocotb.start_soon(
        offer(dut, "aw", [{"awaddr": a, "awprot": p} for a, p, _, _ in items], pauses[0])
    )
    cocotb.start_soon(
        offer(dut, "w", [{"wdata": d, "wstrb": s} for _, _, d, s in items], pauses[1])
    )
    return [code for (code,) in await answers(dut, "b", ["bresp"], len(items), pauses[2])]


async def read_all(
    dut: Any, items: Sequence[Access], patterns: Sequence[str]
) -> list[tuple[int, ...]]:
    """Read everything; return answers and data."""
    pauses = [PATTERNS[name](random.Random(random.random())) for name in patterns]
    cocotb.start_soon(
        offer(dut, "ar", [{"araddr": a, "arprot": p} for a, p, _, _ in items], pauses[0])
    )
    return await answers(dut, "r", ["rresp", "rdata"], len(items), pauses[1])


async def exchange(dut: Any, subordinates: Subordinates, patterns: Sequence[str]) -> None:
    """Write and read at the same time and compare both sides."""
    subordinates.writes.clear()
    subordinates.reads.clear()
    writes, reads = accesses(30), accesses(30)
    reader = cocotb.start_soon(read_all(dut, reads, patterns[3:]))
    codes = await with_timeout(write_all(dut, writes, patterns[:3]), 200, "us")
    results = await with_timeout(reader, 200, "us")

    def wanted(items: Sequence[Access]) -> list[tuple[int, ...]]:
        return [(a >> LOCAL, a & ((1 << LOCAL) - 1), p, d, s) for a, p, d, s in items]

    given = iter(subordinates.writes)
    for (port, *rest), code in zip(wanted(writes), codes, strict=True):
        if port >= PORTS:
            assert code == DECODE_ERROR
        else:
            assert next(given) == (port, *rest, code)
    assert next(given, None) is None
    asked = iter(subordinates.reads)
    for (port, address, protection, *_), result in zip(wanted(reads), results, strict=True):
        if port >= PORTS:
            assert result == (DECODE_ERROR, 0)
        else:
            assert next(asked) == (port, address, protection, *result)
    assert next(asked, None) is None


@cocotb.test()
async def every_access_at_its_place(dut: Any) -> None:
    """Writes and reads together reach their subordinate, under many pairs of stall patterns."""
    await begin(dut)
    for share in (1.0, 0.6, 0.2):
        subordinates = Subordinates(dut, share)
        running = cocotb.start_soon(subordinates.run())
        await exchange(dut, subordinates, ["never"] * 5)
        for _ in range(8):
            await exchange(dut, subordinates, random.choices(list(PATTERNS), k=5))
        running.cancel()


@cocotb.test()
async def reset_forgets_an_access(dut: Any) -> None:
    """A reset in the middle of accesses leaves nothing of them."""
    await begin(dut)
    never = PATTERNS["never"]
    for _ in range(20):
        items = accesses(30)
        coroutines = [
            Subordinates(dut, 0.5).run(),
            offer(dut, "aw", [{"awaddr": item[0]} for item in items], never(random.Random(1))),
            offer(dut, "w", [{"wdata": item[2]} for item in items], never(random.Random(1))),
            offer(dut, "ar", [{"araddr": item[0]} for item in items], never(random.Random(1))),
            answers(dut, "b", ["bresp"], 30, never(random.Random(1))),
            answers(dut, "r", ["rresp"], 30, never(random.Random(1))),
        ]
        tasks = [cocotb.start_soon(coroutine) for coroutine in coroutines]
        await ClockCycles(dut.clk_i, random.randint(5, 40))
        for task in tasks:
            task.cancel()
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 0
        await ReadOnly()
        assert nonzero_registers(dut) == []
        await RisingEdge(dut.clk_i)
        for name in ("awvalid_i", "wvalid_i", "arvalid_i", "bready_i", "rready_i"):
            getattr(dut, f"s_axil_{name}").value = 0
        await ClockCycles(dut.clk_i, 2)
        dut.rst_ni.value = 1
        for _ in range(4):
            await RisingEdge(dut.clk_i)
            for name in ("m_axil_awvalid_o", "m_axil_wvalid_o", "m_axil_arvalid_o"):
                assert int(getattr(dut, name).value) == 0, name
            assert int(dut.s_axil_bvalid_o.value) == int(dut.s_axil_rvalid_o.value) == 0
