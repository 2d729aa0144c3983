# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Behaviour of the ECC engine (cocotb tests).

``CIPHERMILL_CURVE`` is the code of the curve to test; without it all of the build are.
``CIPHERMILL_VECTORS`` is the number of published vectors of each kind.
"""

from __future__ import annotations

import os

import cocotb
import ecc_reference as reference
import ecc_vectors as vectors
from ciphermill_dv.parameters import parameter
from ciphermill_dv.residue import find, nonzero_registers
from ciphermill_dv.stall import PATTERNS
from cocotb.triggers import FallingEdge, RisingEdge, Timer
from ecc_curves import Curve
from ecc_cycles import CYCLES, CYCLES_OF_P521_ALONE
from ecc_driver import PERIOD_NS, EccDriver
from ecc_reference import AGREE, GENERATE, PUBLIC, SIGN, VERIFY

HARMLESS = frozenset(
    {"row_q", "slot_q", "curve_q", "dropped_q", "address_q", "start_q", "run_q", "trace_q", "work"}
)
"""State of control without operands, and an array that is no register."""


def curves(driver: EccDriver) -> list[Curve]:
    """Return the curves to test."""
    wanted = os.environ.get("CIPHERMILL_CURVE")
    return [curve for curve in driver.curves if wanted in (None, str(curve.code))]


def sample(found: list) -> list:
    """Return as many of published vectors as are wanted, from all over their file."""
    wanted = int(os.environ.get("CIPHERMILL_VECTORS", 1))
    return found[:: max(1, len(found) // wanted)][:wanted]


async def check(driver: EccDriver, curve: Curve, operation: int, operands: list[int]):
    """Run an operation and compare its answer with the reference's."""
    run = await driver.run(curve, operation, operands)
    wanted = reference.answer(curve, operation, operands)
    assert run.answer == wanted, (
        f"{curve.name} {reference.NAMES[operation]} {operands}: {run.answer}, not {wanted}"
    )
    return run


async def check_vectors(dut, kind) -> None:
    driver = EccDriver(dut)
    await driver.start()
    for curve in curves(driver):
        for vector in sample(kind(curve)):
            run = await driver.run(curve, vector.operation, vector.operands)
            assert run.answer == vector.answer or run.answer == (vector.or_status, []), vector
            dut._log.info("%s %s: %d cycles", curve.name, vector.operation, run.cycles)


@cocotb.test()
async def signatures(dut):
    """FIPS 186 SigGen with the given nonces; the public keys of its private keys."""
    await check_vectors(dut, lambda curve: sample(vectors.signatures(curve)[0::2]))
    driver = EccDriver(dut)
    for curve in curves(driver):
        for vector in sample(vectors.signatures(curve)[1::2]):
            run = await driver.run(curve, vector.operation, vector.operands)
            assert run.answer == vector.answer


@cocotb.test()
async def verifications(dut):
    """FIPS 186 SigVer: good signatures, and messages, r, s and keys that were changed."""
    await check_vectors(dut, vectors.verifications)


@cocotb.test()
async def deterministic_signatures(dut):
    """RFC 6979, with the nonces that it prescribes."""
    await check_vectors(dut, vectors.deterministic_signatures)


@cocotb.test()
async def agreements(dut):
    """CAVS ECC CDH, with points that are not on the curve."""
    await check_vectors(dut, vectors.agreements)


@cocotb.test()
async def points(dut):
    """FIPS 186 PKV."""
    await check_vectors(dut, vectors.points)


@cocotb.test()
async def round_trip(dut):
    """A generated key signs, verifies and agrees, each in the cycles that the README prints."""
    driver = EccDriver(dut, seed=2)
    await driver.start()
    for curve in curves(driver):
        random = driver.random
        bits = random.randrange(curve.n - 1)
        key = await check(driver, curve, GENERATE, [bits])
        private, x, y = key.answer[1]
        digest = random.getrandbits(curve.bits)
        signature = await check(
            driver, curve, SIGN, [private, random.randrange(1, curve.n), digest]
        )
        verify = [x, y, *signature.answer[1], digest]
        good = await check(driver, curve, VERIFY, verify)
        assert good.answer == (reference.GOOD, [])
        verify[4] ^= 1
        wrong = await check(driver, curve, VERIFY, verify)
        assert wrong.answer == (reference.INVALID, [])
        agreement = await check(driver, curve, AGREE, [random.randrange(1, curve.n), x, y])
        found = tuple(run.cycles for run in (key, signature, good, agreement))
        build = parameter("WordBits", 136), parameter("Multipliers", 1)
        wanted = CYCLES[build][curve.code]
        if parameter("Curves", 7) == 4:
            wanted = CYCLES_OF_P521_ALONE
        assert found == wanted, f"{curve.name}: {found}"


@cocotb.test()
async def edges(dut):
    """Scalars, digests and signatures at their bounds, and verifications that add equal points."""
    driver = EccDriver(dut, seed=3)
    await driver.start()
    for curve in curves(driver):
        n, top = curve.n, (1 << 8 * curve.bytes) - 1
        for private in (1, 2, 3, n - 2, n - 1, 1 << curve.bits - 2, (1 << curve.bits - 1) - 1):
            await check(driver, curve, PUBLIC, [private])
        for private, nonce, digest in (
            (1, 1, 0),
            (n - 1, n - 1, top),
            (n - 1, 1, n),
            (5, n - 2, 1),
        ):
            _, (r, s) = (await check(driver, curve, SIGN, [private, nonce, digest])).answer
            x, y = curve.multiply(private, curve.g) or (0, 0)
            await check(driver, curve, VERIFY, [x, y, r, s, digest])
        await check(driver, curve, AGREE, [1, *curve.g])
        await check(driver, curve, AGREE, [n - 1, *curve.g])
        # u1 G = u2 Q and u1 G = -u2 Q: a sum of equal points, and one that is infinity.
        for sign in (1, -1):
            private = 12345
            point = curve.multiply(private, curve.g)
            r = 7
            digest = sign * r * private % n
            await check(driver, curve, VERIFY, [*point, r, 99, digest])
        # The nonce's x coordinate is r + n: the signature is found by search backwards from it.
        await check_high_r(driver, curve)


async def check_high_r(driver: EccDriver, curve: Curve) -> None:
    """Verify a signature whose point has an x coordinate of n at least.

    Such points are too rare to be signed with; so the key is computed from the point, as
    Q = (s R - e G) / r.
    """
    if curve.n > curve.p:
        return
    for x in range(curve.n, curve.p):
        square = (x**3 - 3 * x + curve.b) % curve.p
        y = pow(square, (curve.p + 1) // 4, curve.p)
        if y * y % curve.p == square:
            break
    r, s, digest = x - curve.n, 1234567, 7654321
    if not r:
        return
    part = curve.add(curve.multiply(s, (x, y)), curve.multiply(-digest % curve.n, curve.g))
    key = curve.multiply(pow(r, -1, curve.n), part)
    assert key is not None
    run = await check(driver, curve, VERIFY, [*key, r, s, digest])
    assert run.answer == (reference.GOOD, [])


@cocotb.test()
async def refusals(dut):
    """What is not allowed ends with its status, gives no result and leaves nothing behind."""
    driver = EccDriver(dut, seed=4)
    await driver.start()
    for curve in curves(driver):
        n, p, top = curve.n, curve.p, (1 << 8 * curve.bytes) - 1
        gx, gy = curve.g
        cases = [
            *((GENERATE, [bits], reference.RANDOM) for bits in (n - 1, n, top - 1)),
            *((PUBLIC, [private], reference.PRIVATE) for private in (0, n, n + 1, top)),
            *((SIGN, [private, 5, 1], reference.PRIVATE) for private in (0, n, top)),
            *((SIGN, [5, nonce, 1], reference.NONCE) for nonce in (0, n, n + 1, top)),
            *((AGREE, [private, gx, gy], reference.PRIVATE) for private in (0, n)),
            (AGREE, [5, p, gy], reference.COORDINATE),
            (AGREE, [5, gx, top], reference.COORDINATE),
            (AGREE, [5, 0, 0], reference.INFINITY),
            (AGREE, [5, gx, gy ^ 1], reference.OFF_CURVE),
            (AGREE, [5, 0, 1], reference.OFF_CURVE),
            (VERIFY, [0, 0, 1, 1, 1], reference.INFINITY),
            (VERIFY, [gx, p, 1, 1, 1], reference.COORDINATE),
            (VERIFY, [gx ^ 1, gy, 1, 1, 1], reference.OFF_CURVE),
            *((VERIFY, [gx, gy, r, 1, 1], reference.SIGNATURE) for r in (0, n, top)),
            *((VERIFY, [gx, gy, 1, s, 1], reference.SIGNATURE) for s in (0, n, top)),
        ]
        # s = (e + r d) / k is zero for this digest.
        r = (curve.multiply(5, curve.g) or (0, 0))[0] % n
        cases.append((SIGN, [3, 5, -r * 3 % n], reference.ZERO_S))
        for operation, operands, status in cases:
            run = await check(driver, curve, operation, operands)
            assert run.answer == (status, []), (curve.name, operation, operands)
            assert not left(dut), left(dut)


@cocotb.test()
async def constant_time(dut):
    """The same is done in every cycle, whatever the secrets are."""
    driver = EccDriver(dut, seed=5)
    await driver.start()
    for curve in curves(driver):
        n, random = curve.n, driver.random
        scalars = [1, n - 1, 1 << curve.bits - 2, random.randrange(1, n)]
        runs = {
            GENERATE: [[scalar - 1] for scalar in scalars],
            SIGN: [
                [d, k, random.getrandbits(curve.bits)]
                for d, k in zip(scalars, scalars[::-1], strict=True)
            ],
            AGREE: [[scalar, *curve.g] for scalar in scalars],
        }
        for operation, every in runs.items():
            seen = set()
            for operands in every:
                run = await check(driver, curve, operation, operands)
                seen.add((run.cycles, run.trace))
            assert len(seen) == 1, f"{curve.name}, {reference.NAMES[operation]}: {seen}"
            name = reference.NAMES[operation]
            dut._log.info("%s %s: %d cycles", curve.name, name, next(iter(seen))[0])
        # The trace can tell operations apart: that of public scalars does.
        found = set()
        for digest in (1, 2):
            key = curve.multiply(3, curve.g)
            assert key is not None
            found.add((await driver.run(curve, VERIFY, [*key, 5, 7, digest])).trace)
        assert len(found) == 2, "the trace tells nothing"


@cocotb.test()
async def stalls(dut):
    """Idle and back-pressure on every stream change no answer."""
    driver = EccDriver(dut, seed=6)
    await driver.start()
    for curve in curves(driver):
        for inputs, outputs in zip(PATTERNS, reversed(PATTERNS), strict=True):
            driver.set_stalls(inputs, outputs)
            await check(driver, curve, AGREE, [5, curve.g[0], curve.g[1] ^ 1])
            await check(driver, curve, PUBLIC, [driver.random.randrange(1, curve.n)])


def left(dut) -> list[str]:
    """Return the registers and words that are not zero."""
    # A state machine that is idle has the number 0; so has the counter of a curve's schedule.
    return nonzero_registers(dut, HARMLESS)


@cocotb.test()
async def zeroise(dut):
    """A zeroise at any moment leaves no register and no word of memory that is not zero."""
    driver = EccDriver(dut, seed=7)
    await driver.start()
    for curve in curves(driver):
        size = curve.bytes
        for wait in (0, 1, 40, 3 * size + 100, 5000, 20_011):
            private, nonce = (driver.random.randrange(1, curve.n) for _ in range(2))
            await driver.begin(curve, SIGN)
            secrets = [number.to_bytes(size, "big") for number in (private, nonce)]
            data = b"".join(secrets) + bytes(size)
            await driver.give(data[:wait])
            await Timer(max(1, PERIOD_NS * (wait - len(data))), "ns")
            await RisingEdge(dut.clk_i)
            if wait > 1:
                assert left(dut), "the check of registers sees nothing"
            dut.zeroise_i.value = 1
            await RisingEdge(dut.clk_i)
            driver.rest()
            await FallingEdge(dut.clk_i)
            assert int(dut.busy_o.value) and int(dut.idle_o.value)
            await driver.until_clear()
            assert not left(dut), f"left after a zeroise: {left(dut)}"
            assert not find(dut, secrets), f"the key is in {find(dut, secrets)}"
        await check(driver, curve, SIGN, [private, nonce, 1])
        assert not left(dut), left(dut)


@cocotb.test()
async def reset_in_the_middle(dut):
    """After a reset at any moment the memory is cleared, and an operation works."""
    driver = EccDriver(dut, seed=8)
    await driver.start()
    curve = curves(driver)[0]
    for wait in (10, 300, 5000):
        await driver.begin(curve, PUBLIC)
        await driver.give((3).to_bytes(curve.bytes, "big")[:wait])
        await Timer(PERIOD_NS * wait, "ns")
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 0
        driver.rest()
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await driver.until_clear()
        assert not left(dut), left(dut)
    await check(driver, curve, PUBLIC, [3])


@cocotb.test()
async def unsupported_is_not_accepted(dut):
    """Operations and curves that are not there are never accepted."""
    driver = EccDriver(dut)
    await driver.start()
    codes = [curve.code for curve in driver.curves]
    for operation in range(8):
        for code in range(4):
            dut.operation_i.value = operation
            dut.curve_i.value = code
            await FallingEdge(dut.clk_i)
            wanted = operation <= AGREE and code in codes
            assert int(dut.start_ready_o.value) == wanted, (operation, code)
