# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The ECC engine: behaviour, parameters."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.simulate import PORTS_ONLY, lint, rtl_sources, run_bench

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
    "stalls": ["stalls", "unsupported"],
    "control": ["refusals", "zeroise", "reset_in_the_middle"],
}
"""Tests of the bench that run together, so that each run is short."""
LOOKS_INSIDE = {"refusals", "zeroise", "reset_in_the_middle"}
"""Tests that search the registers."""
FASTER = ("-CFLAGS", "-O1")
"""Three times as fast, for a second of compiling: operations take 10^5 cycles and more."""


def bench(tests, parameters, curve, **environment):
    """Run tests of the bench on a build, with one curve."""
    seen = () if LOOKS_INSIDE & set(tests) else PORTS_ONLY
    run_bench(
        HERE / "ecc_bench.py",
        TOP,
        SOURCES,
        parameters,
        tests=tests,
        options=(*seen, *FASTER),
        environment={"CIPHERMILL_CURVE": CURVES[curve], **environment},
    )


@pytest.mark.parametrize("build", BUILDS)
def test_signature(build):
    """One signature and one verification of P-256 on every build."""
    tests = ["signatures", "verifications"]
    bench(tests, BUILDS[build], "P-256")


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("group", GROUPS)
def test_behaviour(group, curve):
    bench(GROUPS[group], BUILDS["default"], curve, CIPHERMILL_VECTORS=VECTORS[curve])


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("build", ["small", "fast"])
@pytest.mark.parametrize("inside", [False, True], ids=["ports", "inside"])
def test_other_builds(inside, build, curve):
    tests = ["refusals"] if inside else ["round_trip"]
    if curve == "P-256":
        tests += ["zeroise"] if inside else ["constant_time", "stalls"]
    bench(tests, BUILDS[build], curve)


@pytest.mark.parametrize("group", ["round_trip", "constant_time", "stalls", "control"])
def test_p521_alone(group):
    """The build for one curve reduces without its multiplier."""
    bench(GROUPS.get(group, [group]), {"Curves": 4}, "P-521")


@pytest.mark.parametrize("build", MULTIPLIERS)
def test_multiplier(build):
    alone = HERE / "ecc_multiplier_bench.py"
    run_bench(alone, MULTIPLIER, SOURCES, MULTIPLIERS[build], options=PORTS_ONLY)


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
