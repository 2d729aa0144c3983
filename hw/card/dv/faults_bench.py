# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong on a ring: refused messages, memory errors, bad lists, aborts, and a reset.

After each fault the messages that follow are compared with PyCA cryptography again, and so are
those of the other rings.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import cocotb
import register_map
from card_driver import (
    CARD,
    DESCRIPTOR_BYTES,
    DESTINATION_LIST,
    PAGE,
    RING,
    SOURCE_LIST,
    Card,
    Completion,
    Host,
    Message,
    Ring,
    configuration,
)
from ciphermill_dv import residue
from ciphermill_dv.parameters import ports_only
from cocotb.triggers import ClockCycles
from messages_bench import keys, run, some_message

SLVERR = 2


async def prepared(dut: Any, log2: int = 3) -> Card:
    """Return a card with keys in its slots and its rings enabled."""
    card = Card(dut)
    await card.reset()
    generator = random.Random(5)
    for ring in card.rings:
        await keys(ring, generator)
        await ring.enable(log2)
    return card


async def amid_others(
    ring: Ring, host: Host, break_it: Callable[[Message], None], before: int = 1, after: int = 3
) -> Completion:
    """Run a broken message between good ones; return its completion. The good ones must pass."""
    messages = []
    for n in range(before + 1 + after):
        message = host.message("ctr", "encrypt", 1, 100 + 16 * n)
        if n == before:
            break_it(message)
        ring.put(message.descriptor)
        messages.append(message)
    await ring.doorbell()
    for message in messages[:before]:
        host.check(message, await ring.next())
    broken = await ring.next()
    assert broken.cookie == messages[before].descriptor.cookie
    assert "done" not in broken.status
    assert broken.count == 0
    assert broken.tag == bytes(16)
    for message in messages[before + 1 :]:
        host.check(message, await ring.next())
    assert not await ring.errors(), "a message's failure does not stop its ring"
    return broken


@cocotb.test()
async def messages_that_fail(dut: Any) -> None:
    """Each way in which one message fails, amid others; the status says which."""
    card = await prepared(dut)
    ring = card.rings[0]
    host = Host(ring, 6)
    others = [cocotb.start_soon(run(card, r, 300 + r.number, 40, 3)) for r in card.rings[1:]]
    memory = card.memory

    def no_slot(message: Message) -> None:
        message.descriptor.slot = 0

    def empty_slot(message: Message) -> None:
        message.descriptor.slot = 255

    def bad_length(message: Message) -> None:
        message.descriptor.configuration = configuration("ecb", "encrypt")
        message.descriptor.length = message.descriptor.output = 17

    def no_such_mode(message: Message) -> None:
        message.descriptor.configuration = configuration("aead", "encrypt")
        message.descriptor.length = message.descriptor.output = 96

    def short_output(message: Message) -> None:
        message.descriptor.output = 33

    def long_output(message: Message) -> None:
        # To one place: a list would end before the output, which is another fault.
        message.descriptor.flags &= ~DESTINATION_LIST
        message.descriptor.destination = ring.data + 0xF20_0000
        message.descriptor.output += 16

    def no_output(message: Message) -> None:
        message.descriptor.output = 0

    def output_of_sink(message: Message) -> None:
        message.descriptor.configuration |= register_map.pack("CONFIGURATION", sink=1)

    def unknown_packet(message: Message) -> None:
        message.descriptor.flags |= 8

    def unknown_associated(message: Message) -> None:
        # Each packet has the length of the message, so the accelerator would take either.
        message.descriptor.associated = message.descriptor.length

    def bad_source(message: Message) -> None:
        message.descriptor.flags &= ~SOURCE_LIST
        message.descriptor.source = 0xDEAD_0000_0123
        memory.refuse_reads = [range(0xDEAD_0000_0000, 0xDEAD_0001_0000)]

    def bad_destination(message: Message) -> None:
        message.descriptor.flags &= ~DESTINATION_LIST
        message.descriptor.destination = 0xDEAD_0000_0123
        memory.refuse_writes = [range(0xDEAD_0000_0000, 0xDEAD_0001_0000)]

    def unaligned_list(message: Message) -> None:
        message.descriptor.flags |= SOURCE_LIST
        message.descriptor.source = ring.data + 8

    def empty_segment(message: Message) -> None:
        message.descriptor.flags |= DESTINATION_LIST
        message.descriptor.destination = ring.data + 0xF00_0000
        host.list_of(ring.data + 0xF00_0000, [(ring.data + 0xF10_0000, 5), (ring.data, 0)])

    def unreadable_list(message: Message) -> None:
        message.descriptor.flags |= SOURCE_LIST
        message.descriptor.source = 0xDEAD_0000_0000
        memory.refuse_reads = [range(0xDEAD_0000_0000, 0xDEAD_0001_0000)]

    unsupported = register_map.pack("ERROR", unsupported=1)
    length = register_map.pack("ERROR", length=1)
    cases: list[tuple[Callable[[Message], None], set[str], int]] = [
        (no_slot, {"key"}, 0),
        (empty_slot, {"key"}, 0),
        (bad_length, {"refused"}, length),
        (no_such_mode, {"refused"}, unsupported),
        (short_output, {"lengths"}, 0),
        (long_output, {"lengths"}, 0),
        (no_output, {"lengths"}, 0),
        (output_of_sink, {"lengths"}, 0),
        (unknown_packet, {"lengths"}, 0),
        (unknown_associated, {"lengths"}, 0),
        (bad_source, {"read"}, 0),
        (unaligned_list, {"list"}, 0),
        (empty_segment, {"list"}, 0),
        (unreadable_list, {"read"}, 0),
    ]
    for break_it, status, error in cases:
        for before in (0, 2):
            broken = await amid_others(ring, host, break_it, before)
            assert broken.status == status, (break_it.__name__, broken)
            assert broken.error == error, (break_it.__name__, broken)
            memory.refuse_reads = []
    # A message whose output cannot be written, alone: those behind it may fail with it.
    for latency in (1, 40):
        memory.latency = latency
        broken = await amid_others(ring, host, bad_destination, before=1, after=0)
        assert broken.status == {"write"}
        memory.refuse_writes = []
    memory.latency = 1
    for task in others:
        await task


@cocotb.test()
async def outputs_that_cannot_be_written(dut: Any) -> None:
    """The message fails, and so may those that had started; none is told as done wrongly."""
    card = await prepared(dut)
    ring = card.rings[0]
    host = Host(ring, 7)
    for latency in (1, 20, 90):
        card.memory.latency = latency
        messages = [host.message("ctr", "encrypt", 1, 48, in_place=n % 2 == 1) for n in range(7)]
        messages[2].descriptor.flags &= ~DESTINATION_LIST
        messages[2].descriptor.destination = 0xDEAD_0000_0001
        card.memory.refuse_writes = [range(0xDEAD_0000_0000, 0xDEAD_0001_0000)]
        for message in messages:
            ring.put(message.descriptor)
        await ring.doorbell()
        statuses = []
        for n, message in enumerate(messages):
            completion = await ring.next()
            statuses.append(completion.status)
            if completion.status == {"write"}:
                assert n >= 2
                assert completion.cookie == message.descriptor.cookie
            else:
                host.check(message, completion)
        assert statuses[2] == {"write"}
        assert statuses[-1] == {"done"}
        card.memory.refuse_writes = []


@cocotb.test()
async def errors_of_a_ring(dut: Any) -> None:
    """Bad geometry, doorbells too far, descriptors and completions that memory refuses."""
    card = await prepared(dut)
    ring = card.rings[0]
    host = Host(ring, 8)
    memory = card.memory
    other = card.rings[-1]
    others = [cocotb.start_soon(run(card, other, 400, 30, 3))] if other is not ring else []

    async def works() -> None:
        await ring.wait(busy=0)
        assert await ring.read("ENABLE") == 0
        await ring.enable(2)
        for _ in range(3):
            message = some_message(host, list(ring.keys))
            ring.put(message.descriptor)
            await ring.doorbell()
            host.check(message, await ring.next())

    await ring.write("INTERRUPT_ENABLE", 1)
    for geometry in ({"RING_LOW": 32}, {"COMPLETIONS_LOW": 0x20}, {"ENTRIES": 11}):
        await ring.abort()
        before = card.interrupts[0]
        for name, value in geometry.items():
            await ring.write(name, value)
        await ring.write("ENABLE", 1)
        await card.cycles(5)
        assert await ring.read("ENABLE") == 0
        assert CARD.unpack("ERROR", await card.read("ERROR"))["rings"] == 1
        assert await ring.errors() == {"geometry"}
        assert card.interrupts[0] == before + 1
        await ring.write("RING_LOW", 0)
        await ring.write("COMPLETIONS_LOW", 0)
        await works()
    for bad in (5, 0x8000_0000, 0xFFFF_FFFF):
        await card.cycles(20)
        before = card.interrupts[0]
        await ring.write("DOORBELL", (ring.given + bad) & 0xFFFF_FFFF)
        await ring.wait(busy=0)
        assert await ring.errors() == {"doorbell"}
        assert card.interrupts[0] == before + 1
        await works()
    # The second descriptor cannot be read: the first message ends well.
    message = some_message(host, list(ring.keys))
    ring.put(message.descriptor)
    at = ring.base + DESCRIPTOR_BYTES * (ring.given % ring.entries)
    memory.refuse_reads = [range(at, at + 1)]
    ring.given += 1
    await ring.doorbell()
    host.check(message, await ring.next())
    await ring.wait(busy=0)
    assert await ring.errors() == {"fetch"}
    memory.refuse_reads = []
    await works()
    memory.refuse_writes = [range(ring.completions, ring.completions + PAGE)]
    ring.put(some_message(host, list(ring.keys)).descriptor)
    await ring.doorbell()
    await ring.wait(busy=0)
    while (await ring.read("ENABLE")) or not (await ring.read("ERROR")):
        pass
    assert await ring.errors() == {"completion"}
    memory.refuse_writes = []
    await works()
    for task in others:
        await task


@cocotb.test()
async def aborts_amid_messages(dut: Any) -> None:
    """An abort at many moments stops the ring; it starts again, and no other notices."""
    card = await prepared(dut)
    ring = card.rings[0]
    host = Host(ring, 9)
    others = [cocotb.start_soon(run(card, r, 500 + r.number, 30, 3)) for r in card.rings[1:]]
    for n in range(20):
        card.memory.latency = 1 if n % 2 else 30
        messages = [some_message(host, list(ring.keys)) for _ in range(4)]
        for message in messages:
            ring.put(message.descriptor)
        await ring.doorbell()
        await ClockCycles(card.dut.clk_i, 1 + 23 * n)
        await ring.abort()
        quiet = card.memory.get(ring.completions, 32 << ring.log2)
        await ring.enable(3)
        message = some_message(host, list(ring.keys))
        ring.put(message.descriptor)
        await ring.doorbell()
        host.check(message, await ring.next())
        assert quiet is not None
        assert not await ring.errors()
    for task in others:
        await task


@cocotb.test()
async def keys_and_their_slots(dut: Any) -> None:
    """Slots are stored and erased amid messages; keys are not to be read, nor found later."""
    card = await prepared(dut)
    ring = card.rings[0]
    host = Host(ring, 10)
    generator = random.Random(11)
    secret = generator.randbytes(32)
    await ring.store_key(2, secret)
    for n in range(6):
        message = host.message("ctr", "encrypt", 2, 64)
        ring.put(message.descriptor)
        await ring.doorbell()
        if n % 2:
            await ring.store_key(1, generator.randbytes(16))
        host.check(message, await ring.next())
        if n == 3:
            secret = generator.randbytes(16)
            await ring.store_key(2, secret)
    for n in range(8):
        address = PAGE * 1 + RING.address("KEY") + 4 * n
        assert await card.axil.read_dword(address) == 0
    # A key of the other ring's slot with the same number is another key.
    for other in card.rings[1:]:
        assert other.keys[1] != ring.keys[1]
    message = host.message("ctr", "encrypt", 2, 1000)
    again = host.message("ctr", "encrypt", 2, 100)
    ring.put(message.descriptor)
    await ring.doorbell()
    await card.cycles(60)
    await ring.erase_key(2)
    host.check(message, await ring.next())
    ring.put(again.descriptor)
    await ring.doorbell()
    assert (await ring.next()).status == {"key"}
    # The last word of a key that was written stands in the bus's registers until the next write.
    await ring.write("INTERRUPT_CYCLES", 0)
    await card.cycles(20)
    if not ports_only():
        assert not residue.find(dut, [secret]), residue.find(dut, [secret])


@cocotb.test()
async def reset_clears_everything(dut: Any) -> None:
    """A reset amid messages, with a search for keys and data, and the card works after it."""
    card = await prepared(dut)
    hosts = [Host(ring, 12 + ring.number) for ring in card.rings]
    for n in range(2):
        secrets: list[bytes] = []
        for ring, host in zip(card.rings, hosts, strict=True):
            for _ in range(3):
                message = host.message("cbc", "encrypt", 2, 640)
                ring.put(message.descriptor)
                secrets.append(message.answer)
            await ring.doorbell()
            secrets += [part for pair in ring.keys.values() for part in pair]
        await card.cycles(100 + 211 * n)
        await card.write("CONTROL", CARD.pack("CONTROL", reset=1))
        # Registers of rings may be touched meanwhile: each access is answered.
        await card.rings[0].read("STATUS")
        await card.wait_reset()
        assert card.memory.quiet
        if not ports_only():
            # The bench's own inputs hold what they were given last.
            found = [path for path in residue.find(dut, secrets) if not path.endswith("data_i")]
            assert not [p for p in found if p.endswith("_q") or "memory" in p], found
        for ring, host in zip(card.rings, hosts, strict=True):
            assert await ring.read("ENABLE") == 0
            assert await ring.read("RING_LOW") == 0
            ring.keys.clear()
            await keys(ring, host.random)
            await ring.enable(2)
            message = some_message(host, list(ring.keys))
            ring.put(message.descriptor)
            await ring.doorbell()
            host.check(message, await ring.next())


@cocotb.test()
async def pages(dut: Any) -> None:
    """What each page tells; writes to the channels' registers and other addresses fail."""
    card = await prepared(dut)
    assert CARD.unpack("CAPABILITY", await card.read("CAPABILITY"))["rings"] == card.rings_count
    assert await card.read("CHANNEL_OFFSET") == card.channel_offset
    low = await card.read("CYCLES_LOW")
    assert await card.read("CYCLES_HIGH") == 0
    assert await card.read("CYCLES_LOW") > low
    for ring in card.rings:
        assert (await ring.fields("CAPABILITY"))["index"] == ring.number
        page = card.channel_offset + PAGE * ring.number
        word = await card.axil.read_dword(page + register_map.address("CHANNELS"))
        assert register_map.unpack("CHANNELS", word)["index"] == ring.number
        for address in (page + register_map.address("CONTROL"), page + 0x100, PAGE + 0x100, 0x40):
            done = await card.axil.write(address, bytes(4))
            assert done.resp == SLVERR, hex(address)
        for address in (page + 0x100, page + 0xF00, PAGE + 0x100, 0x40):
            assert (await card.axil.read(address, 4)).resp == SLVERR, hex(address)
