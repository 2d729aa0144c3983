# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the accelerator computes: every mode, direction, key size, length and stall."""

from __future__ import annotations

import itertools
import os
import random
from typing import Any

import cocotb
import reference
import vectors
from accelerator import STALLS, Accelerator
from ciphermill_dv.coverage import Coverage
from reference import BLOCK, DIRECTIONS, MODES

# One build visits every bin; the others draw some.
WHOLE = os.environ.get("EVERY_BIN") == "1"
KEY_LENGTHS = (16, 24, 32)
LENGTHS: dict[str, tuple[int, ...]] = {
    "none": (0,),
    "below a block": tuple(range(1, 16)),
    "one block": (16,),
    "whole blocks": tuple(range(32, 129, 16)),
    "ragged": tuple(n for n in range(17, 128) if n % BLOCK),
    "whole, beyond the FIFOs": (16 * 23, 16 * 31),
    "ragged, beyond the FIFOs": (16 * 22 + 1, 16 * 25 - 1),
}


def possible(mode: str, direction: str, key_bits: int, length: str, stall: str) -> bool:
    """Tell whether a bin can occur: only CTR takes partial blocks."""
    return mode == "ctr" or all(n % BLOCK == 0 for n in LENGTHS[length])


@cocotb.test()
async def cross(dut: Any) -> None:
    """Combinations of mode, direction, key size, length class and stall pattern."""
    coverage = Coverage(
        "accelerator",
        {
            "mode": MODES,
            "direction": DIRECTIONS,
            "key_bits": [8 * n for n in KEY_LENGTHS],
            "length": list(LENGTHS),
            "stall": list(STALLS),
        },
        possible,
    )
    generator = random.Random(random.random())
    accelerator = Accelerator(dut)
    await accelerator.reset()
    bins = [
        bin_
        for bin_ in itertools.product(MODES, DIRECTIONS, KEY_LENGTHS, LENGTHS, STALLS)
        if possible(*bin_) and accelerator.can(*bin_[:3])
    ]
    generator.shuffle(bins)
    if not WHOLE:
        bins = bins[: len(bins) // 4]
    for mode, direction, key_length, length_class, stall in bins:
        length = generator.choice(LENGTHS[length_class])
        key, iv, data = (generator.randbytes(n) for n in (key_length, BLOCK, length))
        accelerator.stall(stall, generator.randrange(1 << 30))
        got = await accelerator.crypt(mode, direction, key, iv, data)
        answer = reference.crypt(mode, direction, key, iv, data)
        assert got == answer.data, (mode, direction, key_length, length, stall)
        assert await accelerator.read_iv() == answer.iv
        coverage.sample(
            mode=mode,
            direction=direction,
            key_bits=8 * key_length,
            length=length_class,
            stall=stall,
        )
    assert not await accelerator.errors()
    if WHOLE:
        assert not coverage.missing(), coverage.missing()
    coverage.write()


@cocotb.test()
async def every_length(dut: Any) -> None:
    """CTR messages of every length over a few blocks, back to back under one key and IV."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    key, iv = random.randbytes(32), random.randbytes(BLOCK)
    await accelerator.configure("ctr", "encrypt", 32)
    await accelerator.load_key(key)
    await accelerator.load_iv(iv)
    used = 0
    for length in range(0, 4 * BLOCK + 2):
        data = random.randbytes(length)
        answer = reference.crypt("ctr", "encrypt", key, iv, data)
        assert await accelerator.message(data) == answer.data, length
        iv, used = answer.iv, used + answer.blocks
    assert await accelerator.read_iv() == iv
    assert await accelerator.read_pair("IV_BLOCKS") == used


@cocotb.test()
async def known_answers(dut: Any) -> None:
    """SP 800-38A, RFC 3686, and a selection of CAVP's vectors."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    cases = list(vectors.sp_800_38a())
    for bits in (128, 192, 256):
        cases += vectors.published("CTR", f"aes-{bits}-ctr.txt")
        cases += list(vectors.published("CBC", f"CBCMMT{bits}.rsp"))[::2]
        cases += list(vectors.published("ECB", f"ECBMMT{bits}.rsp"))[1::2]
    assert len(cases) > 60
    for case in cases:
        if not accelerator.can(case.mode, case.direction, len(case.key)):
            continue
        got = await accelerator.crypt(case.mode, case.direction, case.key, case.iv, case.data)
        assert got == case.answer, case.source


@cocotb.test()
async def same_key_many_messages(dut: Any) -> None:
    """A key stays loaded over messages of every mode and direction; its registers read zero."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    key = random.randbytes(max(accelerator.key_lengths))
    await accelerator.configure("ecb", "encrypt", len(key))
    await accelerator.load_key(key)
    for mode, direction in itertools.product(MODES, accelerator.directions):
        iv, data = random.randbytes(BLOCK), random.randbytes(5 * BLOCK)
        await accelerator.configure(mode, direction, len(key))
        await accelerator.load_iv(iv)
        answer = reference.crypt(mode, direction, key, iv, data)
        assert await accelerator.message(data) == answer.data, (mode, direction)
    for word in range(8):
        assert await accelerator.read("KEY", word) == 0


@cocotb.test()
async def a_message_in_parts(dut: Any) -> None:
    """A message in parts: its state is saved and restored, with other messages in between."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    for mode, direction in itertools.product(("cbc", "ctr"), accelerator.directions):
        key, iv = random.randbytes(16), random.randbytes(BLOCK)
        data = random.randbytes(12 * BLOCK + (5 if mode == "ctr" else 0))
        whole = reference.crypt(mode, direction, key, iv, data)
        state, blocks, got = iv, 0, b""
        for begin, end in itertools.pairwise((0, 16, 64, 160, len(data))):
            await accelerator.configure(mode, direction, 16)
            await accelerator.load_key(key)
            await accelerator.load_iv(state, blocks)
            got += await accelerator.message(data[begin:end])
            state = await accelerator.read_iv()
            blocks = await accelerator.read_pair("IV_BLOCKS")
            other = random.randbytes(32)
            await accelerator.crypt("cbc", "encrypt", random.randbytes(16), state, other)
        assert got == whole.data, (mode, direction)
        assert (state, blocks) == (whole.iv, whole.blocks)


@cocotb.test()
async def counter_wraps(dut: Any) -> None:
    """The counter wraps within its width, and the bits above it stay."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    for width, low in itertools.product((32, 64, 128), (0, 1, 3)):
        ones = (1 << width) - 1
        upper = random.getrandbits(128) & ~ones
        iv = (upper | (ones - low)).to_bytes(BLOCK, "big")
        key, data = random.randbytes(32), random.randbytes(5 * BLOCK + 3)
        answer = reference.crypt("ctr", "encrypt", key, iv, data, width)
        assert await accelerator.crypt("ctr", "encrypt", key, iv, data, width) == answer.data
        assert await accelerator.read_iv() == answer.iv, width
    # Carries across the words of the adder, without a wrap.
    for width, bits in ((64, 32), (128, 32), (128, 64), (128, 96)):
        iv = (random.getrandbits(128) | ((1 << bits) - 1)) & ~(1 << bits)
        key, data = random.randbytes(16), random.randbytes(3 * BLOCK)
        answer = reference.crypt("ctr", "decrypt", key, iv.to_bytes(BLOCK, "big"), data, width)
        got = await accelerator.crypt("ctr", "decrypt", key, iv.to_bytes(BLOCK, "big"), data, width)
        assert got == answer.data, (width, bits)


@cocotb.test()
async def sink_and_bypass(dut: Any) -> None:
    """The sink counts what it consumes; the bypass needs no key and changes nothing."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    for stall, length in itertools.product(STALLS, (1, 16, 40, 333, 512)):
        data = random.randbytes(length)
        accelerator.stall(stall, length)
        await accelerator.configure(bypass=True)
        assert await accelerator.message(data) == data
        await accelerator.configure(bypass=True, sink=True)
        await accelerator.message(data, sink=True)
        assert await accelerator.read_pair("SINK_BYTES") == length
    await accelerator.configure("ctr", "encrypt", 16, sink=True)
    key, iv = random.randbytes(16), random.randbytes(BLOCK)
    await accelerator.load_key(key)
    await accelerator.load_iv(iv)
    data = random.randbytes(333)
    await accelerator.message(data, sink=True)
    assert await accelerator.read_pair("SINK_BYTES") == 333
    assert await accelerator.read_iv() == reference.crypt("ctr", "encrypt", key, iv, data).iv
    await accelerator.configure("ctr", "encrypt", 16)
    await accelerator.load_iv(iv)
    assert await accelerator.message(data) == reference.crypt("ctr", "encrypt", key, iv, data).data
    assert await accelerator.read_pair("SINK_BYTES") == 0
