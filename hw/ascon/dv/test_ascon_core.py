# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The Ascon core: behaviour, cycles, parameters."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.simulate import lint, rtl_sources, run_bench

HERE = Path(__file__).parent
TOP = "ascon_core"
SOURCES = rtl_sources("prim", "ascon")
ROUNDS_PER_CYCLE = (1, 2, 3, 4, 6, 8, 12)

BUILDS = {
    "iterative": {},
    "unrolled": {"RoundsPerCycle": 4},
    "12-rounds": {"RoundsPerCycle": 12},
    "encrypt-2-rounds": {"Operations": 1, "RoundsPerCycle": 2},
    "decrypt-3-rounds": {"Operations": 2, "RoundsPerCycle": 3},
    "hash-6-rounds": {"Operations": 4, "RoundsPerCycle": 6},
    "aead-8-rounds": {"Operations": 3, "RoundsPerCycle": 8},
}
"""Builds: every number of rounds a cycle, and every operation alone."""


@pytest.mark.parametrize("build", BUILDS)
def test_behaviour(build):
    all_answers = {"CIPHERMILL_ALL_ANSWERS": "1"} if build == "12-rounds" else {}
    run_bench(HERE / "ascon_bench.py", TOP, SOURCES, BUILDS[build], environment=all_answers)


@pytest.mark.parametrize("build", BUILDS)
def test_cycles(build):
    run_bench(HERE / "ascon_cycles_bench.py", TOP, SOURCES, BUILDS[build])


@pytest.mark.parametrize("rounds", ROUNDS_PER_CYCLE)
def test_good_parameters_lint_clean(rounds):
    for operations in range(1, 8):
        parameters = {"Operations": operations, "RoundsPerCycle": rounds}
        done = lint(TOP, SOURCES, parameters)
        assert done.returncode == 0, f"{parameters}\n{done.stdout}"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        *(({"Operations": value}, "Operations must be") for value in (0, 8)),
        *(({"RoundsPerCycle": value}, "RoundsPerCycle must be") for value in (0, 5, 24)),
    ],
)
def test_bad_parameters_stop_elaboration(parameters, message):
    done = lint(TOP, SOURCES, parameters)
    assert done.returncode != 0
    assert message in done.stdout
