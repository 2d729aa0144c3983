# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The PRESENT cores behind present_core: behaviour, zeroisation, cycles."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.simulate import EVERY_SIGNAL, rtl_sources, run_bench

HERE = Path(__file__).parent

BUILDS = {
    "iterative": {"Architecture": 0},
    "iterative-decrypt-128": {"Architecture": 0, "Directions": 2, "KeySizes": 2, "TagWidth": 1},
    "unrolled": {"Architecture": 1},
    "pipelined-encrypt": {"Architecture": 1, "RoundsPerStage": 3, "Directions": 1},
    "serial": {"Architecture": 2},
    "serial-decrypt-80": {"Architecture": 2, "Directions": 2, "KeySizes": 1},
}


@pytest.mark.parametrize("build", BUILDS)
def test_behaviour(build):
    # With registers alone cocotb finds a scope of the pipeline inside itself, and has no end.
    bench = HERE / "present_bench.py"
    sources = rtl_sources("present")
    run_bench(bench, "present_core", sources, BUILDS[build], options=EVERY_SIGNAL)


@pytest.mark.parametrize("build", BUILDS)
def test_cycles(build):
    bench = HERE / "present_cycles_bench.py"
    run_bench(bench, "present_core", rtl_sources("present"), BUILDS[build])


def test_the_smallest():
    run_bench(HERE / "present_minimal_bench.py", "present_minimal", rtl_sources("present"))
