# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The accelerator behind a serial line, on boards with two clocks and with one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from ciphermill_dv.simulate import PORTS_ONLY, REPOSITORY, lint, rtl_sources, run_bench

HERE = Path(__file__).parent
sys.path.insert(0, str(REPOSITORY / "hw" / "accel" / "dv"))  # vectors
FOLDERS = ("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel", "boards")
WAIVERS = REPOSITORY / "hw" / "accel" / "rtl" / "accel.vlt"
FAST = {"StallCycles": 300, "TimeoutCycles": 1500}
"""A line in a hurry: the least clocks a bit, and waits that end after few byte times."""
BUILDS = {
    "two-clocks": {"Asynchronous": 1, "ClocksPerBit": 8},
    "one-clock": {"Asynchronous": 0, "ClocksPerBit": 9, "Architecture": 2},
}


FASTER = ("-CFLAGS", "-O1")
"""A byte takes 80 cycles."""


def bench(build: str, tests: list[str] | None = None, options: tuple[str, ...] = ()) -> None:
    """Run tests of the bench; without ``tests``, all of them."""
    run_bench(
        HERE / "uart_bench.py",
        "uart_accel",
        [*rtl_sources(*FOLDERS), WAIVERS],
        {**FAST, **BUILDS[build]},
        tests=tests,
        options=(*options, *FASTER),
    )


@pytest.mark.parametrize("build", BUILDS)
def test_uart(build: str) -> None:
    bench(build, options=PORTS_ONLY)


@pytest.mark.parametrize("build", BUILDS)
def test_nothing_is_left(build: str) -> None:
    bench(build, ["nothing_of_a_frame_stays"])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ClocksPerBit": 7}, "ClocksPerBit must be"),
        ({"ClocksPerBit": 65536}, "ClocksPerBit must be"),
        ({"StallCycles": 15}, "StallCycles must be"),
        ({"StallCycles": 65536}, "StallCycles must be"),
        ({"TimeoutCycles": 1}, "TimeoutCycles must be"),
    ],
)
def test_bad_parameters_stop_elaboration(parameters: dict[str, int], message: str) -> None:
    done = lint("uart_accel", [*rtl_sources(*FOLDERS), WAIVERS], parameters)
    assert done.returncode != 0
    assert message in done.stdout
