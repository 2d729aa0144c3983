# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The curves P-256, P-384 and P-521 (SP 800-186, section 3.2.1), and the engine's data of each.

Everything in which programs differ between curves is here: constants, counts of loops, and first
bit numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

ROW_BITS = 136
"""Bits of a row of the engine's memories. A word of the multiplier is a row or a part of it."""
TABLE_TEETH = 4
"""Bits of a scalar that select an entry of the table of multiples of G."""

Point = tuple[int, int] | None
"""Affine coordinates; None is the point at infinity."""


@dataclass(frozen=True)
class Curve:
    """A curve y^2 = x^3 - 3x + b over the integers modulo p, and a point G of prime order n."""

    name: str
    code: int
    bits: int
    p: int
    n: int
    b: int
    g: tuple[int, int]

    @property
    def rows(self) -> int:
        """Rows of an operand: Montgomery's R is at least 2^15 times p and n."""
        return -(-(self.bits + 8) // ROW_BITS)

    @property
    def radix(self) -> int:
        """Montgomery's R."""
        return 1 << self.rows * ROW_BITS

    @property
    def bytes(self) -> int:
        """Bytes of an operand outside the engine."""
        return -(-self.bits // 8)

    @property
    def columns(self) -> int:
        """Distance of the bits that select an entry of the table of multiples of G."""
        return -(-self.bits // 16) * 4

    @property
    def windows(self) -> int:
        """Signed windows of four bits of a scalar; the highest one is not negative."""
        return self.bits // 4 + 1

    def add(self, first: Point, second: Point) -> Point:
        """Return the sum of two points."""
        if first is None or second is None:
            return first or second
        (x1, y1), (x2, y2) = first, second
        if x1 == x2 and (y1 + y2) % self.p == 0:
            return None
        if first == second:
            slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, self.p)
        else:
            slope = (y2 - y1) * pow(x2 - x1, -1, self.p)
        x3 = (slope * slope - x1 - x2) % self.p
        return x3, (slope * (x1 - x3) - y1) % self.p

    def multiply(self, scalar: int, point: Point) -> Point:
        """Return a multiple of a point."""
        result: Point = None
        for bit in bin(scalar)[2:]:
            result = self.add(result, result)
            if bit == "1":
                result = self.add(result, point)
        return result

    def has(self, point: tuple[int, int]) -> bool:
        """Whether affine coordinates satisfy the curve's equation."""
        x, y = point
        return (y * y - x * x * x + 3 * x - self.b) % self.p == 0


P256 = Curve(
    name="P-256",
    code=0,
    bits=256,
    p=2**256 - 2**224 + 2**192 + 2**96 - 1,
    n=0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    b=0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    g=(
        0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
        0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
    ),
)
P384 = Curve(
    name="P-384",
    code=1,
    bits=384,
    p=2**384 - 2**128 - 2**96 + 2**32 - 1,
    n=2**384 - 0x389CB27E0BC8D220A7E5F24DB74F58851313E695333AD68D,
    b=int(
        "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875a"
        "c656398d8a2ed19d2a85c8edd3ec2aef",
        16,
    ),
    g=(
        int(
            "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a38"
            "5502f25dbf55296c3a545e3872760ab7",
            16,
        ),
        int(
            "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c0"
            "0a60b1ce1d7e819d7a431d7c90ea0e5f",
            16,
        ),
    ),
)
P521 = Curve(
    name="P-521",
    code=2,
    bits=521,
    p=2**521 - 1,
    n=int(
        "1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa"
        "51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
        16,
    ),
    b=int(
        "51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef10"
        "9e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00",
        16,
    ),
    g=(
        int(
            "c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3d"
            "baa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66",
            16,
        ),
        int(
            "11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e6"
            "62c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650",
            16,
        ),
    ),
)
CURVES = (P256, P384, P521)

COUNTS = ("columns", "windows", "high_windows", "low_windows", "exponent_windows", "four")
"""Counts of loops that programs name, in the order of their codes."""
STARTS = ("window_start", "exponent_start", "comb_start")
"""Numbers of bits that programs begin with, in the order of their codes."""


def counts(curve: Curve) -> dict[str, int]:
    """Return a curve's counts of loops and first bit numbers."""
    low = curve.columns // 4
    return {
        "columns": curve.columns,
        "windows": curve.windows,
        "high_windows": curve.windows - low,
        "low_windows": low,
        "exponent_windows": -(-curve.bits // 4),
        "four": 4,
        "window_start": 4 * curve.windows - 1,
        "exponent_start": 4 * -(-curve.bits // 4) - 1,
        "comb_start": TABLE_TEETH * curve.columns - 1,
    }


@cache
def constants(curve: Curve) -> dict[str, int]:
    """Return a curve's constants by name, in the order of their register numbers.

    A modulus is followed by the number that reduces by it. Coordinates are Montgomery's: multiplied
    by R. Entry *i* of the table of G is the sum of 2^(columns j) G over the bits *j* of *i*.
    """
    p, n, radix = curve.p, curve.n, curve.radix
    table: list[tuple[int, int]] = [(0, 1)]
    for index in range(1, 1 << TABLE_TEETH):
        teeth = sum(1 << curve.columns * j for j in range(TABLE_TEETH) if index >> j & 1)
        table.append(curve.multiply(teeth % curve.n, curve.g) or (0, 1))
    return {
        "zero_constant": 0,
        "one": 1,
        "p": p,
        "p_factor": -pow(p, -1, 1 << ROW_BITS) % (1 << ROW_BITS),
        "n": n,
        "n_factor": -pow(n, -1, 1 << ROW_BITS) % (1 << ROW_BITS),
        "p_square": radix * radix % p,
        "n_square": radix * radix % n,
        "b": curve.b * radix % p,
        "one_p": radix % p,
        "p_exponent": p - 2,
        "n_exponent": n - 2,
        **{f"gx{index}": x * radix % p for index, (x, _) in enumerate(table)},
        **{f"gy{index}": y * radix % p for index, (_, y) in enumerate(table)},
    }
