# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The iterative and the serial core behind aes_core: behaviour, cycles, zeroisation."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.simulate import rtl_sources, run_bench

HERE = Path(__file__).parent

BUILDS = {
    "iterative": {"Architecture": 0},
    "iterative-composite-decrypt": {"Architecture": 0, "SBox": 1, "Directions": 2, "KeySizes": 6},
    "iterative-on-the-fly": {"Architecture": 0, "KeyStorage": 0},
    "iterative-decoder": {"Architecture": 0, "SBox": 2, "KeyStorage": 0},
    "iterative-on-the-fly-encrypt": {"Architecture": 0, "KeyStorage": 0, "Directions": 1},
    "iterative-on-the-fly-decrypt-paper": {
        "Architecture": 0,
        "KeyStorage": 0,
        "Directions": 2,
        "KeySizes": 5,
    },
    "serial": {"Architecture": 2},
    "serial-composite-on-the-fly": {"Architecture": 2, "SBox": 1, "KeyStorage": 0},
    "serial-on-the-fly-encrypt-128": {
        "Architecture": 2,
        "KeyStorage": 0,
        "Directions": 1,
        "KeySizes": 1,
        "TagWidth": 1,
    },
}


def bench(name, build):
    # The decoder has 256 lines a byte: unoptimised, its simulation takes minutes.
    options = ["-CFLAGS", "-O1"] if build == "iterative-decoder" else []
    sources = rtl_sources("aes")
    run_bench(HERE / f"{name}_bench.py", "aes_core", sources, BUILDS[build], options=options)


@pytest.mark.parametrize("build", BUILDS)
def test_behaviour(build):
    bench("core", build)


@pytest.mark.parametrize("build", BUILDS)
def test_cycles(build):
    bench("cycles", build)


def test_one_operation_of_a_round_a_cycle():
    # The driver asks for what the core has.
    has = {"PARAM_Directions": "1", "PARAM_KeySizes": "1"}
    run_bench(HERE / "stepped_bench.py", "aes_stepped", rtl_sources("aes"), environment=has)


def test_sboxes():
    sources = [*rtl_sources("aes"), HERE / "sbox_harness.sv"]
    run_bench(HERE / "sbox_bench.py", "sbox_harness", sources)
