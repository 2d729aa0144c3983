# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""GCM in the accelerator: text and tag, lengths, refused messages, aborts, zeroises."""

from __future__ import annotations

import itertools
import os
import random
from typing import Any

import cocotb
import reference
from accelerator import STALLS, Accelerator
from ciphermill_dv import residue
from ciphermill_dv.gcm_vectors import gcm_messages
from cocotb.triggers import ClockCycles, Timer
from cocotbext.axi import AxiStreamFrame
from reference import BLOCK, DIRECTIONS, GCM
from throughput_bench import expected

# One build visits every pair of lengths and every cut; the others draw some.
WHOLE = os.environ.get("EVERY_BIN") == "1"
LENGTHS = (0, 1, 15, 16, 17, 48, 61)
BLOCKS = {"gcm text": (20, 28), "gcm aad": (8, 16)}
"""Blocks of two messages whose cycles are compared; the FIFOs cannot hold the shorter one."""
MOST_BLOCKS = (1 << 32) - 2
"""The most bytes of a text (SP 800-38D, 5.2.1.1)."""


async def ready(dut: Any) -> tuple[Accelerator, bytes]:
    """Return an accelerator after reset with a key in it, set to encrypt with GCM."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    key = random.randbytes(max(accelerator.key_lengths))
    await accelerator.configure(GCM, "encrypt", len(key))
    await accelerator.load_key(key)
    return accelerator, key


async def check(
    accelerator: Accelerator, key: bytes, aad_bytes: int, text_bytes: int, direction: str
) -> None:
    """Run a random message under the key that is loaded, and compare."""
    nonce, aad = random.randbytes(12), random.randbytes(aad_bytes)
    plain = random.randbytes(text_bytes)
    cipher, tag = reference.seal(key, nonce, aad, plain)
    given, wanted = (plain, cipher) if direction == "encrypt" else (cipher, plain)
    await accelerator.configure(GCM, direction, len(key))
    got = await accelerator.gcm(nonce, aad, given)
    assert got == (wanted, tag), (aad_bytes, text_bytes, direction)


async def check_alive(accelerator: Accelerator, key: bytes) -> None:
    """Run a message each way with the key that is loaded."""
    for direction in DIRECTIONS:
        await check(accelerator, key, 20, 40, direction)
    assert not await accelerator.errors()


async def abandon(accelerator: Accelerator) -> None:
    """Give up a message as a host does: abort, and drop what the streams still hold."""
    accelerator.source.pause = True
    await accelerator.command("abort")
    await accelerator.wait_status(busy=0, done=0)
    accelerator.drop_streams()
    accelerator.stall("none")
    await accelerator.command("abort")  # also drop what arrived before the abort took effect
    await accelerator.wait_status(busy=0)


@cocotb.test()
async def known_answers(dut: Any) -> None:
    """NIST's vectors of each key size, in both directions."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    lengths = set()
    for message in gcm_messages(5):
        if len(message.key) not in accelerator.key_lengths:
            continue
        await accelerator.configure(GCM, "decrypt", len(message.key))
        await accelerator.load_key(message.key)
        plain, tag = await accelerator.gcm(message.nonce, message.aad, message.text)
        assert tag == message.tag, message.name
        assert reference.seal(message.key, message.nonce, message.aad, plain) == (
            message.text,
            message.tag,
        )
        await accelerator.configure(GCM, "encrypt", len(message.key))
        got = await accelerator.gcm(message.nonce, message.aad, plain)
        assert got == (message.text, message.tag), message.name
        lengths.add((len(message.aad), len(message.text)))
    assert len(lengths) > 4, lengths


@cocotb.test()
async def every_pair_of_lengths(dut: Any) -> None:
    """Text and data of zero, partial, one and several blocks, with stalls and key changes."""
    accelerator, key = await ready(dut)
    stalls = itertools.cycle(STALLS)
    pairs = [*itertools.product(LENGTHS, LENGTHS), (333, 400), (16, 496), (497, 31)]
    random.shuffle(pairs)
    if not WHOLE:
        pairs = [(0, 0), *pairs[: len(pairs) // 4]]
    for number, pair in enumerate(pairs):
        accelerator.stall(next(stalls), number + 1)
        if number % 3 == 0:
            key = random.randbytes(random.choice(accelerator.key_lengths))
            await accelerator.configure(GCM, "encrypt", len(key))
            await accelerator.load_key(key)
        await check(accelerator, key, *pair, DIRECTIONS[number % 2])
    assert not await accelerator.errors()


@cocotb.test()
async def among_other_modes(dut: Any) -> None:
    """Messages of other modes in between change no result and have no tag; the sink works."""
    accelerator, key = await ready(dut)
    for mode in reference.MODES:
        await check(accelerator, key, 17, 33, "encrypt")
        iv, data = random.randbytes(BLOCK), random.randbytes(4 * BLOCK)
        await accelerator.configure(mode, "encrypt", len(key))
        await accelerator.load_iv(iv)
        answer = reference.crypt(mode, "encrypt", key, iv, data)
        assert await accelerator.message(data) == answer.data, mode
        assert await accelerator.read_tag() == bytes(BLOCK), "a tag of another message"
    for direction in DIRECTIONS:
        nonce, aad, plain = (random.randbytes(n) for n in (12, 40, 333))
        cipher, tag = reference.seal(key, nonce, aad, plain)
        await accelerator.configure(GCM, direction, len(key), sink=True)
        text = plain if direction == "encrypt" else cipher
        assert await accelerator.gcm(nonce, aad, text, sink=True) == (b"", tag)
        assert await accelerator.read_pair("SINK_BYTES") == len(plain)
    # With the bypass the mode does not count, and a length of zero ends at once.
    await accelerator.configure(GCM, "encrypt", len(key), bypass=True)
    for data in (b"", random.randbytes(30)):
        assert await accelerator.message(data) == data
    await check_alive(accelerator, key)


@cocotb.test()
async def tag_comes_last(dut: Any) -> None:
    """TAG is zero during a message and after the next start, an abort or a zeroise."""
    accelerator, key = await ready(dut)
    nonce, aad, plain = (random.randbytes(n) for n in (12, 20, 5 * BLOCK))
    sealed = reference.seal(key, nonce, aad, plain)
    for end in ("finish", "start", "abort", "zeroise"):
        await accelerator.start_gcm(nonce, len(aad), len(plain))
        accelerator.sink.pause = True
        accelerator.send(aad)
        accelerator.send(plain)
        await ClockCycles(dut.clk_i, 700)
        assert (await accelerator.fields("STATUS"))["busy"] == 1
        assert await accelerator.read_tag() == bytes(BLOCK), "a tag before the end"
        accelerator.sink.pause = False
        assert await accelerator.receive() == sealed[0]
        await accelerator.wait_status(busy=0, done=1)
        assert await accelerator.read_tag() == sealed[1]
        if end == "start":
            await accelerator.start_gcm(nonce, 0, BLOCK)
            assert await accelerator.read_tag() == bytes(BLOCK)
            await abandon(accelerator)
        elif end != "finish":
            await accelerator.command(end)
            await accelerator.wait_status(busy=0, zeroising=0)
            assert await accelerator.read_tag() == bytes(BLOCK)
    # After a refused message TAG does not show the tag of the one before.
    await accelerator.configure(GCM, "encrypt", len(key))
    await accelerator.load_key(key)
    await check(accelerator, key, 5, 5, "encrypt")
    await accelerator.start(5)
    await accelerator.wait_status(busy=0, done=0)
    assert await accelerator.errors() == {"counter"}
    assert await accelerator.read_tag() == bytes(BLOCK)
    await check_alive(accelerator, key)


@cocotb.test()
async def one_message_an_iv(dut: Any) -> None:
    """An IV serves one message: a second one, a continuation or another mode is refused."""
    accelerator, key = await ready(dut)

    async def refused(*errors: str) -> None:
        status = await accelerator.wait_status(busy=0)
        assert status["done"] == 0
        assert await accelerator.errors() == set(errors)

    await check(accelerator, key, 3, 33, "encrypt")
    for text_bytes in (0, 1, 33):
        await accelerator.start(text_bytes)
        await refused("counter")
    await accelerator.configure("ctr", "encrypt", len(key), 32)
    await accelerator.start(BLOCK)
    await refused("counter")
    await accelerator.load_iv(random.randbytes(BLOCK))
    await accelerator.message(random.randbytes(BLOCK))
    await accelerator.configure(GCM, "encrypt", len(key))
    await accelerator.start(BLOCK)
    await refused("counter")
    await accelerator.load_iv(random.randbytes(BLOCK), blocks=1)
    await accelerator.start(BLOCK)
    await refused("counter")
    await accelerator.start_gcm(random.randbytes(12), 0, BLOCK * MOST_BLOCKS + 1)
    await refused("counter")
    await accelerator.start_gcm(random.randbytes(12), 0, BLOCK * MOST_BLOCKS)
    await accelerator.wait_status(busy=1)
    assert not await accelerator.errors()
    await abandon(accelerator)
    # An aborted message has used its IV as well.
    await accelerator.start(BLOCK)
    await refused("counter")
    # The core makes no more counter blocks than the text needs, however long the wait.
    for blocks in (0, 1, 4):
        await accelerator.start_gcm(random.randbytes(12), 0, blocks * BLOCK)
        await ClockCycles(dut.clk_i, 600)
        assert await accelerator.read_pair("IV_BLOCKS") == blocks
        await abandon(accelerator)
    await check_alive(accelerator, key)


@cocotb.test()
async def lengths_beyond_a_word(dut: Any) -> None:
    """All bits of both lengths count, for associated data and text of 4 GiB and more."""
    accelerator, key = await ready(dut)
    engine = accelerator.modes.u_modes
    # If the high bits were ignored, each would be a packet of one block. No text is longer than
    # 2^36 - 32 bytes.
    cases = [(bit, 0) for bit in (32, 36, 37, 60)] + [(0, bit) for bit in (32, 35)]
    for aad_bit, text_bit in cases:
        aad_bytes = (1 << aad_bit) + BLOCK if aad_bit else 0
        text_bytes = (1 << text_bit) + BLOCK if text_bit else BLOCK
        await accelerator.configure(GCM, "encrypt", len(key), sink=True)
        await accelerator.start_gcm(random.randbytes(12), aad_bytes, text_bytes)
        await ClockCycles(dut.clk_i, 5)
        before = (1 << (aad_bit or text_bit) - 4) + 1
        assert int(engine.output_left_q.value) == before
        await accelerator.send_part(random.randbytes(6 * BLOCK), 4 * BLOCK)
        await ClockCycles(dut.clk_i, 800)
        assert (await accelerator.fields("STATUS"))["busy"] == 1, (aad_bit, text_bit)
        assert not await accelerator.errors(), (aad_bit, text_bit)
        assert before - int(engine.output_left_q.value) >= 4, (aad_bit, text_bit)
        await abandon(accelerator)
    await check_alive(accelerator, key)


@cocotb.test()
async def framing(dut: Any) -> None:
    """A packet of associated data of the wrong length ends the message."""
    accelerator, key = await ready(dut)
    hole = [1] * 40
    hole[18] = 0
    frames = {
        "early": [bytes(39), bytes(20)],
        "a block early": [bytes(32), bytes(20)],
        "late": [bytes(41), bytes(20)],
        "a block late": [bytes(50), bytes(20)],
        "one packet": [bytes(60)],
        "hole": [AxiStreamFrame(tdata=bytes(40), tkeep=hole), bytes(20)],
        "text early": [bytes(40), bytes(19)],
        "text late": [bytes(40), bytes(21)],
    }
    for name, sent in frames.items():
        await accelerator.start_gcm(random.randbytes(12), 40, 20)
        for frame in sent:
            accelerator.source.send_nowait(frame)
        status = await accelerator.wait_status(busy=0)
        assert status["done"] == 0, name
        assert await accelerator.errors() == {"framing"}, name
        assert await accelerator.read_tag() == bytes(BLOCK), name
        await accelerator.source.wait()  # the rest is dropped, and the sender does not hang
        await abandon(accelerator)
        await check(accelerator, key, 3, 20, "encrypt")
    await check_alive(accelerator, key)


@cocotb.test()
async def aborted(dut: Any) -> None:
    """An abort anywhere: in the first blocks, the associated data, the text, before the tag."""
    accelerator, key = await ready(dut)
    cuts = list(
        itertools.product((0, 3, 11, 17, 29, 60, 200), ((40 * BLOCK, 0), (33, 40 * BLOCK), (0, 0)))
    )
    for cycles, (aad_bytes, text_bytes) in cuts if WHOLE else random.sample(cuts, 8):
        if cycles % 2:
            await accelerator.load_key(key)  # while the hash key is computed
        await accelerator.start_gcm(random.randbytes(12), aad_bytes, text_bytes)
        accelerator.send(random.randbytes(aad_bytes))
        accelerator.send(random.randbytes(text_bytes))
        accelerator.sink.pause = cycles == 60
        await ClockCycles(dut.clk_i, cycles)
        await abandon(accelerator)
        # No block of the aborted message enters the core before one of another mode.
        await accelerator.configure("ecb", "encrypt", len(key))
        data = random.randbytes(3 * BLOCK)
        answer = reference.crypt("ecb", "encrypt", key, bytes(BLOCK), data)
        assert await accelerator.message(data) == answer.data, (cycles, aad_bytes, text_bytes)
        await check(accelerator, key, 21, 34, "decrypt")
        if cycles % 2:
            await accelerator.write_bytes("KEY", key)
    await check_alive(accelerator, key)


@cocotb.test()
async def forgotten(dut: Any) -> None:
    """After a zeroise no register holds a word of hash key, mask, keystream, data or tag."""
    accelerator, key = await ready(dut)
    for stall in ("text", "output", "done"):
        nonce, aad, plain = (random.randbytes(n) for n in (12, 40, 64 * BLOCK))
        cipher, tag = reference.seal(key, nonce, aad, plain)
        hash_key = reference.crypt("ecb", "encrypt", key, b"", bytes(BLOCK)).data
        first = nonce + bytes((0, 0, 0, 1))
        mask = reference.crypt("ecb", "encrypt", key, b"", first).data
        keystream = reference.crypt("ctr", "encrypt", key, first, bytes(65 * BLOCK)).data
        # GHASH reverses the bits of a byte.
        turned = [bytes(int(f"{n:08b}"[::-1], 2) for n in part) for part in (hash_key, cipher)]
        secrets = [key, nonce, aad, plain, cipher, tag, hash_key, mask, keystream, *turned]
        await accelerator.configure(GCM, "encrypt", len(key))
        await accelerator.start_gcm(nonce, len(aad), len(plain))
        accelerator.send(aad)
        accelerator.sink.pause = stall == "output"
        if stall != "text":
            accelerator.send(plain)
        if stall == "done":
            await accelerator.receive()
            await accelerator.wait_status(done=1)
            assert any("tag_q" in path for path in residue.find(dut, [tag]))
        await ClockCycles(dut.clk_i, 400)
        there = residue.find(dut, [hash_key, *turned])
        assert any("u_tag" in path for path in there), "the search does not see the hash key"
        accelerator.source.pause = True
        await ClockCycles(dut.clk_i, 2)
        await accelerator.command("zeroise")
        await accelerator.wait_status(zeroising=0)
        accelerator.drop_streams()
        await ClockCycles(dut.clk_i, 2)
        await accelerator.command("abort")
        await accelerator.wait_status(busy=0)
        await Timer(1, "ns")
        found = residue.find(dut, secrets)
        assert not found, (stall, found)
        await accelerator.errors()
        accelerator.stall("none")
        await accelerator.load_key(key)
        await check_alive(accelerator, key)
    # Loading a key clears the hash key of the one before.
    await accelerator.load_key(random.randbytes(len(key)))
    await accelerator.wait_status(key_pending=0)
    await ClockCycles(dut.clk_i, 30)
    found = residue.find(dut, [hash_key, *turned[:1]])
    assert not found, found


@cocotb.test()
async def full_rate(dut: Any) -> None:
    """GCM runs at the rate of the counter mode, associated data at that of the hash."""
    accelerator, _ = await ready(dut)
    digit = int(dut.GhashDigit.value)
    hash_cycles = 1 if digit == 128 else 128 // digit + 1
    stream = BLOCK / accelerator.lanes
    for key_length in accelerator.key_lengths:
        await accelerator.configure(GCM, "encrypt", key_length)
        await accelerator.load_key(random.randbytes(key_length))
        await accelerator.gcm(random.randbytes(12), b"", b"")  # has a hash key to make
        core = max(expected(accelerator, "ctr", "encrypt", key_length))
        for kind, allowed in (("gcm text", max(core, stream)), ("gcm aad", hash_cycles)):
            cycles = []
            for blocks in BLOCKS[kind]:
                data = random.randbytes(blocks * BLOCK)
                parts = (b"", data) if kind == "gcm text" else (data, b"")
                await accelerator.gcm(random.randbytes(12), *parts)
                cycles.append(await accelerator.read_pair("CYCLES"))
            few, many = BLOCKS[kind]
            each = (cycles[1] - cycles[0]) / (many - few)
            text = f"{kind} {8 * key_length}: {each:.2f} n + {cycles[0] - few * each:.0f}"
            dut._log.warning(text)
            assert accelerator.asynchronous or each <= max(allowed, stream) + 0.05, text
