# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The accelerator: its benches on a few builds, and lint of parameters that are refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from ciphermill_dv.simulate import (
    EVERY_SIGNAL,
    PORTS_ONLY,
    REPOSITORY,
    lint,
    rtl_sources,
    run_bench,
)

HERE = Path(__file__).parent
for folder in ("ascon/dv", "present/dv", "ecc/dv", "ecc/programs"):  # the references
    sys.path.insert(0, str(REPOSITORY / "hw" / folder))
WAIVERS = REPOSITORY / "hw" / "accel" / "rtl" / "accel.vlt"

BUILDS = {
    "iterative-128": {"Architecture": 0, "StreamWidth": 128},
    "pipelined-128": {
        "Architecture": 1,
        "StreamWidth": 128,
        "Gcm": 1,
        "GhashDigit": 128,
        "GhashStages": 2,
        "Xts": 1,
    },
    "serial-32": {
        "Architecture": 2,
        "StreamWidth": 32,
        "KeySizes": 5,
        "Gcm": 1,
        "GhashDigit": 4,
    },
    "iterative-64-async": {
        "Architecture": 0,
        "StreamWidth": 64,
        "Asynchronous": 1,
        "Directions": 1,
        "Gcm": 1,
        "GhashDigit": 16,
        "Xts": 1,
    },
}
WHOLE = {"gcm": "pipelined-128", "xts": "pipelined-128"}
"""The build that must visit every bin of the functional coverage: by default the first."""


BLOCK_RAM = {
    "one-clock": {"StreamWidth": 64, "BlockRamFifos": 1},
    "three-stages": {"StreamWidth": 64, "Asynchronous": 1, "SyncStages": 3, "BlockRamFifos": 1},
}
BLOCK_RAM_RUNS = [("one-clock", "control"), ("three-stages", "control"), ("three-stages", "clocks")]


ASCON_BUILDS = {
    "iterative-128": {"StreamWidth": 128},
    "unrolled-32": {"RoundsPerCycle": 4, "StreamWidth": 32, "Directions": 2},
    "iterative-64-async": {"StreamWidth": 64, "Asynchronous": 1, "Directions": 1},
    "unrolled-64": {"RoundsPerCycle": 12, "StreamWidth": 64},
}


PRESENT_BUILDS = {
    "both-128": {},
    "encrypt-32": {"Directions": 1, "StreamWidth": 32},
    "decrypt-64-async": {"Directions": 2, "StreamWidth": 64, "Asynchronous": 1},
}


ECC_BUILDS = {
    "default-128": {},
    "default-64": {"StreamWidth": 64, "Curves": 6},
    "small-32": {"EccArchitecture": 2, "StreamWidth": 32, "Curves": 1},
    "fast-async": {"EccArchitecture": 3, "Asynchronous": 1, "Curves": 5},
    "beside-sha2": {"Curves": 1, "Sha2WordSizes": 3},
}
ECC_RUNS = [
    # Build, code of the curve, tests.
    ("default-128", 0, "operations sink"),
    ("default-128", 0, "identity outcomes refused framing"),
    ("default-128", 0, "forgotten aborted"),
    ("default-64", 1, "operations"),
    ("default-64", 2, "identity operations"),
    ("small-32", 0, "identity operations"),
    ("fast-async", 0, "identity operations framing"),
    ("fast-async", 0, "forgotten aborted"),
    ("beside-sha2", 0, "identity outcomes refused"),
]


KEYS_BUILDS = {
    "default-128": {"Sha2WordSizes": 3, "KeySlots": 4},
    "small-32-async": {
        "EccArchitecture": 2,
        "StreamWidth": 32,
        "Asynchronous": 1,
        "Curves": 1,
        "Sha2WordSizes": 1,
        "KeySlots": 15,
    },
}
KEYS_RUNS = [
    # Build, code of the curve, tests.
    ("default-128", 0, "refused next_candidate"),
    ("default-128", 0, "published operations"),
    ("default-128", 0, "erased forgotten constant"),
    ("default-128", 1, "published"),
    ("default-128", 2, "published"),
    ("small-32-async", 0, "refused forgotten"),
]


SHA2_BUILDS = {
    "alone-128": {"ChannelCores": 2, "Sha2WordSizes": 3},
    "alone-32": {"ChannelCores": 2, "Sha2WordSizes": 1, "StreamWidth": 32},
    "alone-64-async": {"ChannelCores": 2, "Sha2WordSizes": 2, "StreamWidth": 64, "Asynchronous": 1},
    "beside-aes": {"Sha2WordSizes": 2, "Gcm": 1, "Xts": 1},
    "beside-ascon": {"ChannelCores": 1, "Sha2WordSizes": 1},
    "beside-ecc": {"ChannelCores": 3, "Curves": 1, "Sha2WordSizes": 1},
}


BENCHES = [
    (build, bench)
    for build, parameters in BUILDS.items()
    for bench in ("modes", "control", "throughput", "gcm", "xts", "clocks")
    if {"gcm": "Gcm", "xts": "Xts", "clocks": "Asynchronous"}.get(bench, build)
    in {
        build,
        *parameters,
    }
]


@pytest.mark.parametrize(("build", "bench"), BENCHES)
def test_accelerator(build: str, bench: str) -> None:
    run_bench(
        HERE / f"{bench}_bench.py",
        "accel",
        [*rtl_sources("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel"), WAIVERS],
        BUILDS[build],
        environment={"EVERY_BIN": str(int(build == WHOLE.get(bench, "iterative-128")))},
    )


@pytest.mark.parametrize(("build", "bench"), BLOCK_RAM_RUNS)
def test_fifos_in_block_ram(build: str, bench: str) -> None:
    sources = [
        *rtl_sources("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel"),
        WAIVERS,
    ]
    run_bench(HERE / f"{bench}_bench.py", "accel", sources, BLOCK_RAM[build])


@pytest.mark.parametrize("build", ASCON_BUILDS)
def test_ascon(build: str) -> None:
    sources = [
        *rtl_sources("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel"),
        WAIVERS,
    ]
    parameters = {"ChannelCores": 1, **ASCON_BUILDS[build]}
    run_bench(HERE / "accel_ascon_bench.py", "accel", sources, parameters)


@pytest.mark.parametrize("build", PRESENT_BUILDS)
def test_present(build: str) -> None:
    sources = [
        *rtl_sources("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel"),
        WAIVERS,
    ]
    parameters = {"ChannelCores": 4, **PRESENT_BUILDS[build]}
    # The key that was loaded stands in wires of the core, not in its registers.
    bench = HERE / "accel_present_bench.py"
    run_bench(bench, "accel", sources, parameters, options=EVERY_SIGNAL)


@pytest.mark.parametrize(("build", "curve", "tests"), ECC_RUNS)
def test_ecc(build: str, curve: int, tests: str) -> None:
    sources = [
        *rtl_sources("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel"),
        WAIVERS,
    ]
    run_bench(
        HERE / "accel_ecc_bench.py",
        "accel",
        sources,
        {"ChannelCores": 3, **ECC_BUILDS[build]},
        tests=tests.split(),
        # Operations take 10^5 cycles, and the bench waits for signals inside a channel.
        options=(*EVERY_SIGNAL, "-CFLAGS", "-O1"),
        environment={"CIPHERMILL_CURVE": str(curve)},
    )


@pytest.mark.parametrize(("build", "curve", "tests"), KEYS_RUNS)
def test_keys(build: str, curve: int, tests: str) -> None:
    sources = [
        *rtl_sources("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel"),
        WAIVERS,
    ]
    run_bench(
        HERE / "accel_keys_bench.py",
        "accel",
        sources,
        {"ChannelCores": 3, **KEYS_BUILDS[build]},
        tests=tests.split(),
        options=(*EVERY_SIGNAL, "-CFLAGS", "-O1"),
        environment={"CIPHERMILL_CURVE": str(curve)},
    )


@pytest.mark.parametrize("build", SHA2_BUILDS)
def test_sha2(build: str) -> None:
    sources = [
        *rtl_sources("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel"),
        WAIVERS,
    ]
    run_bench(HERE / "accel_sha2_bench.py", "accel", sources, SHA2_BUILDS[build])


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"ChannelCores": 2}, "SHA-2 alone needs Sha2WordSizes 1 to 3"),
        ({"Sha2WordSizes": 4}, "Sha2WordSizes must be 0 to 3"),
        ({"ChannelCores": 3, "KeySlots": 1}, "needs elliptic curves and SHA-2"),
        ({"Sha2WordSizes": 3, "KeySlots": 1}, "needs elliptic curves and SHA-2"),
        ({"ChannelCores": 3, "Sha2WordSizes": 3, "KeySlots": 16}, "KeySlots must be 0 to 15"),
        ({"SyncStages": 1}, "SyncStages must be 2 to 8"),
        ({"SyncStages": 9}, "SyncStages must be 2 to 8"),
        ({"BlockRamFifos": 2}, "BlockRamFifos must be 0 or 1"),
    ],
)
def test_bad_parameters_stop_elaboration(parameters: dict[str, int], said: str) -> None:
    sources = rtl_sources("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel")
    done = lint("accel", sources, parameters)
    assert done.returncode != 0
    assert said in done.stdout


@pytest.mark.parametrize(
    ("bench", "top", "parameters"),
    [("counters", "accel_counters", {}), ("alone", "accel_control", {"Gcm": 1, "Xts": 1})],
)
def test_part_alone(bench: str, top: str, parameters: dict[str, int]) -> None:
    sources = rtl_sources("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel")
    run_bench(HERE / f"{bench}_bench.py", top, sources, parameters, options=PORTS_ONLY)


STREAMS = {"Asynchronous": 1, "StreamWidth": 32}
"""A small model: the benches set the periods of the clocks, so one build serves all ratios."""


@pytest.mark.parametrize("own", [{}, {"SyncStages": 3, "BlockRamFifos": 1}], ids=str)
def test_streams_between_two_clocks(own: dict[str, int]) -> None:
    sources = rtl_sources("prim", "aes", "accel")
    run_bench(HERE / "streams_bench.py", "accel_streams", sources, {**STREAMS, **own})


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("a_beat_changes", "a beat was not held until TREADY"),
        ("a_beat_is_withdrawn", "a beat was not held until TREADY"),
        ("a_clear_ends_early", "clear_i fell before cleared_o was high"),
        ("a_clear_comes_early", "clear_i rose before released_o was high"),
    ],
)
def test_a_broken_rule_stops_the_simulation(
    rule: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    sources = rtl_sources("prim", "aes", "accel")
    with pytest.raises((AssertionError, RuntimeError, SystemExit)):
        run_bench(HERE / "broken_rules_bench.py", "accel_streams", sources, STREAMS, tests=[rule])
    assert message in capfd.readouterr().out
