# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Cocotb bench of ``aes_pipelined``: answers, flow, latency, zeroisation.

One loop (:meth:`Bench.run`) drives and watches every port once a cycle: inputs change at the
falling edge, and the rising edge samples the values that stand before it.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import cocotb
from aes_reference import (
    DECRYPT,
    ENCRYPT,
    FIPS_197_APPENDIX,
    KEY_BYTES,
    cavp_vectors,
    reference,
)
from ciphermill_dv.parameters import parameter
from ciphermill_dv.stall import PATTERNS
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, Timer

ROUNDS = (10, 12, 14)
PREPARATION = (10, 12, 13)
"""Cycles that decryption waits for after a key, for each value of ``key_size_e``."""
STALE_LIMIT = 2_000
"""Cycles without any progress after which a run has failed."""


KEY_SIZES = [size for size in range(3) if parameter("KeySizes", 7) >> size & 1]
DIRECTIONS = [way for way in (ENCRYPT, DECRYPT) if parameter("Directions", 3) >> way & 1]
PIPELINE_ROUNDS = max(ROUNDS[size] for size in KEY_SIZES)
STAGES = 1 + PIPELINE_ROUNDS * parameter("StagesPerRound", 1)
TAG_BITS = parameter("TagWidth", 8)


@dataclass
class Block:
    """A block on its way, with the key that must be loaded before it."""

    key: bytes
    direction: int
    data: bytes
    expected: bytes = b""
    new_key: bool = False
    """Load the key again even if it is loaded already."""
    tag: int = 0
    key_cycle: int = -1
    """Cycle of its key's handshake, -1 if the key was loaded already."""
    entered: int = -1
    left: int = -1

    def __post_init__(self) -> None:
        self.expected = self.expected or reference(self.direction, self.key, self.data)


@dataclass
class Flow:
    """When the bench pauses: one boolean a cycle for each port."""

    source: Iterator[bool] = field(default_factory=lambda: PATTERNS["never"](random.Random()))
    sink: Iterator[bool] = field(default_factory=lambda: PATTERNS["never"](random.Random()))


class Bench:
    """The device under test with its clock, and the loop that drives it."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.cycle = 0
        self.loaded: bytes | None = None

    async def start(self) -> None:
        """Start the clock, reset, and wait until the core is ready."""
        dut = self.dut
        for port in (
            dut.key_valid_i,
            dut.block_valid_i,
            dut.block_ready_i,
            dut.zeroise_i,
            dut.key_size_i,
            dut.block_direction_i,
        ):
            port.value = 0
        dut.rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start())
        for _ in range(2):
            await FallingEdge(dut.clk_i)
            assert not dut.block_valid_o.value, "a result during the reset"
            assert dut.idle_o.value
        dut.rst_ni.value = 1
        await self.until_swept()

    async def until_swept(self) -> None:
        """Wait for the end of a sweep; nothing may be accepted until then."""
        dut = self.dut
        for _ in range(8):
            await ReadOnly()
            busy = bool(dut.busy_o.value)
            if busy:
                assert not dut.key_ready_o.value
                assert not dut.block_ready_o.value
            assert not dut.block_valid_o.value
            assert dut.block_o.value == 0
            await FallingEdge(dut.clk_i)
            if not busy:
                return
        raise AssertionError("busy_o never fell")

    async def load(self, key: bytes) -> int:
        """Load a key and return the cycle of its handshake."""
        dut = self.dut
        self._drive_key(key)
        dut.key_valid_i.value = 1
        for _ in range(STALE_LIMIT):
            await ReadOnly()
            taken = bool(dut.key_ready_o.value)
            now = self.cycle
            await self._next_clock()
            if taken:
                dut.key_valid_i.value = 0
                self.loaded = key
                return now
        raise AssertionError("key never taken")

    async def run(self, blocks: Iterable[Block], flow: Flow | None = None) -> list[Block]:
        """Send blocks, each under its key, and check all that comes out, in order.

        The next key goes in with the last block before it when that one is accepted, so that a
        new key with every block costs no cycle.
        """
        dut, flow = self.dut, flow or Flow()
        waiting: deque[Block] = deque(blocks)
        inside: deque[Block] = deque()
        done: list[Block] = []
        held: tuple[int, int] | None = None
        stale = number = 0
        key_cycle = -1
        keyed = False  # whether the first waiting block's key is the one loaded
        while waiting or inside:
            block = waiting[0] if waiting else None
            if block is not None and not keyed:
                keyed = block.key == self.loaded and not block.new_key
            offer = block is not None and keyed and not next(flow.source)
            dut.block_valid_i.value = int(offer)
            if offer:
                dut.block_direction_i.value = block.direction
                dut.block_i.value = int.from_bytes(block.data, "little")
                dut.block_tag_i.value = number % (1 << TAG_BITS)
            dut.block_ready_i.value = int(not next(flow.sink))
            dut.key_valid_i.value = 0
            await Timer(1, "ns")

            entering = offer and bool(dut.block_ready_o.value)
            after = waiting[int(entering)] if len(waiting) > int(entering) else None
            wanted = None
            if (
                after is not None
                and (entering or not keyed)
                and (after.new_key or after.key != self.loaded)
            ):
                wanted = after.key
                self._drive_key(wanted)
                dut.key_valid_i.value = 1
            await ReadOnly()

            assert not offer or bool(dut.block_ready_o.value) == entering
            assert bool(dut.idle_o.value) == (not inside)
            stale += 1
            if dut.block_valid_o.value:
                shown = (int(dut.block_o.value), int(dut.block_tag_o.value))
                assert held is None or held == shown, "payload changed while it waited"
                held = shown
                if dut.block_ready_i.value:
                    held, stale = None, 0
                    self._check(inside, done, shown)
            else:
                assert held is None, "valid fell without a handshake"
                assert dut.block_o.value == 0, "block_o shows something while it is not valid"
            if entering:
                block.tag, block.entered, block.key_cycle = number, self.cycle, key_cycle
                inside.append(waiting.popleft())
                number, keyed, stale, key_cycle = number + 1, False, 0, -1
            if wanted is not None and dut.key_ready_o.value:
                self.loaded, keyed, stale, key_cycle = wanted, True, 0, self.cycle
            assert stale < STALE_LIMIT, "no progress"
            await self._next_clock()
        dut.block_valid_i.value = 0
        dut.key_valid_i.value = 0
        return done

    def _check(self, inside: deque[Block], done: list[Block], shown: tuple[int, int]) -> None:
        assert inside, "a result without a block"
        block = inside.popleft()
        block.left = self.cycle
        got = shown[0].to_bytes(16, "little")
        about = f"block {block.tag}, {8 * len(block.key)} bits, direction {block.direction}"
        assert got == block.expected, f"{about}: {got.hex()} instead of {block.expected.hex()}"
        assert shown[1] == block.tag % (1 << TAG_BITS), f"{about}: tag {shown[1]}"
        done.append(block)

    def _drive_key(self, key: bytes) -> None:
        """Put a key on its port, with noise in the bits above it."""
        noise = random.randbytes(32 - len(key))
        self.dut.key_i.value = int.from_bytes(key + noise, "little")
        self.dut.key_size_i.value = KEY_BYTES.index(len(key))

    async def _next_clock(self) -> None:
        await FallingEdge(self.dut.clk_i)
        self.cycle += 1


def random_key(sizes: list[int] | None = None) -> bytes:
    """Return a random key of one of the sizes that the build has."""
    return random.randbytes(KEY_BYTES[random.choice(sizes or KEY_SIZES)])


def random_block(key: bytes, directions: list[int] | None = None, new_key: bool = False) -> Block:
    """Return a random block under a key."""
    return Block(key, random.choice(directions or DIRECTIONS), random.randbytes(16), b"", new_key)


@cocotb.test()
async def known_answers(dut: Any) -> None:
    """FIPS 197 and CAVP vectors, in every direction of the build."""
    bench = Bench(dut)
    await bench.start()
    every = parameter("VectorsEvery", 4)
    kinds = ("GFSbox", "KeySbox", "VarKey", "VarTxt", "MMT")
    blocks = []
    for vector in [*FIPS_197_APPENDIX, *cavp_vectors(kinds, every)]:
        if KEY_BYTES.index(len(vector.key)) not in KEY_SIZES:
            continue
        if ENCRYPT in DIRECTIONS:
            blocks.append(Block(vector.key, ENCRYPT, vector.plain, vector.cipher))
        if DECRYPT in DIRECTIONS:
            blocks.append(Block(vector.key, DECRYPT, vector.cipher, vector.plain))
    assert len(blocks) > 50
    await bench.run(blocks)


@cocotb.test()
async def random_traffic(dut: Any) -> None:
    """Random keys, sizes, directions and key changes, under every pair of pause patterns."""
    bench = Bench(dut)
    await bench.start()
    for source in PATTERNS:
        for sink in PATTERNS:
            key = random_key()
            blocks = []
            change = random.choice((0.05, 0.5, 1.0))
            for _ in range(40):
                new_key = random.random() < change
                if new_key:
                    key = random_key()
                blocks.append(random_block(key, None, new_key))
            flow = Flow(
                PATTERNS[source](random.Random(random.random())),
                PATTERNS[sink](random.Random(random.random())),
            )
            await bench.run(blocks, flow)


@cocotb.test(skip=ENCRYPT not in DIRECTIONS)
async def encryption_with_a_new_key_every_clock(dut: Any) -> None:
    """A block and the next block's key in every cycle, and a result in every cycle."""
    bench = Bench(dut)
    await bench.start()
    keys = [random_key() for _ in range(3 * STAGES)]
    done = await bench.run([random_block(key, [ENCRYPT], True) for key in keys])
    for earlier, later in pairwise(done):
        assert later.entered == earlier.entered + 1
        assert later.key_cycle == earlier.entered
    assert all(block.left - block.entered == STAGES for block in done)


@cocotb.test(skip=DECRYPT not in DIRECTIONS)
async def decryption_waits_for_its_key_once(dut: Any) -> None:
    """After the preparation of the last round keys, a block a cycle."""
    bench = Bench(dut)
    await bench.start()
    for size in KEY_SIZES * 2:
        key = random_key([size])
        first = random_block(key, [DECRYPT], True)
        rest = [random_block(key, [DECRYPT]) for _ in range(2 * STAGES)]
        done = await bench.run([first, *rest])
        assert done[0].entered - done[0].key_cycle == 1 + PREPARATION[size]
        for earlier, later in pairwise(done):
            assert later.entered == earlier.entered + 1
        assert all(block.left - block.entered == STAGES for block in done)


@cocotb.test(skip=len(DIRECTIONS) < 2)
async def directions_mix_at_full_rate(dut: Any) -> None:
    """Encryption does not wait for the preparation; later both go block by block."""
    bench = Bench(dut)
    await bench.start()
    for size in KEY_SIZES:
        key = random_key([size])
        during = [random_block(key, [ENCRYPT], n == 0) for n in range(PREPARATION[size])]
        after = [random_block(key) for _ in range(2 * STAGES)]
        done = await bench.run([*during, *after])
        assert done[0].entered - done[0].key_cycle == 1
        assert [block.entered - done[0].entered for block in done] == list(range(len(done)))
        assert all(block.left - block.entered == STAGES for block in done)


@cocotb.test(skip=DECRYPT not in DIRECTIONS)
async def preparation_overlaps_blocks_in_flight(dut: Any) -> None:
    """Blocks of the old key leave while a new one is prepared; a key may interrupt that."""
    bench = Bench(dut)
    await bench.start()
    old = random_key()
    before = [random_block(old, [DECRYPT], n == 0) for n in range(STAGES - 1)]
    after = random_block(random_key(), [DECRYPT], True)
    done = await bench.run([*before, after])
    waited = done[-1].entered - done[-2].entered
    assert waited == 1 + PREPARATION[KEY_BYTES.index(len(after.key))]
    assert all(block.left - block.entered == STAGES for block in done)
    for gap in range(1, 15):
        await bench.load(random_key())
        for _ in range(gap):
            await FallingEdge(dut.clk_i)
        await bench.run([random_block(random_key(), [DECRYPT], True)])


@cocotb.test()
async def bubbles_close_up(dut: Any) -> None:
    """While the output is refused every stage fills up, gaps between blocks included."""
    bench = Bench(dut)
    await bench.start()
    key = random_key()
    await bench.load(key)
    for _ in range(16):
        await FallingEdge(dut.clk_i)
    dut.block_ready_i.value = 0
    direction = random.choice(DIRECTIONS)
    dut.block_direction_i.value = direction
    accepted: list[bytes] = []
    for _ in range(4 * STAGES):
        data = random.randbytes(16)
        dut.block_i.value = int.from_bytes(data, "little")
        dut.block_tag_i.value = len(accepted) % (1 << TAG_BITS)
        dut.block_valid_i.value = int(random.random() < 0.5)
        await ReadOnly()
        if dut.block_valid_i.value and dut.block_ready_o.value:
            accepted.append(data)
        await FallingEdge(dut.clk_i)
    assert len(accepted) == STAGES
    dut.block_valid_i.value = 0
    dut.block_ready_i.value = 1
    for data in accepted:
        await ReadOnly()
        assert dut.block_valid_o.value, "a bubble between blocks that should stand close"
        assert int(dut.block_o.value).to_bytes(16, "little") == reference(direction, key, data)
        await FallingEdge(dut.clk_i)
    await ReadOnly()
    assert dut.idle_o.value and not dut.block_valid_o.value


@cocotb.test()
async def ready_does_not_look_at_valid(dut: Any) -> None:
    """No ready depends on its valid, and the first block waits for the first key."""
    bench = Bench(dut)
    await bench.start()
    dut.block_ready_i.value = 1
    dut.key_size_i.value = KEY_SIZES[0]
    for keyed in (False, True):
        dut.block_direction_i.value = DIRECTIONS[0]
        for valid in (0, 1):
            dut.block_valid_i.value = valid if not keyed else 0
            dut.key_valid_i.value = 0
            await Timer(1, "ns")
            assert bool(dut.block_ready_o.value) == keyed
            assert dut.key_ready_o.value
        dut.block_valid_i.value = 0
        await FallingEdge(dut.clk_i)
        if not keyed:
            await bench.load(random_key())
            for _ in range(16):
                await FallingEdge(dut.clk_i)
    dut.block_valid_i.value = 1
    await Timer(1, "ns")
    assert dut.block_ready_o.value


@cocotb.test()
async def what_the_build_lacks_is_refused(dut: Any) -> None:
    """Key sizes and directions that the parameters leave out are never accepted."""
    bench = Bench(dut)
    await bench.start()
    await bench.load(random_key())
    dut.block_ready_i.value = 1
    for _ in range(20):
        for size in range(4):
            dut.key_size_i.value = size
            await Timer(100, "ps")
            assert bool(dut.key_ready_o.value) == (size in KEY_SIZES)
        await FallingEdge(dut.clk_i)
    for direction in (ENCRYPT, DECRYPT):
        dut.block_direction_i.value = direction
        await Timer(100, "ps")
        assert bool(dut.block_ready_o.value) == (direction in DIRECTIONS)


def stored_values(dut: Any) -> Iterator[tuple[str, int]]:
    """Yield the name and value of every pipeline, key and ROM output register."""
    if ENCRYPT in DIRECTIONS:
        yield "encryption key", int(dut.gen_encrypt_key.u_key.data_o.value)
    if DECRYPT in DIRECTIONS:
        yield "decryption key", int(dut.gen_decrypt_key.u_prepare.u_key.data_o.value)
    for n in range(PIPELINE_ROUNDS):
        stage = dut.gen_round[n]
        yield f"input of round {n + 1}", int(stage.u_register.data_o.value)
        for m in range(1, parameter("StagesPerRound", 1)):
            inner = stage.u_round.gen_more_stages.gen_register[m]
            yield f"round {n + 1}, stage {m}", int(inner.u_register.data_o.value)
            substitute = stage.u_round.u_substitute
            if parameter("BlockRam", 0):
                for i in range(0, 16, 2):
                    rom = substitute.gen_block_ram.gen_rom[i].u_rom
                    for port in (rom.data_a_o, rom.data_b_o):
                        # The table's entry for zero; decryption reads another table.
                        zero = 0x52 if DIRECTIONS == [DECRYPT] else 0x63
                        yield f"round {n + 1}, ROM {i}", int(port.value) ^ zero
            else:
                register = substitute.gen_logic.gen_register.u_register
                yield f"round {n + 1}, SubBytes", int(register.data_o.value)


@cocotb.test()
async def zeroise_clears_everything(dut: Any) -> None:
    """Zeroise and reset drop what is in flight and clear every register."""
    bench = Bench(dut)
    await bench.start()
    for by_reset in (False, True, False):
        key = random_key()
        await bench.load(key)
        for _ in range(16):
            await FallingEdge(dut.clk_i)
        dut.block_ready_i.value = 0
        dut.block_valid_i.value = 1
        dut.block_direction_i.value = DIRECTIONS[0]
        for _ in range(STAGES + 2):
            dut.block_i.value = random.getrandbits(128)
            await FallingEdge(dut.clk_i)
        assert dut.block_valid_o.value
        full = dict(stored_values(dut))
        assert sum(value != 0 for value in full.values()) > 0.9 * len(full)
        dut.block_valid_i.value = 0
        signal = dut.rst_ni if by_reset else dut.zeroise_i
        signal.value = int(not by_reset)
        await FallingEdge(dut.clk_i)
        assert dut.busy_o.value
        signal.value = int(by_reset)
        await bench.until_swept()
        left = {name: value for name, value in stored_values(dut) if value}
        assert not left, f"not cleared: {sorted(left)}"
        assert dut.idle_o.value
        dut.block_ready_i.value = 1
        dut.block_valid_i.value = 1
        for _ in range(STAGES + 2):
            await ReadOnly()
            assert not dut.block_ready_o.value, "a block was accepted without a key"
            assert not dut.block_valid_o.value
            await FallingEdge(dut.clk_i)
        dut.block_valid_i.value = 0
        bench.loaded = None
        await bench.run([random_block(random_key()) for _ in range(4)])


@cocotb.test()
async def zeroise_stops_the_preparation(dut: Any) -> None:
    """A zeroise during the preparation of a key clears it, and no round key is made after."""
    bench = Bench(dut)
    await bench.start()
    for gap in range(14):
        for by_reset in (False, True):
            await bench.load(random_key())
            for _ in range(gap):
                await FallingEdge(dut.clk_i)
            signal = dut.rst_ni if by_reset else dut.zeroise_i
            signal.value = int(not by_reset)
            await FallingEdge(dut.clk_i)
            signal.value = int(by_reset)
            await bench.until_swept()
            for _ in range(3):
                left = {name: value for name, value in stored_values(dut) if value}
                assert not left, f"not zero after {gap} cycles: {sorted(left)}"
                await FallingEdge(dut.clk_i)
    bench.loaded = None
    await bench.run([random_block(random_key()) for _ in range(4)])
