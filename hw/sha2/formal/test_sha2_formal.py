# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Of SHA-2 and HMAC: nothing is left, no digest is made up or changes while it waits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ciphermill_dv.formal import Method, Proof, mutant, prove
from ciphermill_dv.simulate import assert_clean, rtl_sources

FORMAL = Path(__file__).parent
PRIM = FORMAL.parents[1] / "prim" / "formal"
RTL = rtl_sources("prim", "sha2")
HARNESSES = {
    "sha2_zeroise": (PRIM / "formal_zeroise.sv",),
    "sha2_protocol": (PRIM / "formal_stream_rules.sv", PRIM / "formal_reset.sv"),
}


def proof(top: str, method: Method, depth: int, rtl: list[Path] = RTL, **facts: object) -> Proof:
    whole = Proof(top, (*rtl, *HARNESSES[top], FORMAL / f"{top}.sv"), depth=depth, method=method)
    return replace(whole, **facts)


ZEROISE = {"zero_when": "swept_o", "zero_below": "", "cut": ("prim_sum*",)}
BOTH = {"WordSizes": 3, "RoundsPerCycle": 2}


@pytest.mark.synthesis
@pytest.mark.parametrize("parameters", [{}, BOTH], ids=["one-round", "two-rounds"])
@pytest.mark.parametrize("below", ["u_hmac", "u_core"])
def test_nothing_is_left_after_a_zeroise(parameters: dict[str, int], below: str) -> None:
    facts = {**ZEROISE, "zero_below": below, "parameters": parameters}
    verdict = prove(proof("sha2_zeroise", Method.BOUNDED, 5, **facts))
    assert verdict.holds, verdict.message
    assert verdict.assertions > 20


@pytest.mark.synthesis
def test_the_sweep_is_reached() -> None:
    verdict = prove(proof("sha2_zeroise", Method.COVER, 5, cut=ZEROISE["cut"]))
    assert verdict.holds, verdict.message


@pytest.mark.synthesis
@pytest.mark.parametrize(
    ("below", "name", "old", "new", "left"),
    [
        (
            "u_hmac",
            "sha2_hmac.sv",
            "      keyed_d        = 1'b0;\n      key_d          = '0;\n    end\n  end",
            "      keyed_d        = 1'b0;\n    end\n  end",
            "key_q",
        ),
        ("u_core", "sha2_core.sv", "if (flush || (ended", "if ((ended", "hash_q"),
        (
            "u_core",
            "sha2_schedule.sv",
            "if (clear_i) old_q[{n[0], n[1], n[2]}] <= '0;\n      else if",
            "if",
            "old_q",
        ),
    ],
    ids=["key", "kept-hash", "schedule"],
)
def test_a_register_that_is_left_is_named(
    below: str, name: str, old: str, new: str, left: str
) -> None:
    facts = {**ZEROISE, "zero_below": below}
    verdict = prove(proof("sha2_zeroise", Method.BOUNDED, 5, mutant(RTL, name, old, new), **facts))
    assert not verdict.holds
    assert any(left in one and "is zero" in one for one in verdict.failed), verdict.message


@pytest.mark.synthesis
@pytest.mark.parametrize("rounds", [1, 2])
def test_no_digest_is_lost_or_made_up(rounds: int) -> None:
    facts = {"parameters": {"RoundsPerCycle": rounds}}
    verdict = prove(proof("sha2_protocol", Method.INDUCTION, 2, **facts))
    assert verdict.holds, verdict.message
    assert verdict.assertions > 30


@pytest.mark.synthesis
def test_keys_and_blocks_enter() -> None:
    # A digest that waits is more cycles away than a run can have.
    facts = {"parameters": {"RoundsPerCycle": 2}, "without": "*stalled*"}
    verdict = prove(proof("sha2_protocol", Method.COVER, 12, **facts))
    assert verdict.holds, verdict.message


@pytest.mark.synthesis
@pytest.mark.parametrize(
    ("name", "old", "new", "failing", "depth"),
    [
        ("sha2_hmac.sv", "Idle && !key_valid_i && !flush", "Idle && !flush", "key_goes_first", 4),
        (
            "sha2_hmac.sv",
            "(keyed_q && key_function_q == function_i)",
            "keyed_q",
            "code_has_a_key",
            5,
        ),
        ("sha2_hmac.sv", "    if (flush) key_ready_o = 1'b0;\n", "", "closed", 4),
    ],
    ids=["key-waits", "other-function", "open-in-a-drop"],
)
def test_a_broken_one_is_caught(name: str, old: str, new: str, failing: str, depth: int) -> None:
    # A mutant must break a property of the ports, not an invariant of the induction.
    facts = {"parameters": {"RoundsPerCycle": 2}, "without": "*why_*"}
    broken = mutant(RTL, name, old, new)
    verdict = prove(proof("sha2_protocol", Method.BOUNDED, depth, broken, **facts))
    assert not verdict.holds
    assert any(failing in one for one in verdict.failed), verdict.message


@pytest.mark.parametrize("top", HARNESSES)
def test_the_harness_is_clean(top: str) -> None:
    assert_clean(top, (*RTL, *HARNESSES[top], FORMAL / f"{top}.sv"))
