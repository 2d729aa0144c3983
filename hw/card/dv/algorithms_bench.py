# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Rings with different algorithms: known answers, any address, all at once, and refusals.

The answers are published ones, or those of references that do not know the card.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import ascon_reference as ascon
import cocotb
import ecc_reference as ecc
import present_reference
import reference
import register_map
import sha2_vectors
import vectors
from algorithm_messages import ERASE, HASHES, IMPORT, AlgorithmHost, broken
from ascon_reference import COUNTING
from card_driver import Card, Completion, Descriptor, Message, configuration
from ciphermill_dv.parameters import parameter
from cocotb.triggers import Combine
from ecc_curves import P256
from ecc_vectors import published_signatures
from reference import AEAD, BLOCK, DIGEST, DIRECTIONS

AES, ASCON, SHA2, CURVES, PRESENT = range(5)
"""Digits of ChannelCores."""
KEYS = {AES: (16, 32), PRESENT: (10, 16), ASCON: (16, 16)}
"""Bytes of the keys that a ring with such a channel has in its slots 1 and 2."""
CURVE_US = 20_000
"""No operation on a curve takes as long."""
SHA2_CHANNELS = parameter("Sha2Channels", 0xFFFF_FFFF)
KEYS_OF_CURVES = parameter("EccKeySlots", 0)

Maker = Callable[[AlgorithmHost], Message]


def kind(host: AlgorithmHost) -> int:
    """Return the digit of ChannelCores of a ring's channel."""
    return parameter("ChannelCores", AES) >> 4 * host.ring.number & 15


def of(hosts: Sequence[AlgorithmHost], wanted: int) -> AlgorithmHost | None:
    """Return the first ring with such a channel."""
    return next((host for host in hosts if kind(host) == wanted), None)


def has_sha2(host: AlgorithmHost) -> bool:
    """Return whether a ring's channel has SHA-2 beside its cipher."""
    return bool(parameter("Sha2WordSizes", 0) and SHA2_CHANNELS >> host.ring.number & 1)


async def prepared(dut: Any, log2: int = 3, latency: int = 1) -> list[AlgorithmHost]:
    """Return a host for each ring, with keys in its slots, and the rings enabled."""
    card = Card(dut, latency)
    await card.reset()
    generator = random.Random(50)
    hosts = [AlgorithmHost(ring, 60 + ring.number) for ring in card.rings]
    for host in hosts:
        for slot, size in enumerate(KEYS.get(kind(host), ()), 1):
            await host.ring.store_key(slot, generator.randbytes(size))
        await host.ring.enable(log2)
    return hosts


async def run(host: AlgorithmHost, messages: Iterator[Message]) -> int:
    """Run messages, each with its keys, as many at once as the ring has entries."""
    ring = host.ring
    waiting: list[Message] = []
    count = 0
    while True:
        batch = list(itertools.islice(messages, host.random.randint(1, ring.room)))
        for message in batch:
            ring.put(message.descriptor)
            waiting.append(message)
            count += 1
        if batch:
            await ring.doorbell()
        elif not waiting:
            return count
        while waiting and (ring.room == 0 or not batch or host.random.random() < 0.5):
            host.check(waiting.pop(0), await ring.next(CURVE_US))


async def together(hosts: Sequence[AlgorithmHost], messages: Callable[..., Any]) -> None:
    """Run ``messages(host)`` on every ring at once."""
    await Combine(*[cocotb.start_soon(messages(host)) for host in hosts])


# ------------------------------------------------------------ published answers


async def known_aes(host: AlgorithmHost) -> None:
    """The examples of SP 800-38A."""
    for vector in vectors.sp_800_38a():
        await host.ring.store_key(3, vector.key)
        descriptor = Descriptor(
            configuration=configuration(vector.mode, vector.direction),
            slot=3,
            iv=vector.iv,
            length=len(vector.data),
        )
        await run(host, iter([host.place(descriptor, vector.data, vector.answer)]))


async def known_present(host: AlgorithmHost) -> None:
    """The published blocks, in both directions."""
    for vector in present_reference.KNOWN_ANSWERS:
        await host.ring.store_key(3, vector.key.to_bytes(vector.bits // 8))
        plain, coded = vector.plain.to_bytes(8), vector.cipher.to_bytes(8)
        for direction, given, wanted in (("encrypt", plain, coded), ("decrypt", coded, plain)):
            descriptor = Descriptor(
                configuration=configuration("ecb", direction, 1), slot=3, length=len(given)
            )
            await run(host, iter([host.place(descriptor, given, wanted)]))


async def known_ascon(host: AlgorithmHost) -> None:
    """The authors' answers of AEAD in both directions, and of the hash."""
    await host.ring.store_key(3, COUNTING[:16])

    def messages() -> Iterator[Message]:
        for (text, aad), answer in ascon.KNOWN_AEAD.items():
            sealed = bytes.fromhex(answer)
            for direction in DIRECTIONS:
                message = host.aead_text(
                    direction, 3, COUNTING[:16], COUNTING[:aad], COUNTING[:text]
                )
                if direction == "encrypt":
                    message.answer, message.tag = sealed[:-BLOCK], sealed[-BLOCK:]
                yield message
        for length, answer in ascon.KNOWN_HASH.items():
            message = host.ascon_hash(COUNTING[:length])
            message.answer = bytes.fromhex(answer)
            yield message

    await run(host, messages())


async def known_sha2(host: AlgorithmHost) -> None:
    """Short messages of NIST's CAVP, and all of RFC 4231."""

    def messages() -> Iterator[Message]:
        for function, name in HASHES.items():
            for data, answer in sha2_vectors.messages(name)[:65:8]:
                message = host.sha2(function, data)
                message.answer = answer
                yield message
            for key, data, answer in sha2_vectors.codes(name):
                message = host.sha2(function, data, key)
                message.answer = answer[: len(message.answer)]
                yield message

    await run(host, messages())


async def known_curves(host: AlgorithmHost) -> None:
    """A signature of RFC 6979, appendix A.2, of a key in the message and of one in a slot."""
    private, name, digest, signature = next(
        found for found in published_signatures(P256) if found[1] == "sha256"
    )
    number = ecc.digest_number(P256, digest)
    nonce = ecc.deterministic_nonce(P256, private, digest, name)
    public = list(P256.multiply(private, P256.g) or ())

    def messages() -> Iterator[Message]:
        yield host.curve(ecc.SIGN, [private, nonce, number], signature)
        if KEYS_OF_CURVES:
            yield host.curve(IMPORT, [private], public, key_slot=1)
            hashed = register_map.values("CONFIGURATION", "hash")["sha_256"]
            yield host.curve(ecc.SIGN, [number], signature, key_slot=1, hash=hashed)

    await run(host, messages())


@cocotb.test()
async def known_answers(dut: Any) -> None:
    """Published answers of every algorithm, on all rings at once."""
    known = {
        AES: known_aes,
        PRESENT: known_present,
        ASCON: known_ascon,
        CURVES: known_curves,
        SHA2: known_sha2,
    }
    hosts = await prepared(dut)
    await together(hosts, lambda host: known[kind(host)](host))


# ------------------------------------------------------------ addresses and lengths

OFFSETS = (0, 1, 7, 8, 15, 31, 63)
"""Bytes from an aligned address; the second last and the last beat of a burst, among others."""


def at_odd_places(
    host: AlgorithmHost, unit: int, make: Callable[..., Message]
) -> Iterator[Message]:
    """Yield a message of each length around the bounds of blocks and bursts, at each offset.

    Args:
        host: Of the ring.
        unit: The length must be a multiple of it.
        make: Is given a length and the option ``offsets``.
    """
    lengths = sorted({-(-n // unit) * unit for n in (1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 255, 257)})
    for number, (source, destination) in enumerate(itertools.product(OFFSETS, OFFSETS)):
        length = lengths[number % len(lengths)]
        yield make(length, offsets=(source, destination))
    for length in lengths:
        yield make(length, offsets=(host.random.choice(OFFSETS), host.random.choice(OFFSETS)))


@cocotb.test()
async def odd_addresses_and_lengths(dut: Any) -> None:
    """Source and destination at every pair of offsets, with bytes beside them that must stay."""

    async def messages(host: AlgorithmHost) -> None:
        algorithm, generator = kind(host), host.random
        slots = itertools.cycle((1, 2))
        directions = itertools.cycle(DIRECTIONS)
        if algorithm == AES:
            await run(
                host, at_odd_places(host, 1, lambda n, **at: gcm(host, n, next(directions), **at))
            )
        elif algorithm == PRESENT:
            for mode, unit in (("cbc", 8), ("ctr", 1)):

                def present(length: int, mode: str = mode, **at: Any) -> Message:
                    return host.present(mode, next(directions), next(slots), length, **at)

                await run(host, at_odd_places(host, unit, present))
        elif algorithm == ASCON:

            def aead(length: int, **at: Any) -> Message:
                return host.aead(next(directions), 1, length, generator.randint(0, 40), **at)

            def hashed(length: int, **at: Any) -> Message:
                return host.ascon_hash(generator.randbytes(length), **at)

            await run(host, at_odd_places(host, 1, aead))
            await run(host, at_odd_places(host, 1, hashed))
        elif algorithm == SHA2:
            functions = itertools.cycle(HASHES)

            def sha2(length: int, **at: Any) -> Message:
                key = generator.choice([None, generator.randbytes(generator.randint(1, 140))])
                return host.sha2(next(functions), generator.randbytes(length), key, **at)

            await run(host, at_odd_places(host, 1, sha2))

    def gcm(host: AlgorithmHost, length: int, direction: str, **at: Any) -> Message:
        generator = host.random
        nonce, aad = generator.randbytes(12), generator.randbytes(generator.randint(0, 40))
        text = generator.randbytes(length)
        sealed, tag = reference.seal(host.ring.keys[1][0], nonce, aad, text)
        given, answer = (text, sealed) if direction == "encrypt" else (sealed, text)
        descriptor = Descriptor(
            configuration("gcm", direction), slot=1, iv=nonce, length=length, associated=len(aad)
        )
        return host.place(descriptor, aad + given, answer, tag, **at)

    await together(await prepared(dut), messages)


# ------------------------------------------------------------ all at once


def some(host: AlgorithmHost) -> Message:
    """Return a message at random of an algorithm that the ring has, but a curve."""
    makers: dict[int, list[Callable[[], Message]]] = {
        AES: [host.some_aes],
        PRESENT: [host.some_present],
        ASCON: [host.some_ascon],
        SHA2: [host.some_sha2],
    }
    choices = makers[kind(host)] + ([host.some_sha2] if has_sha2(host) else [])
    return host.random.choice(choices)()


@cocotb.test()
async def all_rings_at_once(dut: Any) -> None:
    """Random messages on every ring: lists, in place, wraps, and a memory that stalls."""
    hosts = await prepared(dut, log2=2)
    memory = hosts[0].memory
    for seed, latency, early, count in ((None, 1, False, 12), (4, 1, True, 10), (5, 70, False, 10)):
        memory.stall(seed)
        memory.latency, memory.early = latency, early

        async def messages(host: AlgorithmHost, count: int = count) -> None:
            if kind(host) != CURVES:
                await run(host, (some(host) for _ in range(count)))

        await together(hosts, messages)


@cocotb.test()
async def beside_a_curve(dut: Any) -> None:
    """Operations on a curve give their results while every other ring works."""
    hosts = await prepared(dut)
    curve = of(hosts, CURVES)
    assert curve is not None
    private = random.Random(7).randrange(1, P256.n)
    other = list(P256.multiply(private ^ 1, P256.g) or ())
    operations = [
        curve.referenced(ecc.PUBLIC, [private]),
        curve.referenced(ecc.AGREE, [private, *other]),
    ]
    task = cocotb.start_soon(run(curve, iter(operations)))

    async def messages(host: AlgorithmHost) -> None:
        if kind(host) != CURVES:
            await run(host, (some(host) for _ in range(6)))

    await together(hosts, messages)
    assert not task.done(), "the curve was beside nothing"
    assert await task == len(operations)


# ------------------------------------------------------------ refusals


async def refused(host: AlgorithmHost, message: Message, good: Maker) -> Completion:
    """Run a message that must fail between good ones; return its completion."""
    ring = host.ring
    before, after = good(host), good(host)
    for each in (before, message, after):
        ring.put(each.descriptor)
    await ring.doorbell()
    host.check(before, await ring.next())
    completion = await ring.next()
    assert completion.cookie == message.descriptor.cookie
    assert completion.count == 0 and completion.tag == bytes(16)
    host.check(after, await ring.next())
    assert not await ring.errors(), "a message's failure does not stop its ring"
    return completion


def error(*names: str) -> int:
    """Return ERROR of the accelerator with these bits."""
    return register_map.pack("ERROR", **dict.fromkeys(names, 1))


def said(completion: Completion) -> tuple[set[str], int]:
    """Return the status of a message that failed, and the accelerator's ERROR."""
    return completion.status, completion.error


LENGTH, UNSUPPORTED, NO_KEY = error("length"), error("unsupported"), error("no_key")


@cocotb.test()
async def wrong_lengths(dut: Any) -> None:
    """Lengths that the algorithm refuses, and others than those of its input and output."""
    hosts = await prepared(dut)
    at: dict[str, Any] = {"offsets": (3, 5)}  # no list: that of a longer output would be too short
    if present := of(hosts, PRESENT):
        for mode, length in (("ecb", 9), ("cbc", 12), ("ecb", 4)):
            message = present.present(mode, "encrypt", 1, 16, **at)
            message = broken(message, length=length, output=length)
            assert said(await refused(present, message, some)) == ({"refused"}, LENGTH), mode

    makers: dict[int, list[tuple[Maker, list[dict[str, int]]]]] = {
        PRESENT: [
            (
                lambda host: host.present("ctr", "encrypt", 1, 20, **at),
                [{"associated": 20}, {"flags": 8}, {"output": 19}, {"output": 21}, {"output": 0}],
            )
        ],
        ASCON: [
            (lambda host: host.aead("encrypt", 1, 20, 0, **at), [{"flags": 8}, {"output": 36}]),
            (lambda host: host.aead("encrypt", 1, 20, 3, **at), [{"output": 19}]),
            (
                lambda host: host.ascon_hash(b"abc", **at),
                [{"associated": 3}, {"output": 31}, {"output": 33}, {"output": 3}],
            ),
        ],
        SHA2: [
            (
                lambda host: host.sha2("sha_384", b"abc", **at),
                [{"associated": 3}, {"output": 32}, {"output": 64}, {"output": 0}],
            )
        ],
    }
    for host in hosts:
        for make, changes in makers.get(kind(host), []):
            for change in changes:
                got = said(await refused(host, broken(make(host), **change), some))
                assert got == ({"lengths"}, 0), (kind(host), change)


@cocotb.test()
async def algorithms_of_other_rings(dut: Any) -> None:
    """A ring refuses modes and hashes that its channel does not have."""
    hosts = await prepared(dut)
    numbers = register_map.values("CONFIGURATION", "hash")
    cases: list[tuple[int, str, int, int]] = [
        # Channel, mode, hash, key slot.
        (AES, AEAD, 0, 1),
        (AES, DIGEST, numbers["sha_512"], 0),
        (PRESENT, "gcm", 0, 1),
        (PRESENT, DIGEST, numbers["sha_256"], 0),
        (ASCON, "ctr", 0, 1),
        (SHA2, "ecb", 0, 0),
        (SHA2, DIGEST, 0, 0),
    ]
    for host, (algorithm, mode, hashed, slot) in itertools.product(hosts, cases):
        if kind(host) != algorithm or (algorithm == AES and mode == DIGEST and has_sha2(host)):
            continue
        width = 1 if algorithm == PRESENT else 2
        word = configuration(mode, "encrypt", width, hash=hashed)
        message = host.place(Descriptor(word, slot=slot, length=32), bytes(32), bytes(32))
        completion = await refused(host, message, some)
        assert completion.status == {"refused"}, (algorithm, mode)
        assert completion.error & UNSUPPORTED, (algorithm, mode)


@cocotb.test()
async def wrong_key_slots(dut: Any) -> None:
    """Slots that are empty, absent or none; a slot of another ring is not this ring's."""
    hosts = await prepared(dut)
    last = parameter("KeySlots", 8)
    # The last slot of the first ring has a key; the same slot of another ring has none.
    await hosts[0].ring.store_key(last, bytes(range(16)))
    del hosts[0].ring.keys[last]
    for host in hosts[1:]:
        for slot in (0, last, last + 1, 255):
            if kind(host) == PRESENT:
                message = host.present("ctr", "encrypt", 1, 20)
            elif kind(host) == ASCON:
                message = host.aead("encrypt", 1, 20, 4)
            else:
                continue
            completion = await refused(host, broken(message, slot=slot), some)
            assert said(completion) == ({"key"}, 0), (kind(host), slot)
        # A slot that is named and not needed must exist too.
        if kind(host) == ASCON:
            message = broken(host.ascon_hash(b"abc"), slot=last)
            assert said(await refused(host, message, some)) == ({"key"}, 0)
    if aes := of(hosts, AES):
        message = broken(aes.message("ctr", "encrypt", 1, 32), unit=16)
        message = broken(message, configuration=configuration("xts", "encrypt"))
        completion = await refused(aes, message, some)
        assert said(completion) == ({"key"}, 0), "a slot without a tweak key"
        # A key of 80 bits is none of AES: the accelerator refuses it.
        await aes.ring.store_key(2, bytes(10))
        del aes.ring.keys[2]
        message = broken(aes.message("ctr", "encrypt", 1, 20), slot=2)
        completion = await refused(aes, message, some)
        assert completion.status == {"refused"} and completion.error & UNSUPPORTED


@cocotb.test()
async def forged(dut: Any) -> None:
    """A wrong bit anywhere in the source of a decryption: `forged`, no count and no tag."""
    hosts = await prepared(dut)
    host = of(hosts, ASCON)
    assert host is not None
    for length, associated in ((0, 0), (0, 9), (16, 0), (45, 20)):
        for _ in range(3):
            message = host.aead_text(
                "decrypt",
                1,
                *(host.random.randbytes(size) for size in (BLOCK, associated, length)),
                wrong_bit=host.random.getrandbits(16),
            )
            got = said(await refused(host, message, some))
            assert got == ({"forged"}, 0), (length, associated)


@cocotb.test()
async def refusals_of_a_curve(dut: Any) -> None:
    """Operands, lengths, curves and key slots that the engine of curves refuses."""
    hosts = await prepared(dut)
    host = of(hosts, CURVES)
    assert host is not None
    ring, size = host.ring, P256.bytes

    async def fails(message: Message) -> Completion:
        ring.put(message.descriptor)
        await ring.doorbell()
        completion = await ring.next(CURVE_US)
        assert completion.cookie == message.descriptor.cookie
        assert "done" not in completion.status and completion.count == 0
        assert not await ring.errors()
        return completion

    for operation, operands in (
        (ecc.PUBLIC, [0]),
        (ecc.SIGN, [1, 0, 5]),
        (ecc.AGREE, [1, 0, 0]),
        (ecc.AGREE, [1, P256.g[0], P256.g[1] ^ 1]),
        (ecc.VERIFY, [*P256.g, 0, 1, 5]),
    ):
        wanted = ecc.answer(P256, operation, operands)[0]
        length = (2 if operation in (ecc.PUBLIC, ecc.SIGN) else 1) * size
        message = host.curve(operation, operands, [])
        completion = await fails(broken(message, output=0 if operation == ecc.VERIFY else length))
        assert (completion.status, completion.error) == (set(), 0), operation
        assert completion.outcome == wanted, operation
    good = host.curve(ecc.PUBLIC, [5], [0, 0], offsets=(1, 2))
    for fields in ({"length": size - 1}, {"length": size + 1}, {"length": 0}):
        assert said(await fails(broken(good, **fields))) == ({"refused"}, LENGTH), fields
    word = register_map.pack("CONFIGURATION", operation=ecc.PUBLIC, curve=1)
    completion = await fails(broken(good, configuration=word))
    assert completion.status == {"refused"} and completion.error & UNSUPPORTED, "P-384"
    if KEYS_OF_CURVES:
        for slot, wanted in ((1, NO_KEY), (KEYS_OF_CURVES + 1, UNSUPPORTED)):
            message = broken(host.curve(ecc.PUBLIC, [], [0, 0], key_slot=slot), source=ring.data)
            completion = await fails(message)
            assert said(completion) == ({"refused"}, wanted), slot
        public = list(P256.g)
        await run(host, iter([host.curve(IMPORT, [1], public, key_slot=1)]))
        message = host.curve(IMPORT, [1], public, key_slot=1)
        assert said(await fails(message)) == ({"refused"}, error("slot"))
        await run(
            host,
            iter(
                [
                    host.curve(ecc.PUBLIC, [], public, key_slot=1),
                    host.curve(ERASE, [], [], key_slot=1),
                ]
            ),
        )
        message = host.curve(ecc.PUBLIC, [], [0, 0], key_slot=1)
        assert said(await fails(message)) == ({"refused"}, NO_KEY)
    await run(host, iter([host.referenced(ecc.PUBLIC, [5])]))


@cocotb.test()
async def the_other_direction(dut: Any) -> None:
    """A build that only encrypts refuses to decrypt, and goes on encrypting."""
    card = Card(dut)
    await card.reset()

    def message(host: AlgorithmHost, direction: str) -> Message:
        if kind(host) == PRESENT:
            return host.present("cbc", direction, 1, 24)
        if kind(host) == ASCON:
            return host.aead(direction, 1, 24, 5)
        return host.message("cbc", direction, 1, 32)

    for ring in card.rings:
        await ring.store_key(1, bytes(range(16)))
        await ring.enable()
        host = AlgorithmHost(ring, 90 + ring.number)
        for _ in range(2):
            completion = await refused(
                host, message(host, "decrypt"), lambda host: message(host, "encrypt")
            )
            assert said(completion) == ({"refused"}, UNSUPPORTED), ring.number
