# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The FPGA of a board with memory banks: behaviour, rates and parameter corners."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.simulate import PORTS_ONLY, lint, rtl_sources, run_bench

BENCH = Path(__file__).with_name("board_bench.py")
RTL = rtl_sources("prim", "aes", "board")
SMALL = {"AddressWidth": 8}
# Periods of the core clock beside a memory clock of 30 ns: the paper's 70 MHz, the same
# frequency, and two that are far from it on either side.
CORE_PS = (14_290, 30_000, 3_100, 113_700)

# The first is the paper's; the others are each number of cores and of banks, and the corners.
BUILDS = {
    "paper": {"Cores": 4, "Banks": 4, "Stepped": 1},
    "one-core-one-bank": {"Cores": 1, "Banks": 1, "FifoBlocks": 4},
    "one-core-four-banks": {"Cores": 1, "Banks": 4, "Stepped": 1, "FifoBlocks": 16},
    "eight-cores-one-bank": {"Cores": 8, "Banks": 1},
    "five-cores-three-banks": {"Cores": 5, "Banks": 3},
    "two-cores-two-banks": {"Cores": 2, "Banks": 2},
    "three-cores-two-banks": {"Cores": 3, "Banks": 2, "Stepped": 1},
    "six-cores-four-banks": {"Cores": 6, "Banks": 4, "FifoBlocks": 4},
    "seven-cores-three-banks": {"Cores": 7, "Banks": 3},
    "eight-cores-four-banks": {"Cores": 8, "Banks": 4},
    "deepest": {"Cores": 2, "Banks": 2, "FifoBlocks": 128},
}


def bench(build, core_ps, tests=None, options=PORTS_ONLY):
    parameters = {**SMALL, **BUILDS[build]}
    environment = {"CORE_PS": str(core_ps)}
    run_bench(
        BENCH, "board_ctr", RTL, parameters, tests=tests, environment=environment, options=options
    )


@pytest.mark.parametrize("build", BUILDS)
def test_board(build):
    bench(build, CORE_PS[0])


@pytest.mark.parametrize("core_ps", CORE_PS[1:])
def test_unrelated_clocks(core_ps):
    bench("paper", core_ps, ["lengths", "stalling_banks", "rate"])


@pytest.mark.parametrize(
    ("build", "core_ps"),
    [*((build, CORE_PS[0]) for build in BUILDS), *(("paper", period) for period in CORE_PS[1:])],
)
def test_nothing_is_left(build, core_ps):
    bench(build, core_ps, ["reset_clears"], options=())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"Cores": 0}, "Cores must be"),
        ({"Cores": 9}, "Cores must be"),
        ({"Banks": 0}, "Banks must be"),
        ({"Banks": 5}, "Banks must be"),
        ({"Stepped": 2}, "Stepped must be"),
        ({"AddressWidth": 3}, "AddressWidth must be"),
        ({"AddressWidth": 25}, "AddressWidth must be"),
        ({"FifoBlocks": 2}, "FifoBlocks must be"),
        ({"FifoBlocks": 6}, "FifoBlocks must be"),
        ({"FifoBlocks": 256}, "FifoBlocks must be"),
    ],
)
def test_bad_parameters_stop_elaboration(parameters, message):
    done = lint("board_ctr", RTL, parameters)
    assert done.returncode != 0
    assert message in done.stdout
