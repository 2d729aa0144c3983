# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Elliptic curves with private keys in slots of the accelerator.

``CIPHERMILL_CURVE`` is the code of the curve to test. The reference is Python's hmac and integers.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
import random
from typing import Any

import cocotb
import ecc_reference as ecc
import register_map
from accel_ecc_bench import CURVE, LONGEST_MS, octets, ready, start
from accel_ecc_bench import check as check_without_slot
from accelerator import STALLS, Accelerator
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge, with_timeout
from ecc_curves import CURVES
from ecc_vectors import published_signatures

IMPORT, ERASE = 5, 6
HASHES = {
    "sha_224": (1, "sha224"),
    "sha_256": (1, "sha256"),
    "sha_384": (2, "sha384"),
    "sha_512": (2, "sha512"),
    "sha_512_224": (2, "sha512_224"),
    "sha_512_256": (2, "sha512_256"),
}
"""Bit of Sha2WordSizes, and the name in hashlib."""
NUMBERS = register_map.values("CONFIGURATION", "hash")


def hashes(dut: Any) -> list[str]:
    """Return the functions of the build."""
    sizes = int(dut.Sha2WordSizes.value)
    return [name for name, (size, _) in HASHES.items() if sizes & size]


def keys(dut: Any) -> Any:
    """Return the module between the streams and the core."""
    return dut.gen_channel[0].u_channel.gen_ecc.u_engine.gen_keys.u_keys


def remembered(dut: Any) -> bytes:
    """Return every byte of the memory of keys."""
    return bytes(int(byte.value) for byte in keys(dut).u_slots.memory)


async def run(
    accelerator: Accelerator,
    operation: int,
    slot: int,
    operands: list[int],
    curve: Any = CURVE,
    hashed: str | None = None,
) -> ecc.Answer:
    """Run an operation with a slot; return its outcome and its results."""
    data = octets(curve, operands)
    number = NUMBERS[hashed or hashes(accelerator.dut)[0]]
    await start(accelerator, operation, len(data), curve.code, key_slot=slot, hash=number)
    accelerator.send(data)
    # An erasure may have ended before.
    if not (await accelerator.fields("INTERRUPT_STATE"))["done"]:
        edge = RisingEdge(accelerator.channel.interrupt_o)
        if not int(accelerator.channel.interrupt_o.value):
            await with_timeout(edge, LONGEST_MS, "ms")
    status = await accelerator.fields("STATUS")
    assert status["busy"] == 0 and not await accelerator.errors()
    assert status["done"] == (status["outcome"] == 0), status
    given = b"" if accelerator.sink.empty() else await accelerator.receive()
    assert accelerator.sink.empty(), "more output than the operation has"
    parts = [given[n : n + curve.bytes] for n in range(0, len(given), curve.bytes)]
    return status["outcome"], [int.from_bytes(part, "big") for part in parts]


async def good(
    accelerator: Accelerator, operation: int, slot: int, operands: list[int], **others: Any
) -> list[int]:
    """Run an operation with a slot that ends well; return its results."""
    outcome, results = await run(accelerator, operation, slot, operands, **others)
    assert outcome == ecc.GOOD, (operation, slot, outcome)
    return results


async def refusal(
    accelerator: Accelerator, operation: int, slot: int, length: int, **others: int
) -> set[str]:
    """Start an operation that is refused; return the bits of ERROR."""
    fields = {"curve": CURVE.code, "hash": NUMBERS[hashes(accelerator.dut)[0]], **others}
    await start(accelerator, operation, length, key_slot=slot, **fields)
    assert (await accelerator.wait_status(busy=0))["done"] == 0
    found = await accelerator.errors()
    await accelerator.give_up()
    return found


def signature(private: int, digest: bytes, hashed: str) -> list[int]:
    """Return the deterministic signature of a digest."""
    number = ecc.digest_number(CURVE, digest) % CURVE.n
    nonce = ecc.deterministic_nonce(CURVE, private, digest, HASHES[hashed][1])
    return ecc.answer(CURVE, ecc.SIGN, [private, nonce, number])[1]


def number_of(digest: bytes) -> int:
    """Return the number that is signed for a digest, as a host hands it over."""
    return ecc.digest_number(CURVE, digest) % CURVE.n


def public_key(private: int) -> list[int]:
    return list(CURVE.multiply(private, CURVE.g) or ())


@cocotb.test()
async def published(dut: Any) -> None:
    """The signatures of RFC 6979, appendix A.2, with idle and back-pressure."""
    accelerator = await ready(dut)
    stalls = itertools.cycle(STALLS)
    names = {name: hashed for hashed, (_, name) in HASHES.items() if hashed in hashes(dut)}
    seen = dict[str, int]()
    vectors = list(published_signatures(CURVE))
    private = vectors[0][0]
    assert await good(accelerator, IMPORT, 1, [private]) == public_key(private)
    for _, name, digest, wanted in vectors:
        if name not in names or names[name] in seen:
            continue
        accelerator.stall(next(stalls), len(seen) + 1)
        number = number_of(digest)
        assert await good(accelerator, ecc.SIGN, 1, [number], hashed=names[name]) == wanted, name
        seen[names[name]] = await accelerator.read_pair("CYCLES")
    assert set(seen) == {name for name in hashes(dut) if not name.startswith("sha_512_")}
    dut._log.warning(f"{CURVE.name}: signatures with a slot in {seen} cycles")


@cocotb.test()
async def operations(dut: Any) -> None:
    """Every operation with two keys in two slots, and between them one without a slot."""
    accelerator = await ready(dut)
    stalls = itertools.cycle(STALLS)
    candidate, imported = random.randrange(CURVE.n - 1), random.randrange(1, CURVE.n)
    private = {1: candidate + 1, 2: imported}
    assert await good(accelerator, ecc.GENERATE, 1, [candidate]) == public_key(private[1])
    assert await good(accelerator, IMPORT, 2, [imported]) == public_key(imported)
    other = public_key(random.randrange(1, CURVE.n))
    for slot in (1, 2, 1):
        accelerator.stall(next(stalls), slot)
        assert await good(accelerator, ecc.PUBLIC, slot, []) == public_key(private[slot])
        hashed = random.choice(hashes(dut))
        digest = hashlib.new(HASHES[hashed][1], random.randbytes(9)).digest()
        number = number_of(digest)
        got = await good(accelerator, ecc.SIGN, slot, [number], hashed=hashed)
        assert got == signature(private[slot], digest, hashed), hashed
        signed = [*public_key(private[slot]), *got, number]
        await check_without_slot(accelerator, ecc.VERIFY, signed)
        shared = ecc.answer(CURVE, ecc.AGREE, [private[slot], *other])[1]
        assert await good(accelerator, ecc.AGREE, slot, other) == shared


@cocotb.test()
async def refused(dut: Any) -> None:
    """Refused: slots that are empty, of another curve, absent or full; other lengths."""
    accelerator = await ready(dut)
    size, last = CURVE.bytes, int(dut.KeySlots.value)
    geometry = await accelerator.fields("GEOMETRY")
    assert geometry["key_slots"] == last
    uses = {ecc.PUBLIC: 0, ecc.SIGN: size, ecc.AGREE: 2 * size}
    for operation, length in uses.items():
        assert await refusal(accelerator, operation, 1, length) == {"no_key"}
    for slot in range(last + 1, 16):
        assert await refusal(accelerator, ecc.GENERATE, slot, size) == {"unsupported"}
    assert await refusal(accelerator, ecc.VERIFY, 1, 5 * size) >= {"unsupported"}
    assert await refusal(accelerator, 7, 1, size) >= {"unsupported"}
    for operation in (IMPORT, ERASE):
        assert await refusal(accelerator, operation, 0, size) >= {"unsupported"}
    await good(accelerator, IMPORT, last, [1])
    for operation in (IMPORT, ecc.GENERATE):
        assert await refusal(accelerator, operation, last, size) == {"slot"}
    absent = [number for name, number in NUMBERS.items() if name not in hashes(dut)]
    for number in absent:
        assert await refusal(accelerator, ecc.SIGN, last, size, hash=number) == {"unsupported"}
    for operation, length in {**uses, ERASE: 0}.items():
        assert await refusal(accelerator, operation, last, length + 1) == {"length"}
    for other in CURVES:
        if other is CURVE or not int(dut.Curves.value) >> other.code & 1:
            continue
        for operation, length in uses.items():
            length = length // size * other.bytes
            found = await refusal(accelerator, operation, last, length, curve=other.code)
            assert found == {"slot"}
    assert await good(accelerator, ecc.PUBLIC, last, []) == list(CURVE.g)
    # A private key that is none leaves the slot empty.
    for wrong in (0, CURVE.n):
        assert await run(accelerator, IMPORT, 1, [wrong]) == (ecc.PRIVATE, [])
        assert await refusal(accelerator, ecc.PUBLIC, 1, 0) == {"no_key"}
    assert await run(accelerator, ecc.GENERATE, 1, [CURVE.n - 1]) == (ecc.RANDOM, [])
    assert await refusal(accelerator, ecc.PUBLIC, 1, 0) == {"no_key"}


@cocotb.test()
async def erased(dut: Any) -> None:
    """A key is gone after erase, zeroise and reset; other slots keep theirs but for the latter."""
    accelerator = await ready(dut)
    private = {slot: random.randrange(1, CURVE.n) for slot in (1, 2)}
    secret = {slot: octets(CURVE, [key]) for slot, key in private.items()}
    for end in ("erase", "zeroise", "reset"):
        for slot, key in private.items():
            if end == "erase" or slot == 1 or end == "reset":
                await good(accelerator, IMPORT, slot, [key])
        assert all(key in remembered(dut) for key in secret.values())
        if end == "erase":
            await good(accelerator, ERASE, 1, [])
            assert secret[1] not in remembered(dut) and secret[2] in remembered(dut)
            assert await good(accelerator, ecc.PUBLIC, 2, []) == public_key(private[2])
            await good(accelerator, ERASE, 1, [])  # an empty slot stays empty
        else:
            await (accelerator.command("zeroise") if end == "zeroise" else accelerator.reset())
            await accelerator.wait_status(zeroising=0)
            assert not any(remembered(dut))
            await accelerator.write("INTERRUPT_ENABLE", 1)
            assert await refusal(accelerator, ecc.PUBLIC, 2, 0) == {"no_key"}
        assert await refusal(accelerator, ecc.PUBLIC, 1, 0) == {"no_key"}


@cocotb.test()
async def forgotten(dut: Any) -> None:
    """After an operation or an abort at any moment, keys in slots are all that is left."""
    accelerator = await ready(dut)
    private, digest = random.randrange(1, CURVE.n), random.randbytes(CURVE.bytes - 2)
    hashed = hashes(dut)[-1]
    number = number_of(digest)
    await good(accelerator, IMPORT, 2, [private])
    kept = remembered(dut)
    assert len(kept) - kept.count(0) <= CURVE.bytes
    keys_module = keys(dut)
    for cycles in (3, 60, 150, 400, 900, 2000, 4000, 9000):
        data = octets(CURVE, [number])
        word = NUMBERS[hashed]
        await start(accelerator, ecc.SIGN, len(data), CURVE.code, key_slot=2, hash=word)
        accelerator.send(data)
        await ClockCycles(dut.clk_i, cycles)
        assert remembered(dut) != kept or cycles == 3
        await accelerator.give_up()
        assert remembered(dut) == kept, cycles
        assert not int(keys_module.u_nonce.block_q.value)
        assert not int(dut.gen_channel[0].u_channel.gen_sha2.u_engine.u_core.key_q.value)
    for operation, cycles in ((IMPORT, 20), (IMPORT, 500), (ecc.GENERATE, 500)):
        data = octets(CURVE, [private])
        await start(accelerator, operation, len(data), CURVE.code, key_slot=1)
        accelerator.send(data)
        await ClockCycles(dut.clk_i, cycles)
        await accelerator.give_up()
        assert remembered(dut) == kept
        assert await refusal(accelerator, ecc.PUBLIC, 1, 0) == {"no_key"}
    # The results of a generated key wait: it is in its slot, but not yet the slot's.
    accelerator.sink.pause = True
    await start(accelerator, ecc.GENERATE, CURVE.bytes, CURVE.code, key_slot=1)
    accelerator.send(octets(CURVE, [private - 1]))
    await with_timeout(RisingEdge(accelerator.channel.u_streams.out_valid_i), LONGEST_MS, "ms")
    assert remembered(dut).count(octets(CURVE, [private])) == 2
    await accelerator.give_up()
    assert remembered(dut) == kept
    got = await good(accelerator, ecc.SIGN, 2, [number], hashed=hashed)
    assert got == signature(private, digest, hashed)
    assert remembered(dut) == kept


@cocotb.test()
async def constant(dut: Any) -> None:
    """A signature takes the same cycles for every key and number."""
    accelerator = await ready(dut)
    seen = set()
    for private in (1, CURVE.n - 1, random.randrange(1, CURVE.n)):
        await good(accelerator, IMPORT, 1, [private])
        # The nonce alone, and the whole signature.
        hashed, module = hashes(dut)[0], keys(dut)
        digest = random.randbytes(20)
        task = cocotb.start_soon(good(accelerator, ecc.SIGN, 1, [number_of(digest)], hashed=hashed))
        await RisingEdge(module.nonce_begin)
        cycles = 0
        while not int(module.nonce_valid.value):
            await RisingEdge(dut.clk_i)
            cycles += 1
        assert await task == signature(private, digest, hashed)
        seen.add((cycles, await accelerator.read_pair("CYCLES")))
        await good(accelerator, ERASE, 1, [])
    assert len(seen) == 1, seen
    dut._log.warning(f"{CURVE.name}: {hashed}: nonce, signature in {seen} cycles")


@cocotb.test()
async def next_candidate(dut: Any) -> None:
    """A candidate above the order is refused by the core, and the next one is taken.

    No key and digest are known whose first candidate is refused, so V is set to ones.
    """
    accelerator = await ready(dut)
    private, digest = random.randrange(1, CURVE.n), random.randbytes(20)
    hashed, module = hashes(dut)[0], keys(dut)
    await good(accelerator, IMPORT, 1, [private])
    name = HASHES[hashed][1]
    size = hashlib.new(name).digest_size

    def mac(key: bytes, *parts: bytes) -> bytes:
        return hmac.digest(key, b"".join(parts), name)

    number = number_of(digest).to_bytes(CURVE.bytes, "big")
    value, key = b"\1" * size, bytes(size)
    for tag in (b"\0", b"\1"):
        key = mac(key, value, tag, octets(CURVE, [private]), number)
        value = mac(key, value)
    task = cocotb.start_soon(good(accelerator, ecc.SIGN, 1, [number_of(digest)], hashed=hashed))
    given = b""
    while len(given) < CURVE.bytes:
        # A part of the candidate: V is there, and no byte has left yet.
        await RisingEdge(module.nonce_valid)
        await FallingEdge(dut.clk_i)
        value = b"\xff" * size
        given += value
        for n in range(size):
            module.u_slots.memory[66 + n].value = 0xFF
    key = mac(key, value, b"\0")
    value = mac(key, value)
    text = b""
    while len(text) < CURVE.bytes:
        value = mac(key, value)
        text += value
    nonce = ecc.digest_number(CURVE, text[: CURVE.bytes])
    wanted = ecc.answer(CURVE, ecc.SIGN, [private, nonce, number_of(digest)])
    assert (ecc.GOOD, await task) == wanted
