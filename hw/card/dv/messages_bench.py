# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Messages through the rings of the card, compared with PyCA cryptography."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from card_driver import Card, Host, Message, Ring
from ciphermill_dv.parameters import parameter

MODES = ["ecb", "cbc", "ctr"]
MODES += ["gcm"] if parameter("Gcm", 0) else []
MODES += ["xts"] if parameter("Xts", 0) else []


def some_length(mode: str, generator: random.Random) -> int:
    """Return a length that a mode takes."""
    length = generator.choice([1, 15, 16, 17, 64, 100, generator.randint(1, 700)])
    return -(-length // 16) * 16 if mode in ("ecb", "cbc", "xts") else length


def some_message(host: Host, slots: list[int]) -> Message:
    """Return a message at random."""
    generator = host.random
    mode = generator.choice(MODES)
    direction = "encrypt" if mode == "ctr" else generator.choice(["encrypt", "decrypt"])
    associated = generator.choice([0, 1, 16, 20, 100]) if mode == "gcm" else 0
    length = some_length(mode, generator)
    if mode == "gcm" and associated and generator.random() < 0.2:
        length = 0
    in_place = generator.random() < 0.2
    most = 1 if in_place else generator.choice([1, 1, 2, 5])
    return host.message(
        mode,
        direction,
        generator.choice(slots),
        length,
        associated,
        most_segments=most,
        in_place=in_place,
    )


async def keys(ring: Ring, generator: random.Random) -> list[int]:
    """Store a key in each of some slots; return the slots."""
    for slot, length in ((1, 16), (2, 32), (parameter("KeySlots", 8), 16)):
        tweak = generator.randbytes(length)
        await ring.store_key(slot, generator.randbytes(length), tweak)
    return list(ring.keys)


async def run(card: Card, ring: Ring, seed: int, count: int, log2: int) -> None:
    """Run messages through a ring, as many at once as it has entries."""
    host = Host(ring, seed)
    generator = host.random
    slots = list(ring.keys)
    waiting: list[Message] = []
    left = count
    while left or waiting:
        batch = min(left, ring.room, generator.randint(1, ring.entries))
        for _ in range(batch):
            message = some_message(host, slots)
            ring.put(message.descriptor)
            waiting.append(message)
        left -= batch
        if batch:
            await ring.doorbell()
        for _ in range(generator.randint(1, len(waiting))):
            host.check(waiting.pop(0), await ring.next())


@cocotb.test()
async def one_message_of_each_mode(dut: Any) -> None:
    """Each mode, one message at a time."""
    card = Card(dut)
    await card.reset()
    ring = card.rings[0]
    await keys(ring, random.Random(1))
    await ring.enable()
    host = Host(ring, 1)
    for mode in MODES:
        for direction in ("encrypt", "decrypt") if mode != "ctr" else ("encrypt",):
            message = host.message(mode, direction, 1, 64, 20 if mode == "gcm" else 0)
            ring.put(message.descriptor)
            await ring.doorbell()
            host.check(message, await ring.next())
    await card.cycles(4)
    assert await ring.read("COMPLETED") == ring.seen
    assert (await ring.fields("STATUS"))["busy"] == 0


@cocotb.test()
async def all_rings_at_once(dut: Any) -> None:
    """Messages at random on all rings, with wraps of the rings."""
    card = Card(dut)
    await card.reset()
    generator = random.Random(2)
    for ring in card.rings:
        await keys(ring, generator)
        await ring.enable(1 + ring.number % 4)
    tasks = [
        cocotb.start_soon(run(card, ring, 100 + ring.number, 30, ring.log2)) for ring in card.rings
    ]
    for task in tasks:
        await task


@cocotb.test()
async def stalls_and_latencies(dut: Any) -> None:
    """The same with a memory that stalls, is far away, or shows its writes early."""
    card = Card(dut)
    await card.reset()
    generator = random.Random(3)
    for ring in card.rings:
        await keys(ring, generator)
        await ring.enable(3)
    for seed, latency, early in ((1, 1, True), (2, 30, False), (None, 100, True)):
        card.memory.stall(seed)
        card.memory.latency = latency
        card.memory.early = early
        tasks = [
            cocotb.start_soon(run(card, ring, 200 + latency + ring.number, 12, 3))
            for ring in card.rings
        ]
        for task in tasks:
            await task
