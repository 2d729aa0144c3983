# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The GHASH unit: behaviour, cycles, parameters."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.simulate import lint, rtl_sources, run_bench

HERE = Path(__file__).parent

PARALLEL = [{"Digit": 128, "Stages": stages} for stages in (1, 2, 3, 4)]
SERIAL = [{"Digit": 1 << n} for n in range(7)]
SIMULATED = {
    "parallel": PARALLEL[0],
    "two-stages": PARALLEL[1],
    "four-stages": PARALLEL[3],
    "digit-8": {"Digit": 8},
}


@pytest.mark.parametrize("build", SIMULATED)
def test_behaviour(build):
    run_bench(HERE / "ghash_bench.py", "ghash", rtl_sources("ghash"), SIMULATED[build])


@pytest.mark.parametrize("parameters", [*PARALLEL, {"Digit": 8}], ids=str)
def test_cycles(parameters):
    run_bench(HERE / "ghash_cycles_bench.py", "ghash", rtl_sources("ghash"), parameters)


@pytest.mark.parametrize("build", ["two-stages", "digit-8"])
def test_tags(build):
    run_bench(HERE / "gcm_tag_bench.py", "gcm_tag", rtl_sources("ghash"), SIMULATED[build])


@pytest.mark.parametrize("top", ["ghash", "gcm_tag"])
@pytest.mark.parametrize("parameters", [*PARALLEL, *SERIAL], ids=str)
def test_good_parameters_lint_clean(top, parameters):
    done = lint(top, rtl_sources("ghash"), parameters)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"Digit": 0}, "Digit must be"),
        ({"Digit": 12}, "Digit must be"),
        ({"Digit": 256}, "Digit must be"),
        ({"Stages": 0}, "Stages must be"),
        ({"Stages": 5}, "Stages must be"),
        ({"Digit": 64, "Stages": 2}, "Stages must be"),
    ],
)
def test_bad_parameters_stop_elaboration(parameters, message):
    done = lint("ghash", rtl_sources("ghash"), parameters)
    assert done.returncode != 0
    assert message in done.stdout
