# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests of builds of benches."""

from pathlib import Path

import pytest
from ciphermill_dv.simulate import PORTS_ONLY, run_bench

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("options", "register"), [((), "visible"), (PORTS_ONLY, "hidden")], ids=["all", "ports-only"]
)
def test_a_bench_sees_below_the_top_module_unless_of_ports_only(options, register) -> None:
    run_bench(
        HERE / "sight_bench.py",
        "sight_fixture",
        [HERE / "sight_fixture.sv"],
        tests=["ports_are_visible", f"the_register_is_{register}"],
        options=options,
    )
