# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests of the pipelined AES core: the bench on several builds, bad parameters, area."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.simulate import PORTS_ONLY, lint, rtl_sources, run_bench

BENCH = Path(__file__).with_name("aes_pipelined_bench.py")
VISIBLE = (*PORTS_ONLY, str(BENCH.with_name("aes_pipelined.vlt")))
"""Verilator's options that let the bench see the ports and what that file names, no more."""
ENCRYPT, DECRYPT, BOTH = 1, 2, 3
TABLE, COMPOSITE = 0, 1

# Every direction, key size, S-box and number of stages, and block RAM, in few builds.
BUILDS = {
    "all": {"Directions": BOTH, "KeySizes": 7, "StagesPerRound": 1},
    "encrypt-128-composite": {
        "Directions": ENCRYPT,
        "KeySizes": 1,
        "SBox": COMPOSITE,
        "StagesPerRound": 1,
    },
    "decrypt-192-256": {"Directions": DECRYPT, "KeySizes": 6, "StagesPerRound": 2, "TagWidth": 3},
    "both-128-192-block-ram": {
        "Directions": BOTH,
        "KeySizes": 3,
        "StagesPerRound": 2,
        "BlockRam": 1,
    },
    "both-128-256": {"Directions": BOTH, "KeySizes": 5, "StagesPerRound": 3},
    "decrypt-128": {"Directions": DECRYPT, "KeySizes": 1, "StagesPerRound": 3, "BlockRam": 1},
}


@pytest.mark.parametrize("build", BUILDS)
def test_bench(build: str) -> None:
    run_bench(BENCH, "aes_pipelined", rtl_sources("aes"), BUILDS[build], options=VISIBLE)


@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize(("directions", "key_sizes"), [(ENCRYPT, 4), (DECRYPT, 2), (BOTH, 7)])
def test_lint(directions: int, key_sizes: int, stages: int) -> None:
    parameters = {
        "Directions": directions,
        "KeySizes": key_sizes,
        "StagesPerRound": stages,
        "BlockRam": int(stages == 3),
    }
    done = lint("aes_pipelined", rtl_sources("aes"), parameters)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"SBox": 3}, "SBox must be"),
        ({"Directions": 0}, "Directions must be"),
        ({"Directions": 4}, "Directions must be"),
        ({"KeySizes": 0}, "KeySizes must be"),
        ({"KeySizes": 8}, "KeySizes must be"),
        ({"StagesPerRound": 0}, "StagesPerRound must be"),
        ({"StagesPerRound": 4}, "StagesPerRound must be"),
        ({"BlockRam": 2}, "BlockRam must be"),
        ({"BlockRam": 1}, "BlockRam needs"),
        ({"BlockRam": 1, "StagesPerRound": 2, "SBox": COMPOSITE}, "BlockRam needs"),
        ({"TagWidth": 0}, "TagWidth must be"),
    ],
)
def test_bad_parameters_stop_elaboration(parameters: dict[str, int], message: str) -> None:
    done = lint("aes_pipelined", rtl_sources("aes"), parameters)
    assert done.returncode != 0
    assert f"aes_pipelined: {message}" in done.stdout
