# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Ascon in the accelerator: AEAD, digests, lengths, refused messages, aborts, zeroises."""

from __future__ import annotations

import itertools
import random
from typing import Any

import ascon_reference as ascon
import cocotb
from accelerator import STALLS, Accelerator
from ascon_reference import COUNTING
from ciphermill_dv import residue
from cocotb.triggers import ClockCycles, Timer
from cocotbext.axi import AxiStreamFrame
from reference import AEAD, BLOCK, DIGEST, DIRECTIONS, MODES

KEY_BYTES = 16
LENGTHS = (0, 1, 15, 16, 17, 48, 61)
BLOCKS = (20, 28)
"""Blocks of two messages whose cycles are compared; the FIFOs cannot hold the shorter one."""


async def ready(dut: Any) -> tuple[Accelerator, bytes]:
    """Return an accelerator after reset with a key in it."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    key = random.randbytes(KEY_BYTES)
    await accelerator.load_key(key)
    return accelerator, key


async def start(
    accelerator: Accelerator, direction: str, nonce: bytes, aad_bytes: int, text_bytes: int
) -> None:
    """Configure and start a message of AEAD."""
    await accelerator.configure(AEAD, direction)
    await accelerator.write_bytes("IV", nonce)
    await accelerator.write_pair("AAD_LENGTH", aad_bytes)
    await accelerator.start(text_bytes)


async def aead(
    accelerator: Accelerator,
    direction: str,
    nonce: bytes,
    aad: bytes,
    text: bytes,
    tag: bytes = b"",
    sink: bool = False,
) -> tuple[bytes, bytes, bool]:
    """Run a message under the key that is loaded.

    Returns:
        Its output, what TAG holds, and whether the tag of a decryption was wrong.
    """
    await accelerator.configure(AEAD, direction, sink=sink)
    await accelerator.write_bytes("IV", nonce)
    await accelerator.write_pair("AAD_LENGTH", len(aad))
    await accelerator.start(len(text))
    for packet in (aad, text, tag):
        accelerator.send(packet)
    output = b"" if sink or not text else await accelerator.receive()
    status = await accelerator.wait_status(busy=0)
    assert status["done"] != status["forged"], await accelerator.errors()
    assert accelerator.sink.empty(), "more output than the message has"
    return output, await accelerator.read_tag(), bool(status["forged"])


async def digest(accelerator: Accelerator, data: bytes) -> bytes:
    """Return the digest of a message."""
    await accelerator.configure(DIGEST)
    await accelerator.start(len(data))
    accelerator.send(data)
    output = await accelerator.receive()
    status = await accelerator.wait_status(busy=0)
    assert status["done"] == 1, await accelerator.errors()
    assert await accelerator.read_tag() == bytes(BLOCK)
    return output


async def check(accelerator: Accelerator, key: bytes, aad_bytes: int, text_bytes: int) -> None:
    """Run a random message in each direction of the build, and compare."""
    nonce, aad = random.randbytes(BLOCK), random.randbytes(aad_bytes)
    plain = random.randbytes(text_bytes)
    coded, tag = ascon.encrypt(key, nonce, aad, plain)
    lengths = (aad_bytes, text_bytes)
    if "encrypt" in accelerator.directions:
        got = await aead(accelerator, "encrypt", nonce, aad, plain)
        assert got == (coded, tag, False), lengths
    if "decrypt" in accelerator.directions:
        got = await aead(accelerator, "decrypt", nonce, aad, coded, tag)
        assert got == (plain, bytes(BLOCK), False), lengths


async def check_alive(accelerator: Accelerator, key: bytes) -> None:
    """Run messages of every operation with the key that is loaded."""
    await check(accelerator, key, 20, 40)
    data = random.randbytes(37)
    assert await digest(accelerator, data) == ascon.hash256(data)
    assert not await accelerator.errors()


@cocotb.test()
async def identity(dut: Any) -> None:
    """The capability registers agree with the build's parameters."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    capability = await accelerator.fields("CAPABILITY")
    wanted = {
        "algorithm": 1,
        "architecture": 0 if int(dut.RoundsPerCycle.value) == 1 else 3,
        "encrypt": int("encrypt" in accelerator.directions),
        "decrypt": int("decrypt" in accelerator.directions),
        "key_128": 1,
        "aead": 1,
        "digest": 1,
        "sink": 1,
        "asynchronous": int(accelerator.asynchronous),
    }
    assert {name: value for name, value in capability.items() if value} == {
        name: value for name, value in wanted.items() if value
    }


@cocotb.test()
async def known_answers(dut: Any) -> None:
    """Known answers of the authors, for the device and for the reference: AEAD and digests."""
    accelerator, _ = await ready(dut)
    key = nonce = COUNTING[:16]
    await accelerator.load_key(key)
    for (text, aad), answer in ascon.KNOWN_AEAD.items():
        sealed = bytes.fromhex(answer)
        given = (COUNTING[:text], sealed[:-BLOCK], sealed[-BLOCK:])
        if "encrypt" in accelerator.directions:
            got = await aead(accelerator, "encrypt", nonce, COUNTING[:aad], given[0])
            assert got == (*given[1:], False), (text, aad)
        if "decrypt" in accelerator.directions:
            got = await aead(accelerator, "decrypt", nonce, COUNTING[:aad], *given[1:])
            assert got == (given[0], bytes(BLOCK), False), (text, aad)
    for length, answer in ascon.KNOWN_HASH.items():
        assert (await digest(accelerator, COUNTING[:length])).hex() == answer, length


@cocotb.test()
async def every_pair_of_lengths(dut: Any) -> None:
    """Text and data of zero, partial, one and several blocks, with stalls and key changes."""
    accelerator, key = await ready(dut)
    stalls = itertools.cycle(STALLS)
    pairs = [*itertools.product(LENGTHS, LENGTHS), (333, 400), (16, 496), (497, 31)]
    random.shuffle(pairs)
    for number, pair in enumerate(pairs):
        accelerator.stall(next(stalls), number + 1)
        if number % 3 == 0:
            key = random.randbytes(KEY_BYTES)
            await accelerator.load_key(key)
        await check(accelerator, key, *pair)
    assert not await accelerator.errors()


@cocotb.test()
async def every_length(dut: Any) -> None:
    """Texts, associated data and hashed messages of every length modulo 16, with stalls."""
    accelerator, key = await ready(dut)
    stalls = itertools.cycle(STALLS)
    for length in range(34):
        accelerator.stall(next(stalls), length + 1)
        await check(accelerator, key, 33 - length, length)
        data = random.randbytes(length)
        assert await digest(accelerator, data) == ascon.hash256(data), length
    assert not await accelerator.errors()


@cocotb.test()
async def forged(dut: Any) -> None:
    """Any wrong bit fails the tag: STATUS says so, `done` stays low, TAG reads zero."""
    accelerator, key = await ready(dut)
    if "decrypt" not in accelerator.directions:
        return
    for text_bytes, aad_bytes in ((0, 0), (0, 5), (16, 0), (41, 20)):
        nonce, aad, plain = (random.randbytes(n) for n in (BLOCK, aad_bytes, text_bytes))
        coded, tag = ascon.encrypt(key, nonce, aad, plain)
        parts = {"nonce": nonce, "aad": aad, "coded": coded, "tag": tag}
        for name, part in parts.items():
            if not part:
                continue
            flipped = bytearray(part)
            flipped[random.randrange(len(part))] ^= 1 << random.randrange(8)
            wrong = {**parts, name: bytes(flipped)}
            got = await aead(
                accelerator, "decrypt", wrong["nonce"], wrong["aad"], wrong["coded"], wrong["tag"]
            )
            assert got[1:] == (bytes(BLOCK), True), name
            state = await accelerator.fields("INTERRUPT_STATE")
            assert state["done"] == 1
        got = await aead(accelerator, "decrypt", nonce, aad, coded, tag)
        assert got == (plain, bytes(BLOCK), False)
    await check_alive(accelerator, key)


@cocotb.test()
async def into_the_sink(dut: Any) -> None:
    """The sink counts the output of every operation."""
    accelerator, key = await ready(dut)
    nonce, aad, plain = (random.randbytes(n) for n in (BLOCK, 40, 333))
    coded, tag = ascon.encrypt(key, nonce, aad, plain)
    if "encrypt" in accelerator.directions:
        got = await aead(accelerator, "encrypt", nonce, aad, plain, sink=True)
        assert got == (b"", tag, False)
        assert await accelerator.read_pair("SINK_BYTES") == len(plain)
    if "decrypt" in accelerator.directions:
        got = await aead(accelerator, "decrypt", nonce, aad, coded, tag, sink=True)
        assert got == (b"", bytes(BLOCK), False)
    await accelerator.configure(DIGEST, sink=True)
    await accelerator.start(100)
    accelerator.send(bytes(100))
    assert (await accelerator.wait_status(busy=0))["done"] == 1
    assert await accelerator.read_pair("SINK_BYTES") == 32


@cocotb.test()
async def refused(dut: Any) -> None:
    """Refused: modes of other algorithms, other key sizes, the bypass, no key, a reused nonce."""
    accelerator = Accelerator(dut)
    await accelerator.reset()

    async def refusal(length: int = BLOCK) -> set[str]:
        await accelerator.start(length)
        status = await accelerator.wait_status(busy=0)
        assert status["done"] == 0
        found = await accelerator.errors()
        await accelerator.give_up()
        return found

    direction = accelerator.directions[0]
    await accelerator.configure(AEAD, direction)
    assert await refusal() == {"no_key"}
    data = random.randbytes(21)
    assert await digest(accelerator, data) == ascon.hash256(data), "a digest needs no key"
    for mode in (*MODES, "gcm", "xts"):
        await accelerator.configure(mode, direction)
        assert "unsupported" in await refusal(), mode
    for key_bytes in (24, 32):
        await accelerator.configure(AEAD, direction, key_bytes)
        await accelerator.load_key(bytes(key_bytes))
        assert "unsupported" in await accelerator.errors()
    await accelerator.configure(AEAD, direction)
    key = random.randbytes(KEY_BYTES)
    await accelerator.load_key(key)
    await accelerator.configure(AEAD, direction, bypass=True)
    assert await refusal() == {"unsupported"}
    for absent in set(DIRECTIONS) - set(accelerator.directions):
        await accelerator.configure(AEAD, absent)
        assert await refusal() == {"unsupported"}
    await check(accelerator, key, 3, 20)
    await accelerator.configure(AEAD, direction)
    assert await refusal() == {"counter"}, "a nonce of an earlier message"
    await check_alive(accelerator, key)


@cocotb.test()
async def framing(dut: Any) -> None:
    """A packet of the wrong length ends the message: associated data, text or tag."""
    accelerator, key = await ready(dut)
    hole = [1] * 40
    hole[18] = 0
    frames: dict[str, list[Any]] = {
        "early": [bytes(39), bytes(20)],
        "a block early": [bytes(32), bytes(20)],
        "late": [bytes(41), bytes(20)],
        "one packet": [bytes(60)],
        "hole": [AxiStreamFrame(tdata=bytes(40), tkeep=hole), bytes(20)],
        "text early": [bytes(40), bytes(19)],
        "text late": [bytes(40), bytes(21)],
    }
    if "decrypt" in accelerator.directions:
        frames["short tag"] = [bytes(40), bytes(20), bytes(15)]
        frames["long tag"] = [bytes(40), bytes(20), bytes(17)]
    for name, sent in frames.items():
        direction = "decrypt" if "tag" in name else accelerator.directions[0]
        await start(accelerator, direction, random.randbytes(BLOCK), 40, 20)
        for frame in sent:
            accelerator.source.send_nowait(frame)
        status = await accelerator.wait_status(busy=0)
        assert status["done"] == status["forged"] == 0, name
        assert await accelerator.errors() == {"framing"}, name
        assert await accelerator.read_tag() == bytes(BLOCK), name
        await accelerator.source.wait()  # the rest is dropped, and the sender does not hang
        await accelerator.give_up()
        await check(accelerator, key, 3, 20)
    await accelerator.configure(DIGEST)
    await accelerator.start(40)
    accelerator.send(bytes(41))
    await accelerator.wait_status(busy=0)
    assert await accelerator.errors() == {"framing"}
    await accelerator.give_up()
    await check_alive(accelerator, key)


@cocotb.test()
async def aborted(dut: Any) -> None:
    """An abort at any moment drops the message and keeps the key."""
    accelerator, key = await ready(dut)
    shapes = ((40 * BLOCK, 0), (33, 40 * BLOCK), (0, 0))
    for cycles, shape in itertools.product((0, 3, 11, 17, 29, 60, 200), shapes):
        direction = random.choice(accelerator.directions)
        await start(accelerator, direction, random.randbytes(BLOCK), *shape)
        for length in shape:
            accelerator.send(random.randbytes(length))
        accelerator.sink.pause = cycles == 60
        await ClockCycles(dut.clk_i, cycles)
        await accelerator.give_up()
        await check(accelerator, key, 21, 34)
    for cycles in (5, 90):
        await accelerator.configure(DIGEST)
        await accelerator.start(40 * BLOCK)
        accelerator.send(random.randbytes(40 * BLOCK))
        await ClockCycles(dut.clk_i, cycles)
        await accelerator.give_up()
        await check_alive(accelerator, key)


@cocotb.test()
async def forgotten(dut: Any) -> None:
    """After a zeroise no register or memory holds a word of key, state, data, digest or tag."""
    accelerator, key = await ready(dut)
    direction = accelerator.directions[0]
    for stall in ("text", "output", "done", "digest"):
        nonce, aad, plain = (random.randbytes(n) for n in (BLOCK, 40, 64 * BLOCK))
        coded, tag = ascon.encrypt(key, nonce, aad, plain)
        secrets = [key, nonce, aad, plain, coded, tag, ascon.hash256(plain)]
        if stall == "digest":
            await accelerator.configure(DIGEST)
            accelerator.sink.pause = True
            await accelerator.start(len(plain))
            accelerator.send(plain)
        else:
            await start(accelerator, direction, nonce, len(aad), len(plain))
            accelerator.send(aad)
            accelerator.sink.pause = stall == "output"
            if stall != "text":
                accelerator.send(plain if direction == "encrypt" else coded)
                accelerator.send(b"" if direction == "encrypt" else tag)
        if stall == "done":
            await accelerator.receive()
            await accelerator.wait_status(busy=0)
        await ClockCycles(dut.clk_i, 700)
        there = residue.find(dut, secrets)
        assert any("key_q" in path for path in there), "the search does not see the key"
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
        state = dut.gen_channel[0].u_channel.gen_ascon.u_engine.u_core.u_permutation.state_q
        assert all(int(word.value) == 0 for word in state), "the state of the permutation"
        await accelerator.errors()
        accelerator.stall("none")
        await accelerator.configure(AEAD, direction)
        await accelerator.load_key(key)
        await check_alive(accelerator, key)


@cocotb.test()
async def full_rate(dut: Any) -> None:
    """Each operation runs at the rate of the core, or of the stream where that is slower."""
    accelerator, _ = await ready(dut)
    rounds = int(dut.RoundsPerCycle.value)
    stream = BLOCK / accelerator.lanes
    core = {"text": -(-8 // rounds), "aad": -(-8 // rounds), "digest": 2 * -(-12 // rounds)}
    for kind, allowed in core.items():
        cycles = []
        for blocks in BLOCKS:
            data = random.randbytes(blocks * BLOCK)
            if kind == "digest":
                await digest(accelerator, data)
            else:
                parts = (b"", data) if kind == "text" else (data, b"")
                nonce = random.randbytes(BLOCK)
                await aead(accelerator, accelerator.directions[0], nonce, *parts, *closing(dut))
            cycles.append(await accelerator.read_pair("CYCLES"))
        few, many = BLOCKS
        each = (cycles[1] - cycles[0]) / (many - few)
        text = f"ascon {kind}: {each:.2f} n + {cycles[0] - few * each:.0f}"
        dut._log.warning(text)
        assert accelerator.asynchronous or each <= max(allowed, stream) + 0.05, text


def closing(dut: Any) -> tuple[bytes, ...]:
    """Return the packet after the text: any tag where the build has decryption alone."""
    return () if int(dut.Directions.value) & 1 else (bytes(BLOCK),)
