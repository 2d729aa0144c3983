# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The SHA-2 core: behaviour, cycles, parameters."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from ciphermill_dv.simulate import PORTS_ONLY, lint, rtl_sources, run_bench

HERE = Path(__file__).parent
TOP = "sha2_core"
SOURCES = rtl_sources("prim", "sha2")

BUILDS = {
    "all": {},
    "32-bit-carry-save": {"WordSizes": 1, "CarrySave": 1},
    "64-bit-2-rounds": {"WordSizes": 2, "RoundsPerCycle": 2},
    "32-bit-2-rounds": {"WordSizes": 1, "RoundsPerCycle": 2},
    "carry-save-3-messages": {"CarrySave": 1, "Messages": 3},
    "2-rounds-16-messages": {"RoundsPerCycle": 2, "Messages": 16},
}
"""Builds: every set of word sizes, either number of rounds, either kind of adder."""


@pytest.mark.parametrize("build", BUILDS)
def test_behaviour(build):
    run_bench(HERE / "sha2_bench.py", TOP, SOURCES, BUILDS[build])


@pytest.mark.verify
def test_monte_carlo():
    run_bench(
        HERE / "sha2_bench.py",
        TOP,
        SOURCES,
        BUILDS["all"],
        environment={"CIPHERMILL_ALL_ANSWERS": "1"},
        tests=["monte_carlo"],
        options=PORTS_ONLY,
    )


@pytest.mark.parametrize("rounds", [1, 2])
def test_good_parameters_lint_clean(rounds):
    for sizes, messages, carry_save in itertools.product((1, 2, 3), (1, 2, 5, 16), (0, 1)):
        parameters = {
            "WordSizes": sizes,
            "RoundsPerCycle": rounds,
            "Messages": messages,
            "CarrySave": carry_save,
        }
        done = lint(TOP, SOURCES, parameters)
        assert done.returncode == 0, f"{parameters}\n{done.stdout}"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        *(({"WordSizes": value}, "WordSizes must be") for value in (0, 4)),
        *(({"RoundsPerCycle": value}, "RoundsPerCycle must be") for value in (0, 3)),
        *(({"Messages": value}, "Messages must be") for value in (0, 17)),
        ({"CarrySave": 2}, "CarrySave must be"),
    ],
)
def test_bad_parameters_stop_elaboration(parameters, message):
    done = lint(TOP, SOURCES, parameters)
    assert done.returncode != 0
    assert message in done.stdout
