# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is proven of the turns of banks and cores, and that it can fail."""

from __future__ import annotations

from math import lcm
from pathlib import Path

import pytest
from ciphermill_dv.formal import Method, Proof, mutant, prove
from ciphermill_dv.simulate import REPOSITORY, assert_clean, rtl_sources

pytestmark = pytest.mark.synthesis

TOP = "board_turns_formal"
RTL = [path for path in rtl_sources("board") if path.stem.startswith("board_turn")]
STEPS = 1  # of the induction

# Sources and sinks: the paper's four and four, and others, each there and back.
BUILDS = [(4, 4)] + [
    pair
    for banks, cores in ((4, 8), (4, 3), (3, 5), (1, 8), (2, 3))
    for pair in ((banks, cores), (cores, banks))
]

# What is broken, and an assertion that must fail.
MUTANTS = [
    ("board_turns.sv", "from[k] == 3'(s)", "1'b1", "item_is_itself"),
    ("board_turns.sv", ".Stride  (Sinks)", ".Stride  (Sinks + 1)", "item_is_itself"),
    ("board_turn.sv", "else if (start_i) turn_o <= 3'(First % Modulus);", "", "item_is_itself"),
    ("board_turn.sv", "next >= 4'(Modulus)", "next > 4'(Modulus)", "item_is_itself"),
]


def sources(rtl: list[Path]) -> tuple[Path, ...]:
    """Return the files of the harness."""
    shared = sorted((REPOSITORY / "hw" / "prim" / "formal").glob("formal_reset.sv"))
    return (*rtl, *shared, Path(__file__).with_name(f"{TOP}.sv"))


def parameters(sources: int, sinks: int) -> dict[str, int]:
    return {"Sources": sources, "Sinks": sinks, "Period": lcm(sources, sinks)}


@pytest.mark.parametrize("build", BUILDS)
def test_every_item_finds_its_sink_for_ever(build: tuple[int, int]) -> None:
    verdict = prove(Proof(TOP, sources(RTL), STEPS, parameters=parameters(*build)))
    assert verdict.holds, verdict.message


def test_the_assumptions_leave_room() -> None:
    proof = Proof(TOP, sources(RTL), 12, Method.COVER, parameters=parameters(3, 2))
    verdict = prove(proof)
    assert verdict.holds, verdict.message


@pytest.mark.parametrize(("file", "old", "new", "fails"), MUTANTS)
def test_a_broken_one_is_caught(file: str, old: str, new: str, fails: str) -> None:
    broken = sources(mutant(RTL, file, old, new))
    # A run from reset shows it: the property fails, not merely the reason for it.
    verdict = prove(
        Proof(TOP, broken, 9, Method.BOUNDED, parameters=parameters(3, 4), without="*why_*")
    )
    assert not verdict.holds
    assert verdict.failed, verdict.message
    assert any(fails in claim for claim in verdict.failed), verdict.message


def test_the_harness_is_clean() -> None:
    assert_clean(TOP, sources(RTL))
