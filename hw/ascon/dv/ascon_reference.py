# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Reference of the Ascon core: the standard in plain Python, and known answers.

The standard is NIST SP 800-232 of August 2025. The implementation follows its text and shares
nothing with the RTL: the S-box is its algebraic form, not the circuit. The package ``ascon`` of
PyPI (0.0.9) is no reference, since it computes the older version 1.2, which differs.

The known answers are those of the authors' reference implementation (github.com/ascon/ascon-c,
``crypto_aead/asconaead128/LWC_AEAD_KAT_128_128.txt`` at fdfca408 and
``crypto_hash/asconhash256/LWC_HASH_KAT_128_256.txt``), as the crates ``ascon-aead`` 0.6.0 and
``ascon-hash256`` 0.1.0 carry them. Each file is here as a digest of all its answers, in order, and
a few answers as they stand.
"""

from __future__ import annotations

MASK = (1 << 64) - 1
AEAD_IV = 0x00001000808C0001
HASH_IV = 0x0000080100CC0002
ROTATIONS = ((19, 28), (61, 39), (1, 6), (10, 17), (7, 41))
"""Section 3.4: the two rotations to the right of each word."""
CONSTANTS = (0xF0, 0xE1, 0xD2, 0xC3, 0xB4, 0xA5, 0x96, 0x87, 0x78, 0x69, 0x5A, 0x4B)
"""Section 3.2: constants of the twelve rounds; the last eight are those of eight rounds."""
RATE = 16
HASH_RATE = 8

State = list[int]


def rotate(word: int, bits: int) -> int:
    """Return a word of 64 bits rotated to the right."""
    return (word >> bits | word << (64 - bits)) & MASK


def one_round(state: State, constant: int) -> State:
    """Return the state after one round (sections 3.2 to 3.4)."""
    a, b, c, d, e = state
    c ^= constant
    after = (
        e & b ^ d ^ c & b ^ c ^ b & a ^ b ^ a,
        e ^ d & c ^ d & b ^ d ^ c & b ^ c ^ b ^ a,
        e & d ^ e ^ c ^ b ^ MASK,
        e & a ^ e ^ d & a ^ d ^ c ^ b ^ a,
        e & b ^ e ^ d ^ b & a ^ b,
    )
    return [
        word ^ rotate(word, bits[0]) ^ rotate(word, bits[1])
        for word, bits in zip(after, ROTATIONS, strict=True)
    ]


def permute(state: State, rounds: int) -> State:
    """Return the state after the last ``rounds`` of the twelve rounds."""
    for constant in CONSTANTS[12 - rounds :]:
        state = one_round(state, constant)
    return state


def words(data: bytes) -> list[int]:
    """Return bytes as words of 64 bits; the first byte is the lowest."""
    return [int.from_bytes(data[n : n + 8], "little") for n in range(0, len(data), 8)]


def octets(numbers: list[int]) -> bytes:
    """Return words of 64 bits as bytes."""
    return b"".join(number.to_bytes(8, "little") for number in numbers)


def padded(data: bytes, rate: int) -> bytes:
    """Return bytes with a one and zeros behind them, up to a whole number of blocks."""
    return data + b"\1" + bytes(-(len(data) + 1) % rate)


def absorb(state: State, block: bytes) -> State:
    """Return the state with a block added to its first words."""
    added = words(block)
    return [a ^ b for a, b in zip(state, added + [0] * (5 - len(added)), strict=True)]


def _message(
    key: bytes, nonce: bytes, aad: bytes, text: bytes, *, decrypt: bool
) -> tuple[bytes, bytes]:
    """Return the text after encryption or decryption, and the tag (sections 4.1.1, 4.1.2)."""
    k0, k1 = words(key)
    state = permute([AEAD_IV, k0, k1, *words(nonce)], 12)
    state = [*state[:3], state[3] ^ k0, state[4] ^ k1]
    if aad:
        whole = padded(aad, RATE)
        for n in range(0, len(whole), RATE):
            state = permute(absorb(state, whole[n : n + RATE]), 8)
    state[4] ^= 1 << 63
    out = b""
    for n in range(0, len(text) + 1, RATE):
        part = text[n : n + RATE]
        given = bytes(a ^ b for a, b in zip(octets(state[:2]), part, strict=False))
        out += given
        state = absorb(state, padded(given if decrypt else part, RATE)[:RATE])
        if len(part) == RATE:
            state = permute(state, 8)
    state = permute([*state[:2], state[2] ^ k0, state[3] ^ k1, state[4]], 12)
    return out, octets([state[3] ^ k0, state[4] ^ k1])


def encrypt(key: bytes, nonce: bytes, aad: bytes, plain: bytes) -> tuple[bytes, bytes]:
    """Return ciphertext and tag of Ascon-AEAD128."""
    return _message(key, nonce, aad, plain, decrypt=False)


def decrypt(key: bytes, nonce: bytes, aad: bytes, coded: bytes) -> tuple[bytes, bytes]:
    """Return the plaintext of Ascon-AEAD128, and the tag that would make it authentic."""
    return _message(key, nonce, aad, coded, decrypt=True)


def hash256(message: bytes) -> bytes:
    """Return the digest of Ascon-Hash256 (section 5.1)."""
    state = permute([HASH_IV, 0, 0, 0, 0], 12)
    whole = padded(message, HASH_RATE)
    for n in range(0, len(whole), HASH_RATE):
        state = permute(absorb(state, whole[n : n + HASH_RATE]), 12)
    digest = [state[0]]
    for _ in range(3):
        state = permute(state, 12)
        digest.append(state[0])
    return octets(digest)


COUNTING = bytes(n & 255 for n in range(1024))
"""Every key, nonce, text and message of the known answers is a prefix of this."""
KNOWN_LENGTHS = range(33)
"""Lengths in the file of AEAD: of plaintext and, varying faster, of associated data."""
KNOWN_AEAD_SHA256 = "9c64bfc10cf16762697c6a7e8aebb9ca88658a39fa77747956b0adaf4aca2c7a"
KNOWN_HASH_SHA256 = "b60e9db6767d4821c08fbe410c486e9eaa7ebf0ac6c1c8a11677f2f8e655505b"
"""SHA-256 over all answers of a file: ciphertexts with tags, or digests of 0 to 1,024 bytes."""
KNOWN_AEAD = {
    (0, 0): "4427d64b8e1e1451fc445960f0839bb0",
    (0, 1): "103ab79d913a0321287715a979bb8585",
    (0, 16): "b747d3235e971c20d00dcf87406938fd",
    (1, 0): "e79f58f1f541fc51b5d438f8e1dd03f147",
    (7, 15): "b03e607317a251ccf75d8ecb57ba7863e7596eb262a0fb",
    (15, 17): "9813b7013089db863a742a4c13f140c9e7558506b8277cd46bf4619ef4893c",
    (16, 16): "6a28215e4a6023fae42095318b187f99e0c479771a09b5d29afd05825b013d0d",
    (17, 32): "4c086d27a3b51a2333cfc7f22172a9bcada92b2a1cdea6b1b8da77294080ead708",
    (31, 5): (
        "1f820273c65246b76d4ff8d1add72d5cc1703338b98ce4b"
        "34b5af9ce461202d4668b6d9e0b5afee5400bca3e605b19"
    ),
    (32, 0): (
        "e770d289d2a44aee7cd0a48ece5274e381bad7e163dcc497"
        "0f7873610debbeb1a28657f6e82fe53d08b09eff9330bd2b"
    ),
    (32, 32): (
        "4c086d27a3b51a2333cfc7f22172a9bcad88b8d4d77e5062"
        "2d788345fa7bee4468915d3f9422289f2349d6a3b4160397"
    ),
}
"""Ciphertext and tag, by the lengths of plaintext and associated data."""
KNOWN_HASH = {
    0: "0b3be5850f2f6b98caf29f8fdea89b64a1fa70aa249b8f839bd53baa304d92b2",
    1: "0728621035af3ed2bca03bf6fde900f9456f5330e4b5ee23e7f6a1e70291bc80",
    7: "3e4d273ba69b3b9c53216107e88b75cdbeedbcbf8faf0219c3928ab62b116577",
    8: "b88e497ae8e6fb641b87ef622eb8f2fca0ed95383f7ffebe167acf1099ba764f",
    9: "94269c30e0296e1ec86655041841823efa1927f520fd58c8e9bce6197878c1a6",
    15: "6421330df99c05eb715415ee17b455f2674f862ae3cc5badffe43a4a3ed273e1",
    16: "3158c1940a2fbadbd68ab661777859b94a689e4efc375911467addd641835c38",
    17: "f149e99dd0f429599bb89b8079bf3f4dca3f298efefcf9b1ea16fe84f9b8b6e2",
    32: "bd9d3d60a66b53868eab2a5c74539a518a1f60f01eb176c60e43dee81680b33e",
    1024: "48140032bb7df2e2b5c95d403c9ab69b4bc00453980bf85f15a84cae2b09a0e9",
}
"""Digests, by the length of the message."""
