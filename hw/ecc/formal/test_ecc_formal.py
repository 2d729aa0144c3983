# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Of the ECC engine: nothing is left, no result or status is made up or changes while it waits.

In the proof of the handshakes, arithmetic, memory and constants may give anything. In the proof
of a zeroise the memory has two registers, which a sweep passes word by word as it does more of
them, and a product is its two factors side by side, since a register may hold any product. That
zeroise comes in any state, but for one: no sweep may have begun in the cycle before, for that one
goes on.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ciphermill_dv.formal import Method, Proof, mutant, prove
from ciphermill_dv.simulate import assert_clean, rtl_sources

pytestmark = pytest.mark.synthesis

FORMAL = Path(__file__).parent
PRIM = FORMAL.parents[1] / "prim" / "formal"
RTL = rtl_sources("prim", "ecc")
HARNESSES = {
    "ecc_zeroise": (PRIM / "formal_zeroise.sv",),
    "ecc_protocol": (
        PRIM / "formal_stream_rules.sv",
        PRIM / "formal_reset.sv",
        FORMAL / "ecc_arithmetic_any.sv",
    ),
}
REPLACED = ("ecc_stream", "ecc_multiplier", "ecc_memory", "ecc_constants")
"""Modules that ``ecc_arithmetic_any.sv`` replaces."""
CONTROL = [path for path in RTL if path.stem not in REPLACED]
ALL_CURVES = 7
P_521 = 4
"""Values of the parameter ``Curves``. The build for P-521 alone has registers of its own."""
HARMLESS = (
    r"u_constants\.word_o",
    r"u_multiplier\.(slot_q|work_q)",
    r"u_sweep\.(start_q|address_q)",
    r"dropped_q",
)
"""Registers without key or data: the word of a constant, the schedule's place, the sweep's."""


def smaller(rtl: list[Path]) -> list[Path]:
    """Return the RTL with a small memory and without multiplication."""
    rtl = mutant(rtl, "ecc_program_pkg.sv", "Registers = 53;", "Registers = 2;")
    return mutant(rtl, "ecc_multiplier.sv", "(2*WordBits)'(x) * (2*WordBits)'(y)", "{x, y}")


def proof(top: str, method: Method, depth: int, rtl: list[Path], **facts: object) -> Proof:
    sources = (*rtl, *HARNESSES[top], FORMAL / f"{top}.sv")
    return replace(Proof(top, sources, depth=depth, method=method), **facts)


def protocol(method: Method, depth: int, rtl: list[Path] = CONTROL, **facts: object) -> Proof:
    rtl = mutant(rtl, "ecc_program_pkg.sv", "Registers = 53;", "Registers = 2;")
    return proof("ecc_protocol", method, depth, rtl, **facts)


def zeroise(rtl: list[Path] = RTL, **facts: object) -> Proof:
    rise = "  assign rise "
    return proof(
        "ecc_zeroise",
        Method.BOUNDED,
        14,
        mutant(smaller(rtl), "prim_sweep.sv", rise, f"  initial start_q = 1'b0;\n\n{rise}"),
        zero_when="swept_o",
        zero_below="u_core",
        zero_except=HARMLESS,
        **facts,
    )


@pytest.mark.parametrize("curves", [ALL_CURVES, P_521])
def test_nothing_is_left_after_a_zeroise(curves: int) -> None:
    verdict = prove(zeroise(parameters={"Curves": curves}))
    assert verdict.holds, verdict.message
    assert verdict.assertions > 50


def test_the_sweep_is_reached() -> None:
    verdict = prove(replace(zeroise(), method=Method.COVER, zero_when=""))
    assert verdict.holds, verdict.message


def test_a_word_that_is_left_is_named() -> None:
    old = "if (sweep_i) digits[load_word_i] <= '0;\n    else if"
    verdict = prove(zeroise(mutant(RTL, "ecc_multiplier.sv", old, "if")))
    assert not verdict.holds
    assert any("digits" in one and "is zero" in one for one in verdict.failed), verdict.message


def test_no_result_or_status_is_lost_or_made_up() -> None:
    verdict = prove(protocol(Method.INDUCTION, 1))
    assert verdict.holds, verdict.message
    assert verdict.assertions > 30


def test_operations_and_operands_enter() -> None:
    verdict = prove(protocol(Method.COVER, 24, without="*stalled*"))
    assert verdict.holds, verdict.message


def test_broken_handshakes_are_noticed() -> None:
    old = "if (operation_i > OperationAgree || state_q != StateIdle || clear)"
    rtl = mutant(CONTROL, "ecc_core.sv", old, "if (operation_i > OperationAgree || clear)")
    verdict = prove(protocol(Method.BOUNDED, 14, rtl, without="*why_*"))
    assert not verdict.holds
    assert any("one_operation" in one for one in verdict.failed), verdict.message


def test_the_harnesses_are_clean() -> None:
    for top, rtl in (("ecc_zeroise", RTL), ("ecc_protocol", CONTROL)):
        assert_clean(top, [*rtl, *HARNESSES[top], FORMAL / f"{top}.sv"])
