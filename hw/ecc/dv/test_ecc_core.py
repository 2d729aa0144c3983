# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The ECC engine: behaviour, parameters."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.simulate import lint, rtl_sources, run_bench

HERE = Path(__file__).parent
TOP = "ecc_core"
MULTIPLIER = "ecc_multiplier"
SOURCES = rtl_sources("prim", "ecc")

BUILDS = {
    "default": {},
    "small": {"WordBits": 68},
    "fast": {"Multipliers": 2},
    "small-two": {"WordBits": 68, "Multipliers": 2},
}
MULTIPLIERS = {
    **BUILDS,
    "mersenne": {"Mersenne": 1},
    "small-mersenne": {"WordBits": 68, "Mersenne": 1},
}
"""Builds of the multiplier alone."""
CURVES = {"P-256": "0", "P-384": "1", "P-521": "2"}
VECTORS = {"P-256": "8", "P-384": "4", "P-521": "3"}
"""Published vectors of each kind: fewer of longer operations."""
GROUPS = {
    "signatures": ["signatures", "deterministic_signatures"],
    "verifications": ["verifications"],
    "agreements": ["agreements", "points", "round_trip"],
    "edges": ["edges"],
    "constant_time": ["constant_time"],
    "control": ["refusals", "stalls", "zeroise", "reset_in_the_middle", "unsupported"],
}
"""Tests of the bench that run together, so that each run is short."""
FASTER = ("-CFLAGS", "-O1")
"""Three times as fast, for a second of compiling: operations take 10^5 cycles and more."""


def bench(tests, build, curve, **environment):
    """Run tests of the bench on a build, with one curve."""
    run_bench(
        HERE / "ecc_bench.py",
        TOP,
        SOURCES,
        BUILDS[build],
        tests=tests,
        options=FASTER,
        environment={"CIPHERMILL_CURVE": CURVES[curve], **environment},
    )


@pytest.mark.parametrize("build", BUILDS)
def test_signature(build):
    """One signature and one verification of P-256 on every build."""
    tests = ["signatures", "verifications"]
    bench(tests, build, "P-256")


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("group", GROUPS)
def test_behaviour(group, curve):
    bench(GROUPS[group], "default", curve, CIPHERMILL_VECTORS=VECTORS[curve])


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("build", ["small", "fast"])
def test_other_builds(build, curve):
    tests = ["round_trip", "refusals"]
    if curve == "P-256":
        tests += ["constant_time", "zeroise", "stalls"]
    bench(tests, build, curve)


@pytest.mark.parametrize("group", ["round_trip", "constant_time", "control"])
def test_p521_alone(group):
    """The build for one curve reduces without its multiplier."""
    run_bench(
        HERE / "ecc_bench.py",
        TOP,
        SOURCES,
        {"Curves": 4},
        tests=GROUPS.get(group, [group]),
        options=FASTER,
        environment={"CIPHERMILL_CURVE": CURVES["P-521"]},
    )


@pytest.mark.parametrize("build", MULTIPLIERS)
def test_multiplier(build):
    run_bench(HERE / "ecc_multiplier_bench.py", MULTIPLIER, SOURCES, MULTIPLIERS[build])


@pytest.mark.parametrize("curves", range(1, 8))
def test_good_parameters_lint_clean(curves):
    for build in BUILDS.values():
        done = lint(TOP, SOURCES, {"Curves": curves, **build})
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        *(({"Curves": value}, "Curves must be") for value in (0, 8)),
        *(({"WordBits": value}, "WordBits must be") for value in (0, 64, 272)),
        *(({"Multipliers": value}, "Multipliers must be") for value in (0, 3)),
    ],
)
def test_bad_parameters_stop_elaboration(parameters, message):
    done = lint(TOP, SOURCES, parameters)
    assert done.returncode != 0
    assert message in done.stdout
