# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The test benches of the card: its registers, its rings in host memory, and messages."""

from __future__ import annotations

import itertools
import logging
import random
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cocotb
import reference
import register_map
from ciphermill_dv import ports
from ciphermill_dv.parameters import parameter
from ciphermill_dv.registers import RegisterMap
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiLiteMaster
from host_memory import HostMemory

HERE = Path(__file__).resolve().parent
CARD = RegisterMap(HERE.parent / "card.rdl")
RING = RegisterMap(HERE.parent / "card_ring.rdl")
PAGE = 4096
PERIOD_PS = 10_000
TIMEOUT_US = 500
DESCRIPTOR_BYTES, SEGMENT_BYTES, COMPLETION_BYTES = 64, 16, 32
KEY_SIZES = {16: 0, 24: 1, 32: 2, 10: 3}

# cocotbext-axi still uses names that cocotb 2.1 is about to drop.
warnings.simplefilter("ignore", DeprecationWarning)

STATUS = {"done": 0, "forged": 1, "refused": 2, "key": 3, "read": 4, "write": 5, "list": 6}
STATUS["lengths"] = 7
SOURCE_LIST, DESTINATION_LIST, INTERRUPT, TAG_PACKET = 1, 2, 4, 8


def words(*values: int) -> bytes:
    """Return words of 32 bits, little endian."""
    return b"".join((value & 0xFFFF_FFFF).to_bytes(4, "little") for value in values)


@dataclass
class Descriptor:
    """A descriptor."""

    configuration: int = 0
    flags: int = 0
    slot: int = 0
    iv: bytes = bytes(16)
    length: int = 0
    associated: int = 0
    source: int = 0
    destination: int = 0
    unit: int = 0
    output: int = 0
    cookie: int = 0

    def pack(self) -> bytes:
        """Return its 64 bytes."""
        return (
            words(self.configuration, self.flags | self.slot << 8)
            + self.iv.ljust(16, b"\0")
            + words(self.length, self.associated)
            + self.source.to_bytes(8, "little")
            + self.destination.to_bytes(8, "little")
            + words(self.unit, self.output)
            + self.cookie.to_bytes(8, "little")
        )


@dataclass
class Completion:
    """A completion."""

    cookie: int
    status: set[str]
    error: int
    outcome: int
    count: int
    tag: bytes
    phase: int

    @classmethod
    def unpack(cls, data: bytes) -> Completion:
        """Return the completion that 32 bytes are."""
        status = int.from_bytes(data[8:12], "little")
        return cls(
            cookie=int.from_bytes(data[:8], "little"),
            status={name for name, bit in STATUS.items() if status >> bit & 1},
            error=status >> 8 & 0xFF,
            outcome=status >> 16 & 0xF,
            count=int.from_bytes(data[12:16], "little"),
            tag=data[16:],
            phase=status >> 31,
        )


@dataclass
class Message:
    """A message with its descriptor and what it must give."""

    descriptor: Descriptor
    answer: bytes  # of the destination
    pieces: list[tuple[int, int]]  # of the destination: address and length
    tag: bytes = bytes(16)
    guards: list[tuple[int, bytes]] = field(default_factory=list)  # bytes that may not change


def configuration(mode: str, direction: str, width: int = 2, **more: int) -> int:
    """Return CONFIGURATION of a cipher."""
    return register_map.pack(
        "CONFIGURATION",
        mode=reference.NUMBERS[mode],
        direction=reference.DIRECTIONS.index(direction),
        counter_width=width,
        **more,
    )


class Card:
    """A card with its memory, its registers, and a count of its interrupts."""

    def __init__(self, dut: Any, latency: int = 1) -> None:
        self.dut = dut
        self.rings_count = parameter("Rings", 1)
        self.channel_offset = PAGE * (1 + self.rings_count)
        self.memory = HostMemory(dut, latency)
        self.interrupts = [0] * self.rings_count
        self.accesses = 0
        dut.rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, PERIOD_PS, unit="ps").start())
        logging.getLogger(f"cocotb.{dut._name}").setLevel("WARNING")
        self.axil = AxiLiteMaster(ports.axi_lite(dut, "s_axil"), dut.clk_i, dut.rst_ni, False)
        for log in (self.axil.write_if.log, self.axil.read_if.log):
            log.setLevel("ERROR")
        self.rings = [Ring(self, n) for n in range(self.rings_count)]
        cocotb.start_soon(self._count())

    async def _count(self) -> None:
        while True:
            await RisingEdge(self.dut.clk_i)
            now = self.dut.interrupt_o.value
            if now.is_resolvable and int(now):
                for n in range(self.rings_count):
                    self.interrupts[n] += int(now) >> n & 1

    async def reset(self) -> None:
        """Reset the card and wait until it has cleared its memories."""
        self.dut.rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, 5)
        self.dut.rst_ni.value = 1
        await ClockCycles(self.dut.clk_i, 5)
        await self.wait_reset()

    async def wait_reset(self) -> None:
        """Wait until STATUS.resetting is zero."""

        async def poll() -> None:
            while CARD.unpack("STATUS", await self.read("STATUS"))["resetting"]:
                pass

        await with_timeout(poll(), TIMEOUT_US, "us")

    async def read(self, name: str) -> int:
        """Return the word of a register of page 0."""
        self.accesses += 1
        return await self.axil.read_dword(CARD.address(name))

    async def write(self, name: str, word: int) -> None:
        """Write a register of page 0."""
        self.accesses += 1
        await self.axil.write_dword(CARD.address(name), word)

    async def cycles(self, count: int) -> None:
        """Wait so many cycles."""
        await ClockCycles(self.dut.clk_i, count)


class Ring:
    """A ring of the card, with its memory from an address on."""

    def __init__(self, card: Card, number: int) -> None:
        self.card = card
        self.number = number
        self.base = 0x1_2340_0000 * (number + 1) + 0x40 * number
        self.completions = self.base + 0x20_0000
        self.data = self.base + 0x100_0000
        self.log2 = 4
        self.given = self.seen = 0
        self.keys: dict[int, tuple[bytes, bytes]] = {}

    # ------------------------------------------------------------ registers

    async def read(self, name: str) -> int:
        """Return the word of a register of the ring's page."""
        self.card.accesses += 1
        return await self.card.axil.read_dword(PAGE * (1 + self.number) + RING.address(name))

    async def fields(self, name: str) -> dict[str, int]:
        """Return the fields of a register."""
        return RING.unpack(name, await self.read(name))

    async def write(self, name: str, word: int, index: int = 0) -> None:
        """Write a register of the ring's page."""
        self.card.accesses += 1
        address = PAGE * (1 + self.number) + RING.address(name) + 4 * index
        await self.card.axil.write_dword(address, word)

    async def wait(self, **wanted: int) -> None:
        """Poll STATUS until these fields have these values."""

        async def poll() -> None:
            while True:
                status = await self.fields("STATUS")
                if all(status[name] == value for name, value in wanted.items()):
                    return

        await with_timeout(poll(), TIMEOUT_US, "us")

    async def errors(self) -> set[str]:
        """Return the bits of ERROR that are set, and clear them."""
        word = await self.read("ERROR")
        await self.write("ERROR", word)
        return {name for name, value in RING.unpack("ERROR", word).items() if value}

    async def enable(self, log2: int = 4) -> None:
        """Enable the ring with so many entries."""
        self.log2 = log2
        self.given = self.seen = 0
        self.card.memory.put(self.completions, bytes(COMPLETION_BYTES << log2))
        for name, value in (("RING", self.base), ("COMPLETIONS", self.completions)):
            await self.write(f"{name}_LOW", value & 0xFFFF_FFFF)
            await self.write(f"{name}_HIGH", value >> 32)
        await self.write("ENTRIES", log2)
        await self.write("ENABLE", 1)

    async def abort(self) -> None:
        """Abort, and wait until the ring has stopped."""
        await self.write("CONTROL", RING.pack("CONTROL", abort=1))
        await self.wait(busy=0)

    async def store_key(self, slot: int, key: bytes, tweak: bytes = b"") -> None:
        """Store a key, and with it a tweak key, in a slot."""
        size = KEY_SIZES[len(key)]
        await self.write("KEY_SLOT", RING.pack("KEY_SLOT", slot=slot, key_size=size))
        for name, value in (("store_key", key), ("store_tweak_key", tweak)):
            if not value:
                continue
            padded = value + bytes(-len(value) % 4)
            for n in range(len(padded) // 4):
                word = int.from_bytes(padded[4 * n : 4 * n + 4], "little")
                await self.write("KEY", word, n)
            await self.write("CONTROL", RING.pack("CONTROL", **{name: 1}))
            await self.wait(key_busy=0)
        self.keys[slot] = (key, tweak)

    async def erase_key(self, slot: int) -> None:
        """Erase a slot."""
        await self.write("KEY_SLOT", RING.pack("KEY_SLOT", slot=slot))
        await self.write("CONTROL", RING.pack("CONTROL", erase_key=1))
        await self.wait(key_busy=0)
        self.keys.pop(slot, None)

    # ------------------------------------------------------------ the ring

    @property
    def entries(self) -> int:
        """Entries of the ring."""
        return 1 << self.log2

    @property
    def room(self) -> int:
        """Descriptors that may be given now."""
        return self.entries - (self.given - self.seen)

    def put(self, descriptor: Descriptor) -> None:
        """Write a descriptor into the ring; it is given by the next doorbell."""
        at = self.base + DESCRIPTOR_BYTES * (self.given % self.entries)
        self.card.memory.put(at, descriptor.pack())
        self.given += 1

    async def doorbell(self) -> None:
        """Give all descriptors that have been put."""
        await self.write("DOORBELL", self.given)

    def poll(self) -> Completion | None:
        """Return the next completion, if it is there."""
        at = self.completions + COMPLETION_BYTES * (self.seen % self.entries)
        found = Completion.unpack(self.card.memory.get(at, COMPLETION_BYTES))
        if found.phase != 1 - (self.seen >> self.log2 & 1):
            return None
        self.seen += 1
        return found

    async def next(self, timeout_us: int = TIMEOUT_US) -> Completion:
        """Wait for the next completion, so many microseconds at most."""

        async def wait() -> Completion:
            while True:
                found = self.poll()
                if found:
                    return found
                await RisingEdge(self.card.dut.clk_i)

        return await with_timeout(wait(), timeout_us, "us")


class Host:
    """Makes messages at random, in a part of a ring's memory for each of its entries."""

    def __init__(self, ring: Ring, seed: int) -> None:
        self.ring = ring
        self.random = random.Random(seed)
        self.memory = ring.card.memory
        self.made = 0

    def segments(self, at: int, length: int, most: int) -> list[tuple[int, int]]:
        """Return segments with so many bytes together, at odd places from an address on."""
        count = self.random.randint(1, most)
        cuts = (
            sorted(self.random.randint(1, length - 1) for _ in range(count - 1))
            if length > 1
            else []
        )
        bounds = sorted({0, *cuts, length})
        result = []
        for begin, end in itertools.pairwise(bounds):
            at += self.random.randint(0, 70)
            result.append((at, end - begin))
            at += end - begin
        return result

    def list_of(self, at: int, segments: list[tuple[int, int]]) -> None:
        """Write a list of segments."""
        data = b"".join(
            address.to_bytes(8, "little") + words(size, 0) for address, size in segments
        )
        self.memory.put(at, data)

    def message(
        self,
        mode: str,
        direction: str,
        slot: int,
        length: int,
        associated: int = 0,
        *,
        most_segments: int = 1,
        in_place: bool = False,
        **flags: int,
    ) -> Message:
        """Return a message, its source and its list written to memory."""
        generator = self.random
        key, tweak = self.ring.keys[slot]
        iv = generator.randbytes(16)
        aad, text = generator.randbytes(associated), generator.randbytes(length)
        tag, unit = bytes(16), 0
        if mode == "gcm":
            iv = iv[:12]
            sealed, tag = reference.seal(key, iv, aad, text)
            given, answer = (text, sealed) if direction == "encrypt" else (sealed, text)
        elif mode == "xts":
            unit = 16 * generator.randint(1, 8)
            number = int.from_bytes(iv, "little")
            given = text
            answer = reference.xts(direction, (key, tweak), number, unit, text)
        else:
            given = text
            answer = reference.crypt(mode, direction, key, iv, text).data
        descriptor = Descriptor(
            configuration=configuration(mode, direction),
            flags=flags.get("flags", 0),
            slot=slot,
            iv=iv,
            length=length,
            associated=associated,
            unit=unit,
        )
        return self.place(
            descriptor,
            aad + given,
            answer,
            tag,
            most_segments=most_segments,
            in_place_at=associated if in_place else None,
        )

    def place(
        self,
        descriptor: Descriptor,
        source: bytes,
        answer: bytes,
        tag: bytes = bytes(16),
        *,
        most_segments: int = 1,
        in_place_at: int | None = None,
        offsets: tuple[int, int] | None = None,
    ) -> Message:
        """Write a source to memory, choose a destination, and return the message.

        Args:
            descriptor: Completed here: addresses, lists, output length and cookie.
            source: Associated data, text and tag, one behind the other.
            answer: What the destination must hold at the end.
            tag: What the completion must hold.
            most_segments: Of source and destination each; above one they have lists.
            in_place_at: The destination is the source from this byte on.
            offsets: Bytes from an aligned address to source and destination; else at random.
        """
        generator = self.random
        place = self.ring.data + 0x4_0000 * (self.made % 64)
        length = len(answer)
        begins = offsets or (generator.randint(0, 300), generator.randint(0, 300))
        if offsets and most_segments == 1:
            segments = [(place + begins[0], len(source))] if source else []
        else:
            segments = self.segments(place + begins[0], len(source), most_segments)
        at = 0
        for address, size in segments:
            self.memory.put(address, source[at : at + size])
            at += size
        if in_place_at is not None:
            assert most_segments == 1
            pieces = [(segments[0][0] + in_place_at, length)]
        elif offsets and most_segments == 1:
            pieces = [(place + 0x2_0000 + begins[1], length)] if length else []
        else:
            pieces = self.segments(place + 0x2_0000 + begins[1], length, most_segments)
        guards = []
        if in_place_at is None:
            for address, size in pieces:
                self.memory.put(address - 8, generator.randbytes(8))
                self.memory.put(address + size, generator.randbytes(8))
            for address, size in pieces:
                guards += [(address + n, b"") for n in (*range(-8, 0), *range(size, size + 8))]
        written = {a for address, size in pieces for a in range(address, address + size)}
        guards = [(a, self.memory.get(a, 1)) for a, _ in guards if a not in written]
        if len(segments) > 1 or (segments and not offsets and generator.random() < 0.2):
            self.list_of(place + 0x3_0000, segments)
            descriptor.flags |= SOURCE_LIST
            descriptor.source = place + 0x3_0000
        else:
            descriptor.source = segments[0][0] if segments else 0
        if len(pieces) > 1 or (length and not offsets and generator.random() < 0.2):
            self.list_of(place + 0x3_8000, pieces)
            descriptor.flags |= DESTINATION_LIST
            descriptor.destination = place + 0x3_8000
        else:
            descriptor.destination = pieces[0][0] if pieces else 0
        self.made += 1
        descriptor.output = length
        descriptor.cookie = generator.getrandbits(64)
        return Message(descriptor, answer, pieces if length else [], tag, guards)

    def check(self, message: Message, completion: Completion) -> None:
        """Fail unless a message has ended well."""
        about = message.descriptor
        assert completion.cookie == about.cookie, (hex(completion.cookie), about)
        assert completion.status == {"done"}, (completion, about)
        assert completion.count == about.output
        assert completion.tag == message.tag, (completion, about)
        got = b"".join(self.memory.get(address, size) for address, size in message.pieces)
        assert got == message.answer, (about, message.pieces)
        for address, byte in message.guards:
            assert self.memory.get(address, 1) == byte, "a byte beside the destination changed"
