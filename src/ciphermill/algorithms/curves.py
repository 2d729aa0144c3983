# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The curves P-256, P-384 and P-521 in plain Python, and operations with known answers.

It shares nothing with firmware and RTL: points are affine, inverses are Python's. It is slow and
not constant time, for keys of tests only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

Point = tuple[int, int]
"""Affine coordinates."""


@dataclass(frozen=True)
class Curve:
    """A curve y^2 = x^3 - 3x + b modulo p, and its base point of prime order n."""

    bits: int
    p: int
    n: int
    base: Point

    @property
    def integer_bytes(self) -> int:
        """Bytes of a coordinate or scalar."""
        return -(-self.bits // 8)

    def multiply(self, scalar: int, point: Point) -> Point:
        """Return a multiple of a point; the scalar is above zero and below n.

        Bits are taken from the highest one on, so no sum is infinity or a doubling.
        """
        result = point
        for bit in f"{scalar:b}"[1:]:
            result = self._sum(result, result, 3 * result[0] ** 2 - 3, 2 * result[1])
            if bit == "1":
                result = self.add(result, point)
        return result

    def add(self, first: Point, second: Point) -> Point:
        """Return the sum of two points, neither equal nor opposite to each other."""
        return self._sum(first, second, second[1] - first[1], second[0] - first[0])

    def _sum(self, first: Point, second: Point, rise: int, run: int) -> Point:
        slope = rise * pow(run, -1, self.p)
        x = (slope**2 - first[0] - second[0]) % self.p
        return x, (slope * (first[0] - x) - first[1]) % self.p


CURVES: Mapping[int, Curve] = {
    256: Curve(
        256,
        2**256 - 2**224 + 2**192 + 2**96 - 1,
        0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
        (
            0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
            0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
        ),
    ),
    384: Curve(
        384,
        2**384 - 2**128 - 2**96 + 2**32 - 1,
        2**384 - 0x389CB27E0BC8D220A7E5F24DB74F58851313E695333AD68D,
        (
            int(
                "AA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A38"
                "5502F25DBF55296C3A545E3872760AB7",
                16,
            ),
            int(
                "3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C0"
                "0A60B1CE1D7E819D7A431D7C90EA0E5F",
                16,
            ),
        ),
    ),
    521: Curve(
        521,
        2**521 - 1,
        int(
            "1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFA"
            "51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409",
            16,
        ),
        (
            int(
                "C6858E06B70404E9CD9E3ECB662395B4429C648139053FB521F828AF606B4D3D"
                "BAA14B5E77EFE75928FE1DC127A2FFA8DE3348B3C1856A429BF97E7E31C2E5BD66",
                16,
            ),
            int(
                "11839296A789A3BC0045C8A5FB42C7D1BD998F54449579B446817AFBD17273E6"
                "62C97EE72995EF42640C550B9013FAD0761353C7086A272C24088BE94769FD16650",
                16,
            ),
        ),
    ),
}
"""By bits (SP 800-186, section 3.2.1)."""


def exchange(operation: str, key_bits: int, number: int) -> tuple[bytes, bytes]:
    """Return operands and results of an operation, the same in each call.

    Operands and results are integers one behind the other, as ``ecc_core`` has them
    (hw/ecc/README.md); that of a verification is the byte 1.

    Args:
        operation: ``generate-key``, ``sign``, ``verify`` or ``agree``.
        key_bits: Bits of the curve.
        number: Of the operation; others have other operands.
    """
    curve = CURVES[key_bits]

    def integer(label: str, length: int) -> int:
        data = hashlib.shake_128(f"ciphermill curve {label} {number}".encode()).digest(length)
        return int.from_bytes(data, "big")

    def scalar(label: str) -> int:
        return integer(label, curve.integer_bytes + 8) % (curve.n - 1) + 1

    private = scalar("key")
    public = curve.multiply(private, curve.base)
    if operation == "generate-key":
        return _integers(curve, private - 1), _integers(curve, private, *public)
    if operation == "agree":
        other = curve.multiply(scalar("other key"), curve.base)
        shared = curve.multiply(private, other)
        return _integers(curve, private, *other), _integers(curve, shared[0])
    nonce, digest = scalar("nonce"), integer("digest", min(curve.integer_bytes, 64))
    r = curve.multiply(nonce, curve.base)[0] % curve.n
    s = pow(nonce, -1, curve.n) * (digest + r * private) % curve.n
    if operation == "sign":
        return _integers(curve, private, nonce, digest), _integers(curve, r, s)
    return _integers(curve, *public, r, s, digest), b"\1"


def _integers(curve: Curve, *numbers: int) -> bytes:
    return b"".join(one.to_bytes(curve.integer_bytes, "big") for one in numbers)
