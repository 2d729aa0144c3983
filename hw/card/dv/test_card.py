# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The card: its benches on a few builds, lint of builds, and parameters that are refused."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from ciphermill_dv.simulate import PORTS_ONLY, REPOSITORY, lint, rtl_sources, run_bench

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
for folder in ("accel/dv", "ascon/dv", "present/dv", "sha2/dv", "ecc/dv", "ecc/programs"):
    sys.path.append(str(REPOSITORY / "hw" / folder))  # the references

FOLDERS = ("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel", "dma", "card")
WAIVERS = [REPOSITORY / "hw" / ip / "rtl" / f"{ip}.vlt" for ip in ("accel", "dma", "card")]
SOURCES = [*rtl_sources(*FOLDERS), *WAIVERS]

BUILDS = {
    "iterative-128": {"Rings": 2, "Gcm": 1, "Xts": 1, "KeySlots": 3},
    "pipelined-64": {
        "Rings": 3,
        "Architecture": 1,
        "Gcm": 1,
        "GhashDigit": 128,
        "DataWidth": 64,
        "StreamWidth": 64,
        "Protection": 2,
    },
    "iterative-256": {"Rings": 1, "DataWidth": 256, "Gcm": 1},
}


@pytest.mark.parametrize("bench", ["messages", "faults", "interrupts"])
@pytest.mark.parametrize("build", BUILDS)
def test_card(build: str, bench: str) -> None:
    run_bench(HERE / f"{bench}_bench.py", "card", SOURCES, BUILDS[build], options=PORTS_ONLY)


@pytest.mark.parametrize("build", BUILDS)
def test_nothing_is_left(build: str) -> None:
    tests = ["keys_and_their_slots", "reset_clears_everything"]
    run_bench(HERE / "faults_bench.py", "card", SOURCES, BUILDS[build], tests=tests)


HASHES = {
    "Rings": 3,
    "ChannelCores": 0x214,
    "Sha2WordSizes": 3,
    "Sha2Channels": 0b100,
    "StreamWidth": 64,
    "KeySlots": 3,
}
"""PRESENT, Ascon, SHA-2."""
ALGORITHMS = {
    "Rings": 6,
    "ChannelCores": 0x203140,
    "Curves": 1,
    "EccArchitecture": 3,
    "EccKeySlots": 2,
    "Gcm": 1,
    "Sha2WordSizes": 3,
    "Sha2Channels": 0b101001,
    "StreamWidth": 64,
    "KeySlots": 3,
}
"""AES with GCM, PRESENT, Ascon, ECC with slots, AES, SHA-2. The first, ECC's and last hash."""
ONE_WAY = {"Rings": 3, "ChannelCores": 0x140, "Directions": 1, "StreamWidth": 32, "DataWidth": 64}
"""AES, PRESENT and Ascon that only encrypt."""
REFUSALS = "wrong_lengths algorithms_of_other_rings wrong_key_slots forged"


@pytest.mark.parametrize(
    "tests", ["known_answers all_rings_at_once", "odd_addresses_and_lengths", REFUSALS]
)
def test_algorithms(tests: str) -> None:
    bench = HERE / "algorithms_bench.py"
    run_bench(bench, "card", SOURCES, HASHES, tests=tests.split(), options=PORTS_ONLY)


@pytest.mark.parametrize(
    "tests",
    [
        "known_answers all_rings_at_once",
        "odd_addresses_and_lengths beside_a_curve",
        f"{REFUSALS} refusals_of_a_curve",
    ],
)
def test_six_rings_of_algorithms(tests: str) -> None:
    # An operation on a curve takes 50,000 cycles, so the compiler may optimise.
    options = (*PORTS_ONLY, "-CFLAGS", "-O1")
    bench = HERE / "algorithms_bench.py"
    run_bench(bench, "card", SOURCES, ALGORITHMS, tests=tests.split(), options=options)


def test_a_card_that_only_encrypts() -> None:
    bench, tests = HERE / "algorithms_bench.py", "the_other_direction"
    run_bench(bench, "card", SOURCES, ONE_WAY, tests=tests, options=PORTS_ONLY)


RATES = {
    "Rings": 6,
    "Architecture": 1,
    "KeySizes": 1,
    "Directions": 1,
    "Gcm": 1,
    "GhashDigit": 128,
    "GhashStages": 2,
}
"""A core that takes a block a cycle, as the bus and the streams do."""


@pytest.mark.parametrize("length", ["small", "small_on_all_rings", "tiny", "large"])
def test_rates(length: str) -> None:
    run_bench(HERE / "rates_bench.py", "card", SOURCES, RATES, tests=length, options=PORTS_ONLY)


def test_rates_of_long_messages_on_all_rings() -> None:
    bench, tests = HERE / "rates_bench.py", "large_on_all_rings"
    run_bench(bench, "card", SOURCES, RATES, tests=tests, options=PORTS_ONLY)


FAR = {"Rings": 6, "Architecture": 1, "KeySizes": 1, "Directions": 1}
"""As above, without GCM: quicker to build."""


def test_interrupts_of_many_messages() -> None:
    tests = "many_messages_on_all_rings"
    bench = HERE / "interrupts_bench.py"
    run_bench(bench, "card", SOURCES, FAR, tests=tests, options=PORTS_ONLY)


@pytest.mark.parametrize("length", ["short", "long"])
def test_rates_behind_a_link(length: str) -> None:
    tests = f"sweep_of_{length}_messages"
    latencies = {"CARD_LATENCIES": os.environ.get("CARD_LATENCIES", "1 300")}
    bench = HERE / "rates_bench.py"
    run_bench(bench, "card", SOURCES, FAR, tests=tests, environment=latencies, options=PORTS_ONLY)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"Rings": 9}, "Rings must be"),
        ({"Log2Entries": 17}, "Log2Entries must be"),
        ({"DataWidth": 32}, "DataWidth must be"),
        ({"BurstBytes": 96}, "BurstBytes must be"),
        ({"KeySlots": 0}, "KeySlots must be"),
        ({"Protection": 8}, "Protection must be"),
    ],
)
def test_bad_parameters_stop_elaboration(parameters: dict[str, int], said: str) -> None:
    done = lint("card", SOURCES, parameters)
    assert done.returncode != 0
    assert said in done.stdout


SUITE = {"Rings": 6, "ChannelCores": 0x203140, "Curves": 1, "Gcm": 1, "Sha2WordSizes": 3}
"""AES with GCM, PRESENT, Ascon, ECC, AES, and SHA-2 alone, each but the last with SHA-2."""


@pytest.mark.parametrize("parameters", [SUITE, {"Rings": 8, "DataWidth": 256, "StreamWidth": 32}])
def test_lint(parameters: dict[str, int]) -> None:
    done = lint("card", SOURCES, parameters)
    assert done.returncode == 0, done.stdout
