# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Elliptic curves in C, built for the host with sanitisers: vectors, Python's integers, refusals.

Each test runs with limbs of 32 and of 64 bits.
"""

import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import ecc_vectors as vectors
import pytest
from ecc_curves import CURVES, P256, Curve
from ecc_reference import (
    AGREE,
    COORDINATE,
    GENERATE,
    GOOD,
    INFINITY,
    INVALID,
    NONCE,
    OFF_CURVE,
    PRIVATE,
    PUBLIC,
    RANDOM,
    SIGN,
    SIGNATURE,
    VERIFY,
    ZERO_S,
    answer,
)

FIRMWARE = Path(__file__).resolve().parent.parent
ON_CURVES = pytest.mark.parametrize("curve", CURVES, ids=lambda one: one.name)

Asked = tuple[int, list[int]]
"""An operation and its operands."""
Run = Callable[[Curve, list[Asked]], list[tuple[int, list[int]]]]


@pytest.fixture(scope="module", params=[32, 64], ids=["32-bit", "64-bit"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs gcc")
    program = tmp_path_factory.mktemp("host") / "ecc"
    command = [compiler, "-std=gnu11", "-O2", "-g0", "-Wall", "-Wextra", "-Werror"]
    command += [f"-DECC_LIMB_BITS={request.param}"]
    command += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    command += [f"-I{FIRMWARE / place}" for place in ("include", "ciphers")]
    names = ("ciphers/ecc.c", "ciphers/ecc_field.c", "ciphers/ecc_curves.c", "tests/run_ecc.c")
    command += [str(FIRMWARE / name) for name in names]
    done = subprocess.run([*command, "-o", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

    def send(curve: Curve, asked: list[Asked]) -> list[tuple[int, list[int]]]:
        lines = [
            f"{curve.bits} {operation} {number & 1} "
            + b"".join(one.to_bytes(curve.bytes, "big") for one in operands).hex()
            for number, (operation, operands) in enumerate(asked)
        ]
        ended = subprocess.run(
            [program], input="\n".join(lines) + "\n", capture_output=True, text=True
        )
        assert ended.returncode == 0, ended.stderr
        found = []
        for line in ended.stdout.splitlines():
            status, results = line.split()
            data = bytes.fromhex(results.replace("-", ""))
            parts = range(0, len(data), curve.bytes)
            found.append(
                (int(status), [int.from_bytes(data[n : n + curve.bytes], "big") for n in parts])
            )
        return found

    return send


@ON_CURVES
def test_published_vectors(run: Run, curve: Curve) -> None:
    good = vectors.verifications(curve)
    chosen = [
        *vectors.signatures(curve)[:8],
        *good,
        *vectors.edge_signatures(curve, next(one for one in good if one.answer[0] == GOOD)),
        *vectors.deterministic_signatures(curve)[:4],
        *vectors.agreements(curve)[:6],
        *vectors.points(curve),
    ]
    found = run(curve, [(one.operation, one.operands) for one in chosen])
    for one, (status, results) in zip(chosen, found, strict=True):
        assert status in (one.answer[0], one.or_status), one
        assert status != GOOD or results == one.answer[1], one
    assert {GOOD, INVALID, SIGNATURE, OFF_CURVE} <= {status for status, _ in found}


@ON_CURVES
def test_operands_at_random_and_at_their_bounds(run: Run, curve: Curve) -> None:
    source = random.Random(curve.bits)
    n, top = curve.n, 1 << 8 * curve.bytes
    scalars = [1, 2, 15, 16, n - 1, n - 2, 1 << curve.bits - 1, *(source.randrange(1, n),) * 2]
    digests = [0, 1, n, n - 1, (1 << curve.bits) - 1]
    asked: list[Asked] = []
    for number, scalar in enumerate(scalars):
        other = curve.multiply(source.choice(scalars), curve.g)
        assert other is not None
        asked += [
            (GENERATE, [scalar - 1]),
            (PUBLIC, [scalar]),
            (SIGN, [scalar, source.choice(scalars), digests[number % len(digests)]]),
            (AGREE, [scalar, *other]),
        ]
    for scalar in (0, n, n + 1, top - 1):
        asked += [(PUBLIC, [scalar]), (SIGN, [scalar, 1, 1]), (SIGN, [1, scalar, 1])]
        asked += [(AGREE, [scalar, *curve.g]), (VERIFY, [*curve.g, scalar, 1, 1])]
    asked += [(GENERATE, [n - 1]), (GENERATE, [top - 1])]
    expected = [answer(curve, *one) for one in asked]
    assert run(curve, asked) == expected
    assert {GOOD, RANDOM, PRIVATE, NONCE, SIGNATURE} <= {status for status, _ in expected}


@ON_CURVES
def test_points_that_are_refused(run: Run, curve: Curve) -> None:
    x, y = curve.g
    points = [(0, 0), (x, y + 1), (curve.p, y), (x, curve.p), (x, (1 << 8 * curve.bytes) - 1)]
    asked = [(AGREE, [1, *point]) for point in points]
    asked += [(VERIFY, [*point, 1, 1, 1]) for point in points]
    expected = [answer(curve, *one) for one in asked]
    assert run(curve, asked) == expected
    assert {status for status, _ in expected} == {INFINITY, OFF_CURVE, COORDINATE}


@ON_CURVES
def test_sums_of_equal_and_opposite_points(run: Run, curve: Curve) -> None:
    """A verification adds multiples of G and of the public key, which may be the same point."""
    n = curve.n
    asked: list[Asked] = []
    for private in (1, n - 1, 2):
        key = curve.multiply(private, curve.g)
        assert key is not None
        for nonce in (1, 2, n - 2):
            for digest in (0, 5):
                _, signature = answer(curve, SIGN, [private, nonce, digest])
                asked += [(VERIFY, [*key, *signature, digest])]
                asked += [(VERIFY, [*key, *signature, digest + 1])]
        r = 7
        asked += [(VERIFY, [*key, r, 3, -r * private % n])]  # the sum is infinity
    expected = [answer(curve, *one) for one in asked]
    assert run(curve, asked) == expected
    assert {status for status, _ in expected} == {GOOD, INVALID}


def test_a_signature_whose_s_is_zero(run: Run) -> None:
    point = P256.multiply(5, P256.g)
    assert point is not None
    digest = -point[0] * 3 % P256.n
    assert run(P256, [(SIGN, [3, 5, digest])]) == [(ZERO_S, [])]
