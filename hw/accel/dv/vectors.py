# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Published test vectors: SP 800-38A, RFC 3686, CAVP and XTSVS."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import cryptography_vectors


@dataclass(frozen=True)
class Vector:
    """One message with its known answer."""

    source: str
    mode: str
    direction: str
    key: bytes
    iv: bytes
    data: bytes
    answer: bytes


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


def sp_800_38a() -> Iterator[Vector]:
    """Yield the examples of SP 800-38A, F.1, F.2 and F.5."""
    for mode, answers in _CIPHERS.items():
        for key, answer in zip(map(bytes.fromhex, _KEYS), map(bytes.fromhex, answers), strict=True):
            source = f"SP 800-38A, {_SECTIONS[mode]}, AES-{8 * len(key)}"
            parts = (key, _IVS[mode])
            yield Vector(source, mode, "encrypt", *parts, _PLAIN, answer)
            yield Vector(source, mode, "decrypt", *parts, answer, _PLAIN)


def published(folder: str, name: str) -> Iterator[Vector]:
    """Yield the vectors of a file of cryptography_vectors, in their own direction."""
    mode = folder.lower()
    direction = ""
    fields: dict[str, str] = {}
    with cryptography_vectors.open_vector_file(f"ciphers/AES/{folder}/{name}", "r") as file:
        for line in file:
            if heading := re.match(r"\[(ENCRYPT|DECRYPT)\]", line):
                direction = heading[1].lower()
            elif entry := re.match(r"(\w+) = ([0-9A-Fa-f]+)\s*$", line):
                fields[entry[1]] = entry[2]
            elif not line.strip() and "CIPHERTEXT" in fields:
                yield _vector(name, mode, direction, fields)
                fields = {}
    if "CIPHERTEXT" in fields:
        yield _vector(name, mode, direction, fields)


def _vector(name: str, mode: str, direction: str, fields: dict[str, str]) -> Vector:
    data, answer = (bytes.fromhex(fields[part]) for part in ("PLAINTEXT", "CIPHERTEXT"))
    if direction == "decrypt":
        data, answer = answer, data
    iv = bytes.fromhex(fields.get("IV", "00" * 16))
    return Vector(name, mode, direction, bytes.fromhex(fields["KEY"]), iv, data, answer)


def xts(name: str) -> list[Vector]:
    """Return the vectors of XTSVS that have whole blocks; the key is both keys."""
    found: list[Vector] = []
    direction = ""
    fields: dict[str, str] = {}
    path = f"ciphers/AES/XTS/tweak-128hexstr/{name}"
    with cryptography_vectors.open_vector_file(path, "r") as file:
        for line in file:
            if heading := re.match(r"\[(ENCRYPT|DECRYPT)\]", line):
                direction = heading[1].lower()
            elif entry := re.match(r"(\w+) = ([0-9A-Fa-f]+)\s*$", line):
                fields[entry[1]] = entry[2]
                last = "CT" if direction == "encrypt" else "PT"
                if entry[1] == last and int(fields["DataUnitLen"]) % 128 == 0:
                    key, iv, plain, cipher = (
                        bytes.fromhex(fields[part]) for part in ("Key", "i", "PT", "CT")
                    )
                    texts = (plain, cipher) if last == "CT" else (cipher, plain)
                    found.append(Vector(name, "xts", direction, key, iv, *texts))
    return found
