# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Ascon-AEAD128 and Ascon-Hash256: NIST SP 800-232.

The digest's reference is RustCrypto's, in the engine. That of authenticated encryption
follows the standard's text on words of 64 bits, with the S-box as the table of section 3.3:
firmware and hardware compute it as a circuit. It is not constant time: it never sees a secret.
"""

from __future__ import annotations

from .algorithm import Algorithm, Rtl, Split, Unit, Vector

_MASK = (1 << 64) - 1
_SBOX = bytes.fromhex("040b1f141a1509021b0508121d03061c1e13070e000d1118100c0119160a0f17")
"""Section 3.3; the bit of the first word is the highest."""
_ROTATIONS = ((19, 28), (61, 39), (1, 6), (10, 17), (7, 41))
"""Section 3.4, by word."""
_IV = 0x00001000808C0001
_RATE = 16
_KEY_BITS = (128,)


def reference(
    operation: str, key: bytes, data: bytes, nonce: bytes = b"", associated: bytes = b""
) -> bytes:
    """Encrypt, decrypt or digest a message.

    A ciphertext is followed by its tag of 16 bytes, as it comes out and as it goes in.

    Raises:
        ValueError: Key or nonce have not 16 bytes, or the tag is not the message's.
    """
    if operation == "digest":
        # The engine's library is loaded only here: listing algorithms does not need it.
        from ciphermill._engine import Device

        return Device("cpu").digest(data, algorithm="ascon-hash256")[0]
    if len(key) != 16 or len(nonce) != 16:
        raise ValueError("a key and a nonce of Ascon-AEAD128 have 16 bytes")
    if operation == "encrypt":
        return b"".join(_aead(key, nonce, associated, data, decrypt=False))
    plain, tag = _aead(key, nonce, associated, data[:-16], decrypt=True)
    if tag != data[-16:]:
        raise ValueError("the tag is not the message's")
    return plain


def _aead(
    key: bytes, nonce: bytes, associated: bytes, data: bytes, *, decrypt: bool
) -> tuple[bytes, bytes]:
    """Return the other text and the tag (sections 4.1.1 and 4.1.2)."""
    tail = [0, 0, 0, *_words(key)]
    state = _added(_permuted([_IV, *_words(key + nonce)], 12), tail)
    if associated:
        for block in _blocks(associated):
            state = _permuted(_added(state, _words(_padded(block))), 8)
    state = _added(state, [0, 0, 0, 0, 1 << 63])
    answer = b""
    for number, block in enumerate(_blocks(data)):
        if number:
            state = _permuted(state, 8)
        text = bytes(a ^ b for a, b in zip(_bytes(state[:2]), block, strict=False))
        answer += text
        state = _added(state, _words(_padded(text if decrypt else block)))
    state = _added(_permuted(_added(state, [0, 0, *_words(key), 0]), 12), tail)
    return answer, _bytes(state[3:])


def _permuted(state: list[int], rounds: int) -> list[int]:
    """Return the state after the last so many of twelve rounds (section 3)."""
    for number in range(12 - rounds, 12):
        state[2] ^= (15 - number) << 4 | number
        mixed = [0] * 5
        for column, image in enumerate(_SBOX):
            there = _MASK  # the columns of the state that have this value
            for word in range(5):
                there &= state[word] if column >> (4 - word) & 1 else ~state[word]
            for word in range(5):
                mixed[word] |= there if image >> (4 - word) & 1 else 0
        state = [
            word ^ _rotated(word, first) ^ _rotated(word, second)
            for word, (first, second) in zip(mixed, _ROTATIONS, strict=True)
        ]
    return state


def _rotated(word: int, bits: int) -> int:
    return (word >> bits | word << (64 - bits)) & _MASK


def _added(state: list[int], words: list[int]) -> list[int]:
    return [a ^ b for a, b in zip(state, words + [0] * (5 - len(words)), strict=True)]


def _blocks(data: bytes) -> list[bytes]:
    """Cut bytes into blocks; the last one is not whole, and may be empty."""
    return [data[start : start + _RATE] for start in range(0, len(data) + 1, _RATE)]


def _padded(block: bytes) -> bytes:
    """Pad a block that is not whole (section 2.1)."""
    return block if len(block) == _RATE else (block + b"\1").ljust(_RATE, b"\0")


def _words(data: bytes) -> list[int]:
    return [int.from_bytes(data[n : n + 8], "little") for n in range(0, len(data), 8)]


def _bytes(words: list[int]) -> bytes:
    return b"".join(word.to_bytes(8, "little") for word in words)


_COUNTING = bytes(range(64))
"""Key, nonce, texts and messages of the designers' answers are the first bytes of this."""


def _sealed(text: int, associated: int, answer: str) -> Vector:
    return Vector(
        f"LWC_AEAD_KAT_128_128.txt of ascon-c, {text} bytes, associated data of {associated}",
        _COUNTING[:text],
        bytes.fromhex(answer),
        _COUNTING[:16],
        iv=_COUNTING[:16],
        associated=_COUNTING[:associated],
    )


def _digest(length: int, answer: str) -> Vector:
    return Vector(
        f"LWC_HASH_KAT_128_256.txt of ascon-c, {length} bytes",
        _COUNTING[:length],
        bytes.fromhex(answer),
        operation="digest",
    )


ASCON = Algorithm(
    name="ascon",
    title="Ascon",
    standard="NIST SP 800-232",
    operations=("encrypt", "decrypt", "digest"),
    key_bits=_KEY_BITS,
    default_key_bits=128,
    block_bytes=_RATE,
    modes={},
    nonce_bytes=16,
    tag_bytes=16,
    digest_bytes=32,
    reference=reference,
    vectors=(
        _sealed(0, 0, "4427d64b8e1e1451fc445960f0839bb0"),
        _sealed(0, 1, "103ab79d913a0321287715a979bb8585"),
        _sealed(1, 0, "e79f58f1f541fc51b5d438f8e1dd03f147"),
        _sealed(7, 15, "b03e607317a251ccf75d8ecb57ba7863e7596eb262a0fb"),
        _sealed(16, 16, "6a28215e4a6023fae42095318b187f99e0c479771a09b5d29afd05825b013d0d"),
        _sealed(
            32,
            32,
            "4c086d27a3b51a2333cfc7f22172a9bcad88b8d4d77e5062"
            "2d788345fa7bee4468915d3f9422289f2349d6a3b4160397",
        ),
        _digest(0, "0b3be5850f2f6b98caf29f8fdea89b64a1fa70aa249b8f839bd53baa304d92b2"),
        _digest(7, "3e4d273ba69b3b9c53216107e88b75cdbeedbcbf8faf0219c3928ab62b116577"),
        _digest(8, "b88e497ae8e6fb641b87ef622eb8f2fca0ed95383f7ffebe167acf1099ba764f"),
        _digest(32, "bd9d3d60a66b53868eab2a5c74539a518a1f60f01eb176c60e43dee81680b33e"),
    ),
    rtl=Rtl(
        folders=("ascon",),
        top="ascon_core",
        package="ascon_pkg",
        code=2,
        key_port_bits=128,
        byte_order="little",
        architecture_parameter="RoundsPerCycle",
        architectures={"iterative": 1, "unrolled": 4},
        operation_parameter="Operations",
        operation_flags={"encrypt": 1, "decrypt": 2, "digest": 4},
        cycles={("iterative",): {128: 8}, ("unrolled",): {128: 2}},  # hw/ascon/README.md
    ),
    partitions={
        "software": Split(_KEY_BITS, {"": ("ciphers/ascon.c",)}),
        "iterative": Split(
            _KEY_BITS,
            {"": ()},
            coprocessor=Unit("coprocessor_ascon", takes=("DataWidth",)),
            core=Unit("ascon_core", {"RoundsPerCycle": 1}),
        ),
        "instruction": Split(_KEY_BITS, {"": ()}, instructions=("",)),
    },
)
