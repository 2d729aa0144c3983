# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The accelerator with several channels: its benches, and lint of builds and refused parameters."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from ciphermill_dv.simulate import PORTS_ONLY, REPOSITORY, lint, rtl_sources, run_bench

HERE = Path(__file__).parent
for folder in ("ascon/dv", "present/dv", "ecc/dv", "ecc/programs"):  # the references
    sys.path.insert(0, str(REPOSITORY / "hw" / folder))
SOURCES = [
    *rtl_sources("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel"),
    REPOSITORY / "hw" / "accel" / "rtl" / "accel.vlt",
]

BUILDS = {
    "iterative": {"Architecture": 0, "Channels": 3, "Gcm": 1},
    "pipelined": {"Architecture": 1, "Channels": 3, "Gcm": 1, "GhashDigit": 128},
}


@pytest.mark.parametrize("build", BUILDS)
def test_channels(build: str) -> None:
    run_bench(HERE / "channels_bench.py", "accel", SOURCES, BUILDS[build])


def test_rates_of_channels() -> None:
    bench = HERE / "channels_rate_bench.py"
    run_bench(bench, "accel", SOURCES, BUILDS["pipelined"], options=PORTS_ONLY)


def test_as_many_streams_as_stages_fill_the_pipeline() -> None:
    parameters = {"Architecture": 1, "Channels": 11, "KeySizes": 1, "Directions": 1}
    bench, tests = HERE / "channels_rate_bench.py", ["chained_streams_fill_the_pipeline"]
    run_bench(bench, "accel", SOURCES, parameters, tests=tests, options=PORTS_ONLY)


SUITE = {
    "ChannelCores": 0x203140,
    "Channels": 6,
    "Curves": 1,
    "EccArchitecture": 3,
    "Gcm": 1,
    "Sha2WordSizes": 3,
    "Sha2Channels": 1,
}
"""AES with GCM and SHA-2, PRESENT, Ascon, ECC, another AES on the first one's core, SHA-2."""


def test_channels_with_different_algorithms() -> None:
    run_bench(HERE / "suite_bench.py", "accel", SOURCES, SUITE)


# Lengths of a turn at which channels that encrypt together end at different times.
@pytest.mark.parametrize("turn_cycles", [7, 8])
def test_choice(turn_cycles: int) -> None:
    parameters = {"Channels": 6, "TurnCycles": turn_cycles}
    bench = HERE / "choice_bench.py"
    run_bench(bench, "accel_share_choice", SOURCES, parameters, options=PORTS_ONLY)


# The pipelined one is in the channels' bench.
@pytest.mark.parametrize("architecture", [0, 2])
def test_cores(architecture: int) -> None:
    # Of two cores the second one is a channel's own.
    parameters = {"Architecture": architecture, "Channels": 3, "Cores": 2}
    run_bench(HERE / "cores_bench.py", "accel_cores", SOURCES, parameters)


def test_shared_and_own_cores_with_two_clocks_are_clean() -> None:
    parameters = {"Architecture": 1, "Channels": 3, "Cores": 2, "Asynchronous": 1}
    done = lint("accel", SOURCES, parameters)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"Channels": 0}, "Channels must be 1 to 32"),
        ({"Channels": 2, "Cores": 3}, "Cores must be 1 to Channels"),
        ({"Channels": 2, "ChannelCores": 0x10, "Cores": 2}, "the number of channels with the"),
        ({"ChannelCores": 15}, "Core 15 is not the number of a block cipher"),
    ],
)
def test_bad_parameters_stop_elaboration(parameters: dict[str, int], named: str) -> None:
    done = lint("accel", SOURCES, parameters)
    assert done.returncode != 0
    assert named in done.stdout
