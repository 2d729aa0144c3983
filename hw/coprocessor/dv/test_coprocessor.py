# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Coprocessors: their benches on a few builds, lint of their parameters, bad ones refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from ciphermill_dv.simulate import (
    COPROCESSOR,
    EVERY_SIGNAL,
    REPOSITORY,
    lint,
    rtl_sources,
    run_bench,
)

HERE = Path(__file__).parent
SOURCES = rtl_sources(*COPROCESSOR)
HARNESS = HERE / "front_harness.sv"

BLOCKS: dict[str, tuple[str, dict[str, int]]] = {
    "iterative-32": ("coprocessor_iterative", {"DataWidth": 32, "BlocksInFlight": 2}),
    "iterative-256": ("coprocessor_iterative", {"DataWidth": 256, "BlocksInFlight": 8}),
    "iterative-64-decrypt": (
        "coprocessor_iterative",
        {"DataWidth": 64, "BlocksInFlight": 1, "Directions": 2, "KeySizes": 6},
    ),
    "unrolled-0": ("coprocessor_unrolled", {"DataWidth": 32, "BlocksInFlight": 0}),
    "unrolled-1": (
        "coprocessor_unrolled",
        {"DataWidth": 32, "BlocksInFlight": 1, "Directions": 1, "KeySizes": 1},
    ),
    "unrolled-5": ("coprocessor_unrolled", {"DataWidth": 128, "BlocksInFlight": 5}),
    "unrolled-8": (
        "coprocessor_unrolled",
        {"DataWidth": 256, "BlocksInFlight": 8, "KeySizes": 4},
    ),
    "present-32": ("coprocessor_present", {"DataWidth": 32, "Architecture": 0}),
    "present-unrolled-256": (
        "coprocessor_present",
        {"DataWidth": 256, "Architecture": 1, "BlocksInFlight": 4},
    ),
    "axi-lite": ("front_harness", {"Front": 1}),
    "axi4-64": ("front_harness", {"Front": 2, "DataWidth": 64, "BlocksInFlight": 4}),
    "axi4-128": ("front_harness", {"Front": 2, "DataWidth": 128}),
    "axi4-256": ("front_harness", {"Front": 2, "DataWidth": 256, "BlocksInFlight": 8}),
}
FRONTS = ("axi-lite", "axi4-128", "axi4-256")


@pytest.fixture(autouse=True)
def references(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the benches import the references of the ciphers' own tests."""
    for folder in COPROCESSOR:
        monkeypatch.syspath_prepend(str(REPOSITORY / "hw" / folder / "dv"))


def bench(name: str, top: str, parameters: dict[str, int], options: Sequence[str] = ()) -> None:
    sources = [*SOURCES, HARNESS] if top == "front_harness" else SOURCES
    run_bench(HERE / f"{name}_bench.py", top, sources, parameters, options=options)


@pytest.mark.parametrize("build", BLOCKS)
def test_blocks(build: str) -> None:
    # With registers alone cocotb finds a scope inside itself in this build, and has no end.
    sight = EVERY_SIGNAL if build == "present-unrolled-256" else ()
    bench("blocks", *BLOCKS[build], sight)


@pytest.mark.parametrize("build", FRONTS)
def test_fronts(build: str) -> None:
    bench("fronts", *BLOCKS[build])


@pytest.mark.parametrize(
    ("top", "parameters"),
    [
        ("coprocessor_round", {"DataWidth": 32}),
        ("coprocessor_linear_layer", {"DataWidth": 64}),
    ],
)
def test_rounds(top: str, parameters: dict[str, int]) -> None:
    bench("rounds", top, parameters)


@pytest.mark.parametrize(
    "parameters",
    [{"Algorithm": 0}, {"Algorithm": 1}, {"Algorithm": 0, "KeyStorage": 0, "SBox": 1}],
)
def test_shell(parameters: dict[str, int]) -> None:
    bench("shell", "coprocessor_shell", parameters)


@pytest.mark.parametrize(
    "parameters", [{}, {"DataWidth": 128, "RoundsPerCycle": 4}], ids=["32", "128-unrolled"]
)
def test_ascon(parameters: dict[str, int]) -> None:
    bench("ascon_coprocessor", "coprocessor_ascon", parameters)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"DataWidth": 128, "WordSizes": 1, "RoundsPerCycle": 2},
        {"DataWidth": 256, "WordSizes": 2},
    ],
    ids=["32", "128-narrow-two-rounds", "256-wide"],
)
def test_sha2(parameters: dict[str, int]) -> None:
    bench("sha2_coprocessor", "coprocessor_sha2", parameters)


@pytest.mark.parametrize(
    "parameters",
    [
        {"Curves": 1},
        {"DataWidth": 128, "Curves": 6, "Multipliers": 2},
        {"DataWidth": 256, "Curves": 1, "WordBits": 68},
    ],
    ids=["32-p256", "128-fast", "256-small"],
)
def test_ecc(parameters: dict[str, int]) -> None:
    bench("ecc_coprocessor", "coprocessor_ecc", parameters)


def test_instructions() -> None:
    bench("instructions", "coprocessor_instructions", {"Units": 15})


def test_sponge() -> None:
    bench("sponge", "coprocessor_instructions", {"Units": 16})


@pytest.mark.parametrize(
    ("top", "parameters", "message"),
    [
        ("coprocessor_iterative", {"DataWidth": 16}, "DataWidth must be"),
        ("coprocessor_iterative", {"DataWidth": 512}, "DataWidth must be"),
        ("coprocessor_iterative", {"BlocksInFlight": 0}, "BlocksInFlight must be"),
        ("coprocessor_iterative", {"BlocksInFlight": 9}, "BlocksInFlight must be"),
        ("coprocessor_unrolled", {"BlocksInFlight": 9}, "BlocksInFlight must be"),
        ("coprocessor_unrolled", {"SBox": 3}, "SBox must be"),
        ("coprocessor_unrolled", {"Directions": 0}, "Directions must be"),
        ("coprocessor_unrolled", {"KeySizes": 8}, "KeySizes must be"),
        ("coprocessor_present", {"Architecture": 3}, "Architecture must be"),
        ("coprocessor_aes", {"DataPath": 2, "KeyStorage": 0}, "KeyStorage must be"),
        ("coprocessor_shell", {"Algorithm": 2}, "Algorithm must be"),
        ("coprocessor_shell", {"KeyStorage": 2}, "KeyStorage must be"),
        ("coprocessor_ascon", {"RoundsPerCycle": 5}, "RoundsPerCycle must be"),
        ("coprocessor_sha2", {"WordSizes": 4}, "WordSizes must be"),
        ("coprocessor_ecc", {"Curves": 8}, "Curves must be"),
        ("coprocessor_axi4", {"DataWidth": 8}, "DataWidth must be"),
        ("coprocessor_stream", {"BlocksInFlight": 9}, "BlocksInFlight must be"),
        ("coprocessor_instructions", {"Units": 0}, "Units must be"),
        ("coprocessor_instructions", {"Units": 32}, "Units must be"),
    ],
)
def test_bad_parameters_stop_elaboration(
    top: str, parameters: dict[str, int], message: str
) -> None:
    done = lint(top, SOURCES, parameters)
    assert done.returncode != 0
    assert message in done.stdout
