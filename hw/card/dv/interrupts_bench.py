# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Interrupts of a ring: moderation by number and time, polling, and what a message costs."""

from __future__ import annotations

from typing import Any

import cocotb
from card_driver import INTERRUPT, Card, Host, Message, Ring


async def prepared(dut: Any) -> tuple[Card, Ring, Host]:
    """Return a card with one ring enabled, and a host for it."""
    card = Card(dut)
    await card.reset()
    ring = card.rings[-1]
    await ring.store_key(1, bytes(range(16)))
    await ring.enable(6)
    return card, ring, Host(ring, 20)


async def give(ring: Ring, host: Host, count: int, flags: int = 0) -> None:
    """Run so many messages of 64 bytes, and wait for their completions."""
    messages = [host.message("ctr", "encrypt", 1, 64, flags=flags) for _ in range(count)]
    for message in messages:
        ring.put(message.descriptor)
    await ring.doorbell()
    for message in messages:
        host.check(message, await ring.next())


async def moderate(ring: Ring, messages: int, cycles: int) -> None:
    """Write the registers of moderation."""
    await ring.write("INTERRUPT_MESSAGES", messages)
    await ring.write("INTERRUPT_CYCLES", cycles)


@cocotb.test()
async def one_message_costs_one_doorbell_and_one_interrupt(dut: Any) -> None:
    """A message of 64 bytes takes one register access and one interrupt."""
    card, ring, host = await prepared(dut)
    await ring.write("INTERRUPT_ENABLE", 1)
    for n in range(1, 4):
        accesses = card.accesses
        await give(ring, host, 1)
        assert card.accesses == accesses + 1
        await card.cycles(20)
        assert card.interrupts[ring.number] == n
    # The others are silent.
    assert sum(card.interrupts) == card.interrupts[ring.number]


@cocotb.test()
async def moderation_by_number(dut: Any) -> None:
    """Sixteen messages an interrupt: 48 give three, and a few more none."""
    card, ring, host = await prepared(dut)
    await moderate(ring, 16, 0)
    await ring.write("INTERRUPT_ENABLE", 1)
    accesses = card.accesses
    await give(ring, host, 48)
    assert card.accesses == accesses + 1
    await card.cycles(20)
    assert card.interrupts[ring.number] == 3
    dut._log.warning("48 messages of 64 bytes: 1 register access, 3 interrupts")
    await give(ring, host, 15)
    await card.cycles(500)
    assert card.interrupts[ring.number] == 3
    await give(ring, host, 1)
    await card.cycles(20)
    assert card.interrupts[ring.number] == 4


MODERATION = 16
"""INTERRUPT_MESSAGES of a host with many messages."""


async def keep_full(ring: Ring, host: Host, count: int, lengths: tuple[int, ...]) -> int:
    """Run messages; give them as soon as half of the entries are free; return the doorbells."""
    waiting: list[Message] = []
    made = doorbells = 0
    while made < count or waiting:
        if made < count and (ring.room >= ring.entries // 2 or not waiting):
            for _ in range(min(ring.room, count - made)):
                length = host.random.choice(lengths)
                message = host.message("ctr", "encrypt", 1, length)
                ring.put(message.descriptor)
                waiting.append(message)
                made += 1
            await ring.doorbell()
            doorbells += 1
        host.check(waiting.pop(0), await ring.next())
    return doorbells


@cocotb.test()
async def many_messages_on_all_rings(dut: Any) -> None:
    """Each ring interrupts once for 16 messages at most, and messages share doorbells."""
    card = Card(dut)
    await card.reset()
    for ring in card.rings:
        await ring.store_key(1, bytes(range(16)))
        await ring.enable(5)
        await moderate(ring, MODERATION, 0)
        await ring.write("INTERRUPT_ENABLE", 1)
    count = 4 * MODERATION
    accesses = card.accesses
    tasks = [
        cocotb.start_soon(keep_full(ring, Host(ring, 30 + ring.number), count, (64, 200, 512)))
        for ring in card.rings
    ]
    doorbells = [await task for task in tasks]
    await card.cycles(20)
    assert card.accesses - accesses == sum(doorbells)
    for ring, rung in zip(card.rings, doorbells, strict=True):
        assert 0 < card.interrupts[ring.number] <= count // MODERATION, ring.number
        assert rung < count // 2, ring.number
    dut._log.warning(
        f"{len(card.rings)} rings, {count} messages in each: "
        f"{sum(doorbells)} doorbells, {sum(card.interrupts)} interrupts"
    )


@cocotb.test()
async def moderation_by_time(dut: Any) -> None:
    """The time counts from the first completion that no interrupt has told."""
    card, ring, host = await prepared(dut)
    await moderate(ring, 16, 400)
    await ring.write("INTERRUPT_ENABLE", 1)
    await give(ring, host, 2)
    await card.cycles(250)
    assert card.interrupts[ring.number] == 0
    await card.cycles(250)
    assert card.interrupts[ring.number] == 1
    await card.cycles(1000)
    assert card.interrupts[ring.number] == 1


@cocotb.test()
async def a_message_that_asks(dut: Any) -> None:
    """A message with the flag does not wait for others."""
    card, ring, host = await prepared(dut)
    await moderate(ring, 16, 0)
    await ring.write("INTERRUPT_ENABLE", 1)
    await give(ring, host, 3)
    await card.cycles(20)
    assert card.interrupts[ring.number] == 0
    await give(ring, host, 1, flags=INTERRUPT)
    await card.cycles(20)
    assert card.interrupts[ring.number] == 1


@cocotb.test()
async def polling(dut: Any) -> None:
    """A host that polls acknowledges; no interrupt is lost, and none comes for what it has seen."""
    card, ring, host = await prepared(dut)
    for messages in (0, 4):
        await moderate(ring, messages, 200)
        await ring.write("INTERRUPT_ENABLE", 0)
        before = card.interrupts[ring.number]
        await give(ring, host, 10)
        await card.cycles(300)
        assert card.interrupts[ring.number] == before
        # All were seen.
        await ring.write("ACKNOWLEDGED", ring.seen)
        await ring.write("INTERRUPT_ENABLE", 1)
        await card.cycles(300)
        assert card.interrupts[ring.number] == before
        # Two come between the last look and the enable.
        await ring.write("INTERRUPT_ENABLE", 0)
        seen = ring.seen
        await give(ring, host, 2)
        await ring.write("ACKNOWLEDGED", seen)
        await ring.write("INTERRUPT_ENABLE", 1)
        await card.cycles(300)
        assert card.interrupts[ring.number] == before + 1
        await card.cycles(300)
        assert card.interrupts[ring.number] == before + 1
        await ring.write("ACKNOWLEDGED", ring.seen)
        await give(ring, host, 1)
        await card.cycles(300)
        assert card.interrupts[ring.number] == before + 2
