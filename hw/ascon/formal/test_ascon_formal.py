# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Of the Ascon core: a round is the standard's, nothing is left, no block is lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ciphermill_dv.equivalence import Circuit, compare
from ciphermill_dv.formal import Method, Proof, mutant, prove
from ciphermill_dv.simulate import assert_clean, rtl_sources

FORMAL = Path(__file__).parent
PRIM = FORMAL.parents[1] / "prim" / "formal"
RTL = rtl_sources("prim", "ascon")
ROUND = [path for path in RTL if path.stem in ("ascon_pkg", "ascon_round")]
HARNESSES = {
    "ascon_core_zeroise": (PRIM / "formal_zeroise.sv",),
    "ascon_protocol": (PRIM / "formal_stream_rules.sv", PRIM / "formal_reset.sv"),
}
SUBJECT = "ascon_round_subject"
ANY = FORMAL / "ascon_round_any.sv"
"""A round that gives anything at all: what it is, is proven apart."""
AEAD, HASH = {"Operations": 3}, {"Operations": 4}


def round_files(top: str, rtl: list[Path] = ROUND) -> tuple[Path, ...]:
    return (*rtl, FORMAL / f"{top}.sv")


WANTED = Circuit("ascon_round_reference", round_files("ascon_round_reference"))


def sources(top: str, rtl: list[Path] = RTL) -> tuple[Path, ...]:
    if top == "ascon_protocol":
        rtl = [path for path in rtl if path.stem != "ascon_round"] + [ANY]
    return (*rtl, *HARNESSES[top], FORMAL / f"{top}.sv")


def proof(top: str, method: Method, depth: int, rtl: list[Path] = RTL, **facts: object) -> Proof:
    cut = () if top == "ascon_protocol" else ("ascon_round*",)
    whole = Proof(top, sources(top, rtl), depth=depth, method=method, cut=cut)
    return replace(whole, **facts)


ZEROISE = {
    "zero_when": "swept_o",
    "zero_below": "u_core",
    "zero_except": (r".*u_permutation\.round_q",),
}


@pytest.mark.synthesis
@pytest.mark.parametrize("gates", [False, True], ids=["rtl", "gates"])
def test_a_round_is_that_of_the_standard(gates: bool) -> None:
    verdict = compare(WANTED, Circuit(SUBJECT, round_files(SUBJECT), gates=gates))
    assert verdict.holds, verdict.message


@pytest.mark.synthesis
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{~round_i, round_i}", "{~round_i, ~round_i}"),
        ("substituted[2] = ~substituted[2];", ""),
        ("rotate(substituted[4], 41)", "rotate(substituted[4], 40)"),
    ],
    ids=["constant", "sbox", "rotation"],
)
def test_a_broken_round_is_caught(old: str, new: str) -> None:
    broken = mutant(ROUND, "ascon_round.sv", old, new)
    verdict = compare(WANTED, Circuit(SUBJECT, round_files(SUBJECT, broken)))
    assert not verdict.holds


@pytest.mark.synthesis
def test_nothing_is_left_after_a_zeroise() -> None:
    verdict = prove(proof("ascon_core_zeroise", Method.BOUNDED, 5, **ZEROISE))
    assert verdict.holds, verdict.message
    assert verdict.assertions > 12


@pytest.mark.synthesis
def test_the_sweep_is_reached() -> None:
    verdict = prove(proof("ascon_core_zeroise", Method.COVER, 5))
    assert verdict.holds, verdict.message


@pytest.mark.synthesis
def test_a_register_that_is_left_is_named() -> None:
    broken = mutant(RTL, "ascon_core.sv", "if (clear) key_q <= '0;\n      else if", "if")
    verdict = prove(proof("ascon_core_zeroise", Method.BOUNDED, 5, broken, **ZEROISE))
    assert not verdict.holds
    assert any("key_q is zero" in name for name in verdict.failed), verdict.message


@pytest.mark.synthesis
@pytest.mark.parametrize("parameters", [AEAD, HASH], ids=["aead", "hash"])
def test_no_block_is_lost_or_made_up(parameters: dict[str, int]) -> None:
    verdict = prove(proof("ascon_protocol", Method.INDUCTION, 2, parameters=parameters))
    assert verdict.holds, verdict.message
    assert verdict.assertions > 10


@pytest.mark.synthesis
@pytest.mark.parametrize("parameters", [AEAD, HASH], ids=["aead", "hash"])
def test_messages_come_to_their_end(parameters: dict[str, int]) -> None:
    facts = {"parameters": {**parameters, "RoundsPerCycle": 12}}
    verdict = prove(proof("ascon_protocol", Method.COVER, 12, **facts))
    assert verdict.holds, verdict.message


@pytest.mark.synthesis
@pytest.mark.parametrize(
    ("parameters", "old", "new", "failing"),
    [
        (AEAD, "!running_i && output_free_i;", "!running_i;", "payload_holds"),
        (HASH, "(word_q[0] || output_free_i)", "1'b1", "payload_holds"),
        (AEAD, "phase_d             = whole ? TextPad : Tag;", "", "block_of_a_message"),
    ],
    ids=["text-overwrites", "digest-overwrites", "text-goes-on"],
)
def test_a_broken_core_is_caught(
    parameters: dict[str, int], old: str, new: str, failing: str
) -> None:
    broken = mutant(RTL, "ascon_control.sv", old, new)
    # A mutant must break a property of the ports, not an invariant of the induction.
    facts = {"parameters": {**parameters, "RoundsPerCycle": 12}, "without": "*why_*"}
    verdict = prove(proof("ascon_protocol", Method.BOUNDED, 9, broken, **facts))
    assert not verdict.holds
    assert any(failing in name for name in verdict.failed), verdict.message


@pytest.mark.parametrize("top", HARNESSES)
def test_the_harness_is_clean(top: str) -> None:
    assert_clean(top, (*RTL, *HARNESSES[top], FORMAL / f"{top}.sv"))


@pytest.mark.parametrize("top", [WANTED.top, SUBJECT])
def test_the_round_harness_is_clean(top: str) -> None:
    assert_clean(top, round_files(top))
