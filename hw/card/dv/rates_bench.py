# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Rates of messages in rings, as a share of the slower of memory bus and core."""

from __future__ import annotations

import os
from typing import Any

import cocotb
from card_driver import COMPLETION_BYTES, Card, Descriptor, configuration
from ciphermill_dv.parameters import parameter
from cocotb.triggers import RisingEdge

BLOCK = 16
PIPELINED = 1


def cycles_of_core(mode: str, length: int) -> float:
    """Return the cycles that core or bus need at least for a message of AES-128."""
    blocks = length / BLOCK
    bus = length / (parameter("DataWidth", 128) // 8)
    core = blocks if parameter("Architecture", 0) == PIPELINED else 10 * blocks
    return max(bus, core)


def written(card: Card) -> int:
    """Return the bytes of output that the card has written so far."""
    completions = sum(ring.seen for ring in card.rings)
    return card.memory.beats["w"] * card.memory.width - COMPLETION_BYTES * completions


async def measure(
    card: Card, mode: str, rings: int, length: int, count: int, latency: int, aligned: bool = True
) -> float:
    """Run messages through rings; return the share of their output in the cycles that it took.

    It counts from the first completion to the last, so without the time in which the first
    descriptors and data come from memory: of one ring the messages between, of several the
    bytes that are written between.
    """
    card.memory.latency = latency
    await card.reset()
    chosen = card.rings[:rings]
    offset = 0 if aligned else 7
    for ring in chosen:
        await ring.store_key(1, bytes(range(16)))
        await ring.enable(5)
        for n in range(count):
            ring.put(
                Descriptor(
                    configuration=configuration(mode, "encrypt"),
                    slot=1,
                    iv=n.to_bytes(12, "big"),
                    length=length,
                    source=ring.data + offset,
                    destination=ring.data + 0x40_0000 + 3 * offset,
                    output=length,
                )
            )
    begin = card.memory.cycle
    card.memory.beats["w"] = 0
    for ring in chosen:
        await ring.doorbell()
    waiting = {ring.number: count for ring in chosen}
    first = last = before = moved = 0
    while waiting:
        await RisingEdge(card.dut.clk_i)
        for ring in chosen:
            found = ring.poll() if ring.number in waiting else None
            if not found:
                continue
            assert found.status == {"done"}, found
            last = card.memory.cycle
            if not first:
                first, before = last, written(card)
            moved = written(card) - before
            waiting[ring.number] -= 1
            if not waiting[ring.number]:
                del waiting[ring.number]
    cycles = last - first
    if rings == 1:
        moved = (count - 1) * length
    share = cycles_of_core(mode, length) * moved / length / cycles
    each = (last - begin) / count / rings - cycles_of_core(mode, length)
    card.dut._log.warning(
        f"{mode}, {rings} rings, {count} messages of {length} bytes in each, "
        f"memory {latency} cycles away: {last - begin} cycles, "
        f"{each:.0f} a message besides its data; between completions {100 * share:.1f} %"
    )
    return share


def latencies() -> list[int]:
    """Return the latencies of memory that the run asks for."""
    return [int(word) for word in os.environ.get("CARD_LATENCIES", "1 64").split()]


@cocotb.test()
async def small(dut: Any) -> None:
    """Messages of 4 KiB move at 80 % or more."""
    card = Card(dut)
    for latency in latencies():
        for mode in ("ecb", "ctr", "gcm") if parameter("Gcm", 0) else ("ecb", "ctr"):
            assert await measure(card, mode, 1, 4096, 6, latency) >= 0.80


@cocotb.test()
async def small_on_all_rings(dut: Any) -> None:
    """So they do on all rings at once."""
    card = Card(dut)
    for latency in latencies():
        assert await measure(card, "ctr", parameter("Rings", 1), 4096, 4, latency) >= 0.80


@cocotb.test()
async def large(dut: Any) -> None:
    """Messages of 64 KiB move at 95 % or more."""
    card = Card(dut)
    for latency in latencies():
        assert await measure(card, "ctr", 1, 1 << 16, 2, latency, aligned=False) >= 0.95


@cocotb.test()
async def large_on_all_rings(dut: Any) -> None:
    """So they do on all rings at once."""
    card = Card(dut)
    for latency in latencies()[-1:]:
        assert await measure(card, "ctr", parameter("Rings", 1), 1 << 16, 2, latency) >= 0.95


@cocotb.test()
async def tiny(dut: Any) -> None:
    """Messages of 64 bytes: cycles of each."""
    card = Card(dut)
    for latency in latencies():
        await measure(card, "ctr", 1, 64, 16, latency)
        await measure(card, "ctr", parameter("Rings", 1), 64, 8, latency)
