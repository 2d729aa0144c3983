# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Drives an Ascon core cycle by cycle, checks its protocol, and compares every result."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import ascon_reference as reference
import cocotb
from ciphermill_dv import stall
from ciphermill_dv.parameters import parameter
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

ENCRYPT, DECRYPT, HASH = 0, 1, 2
NAMES = ("encrypt", "decrypt", "hash")

Block = tuple[bytes, bool]
"""Bytes, and whether it is the last block of its packet."""


def number(data: bytes) -> int:
    """Return the port value of bytes."""
    return int.from_bytes(data, "little")


def blocks(data: bytes, *, empty_end: bool = False) -> list[Block]:
    """Return the blocks of a packet; with ``empty_end`` an empty one follows a full last one."""
    found = [(data[n : n + 16], False) for n in range(0, len(data), 16)]
    if not found or (empty_end and len(found[-1][0]) == 16):
        found.append((b"", False))
    found[-1] = (found[-1][0], True)
    return found


@dataclass(frozen=True)
class Input:
    """An input stream: its valid and its ready, and the signals of its payload."""

    valid: str
    ready: str
    payload: tuple[str, ...]


INPUTS = {
    "key": Input("key_valid_i", "key_ready_o", ("key_i",)),
    "start": Input("start_valid_i", "start_ready_o", ("operation_i", "nonce_i")),
    "block": Input("block_valid_i", "block_ready_o", ("block_i", "block_bytes_i", "block_last_i")),
    "tag": Input("tag_valid_i", "tag_ready_o", ("tag_i",)),
}


class AsconDriver:
    """One core: pending offers, and expected results.

    Queue keys with :meth:`add_key` and messages with the methods named after operations, then
    call :meth:`step` once a cycle, or :meth:`drain`. The cycles of handshakes are in ``cycles``,
    by the name of the stream.
    """

    def __init__(self, dut, *, seed: int = 1) -> None:
        self.dut = dut
        self.random = Random(seed)
        choice = parameter("Operations", 7)
        self.operations = [n for n in (ENCRYPT, DECRYPT, HASH) if choice >> n & 1]
        self.rounds_per_cycle = parameter("RoundsPerCycle", 1)
        self.cycle = 0
        self.key: bytes | None = None
        self.set_stalls("never", "never", "never")
        self._streams = {name: deque() for name in INPUTS}
        self._handles = {
            name: getattr(dut, name)
            for stream in INPUTS.values()
            for name in (stream.valid, stream.ready, *stream.payload)
        }
        self._widths = {
            name: [len(self._handles[port]) for port in stream.payload]
            for name, stream in INPUTS.items()
        }
        self.cycles: dict[str, list[int]] = {}
        self.forget()

    def set_stalls(self, inputs: str, output: str, tag: str) -> None:
        """Choose the idle pattern of the inputs and the back-pressure of the outputs."""
        names = {**dict.fromkeys(INPUTS, inputs), "output": output, "result": tag}
        self._stalls: dict[str, Iterator[bool]] = {
            stream: getattr(stall, name)(self.random) for stream, name in names.items()
        }

    async def start(self) -> None:
        """Start the clock, reset the core and wait until it takes something."""
        dut = self.dut
        for stream in INPUTS.values():
            for name in (stream.valid, *stream.payload):
                self._handles[name].value = 0
        for name in ("block_ready_i", "tag_ready_i", "drop_i", "zeroise_i"):
            getattr(dut, name).value = 0
        dut.rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start())
        await FallingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await RisingEdge(dut.clk_i)
        assert int(dut.busy_o.value) == 1, "nothing is cleared after reset"
        for stream in INPUTS.values():
            assert not int(self._handles[stream.ready].value), f"{stream.ready} while busy"
        await RisingEdge(dut.clk_i)
        assert int(dut.busy_o.value) == 0

    def forget(self, *, key: bool = True) -> None:
        """Drop all that was offered or expected; with ``key``, the key too."""
        if key:
            self.key = None
        self._offered: dict[str, bool] = dict.fromkeys(INPUTS, False)
        self._noise: dict[str, bool] = dict.fromkeys(INPUTS, False)
        for name, stream in INPUTS.items():
            self._streams[name].clear()
            self._handles[stream.valid].value = 0
        self.blocks_out: deque[Block] = deque()
        self.results: deque[tuple[bytes, bool]] = deque()
        self._held: dict[str, tuple[int, ...] | None] = {"output": None, "result": None}
        self._ready_before: tuple[bool, bool] | None = None
        self.cycles = {name: [] for name in (*INPUTS, "output", "result")}

    # ------------------------------------------------------------ what is queued

    def add_key(self, key: bytes | None = None) -> None:
        """Queue a key (a random one); messages that are queued later go by it."""
        self.key = self.random.randbytes(16) if key is None else key
        self._streams["key"].append((number(self.key),))

    async def set_key(self, key: bytes | None = None) -> None:
        """Offer a key until it is taken."""
        self.add_key(key)
        while self._streams["key"]:
            await self.step()

    def _add_packet(self, data: bytes, *, empty_end: bool) -> None:
        for part, last in blocks(data, empty_end=empty_end):
            # The bytes after the last one must not matter.
            filled = part + self.random.randbytes(16 - len(part))
            self._streams["block"].append((number(filled), len(part), int(last)))

    def add_message(
        self,
        operation: int,
        aad: bytes,
        text: bytes,
        *,
        nonce: bytes | None = None,
        forge: int | None = None,
        empty_end: bool = False,
    ) -> None:
        """Queue a message and its expected result.

        Args:
            operation: ``ENCRYPT``, ``DECRYPT`` or ``HASH``, which has no ``aad``.
            aad: Associated data.
            text: The input.
            nonce: Random unless given.
            forge: A bit of the tag that is wrong (``DECRYPT``).
            empty_end: An empty block ends packets of whole blocks.
        """
        nonce = self.random.randbytes(16) if nonce is None else nonce
        self._streams["start"].append((operation, number(nonce)))
        if operation == HASH:
            self._add_packet(text, empty_end=empty_end)
            digest = reference.hash256(text)
            self.blocks_out += [(digest[:16], False), (digest[16:], True)]
            return
        assert self.key is not None
        self._add_packet(aad, empty_end=empty_end and bool(aad))
        self._add_packet(text, empty_end=empty_end)
        if operation == ENCRYPT:
            out, tag = reference.encrypt(self.key, nonce, aad, text)
            self.results.append((tag, False))
        else:
            out, tag = reference.decrypt(self.key, nonce, aad, text)
            offered = number(tag) ^ (0 if forge is None else 1 << forge)
            self._streams["tag"].append((offered,))
            self.results.append((bytes(16), forge is None))
        self.blocks_out += blocks(out, empty_end=empty_end)

    def add_random(self, operation: int | None = None, longest: int = 50) -> None:
        """Queue a random message."""
        random = self.random
        if operation is None:
            operation = random.choice(self.operations)
        lengths = [random.choice((0, random.randint(0, longest), 16, 32)) for _ in range(2)]
        forge = random.choice((None, random.randrange(128)))
        self.add_message(
            operation,
            random.randbytes(lengths[0]),
            random.randbytes(lengths[1]),
            forge=forge if operation == DECRYPT else None,
            empty_end=random.random() < 0.3,
        )

    def replace_tag(self, tag: bytes) -> None:
        """Offer a wrong tag with the message queued last; it must not authenticate."""
        self._streams["tag"][-1] = (number(tag),)
        self.results[-1] = (bytes(16), False)

    def waits(self, name: str) -> bool:
        """Whether something queued for an input has not been taken."""
        return bool(self._streams[name])

    # ------------------------------------------------------------ cycle by cycle

    @property
    def done(self) -> bool:
        """Whether every offer was taken and every result has come."""
        return not (self.blocks_out or self.results or any(self._streams.values()))

    async def drain(self, limit: int = 100_000) -> None:
        """Step until done, and until the core is idle with its registers clear."""
        while not self.done:
            await self.step()
            limit -= 1
            assert limit, "the core hangs"
        await self.step()
        assert int(self.dut.idle_o.value), "not idle although all is out"

    async def step(self) -> None:
        """Drive the inputs for one cycle, wait for its end, and check what happened in it."""
        self._drive()
        await RisingEdge(self.dut.clk_i)
        self.cycle += 1
        self._check_output()
        self._check_result()
        for name, stream in INPUTS.items():
            if self._offered[name] and int(self._handles[stream.ready].value):
                self._streams[name].popleft()
                self.cycles[name].append(self.cycle)
                self._offered[name] = False

    def _drive(self) -> None:
        for name, stream in INPUTS.items():
            queue = self._streams[name]
            paused = next(self._stalls[name])
            if self._offered[name]:
                continue
            # A key goes before the messages that were queued after it.
            overtakes = name == "start" and self._streams["key"] and not self._offered["key"]
            if queue and not paused and not overtakes:
                self._offered[name], self._noise[name] = True, False
                values = queue[0]
            elif not self._noise[name]:
                # A payload without valid must not matter.
                self._noise[name] = True
                values = tuple(self.random.getrandbits(bits) for bits in self._widths[name])
            else:
                continue
            for port, value in zip(stream.payload, values, strict=True):
                self._handles[port].value = value
            self._handles[stream.valid].value = int(self._offered[name])
        self._ready = not next(self._stalls["output"])
        self._result_ready = not next(self._stalls["result"])
        ready = (self._ready, self._result_ready)
        if ready != self._ready_before:
            self._ready_before = ready
            self.dut.block_ready_i.value = int(self._ready)
            self.dut.tag_ready_i.value = int(self._result_ready)

    def _holds(self, name: str, valid: bool, now: tuple[int, ...], taken: bool) -> None:
        """Check that an output waits unchanged until it is taken, and is zero without valid."""
        held = self._held[name]
        if not valid:
            assert held is None, f"{name}: valid fell before ready"
            assert not any(now), f"{name}: not zero without valid"
            return
        assert held in (None, now), f"{name}: the payload changed before ready"
        assert not int(self.dut.idle_o.value), f"{name}: idle while it waits"
        self._held[name] = None if taken else now

    def _check_output(self) -> None:
        dut = self.dut
        valid = bool(int(dut.block_valid_o.value))
        now = (int(dut.block_o.value), int(dut.block_bytes_o.value) * valid)
        now = (*now, int(dut.block_last_o.value) * valid)
        self._holds("output", valid, now, self._ready)
        if valid and self._ready:
            assert self.blocks_out, "an unexpected block"
            data, last = self.blocks_out.popleft()
            wanted = (number(data), len(data), int(last))
            assert now == wanted, f"wrong block: {now[0]:032x} {now[1:]}, not {data.hex()} {last}"
            self.cycles["output"].append(self.cycle)

    def _check_result(self) -> None:
        dut = self.dut
        valid = bool(int(dut.tag_valid_o.value))
        now = (int(dut.tag_o.value), int(dut.authentic_o.value) if valid else 0)
        self._holds("result", valid, now, self._result_ready)
        if valid and self._result_ready:
            assert self.results, "an unexpected tag"
            tag, authentic = self.results.popleft()
            wanted = (number(tag), int(authentic))
            assert now == wanted, (
                f"wrong result: {now[0]:032x} {now[1]}, not {tag.hex()} {wanted[1]}"
            )
            self.cycles["result"].append(self.cycle)
