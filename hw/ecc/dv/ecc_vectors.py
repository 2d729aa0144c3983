# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Published test vectors of ECDSA and ECDH, from ``cryptography_vectors``."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cryptography_vectors
from ecc_curves import P256, Curve
from ecc_reference import (
    AGREE,
    COORDINATE,
    GOOD,
    INVALID,
    OFF_CURVE,
    PUBLIC,
    SIGN,
    SIGNATURE,
    VERIFY,
    Answer,
    deterministic_nonce,
    digest_number,
)

FOLDER = Path(cryptography_vectors.__file__).parent / "asymmetric"
FIPS = FOLDER / "ECDSA" / "FIPS_186-3"


@dataclass(frozen=True)
class Vector:
    """An operation, its operands, and the published answer.

    ``or_status`` is another status, where the source does not say which one.
    """

    operation: int
    operands: list[int]
    answer: Answer
    or_status: int | None = None


def _records(path: Path, first: str, last: str) -> Iterator[tuple[str, dict[str, str]]]:
    section, fields = "", dict[str, str]()
    for line in path.read_text().splitlines():
        if line.startswith("["):
            section = line
        name, _, value = (part.strip() for part in line.partition("="))
        if name == first:
            fields = {}
        fields[name] = value
        if name == last:
            yield section, fields


def _numbers(fields: dict[str, str], *names: str) -> list[int]:
    return [int(fields[name], 16) for name in names]


def _fits(curve: Curve, numbers: list[int]) -> bool:
    return all(number < 1 << 8 * curve.bytes for number in numbers)


def _digest(section: str, message: str) -> tuple[str, bytes]:
    name = section.split(",")[1].strip("]").replace("-", "").lower()
    return name, hashlib.new(name, bytes.fromhex(message)).digest()


def signatures(curve: Curve) -> list[Vector]:
    """Return FIPS 186 SigGen: signatures with the given nonce, and public keys."""
    found = []
    for section, fields in _records(FIPS / "SigGen.txt", "Msg", "S"):
        if section.startswith(f"[{curve.name},"):
            number = digest_number(curve, _digest(section, fields["Msg"])[1])
            d, x, y, k, r, s = _numbers(fields, "d", "Qx", "Qy", "k", "R", "S")
            found.append(Vector(SIGN, [d, k, number], (GOOD, [r, s])))
            found.append(Vector(PUBLIC, [d], (GOOD, [x, y])))
    return found


def verifications(curve: Curve) -> list[Vector]:
    """Return FIPS 186 SigVer."""
    found = []
    for section, fields in _records(FIPS / "SigVer.rsp", "Msg", "Result"):
        if section.startswith(f"[{curve.name},"):
            number = digest_number(curve, _digest(section, fields["Msg"])[1])
            operands = [*_numbers(fields, "Qx", "Qy", "R", "S"), number]
            good = fields["Result"].startswith("P")
            if _fits(curve, operands):
                found.append(Vector(VERIFY, operands, (GOOD if good else INVALID, [])))
    return found


def published_signatures(curve: Curve) -> Iterator[tuple[int, str, bytes, list[int]]]:
    """Yield private key, hash, digest and signature of RFC 6979, appendix A.2."""
    path = next((FOLDER / "ECDSA" / "RFC6979").glob("*.txt"))
    text = path.read_text()
    key = re.search(rf"PrivateKey={curve.name}_PRIV\n-+BEGIN.*-\n([^-]*)", text)
    assert key is not None
    private = int.from_bytes(base64.b64decode(key[1])[-curve.bytes :], "big")
    for name, message, output in re.findall(
        rf'DigestSign = (SHA\d+)\nKey = {curve.name}_PRIV\n.*\nInput = "(\w+)"\nOutput = (\w+)',
        text,
    ):
        name = name.lower()
        digest = hashlib.new(name, message.encode()).digest()
        yield private, name, digest, _integers(bytes.fromhex(output))


def deterministic_signatures(curve: Curve) -> list[Vector]:
    """Return the signatures of RFC 6979, appendix A.2, with the nonces that it computes."""
    found = []
    for private, name, digest, signature in published_signatures(curve):
        nonce = deterministic_nonce(curve, private, digest, name)
        operands = [private, nonce, digest_number(curve, digest)]
        found.append(Vector(SIGN, operands, (GOOD, signature)))
    return found


def _integers(der: bytes) -> list[int]:
    """Return the two integers of a signature in DER."""
    at = 2 + (der[1] & 127 if der[1] & 128 else 0)
    numbers = []
    while at < len(der):
        size = der[at + 1]
        numbers.append(int.from_bytes(der[at + 2 : at + 2 + size], "big"))
        at += 2 + size
    return numbers


def agreements(curve: Curve) -> list[Vector]:
    """Return CAVS ECC CDH: shared secrets that were not falsified, and bad public keys."""
    path = FOLDER / "ECDH" / "KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_init.fax"
    letter = "CDE"[curve.code]
    found = []
    for section, fields in _records(path, "COUNT", "Result"):
        if not section.startswith(f"[E{letter} -"):
            continue
        d, x, y, z = _numbers(fields, "dsIUT", "QsCAVSx", "QsCAVSy", "Z")
        result = fields["Result"]
        if result.startswith("P"):
            found.append(Vector(AGREE, [d, x, y], (GOOD, [z])))
        elif "CAVS's Static public key" in result:
            found.append(Vector(AGREE, [d, x, y], (OFF_CURVE, []), COORDINATE))
    return found


def points(curve: Curve) -> list[Vector]:
    """Return FIPS 186 PKV: points to refuse, by an agreement with the private key 1."""
    statuses = {"P": GOOD, "1": COORDINATE, "2": OFF_CURVE}
    found = []
    for section, fields in _records(FIPS / "PKV.rsp", "Qx", "Result"):
        x, y = _numbers(fields, "Qx", "Qy") if section == f"[{curve.name}]" else (0, 0)
        if section != f"[{curve.name}]" or not _fits(curve, [x, y]):
            continue
        result = fields["Result"]
        status = statuses["P" if result.startswith("P") else result[3]]
        found.append(Vector(AGREE, [1, x, y], (status, [x] if status == GOOD else [])))
    return found


def edge_signatures(curve: Curve, good: Vector) -> list[Vector]:
    """Return a good verification with r and s out of range."""
    x, y, r, s, number = good.operands
    pairs = ((0, s), (r, 0), (curve.n, s), (r, curve.n))
    return [Vector(VERIFY, [x, y, *pair, number], (SIGNATURE, [])) for pair in pairs]


RFC6979_NONCE = 0xA6E3C57DD01ABE90086538398355DD4C3B17AA873382B0F24D6129493D8AAD60
"""The nonce that RFC 6979, appendix A.2.5, prints for P-256, SHA-256, "sample"."""
assert any(vector.operands[1] == RFC6979_NONCE for vector in deterministic_signatures(P256))
