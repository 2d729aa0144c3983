# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Known answers that are published, for the self-tests of exports and of this project.

Bytes stand as the publications print them, byte 0 first.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class Block:
    """Encrypting ``plain`` under ``key`` gives ``cipher``, and decrypting it ``plain``."""

    source: str
    key: bytes
    plain: bytes
    cipher: bytes


@dataclass(frozen=True)
class Message:
    """Encrypting ``plain`` in a mode of SP 800-38A gives ``cipher``; so the other way round."""

    source: str
    mode: str
    """``ecb``, ``cbc`` or ``ctr``; CTR counts in all 128 bits of the IV."""
    key: bytes
    iv: bytes
    """16 bytes; zero where the mode has none."""
    plain: bytes
    cipher: bytes


def _block(source: str, key: str, plain: str, cipher: str) -> Block:
    return Block(source, *(bytes.fromhex(text) for text in (key, plain, cipher)))


_C_PLAIN = "00112233445566778899aabbccddeeff"
_C_KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

FIPS_197_BLOCKS = (
    _block(
        "FIPS 197, appendix B",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "3243f6a8885a308d313198a2e0370734",
        "3925841d02dc09fbdc118597196a0b32",
    ),
    _block("FIPS 197, C.1", _C_KEY[:32], _C_PLAIN, "69c4e0d86a7b0430d8cdb78070b4c55a"),
    _block("FIPS 197, C.2", _C_KEY[:48], _C_PLAIN, "dda97ca4864cdfe06eaf70a0ec0d7191"),
    _block("FIPS 197, C.3", _C_KEY, _C_PLAIN, "8ea2b7ca516745bfeafc49904b496089"),
)

# SP 800-38A, appendix F: one plaintext of four blocks for all examples.
_PLAIN = bytes.fromhex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
_KEYS = (
    "2b7e151628aed2a6abf7158809cf4f3c",
    "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
    "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
)
_IVS = {
    "ecb": bytes(16),
    "cbc": bytes(range(16)),
    "ctr": bytes(range(0xF0, 0x100)),
}
_SECTIONS = {"ecb": "F.1", "cbc": "F.2", "ctr": "F.5"}
_CIPHERS = {
    "ecb": (
        "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"
        "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4",
        "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef"
        "ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e",
        "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870"
        "b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7",
    ),
    "cbc": (
        "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
        "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
        "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"
        "571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd",
        "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
        "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
    ),
    "ctr": (
        "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
        "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
        "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
        "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
        "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
        "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
    ),
}

_PAPER = "Bogdanov et al., CHES 2007, appendix I"
_THESIS = "Poschmann, Lightweight Cryptography, Bochum 2009"
_ONES_8, _ONES_10 = "ff" * 8, "ff" * 10
PRESENT_BLOCKS = (
    _block(_PAPER, "00" * 10, "00" * 8, "5579c1387b228445"),
    _block(_PAPER, _ONES_10, "00" * 8, "e72c46c0f5945049"),
    _block(_PAPER, "00" * 10, _ONES_8, "a112ffc72f68417b"),
    _block(_PAPER, _ONES_10, _ONES_8, "3333dcd3213210d2"),
    # The paper has none of 128 bits.
    _block(_THESIS, "00" * 16, "00" * 8, "96db702a2e6900af"),
    _block("the cipher's authors", "ff" * 16, "00" * 8, "13238c710272a5d8"),
    _block("the cipher's authors", "00" * 16, _ONES_8, "3c6019e5e5edd563"),
    _block("the cipher's authors", "ff" * 16, _ONES_8, "628d9fbd4218e5b4"),
    _block(
        "the cipher's authors",
        "0123456789abcdef0123456789abcdef",
        "0123456789abcdef",
        "0e9d28685e671dd6",
    ),
)


def blocks(cipher: str, key_sizes: Collection[int]) -> list[Block]:
    """Return the known answers of single blocks.

    Args:
        cipher: ``aes`` or ``present``; there are none for anything else.
        key_sizes: Sizes of key in bits.
    """
    found: list[Block] = []
    if cipher == "aes":
        found += FIPS_197_BLOCKS
        for message in messages((128, 192, 256), ("ecb",)):
            found += [
                Block(message.source, message.key, message.plain[n : n + 16], cipher_block)
                for n in range(0, len(message.plain), 16)
                for cipher_block in (message.cipher[n : n + 16],)
            ]
    elif cipher == "present":
        found += PRESENT_BLOCKS
    return [vector for vector in found if 8 * len(vector.key) in key_sizes]


def messages(
    key_sizes: Collection[int], modes: Collection[str] = ("ecb", "cbc", "ctr")
) -> list[Message]:
    """Return the known answers of AES in modes of operation: SP 800-38A, appendix F."""
    return [
        Message(
            f"SP 800-38A, {_SECTIONS[mode]}, AES-{4 * len(key)}",
            mode,
            bytes.fromhex(key),
            _IVS[mode],
            _PLAIN,
            bytes.fromhex(cipher),
        )
        for mode in modes
        for key, cipher in zip(_KEYS, _CIPHERS[mode], strict=True)
        if 4 * len(key) in key_sizes
    ]
