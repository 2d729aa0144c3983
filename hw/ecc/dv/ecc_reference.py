# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the ECC engine must answer: the standards in plain Python, with affine points."""

from __future__ import annotations

import hashlib
import hmac

from ecc_curves import Curve

GENERATE, PUBLIC, SIGN, VERIFY, AGREE = range(5)
NAMES = ("generate", "public", "sign", "verify", "agree")
OPERANDS = (1, 1, 3, 5, 3)
"""Operands of each operation."""
(
    GOOD,
    RANDOM,
    PRIVATE,
    NONCE,
    COORDINATE,
    INFINITY,
    OFF_CURVE,
    SIGNATURE,
    INVALID,
    ZERO_R,
    ZERO_S,
) = range(11)

Answer = tuple[int, list[int]]
"""Status and results."""


def point_status(curve: Curve, x: int, y: int) -> int:
    """Return how a point is refused, or ``GOOD``."""
    if x >= curve.p or y >= curve.p:
        return COORDINATE
    if (x, y) == (0, 0):
        return INFINITY
    return GOOD if curve.has((x, y)) else OFF_CURVE


def answer(curve: Curve, operation: int, operands: list[int]) -> Answer:
    """Return status and results of an operation."""
    n = curve.n
    if operation in (GENERATE, PUBLIC):
        private = operands[0] + (operation == GENERATE)
        if not 0 < private < n:
            return (RANDOM if operation == GENERATE else PRIVATE), []
        point = curve.multiply(private, curve.g)
        assert point is not None
        return GOOD, [*([private] if operation == GENERATE else []), *point]
    if operation == SIGN:
        private, nonce, digest = operands
        if not 0 < private < n:
            return PRIVATE, []
        if not 0 < nonce < n:
            return NONCE, []
        point = curve.multiply(nonce, curve.g)
        assert point is not None
        r = point[0] % n
        s = pow(nonce, -1, n) * (digest + r * private) % n
        return (GOOD, [r, s]) if s else (ZERO_S, [])
    if operation == VERIFY:
        x, y, r, s, digest = operands
        if not (0 < r < n and 0 < s < n):
            return SIGNATURE, []
        status = point_status(curve, x, y)
        if status:
            return status, []
        inverse = pow(s, -1, n)
        point = curve.add(
            curve.multiply(digest * inverse % n, curve.g),
            curve.multiply(r * inverse % n, (x, y)),
        )
        return (GOOD if point is not None and point[0] % n == r else INVALID), []
    private, x, y = operands
    if not 0 < private < n:
        return PRIVATE, []
    status = point_status(curve, x, y)
    if status:
        return status, []
    point = curve.multiply(private, (x, y))
    assert point is not None
    return GOOD, [point[0]]


def digest_number(curve: Curve, digest: bytes) -> int:
    """Return the number that is signed for a digest (FIPS 186-5, section 6.4.1)."""
    return int.from_bytes(digest, "big") >> max(0, 8 * len(digest) - curve.bits)


def deterministic_nonce(curve: Curve, private: int, digest: bytes, name: str) -> int:
    """Return the nonce of RFC 6979, section 3.2."""
    size = curve.bytes

    def mac(key: bytes, *parts: bytes) -> bytes:
        return hmac.new(key, b"".join(parts), name).digest()

    number = (digest_number(curve, digest) % curve.n).to_bytes(size, "big")
    seed = private.to_bytes(size, "big") + number
    length = hashlib.new(name).digest_size
    value, key = b"\1" * length, bytes(length)
    for byte in (b"\0", b"\1"):
        key = mac(key, value, byte, seed)
        value = mac(key, value)
    while True:
        text = b""
        while len(text) < size:
            value = mac(key, value)
            text += value
        nonce = digest_number(curve, text[:size])
        if 0 < nonce < curve.n:
            return nonce
        key = mac(key, value, b"\0")
        value = mac(key, value)
