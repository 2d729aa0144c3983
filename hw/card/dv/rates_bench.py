# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Rates of messages in rings, as a share of the slower of memory bus and core."""

from __future__ import annotations

import itertools
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


async def throughput(
    card: Card, length: int, count: int, latency: int, link_bytes: int, mode: str = "ctr"
) -> float:
    """Run messages of AES-128 through all rings; return the share of the slower of link and core.

    It counts from the first burst of output to the last one, so without the time until the first
    data have come. The output of the ring that ends first leaves its share to the others.

    Args:
        card: The card.
        length: Bytes of a message.
        count: Messages of each ring.
        latency: Cycles of memory.
        link_bytes: Bytes a cycle, each way, of the link to memory.
        mode: Of the cipher.
    """
    memory = card.memory
    memory.latency, memory.link_bytes = latency, link_bytes
    await card.reset()
    completions = []
    for ring in card.rings:
        await ring.store_key(1, bytes(range(16)))
        await ring.enable(5)
        completions.append(range(ring.completions, ring.completions + COMPLETION_BYTES * 32))
        for n in range(count):
            ring.put(
                Descriptor(
                    configuration=configuration(mode, "encrypt"),
                    slot=1,
                    iv=n.to_bytes(12, "big"),
                    length=length,
                    source=ring.data,
                    destination=ring.data + 0x40_0000,
                    output=length,
                )
            )
    memory.writes.clear()
    for ring in card.rings:
        await ring.doorbell()
    total = count * length * len(card.rings)
    moved = first = begin = seen = 0
    while moved < total:
        await RisingEdge(card.dut.clk_i)
        for address, size in memory.writes[seen:]:
            if any(address in place for place in completions):
                continue
            moved += size
            if not begin:
                begin, first = memory.cycle, size
        seen = len(memory.writes)
    cycles = memory.cycle - begin
    for ring in card.rings:
        for _ in range(count):
            completion = await ring.next()
            assert completion.status == {"done"}, completion
    core = length / cycles_of_core(mode, length)
    share = (moved - first) / cycles / min(core, link_bytes)
    card.dut._log.warning(
        f"{mode}, {len(card.rings)} rings, {count} messages of {length} bytes in each, memory "
        f"{latency} cycles away, link of {link_bytes} bytes a cycle: {100 * share:.1f} %"
    )
    return share


def links() -> list[int]:
    """Return the bytes a cycle of the links that the run asks for."""
    return [int(word) for word in os.environ.get("CARD_LINKS", "16").split()]


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


async def sweep(dut: Any, length: int, count: int, least: float) -> None:
    """Measure at every link and latency; fail after the last if one share was too small."""
    card = Card(dut)
    points = list(itertools.product(links(), latencies()))
    shares = {
        (link, latency): await throughput(card, length, count, latency, link)
        for link, latency in points
    }
    missed = {point: share for point, share in shares.items() if share < least}
    assert not missed, f"less than {least} at (bytes a cycle, cycles): {missed}"


@cocotb.test()
async def sweep_of_long_messages(dut: Any) -> None:
    """Messages of 64 KiB on all rings move at 95 % or more, whatever the link."""
    await sweep(dut, 1 << 16, 1, 0.95)


@cocotb.test()
async def sweep_of_short_messages(dut: Any) -> None:
    """Messages of 4 KiB on all rings move at 80 % or more, whatever the link."""
    await sweep(dut, 1 << 12, 8, 0.80)
