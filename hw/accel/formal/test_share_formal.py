# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is proven of channels that share a core, and that it can fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.formal import Method, Proof, mutant, prove
from ciphermill_dv.simulate import REPOSITORY, assert_clean, rtl_sources

pytestmark = pytest.mark.synthesis

HOME = REPOSITORY
# Of all RTL, what is in the harnesses; the rest would only be read.
USED = ("prim_fifo", "prim_sweep", "accel_share_choice", "accel_share_results")
SOURCES = rtl_sources("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel")
RTL = [path for path in SOURCES if path.stem in USED]
CHOICE, RESULTS = "accel_share_choice_key", "accel_share_results_kept"
STEPS = 2  # of the induction
REACH = 9  # cycles within which every cover is reached, a sweep first

# Harness, file, what is broken in it, and an assertion that must fail.
MUTANTS = [
    (CHOICE, "accel_share_choice.sv", "<= !replaced_i[next_o];", "<= 1'b1;", "key_is_its_own"),
    (
        CHOICE,
        "accel_share_choice.sv",
        "      end else if (replaced_i[current_q]) begin",
        "      end else if (1'b0) begin",
        "key_is_its_own",
    ),
    (
        RESULTS,
        "accel_share_results.sv",
        "< (CountWidth + 1)'(Places));",
        "<= (CountWidth + 1)'(Places));",
        "no_result_is_lost",
    ),
]


def sources(top: str, rtl: list[Path]) -> tuple[Path, ...]:
    """Return the files of a harness."""
    shared = sorted((HOME / "hw" / "prim" / "formal").glob("formal_*.sv"))
    return (*rtl, *shared, HOME / "hw" / "accel" / "formal" / f"{top}.sv")


@pytest.mark.parametrize(
    ("top", "parameters"), [(CHOICE, {"PerBlock": 0}), (CHOICE, {"PerBlock": 1}), (RESULTS, {})]
)
def test_the_properties_hold_for_ever(top: str, parameters: dict[str, int]) -> None:
    verdict = prove(Proof(top, sources(top, RTL), STEPS, parameters=parameters))
    assert verdict.holds, verdict.message


@pytest.mark.parametrize("top", [CHOICE, RESULTS])
def test_the_assumptions_leave_room(top: str) -> None:
    verdict = prove(Proof(top, sources(top, RTL), REACH, Method.COVER))
    assert verdict.holds, verdict.message


@pytest.mark.parametrize(("top", "file", "old", "new", "fails"), MUTANTS)
def test_a_broken_one_is_caught(top: str, file: str, old: str, new: str, fails: str) -> None:
    broken = sources(top, mutant(RTL, file, old, new))
    # A run from reset shows it: the property fails, not merely the reason for it.
    verdict = prove(Proof(top, broken, REACH, Method.BOUNDED, without="*why_*"))
    assert not verdict.holds
    assert any(claim.endswith(fails) for claim in verdict.failed), verdict.message


@pytest.mark.parametrize("top", [CHOICE, RESULTS])
def test_the_harness_is_clean(top: str) -> None:
    assert_clean(top, sources(top, RTL))
