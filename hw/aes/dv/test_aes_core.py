# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES cores behind aes_core: behaviour, clocks, zeroisation."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.simulate import rtl_sources, run_bench

HERE = Path(__file__).parent

BUILDS = {
    "serial": {"Architecture": 2},
    "serial-fly": {"Architecture": 2, "KeyStorage": 0},
    "iterative": {"Architecture": 0},
    "iterative-composite-decrypt": {"Architecture": 0, "SBox": 1, "Directions": 2, "KeySizes": 5},
}


@pytest.mark.parametrize("build", BUILDS)
def test_core(build):
    run_bench(HERE / "core_bench.py", "aes_core", rtl_sources("aes"), BUILDS[build])
