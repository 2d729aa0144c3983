# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""SHA-2 and HMAC in the accelerator, alone or beside a cipher: digests, refusals, aborts, zeroises.

The reference is Python's hashlib and hmac.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
import random
from typing import Any

import ascon_reference as ascon
import cocotb
import reference
import register_map
from accelerator import STALLS, Accelerator
from ciphermill_dv import residue
from cocotb.triggers import ClockCycles, Timer
from cocotbext.axi import AxiStreamFrame
from reference import AEAD, BLOCK, DIGEST, MODES

AES, ASCON, SHA2, ECC = range(4)
"""Digits of the parameter ChannelCores."""
NUMBERS = register_map.values("CONFIGURATION", "hash")
FUNCTIONS = {
    "sha_224": (1, 64, "sha224"),
    "sha_256": (1, 64, "sha256"),
    "sha_384": (2, 128, "sha384"),
    "sha_512": (2, 128, "sha512"),
    "sha_512_224": (2, 128, "sha512_224"),
    "sha_512_256": (2, 128, "sha512_256"),
}
"""Bit of Sha2WordSizes, bytes of a hash block, and the name in hashlib."""
BLOCKS = (10, 14)
"""Hash blocks of two messages whose cycles are compared."""


def present(dut: Any) -> list[str]:
    """Return the functions of the build."""
    sizes = int(dut.Sha2WordSizes.value)
    return [name for name, (size, *_) in FUNCTIONS.items() if sizes & size]


def answer(function: str, key: bytes | None, data: bytes) -> bytes:
    """Return the digest of a message, or with a key its code."""
    name = FUNCTIONS[function][2]
    return hashlib.new(name, data).digest() if key is None else hmac.digest(key, data, name)


async def start(
    accelerator: Accelerator, function: str, key_bytes: int | None, length: int, **other: int
) -> None:
    """Configure and start a message; without a key it is a digest."""
    word = register_map.pack(
        "CONFIGURATION",
        mode=reference.NUMBERS[DIGEST],
        hash=NUMBERS[function],
        authenticate=int(key_bytes is not None),
        **other,
    )
    await accelerator.write("CONFIGURATION", word)
    if key_bytes is not None:
        await accelerator.write_pair("AAD_LENGTH", key_bytes)
    await accelerator.start(length)


async def check(
    accelerator: Accelerator, function: str, data: bytes, key: bytes | None = None
) -> None:
    """Run a message and compare its digest or code."""
    await start(accelerator, function, None if key is None else len(key), len(data))
    accelerator.send(key or b"")
    accelerator.send(data)
    case = (function, None if key is None else len(key), len(data))
    assert await accelerator.receive() == answer(function, key, data), case
    status = await accelerator.wait_status(busy=0)
    assert status["done"] == 1, (case, await accelerator.errors())
    assert accelerator.sink.empty(), "more output than a digest"


async def check_alive(accelerator: Accelerator) -> None:
    """Run a message of every function, with a key and without."""
    for function in present(accelerator.dut):
        await check(accelerator, function, random.randbytes(37))
        await check(accelerator, function, random.randbytes(70), random.randbytes(20))
    assert not await accelerator.errors()


@cocotb.test()
async def identity(dut: Any) -> None:
    """The capability registers name the functions, and no cipher where there is none."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    capability = await accelerator.fields("CAPABILITY")
    core, sizes = int(dut.ChannelCores.value), int(dut.Sha2WordSizes.value)
    assert (capability["sha2_32"], capability["sha2_64"]) == (sizes & 1, sizes >> 1)
    assert capability["algorithm"] == core
    assert capability["aead"] == capability["digest"] == int(core == ASCON)
    assert capability["ecb"] == capability["bypass"] == int(core == AES)
    if core == SHA2:
        keys = ("key_128", "key_192", "key_256", "encrypt", "decrypt", "ctr", "architecture")
        assert not any(capability[name] for name in keys)


@cocotb.test()
async def every_length(dut: Any) -> None:
    """Messages and keys about the bounds of blocks, with idle and back-pressure."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    stalls = itertools.cycle(STALLS)
    for function in present(dut):
        bytes_of_block = FUNCTIONS[function][1]
        bounds = (0, BLOCK, bytes_of_block - 17, bytes_of_block - 8, bytes_of_block)
        near = sorted({max(0, at + n) for at in bounds for n in (-1, 0, 1)})
        for number, length in enumerate([*near, 3 * bytes_of_block + 5]):
            accelerator.stall(next(stalls), number + 1)
            data = random.randbytes(length)
            await check(accelerator, function, data)
            await check(
                accelerator, function, data, random.randbytes(near[-1 - number % len(near)])
            )
        await check(accelerator, function, data, random.randbytes(2 * bytes_of_block + 3))
    assert not await accelerator.errors()


@cocotb.test()
async def refused(dut: Any) -> None:
    """Refused: functions that are left out, hashes and modes that do not exist, keys."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    core = int(dut.ChannelCores.value)

    async def refusal(**fields: int) -> set[str]:
        await accelerator.write("CONFIGURATION", register_map.pack("CONFIGURATION", **fields))
        await accelerator.start(BLOCK)
        status = await accelerator.wait_status(busy=0)
        assert status["done"] == 0
        found = await accelerator.errors()
        await accelerator.give_up()
        return found

    digest = reference.NUMBERS[DIGEST]
    for function in FUNCTIONS.keys() - set(present(dut)):
        assert await refusal(mode=digest, hash=NUMBERS[function]) == {"unsupported"}, function
    assert await refusal(mode=digest, hash=7) == {"unsupported"}
    if core != ECC:  # where no hash is an operation on a curve
        assert await refusal(mode=digest, hash=0, authenticate=1) == {"unsupported"}
    if core in (AES, SHA2):
        assert await refusal(mode=digest, hash=0) == {"unsupported"}
    if core == SHA2:
        for mode in (*MODES, AEAD, "gcm", "xts"):
            assert "unsupported" in await refusal(mode=reference.NUMBERS[mode]), mode
        bypass = register_map.pack("CONFIGURATION", mode=digest, hash=NUMBERS[present(dut)[0]])
        assert await refusal(mode=digest, bypass=1) == {"unsupported"}
        await accelerator.write("CONFIGURATION", bypass)
        await accelerator.load_key(bytes(16))
        assert await accelerator.errors() == {"unsupported"}
        assert (await accelerator.fields("STATUS"))["key_loaded"] == 0
    await check_alive(accelerator)


@cocotb.test()
async def into_the_sink(dut: Any) -> None:
    """The sink counts the bytes of a digest."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    for function in present(dut):
        await start(accelerator, function, None, 100, sink=1)
        accelerator.send(bytes(100))
        assert (await accelerator.wait_status(busy=0))["done"] == 1
        bytes_of_digest = len(answer(function, None, b""))
        assert await accelerator.read_pair("SINK_BYTES") == bytes_of_digest, function


@cocotb.test()
async def framing(dut: Any) -> None:
    """A packet of the wrong length ends the message, be it key or message."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    hole = [1] * 40
    hole[18] = 0
    frames: dict[str, list[Any]] = {
        "key early": [bytes(39), bytes(20)],
        "key a block early": [bytes(32), bytes(20)],
        "key late": [bytes(41), bytes(20)],
        "one packet": [bytes(60)],
        "hole": [AxiStreamFrame(tdata=bytes(40), tkeep=hole), bytes(20)],
        "message early": [bytes(40), bytes(19)],
        "message late": [bytes(40), bytes(21)],
    }
    for name, sent in frames.items():
        await start(accelerator, present(dut)[0], 40, 20)
        for frame in sent:
            accelerator.source.send_nowait(frame)
        status = await accelerator.wait_status(busy=0)
        assert status["done"] == 0, name
        assert await accelerator.errors() == {"framing"}, name
        await accelerator.source.wait()  # the rest is dropped, and the sender does not hang
        await accelerator.give_up()
        await check(accelerator, present(dut)[0], bytes(21), bytes(3))


@cocotb.test()
async def aborted(dut: Any) -> None:
    """After an abort at any moment a message is right, and no word of the key is there."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    engine = accelerator.channel.gen_sha2.u_engine
    for cycles, key_bytes in itertools.product((0, 9, 14, 60, 420), (None, 20, 300)):
        function = random.choice(present(dut))
        key = None if key_bytes is None else random.randbytes(key_bytes)
        await start(accelerator, function, key_bytes, 400)
        accelerator.send(key or b"")
        accelerator.send(random.randbytes(400))
        accelerator.sink.pause = cycles == 420
        await ClockCycles(dut.clk_i, cycles)
        await accelerator.give_up()
        assert not residue.find(engine, [key or b""]), (cycles, key_bytes)
        await check(accelerator, function, random.randbytes(50), random.randbytes(20))
    await check_alive(accelerator)


@cocotb.test()
async def a_key_serves_one_message(dut: Any) -> None:
    """The core holds the key during its message; then no register or FIFO has a word of it."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    engine = accelerator.channel.gen_sha2.u_engine
    for function in present(dut):
        key, data = random.randbytes(32), random.randbytes(100)
        await start(accelerator, function, len(key), len(data))
        accelerator.send(key)
        await ClockCycles(dut.clk_i, 200)
        # The core has bytes in the order of the standard, the most significant one first.
        assert residue.find(engine, [key, key[::-1]]), "the search does not see the key"
        accelerator.send(data)
        assert await accelerator.receive() == answer(function, key, data)
        await accelerator.wait_status(busy=0)
        await Timer(1, "ns")
        found = residue.find(accelerator.channel, [key, key[::-1]])
        found += residue.find(engine, [data, data[::-1]])
        assert not found, (function, found)


@cocotb.test()
async def forgotten(dut: Any) -> None:
    """After a zeroise no register or memory holds a word of key, message or digest."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    function = present(dut)[-1]
    for moment in ("message", "output", "done"):
        key, data = random.randbytes(150), random.randbytes(300)
        code = answer(function, key, data)
        await start(accelerator, function, len(key), len(data))
        accelerator.send(key)
        accelerator.sink.pause = moment == "output"
        if moment != "message":
            accelerator.send(data)
        if moment == "done":
            await accelerator.receive()
            await accelerator.wait_status(busy=0)
        await ClockCycles(dut.clk_i, 1500)
        secrets = [part[::order] for part in (key, data, code) for order in (1, -1)]
        assert residue.find(dut, secrets), "the search sees nothing"
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
        assert not found, (moment, found)
        await accelerator.errors()
        accelerator.stall("none")
        await check_alive(accelerator)


@cocotb.test()
async def beside_a_cipher(dut: Any) -> None:
    """Messages of the cipher and of SHA-2 take turns; key and IV of the cipher stay."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    core = int(dut.ChannelCores.value)
    if core not in (AES, ASCON):
        return
    key, iv = random.randbytes(16), random.randbytes(BLOCK)
    await accelerator.configure(AEAD if core == ASCON else "ctr")
    await accelerator.load_key(key)
    await accelerator.load_iv(iv)
    for length in (0, 5, 64, 200):
        data = random.randbytes(length)
        function = random.choice(present(dut))
        await check(accelerator, function, data)
        await check(accelerator, function, data, random.randbytes(length))
        plain = random.randbytes(48)
        if core == AES:
            wanted = reference.crypt("ctr", "encrypt", key, iv, plain)
            await accelerator.configure("ctr")
            assert await accelerator.message(plain) == wanted.data
            iv = wanted.iv
            continue
        await accelerator.configure(DIGEST)
        assert await accelerator.message(plain) == ascon.hash256(plain)
        nonce = random.randbytes(BLOCK)
        await accelerator.configure(AEAD)
        await accelerator.write_bytes("IV", nonce)
        await accelerator.write_pair("AAD_LENGTH", 0)
        coded, tag = ascon.encrypt(key, nonce, b"", plain)
        assert await accelerator.message(plain) == coded
        assert await accelerator.read_tag() == tag
    assert not await accelerator.errors()


@cocotb.test()
async def full_rate(dut: Any) -> None:
    """A message runs at the rate of the core, or of the stream where that is slower."""
    accelerator = Accelerator(dut)
    await accelerator.reset()
    for function in {"sha_256", "sha_512"}.intersection(present(dut)):
        _, bytes_of_block, _ = FUNCTIONS[function]
        rounds = 64 if bytes_of_block == 64 else 80
        for key in (None, bytes(20)):
            cycles = []
            for blocks in BLOCKS:
                await check(accelerator, function, bytes(blocks * bytes_of_block), key)
                cycles.append(await accelerator.read_pair("CYCLES"))
            each = (cycles[1] - cycles[0]) / (BLOCKS[1] - BLOCKS[0])
            what = function if key is None else f"hmac {function}"
            text = f"{what}: {each:.2f} n + {cycles[0] - BLOCKS[0] * each:.0f}"
            dut._log.warning(text)
            if not accelerator.asynchronous:
                assert each == rounds, text
