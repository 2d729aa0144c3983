# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""HMAC with SHA-2: behaviour, cycles, parameters."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from ciphermill_dv.simulate import lint, rtl_sources, run_bench

HERE = Path(__file__).parent
TOP = "sha2_hmac"
SOURCES = rtl_sources("prim", "sha2")

BUILDS = {
    "all": {},
    "32-bit-carry-save": {"WordSizes": 1, "CarrySave": 1},
    "64-bit-2-rounds": {"WordSizes": 2, "RoundsPerCycle": 2},
}
"""Builds: every set of word sizes, either number of rounds, either kind of adder."""


@pytest.mark.parametrize("build", BUILDS)
def test_behaviour(build):
    run_bench(HERE / "hmac_bench.py", TOP, SOURCES, BUILDS[build])


def test_good_parameters_lint_clean():
    for sizes, rounds, carry_save in itertools.product((1, 2, 3), (1, 2), (0, 1)):
        parameters = {"WordSizes": sizes, "RoundsPerCycle": rounds, "CarrySave": carry_save}
        done = lint(TOP, SOURCES, parameters)
        assert done.returncode == 0, f"{parameters}\n{done.stdout}"


def test_bad_parameters_stop_elaboration():
    done = lint(TOP, SOURCES, {"WordSizes": 4})
    assert done.returncode != 0
    assert "WordSizes must be" in done.stdout
