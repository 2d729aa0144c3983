# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Proofs of the control of GHASH and tags: zeroises are complete, hashes neither lost nor made up.

Products may give anything at all: what they are is proven in ``test_ghash_product``.
"""

from __future__ import annotations

import pytest
from ciphermill_dv.formal import Method, Proof, mutant, prove
from ciphermill_dv.simulate import REPOSITORY, assert_clean, rtl_sources

HOME = REPOSITORY
FORMAL = HOME / "hw" / "ghash" / "formal"
RTL = rtl_sources("ghash")
PRIM = HOME / "hw" / "prim" / "formal"
ZEROISE = PRIM / "formal_zeroise.sv"
STREAM = (PRIM / "formal_stream_rules.sv", PRIM / "formal_reset.sv")
HARNESSES = {
    "ghash_zeroise": (ZEROISE, FORMAL / "ghash_zeroise.sv"),
    "gcm_tag_zeroise": (ZEROISE, FORMAL / "gcm_tag_zeroise.sv"),
    "ghash_protocol": (*STREAM, FORMAL / "ghash_protocol.sv"),
}
ANY = {name: FORMAL / f"{name}_any.sv" for name in ("ghash_multiplier", "ghash_digit")}
"""Modules that give any result, in place of the products."""
CUT = (("ghash_leaf*",), ("ghash_digit*",))
"""Further ones, for proofs about the registers within the products."""
UNITS = {
    "parallel": {"Stages": 1},
    "two-stages": {"Stages": 2},
    "three-stages": {"Stages": 3},
    "four-stages": {"Stages": 4},
    "serial": {"Digit": 64},
}


def proof(
    top: str, unit: str, method: Method, depth: int, broken: list | None = None, zero: bool = False
) -> Proof:
    sources = broken or RTL
    if top == "ghash_protocol":
        sources = [path for path in sources if path.stem not in ANY] + list(ANY.values())
    return Proof(
        top,
        (*sources, *HARNESSES[top]),
        depth=depth,
        # A mutant must break a promised property, not only an invariant that supports it.
        without="*why_*" if broken and not zero else "",
        method=method,
        parameters=UNITS[unit],
        cut=() if top == "ghash_protocol" else CUT[unit == "serial"],
        zero_when="swept_o" if zero else "",
        zero_below=("u_tag" if top == "gcm_tag_zeroise" else "u_ghash") if zero else "",
    )


@pytest.mark.synthesis
@pytest.mark.parametrize(
    ("top", "unit"),
    [*(("ghash_zeroise", unit) for unit in UNITS), ("gcm_tag_zeroise", "two-stages")],
)
def test_nothing_is_left_after_a_zeroise(top: str, unit: str) -> None:
    verdict = prove(proof(top, unit, Method.BOUNDED, 4, zero=True))
    assert verdict.holds, verdict.message
    assert verdict.assertions > 10


@pytest.mark.synthesis
@pytest.mark.parametrize("top", ["ghash_zeroise", "gcm_tag_zeroise"])
def test_the_sweep_is_reached(top: str) -> None:
    verdict = prove(proof(top, "two-stages", Method.COVER, 4))
    assert verdict.holds, verdict.message


@pytest.mark.synthesis
@pytest.mark.parametrize("unit", UNITS)
def test_no_hash_is_lost_or_made_up(unit: str) -> None:
    verdict = prove(proof("ghash_protocol", unit, Method.INDUCTION, 2))
    assert verdict.holds, verdict.message
    assert verdict.assertions > 14


@pytest.mark.synthesis
def test_two_messages_can_be_inside() -> None:
    verdict = prove(proof("ghash_protocol", "two-stages", Method.COVER, 14))
    assert verdict.holds, verdict.message


@pytest.mark.synthesis
@pytest.mark.parametrize(
    ("top", "unit", "file", "old", "new", "failing"),
    [
        (
            "ghash_zeroise",
            "two-stages",
            "ghash_parallel.sv",
            "if (clear) power_q[n] <= '0;",
            "if (1'b0) power_q[n] <= '0;",
            "power_q",
        ),
        (
            "gcm_tag_zeroise",
            "two-stages",
            "gcm_tag.sv",
            "      mask_q       <= '0;",
            "",
            "mask_q",
        ),
        (
            "ghash_protocol",
            "serial",
            "ghash_serial.sv",
            "assign finish    = running_q && last_step && !open_q && room;",
            "assign finish    = running_q && last_step && !open_q;",
            "payload_holds",
        ),
        (
            "ghash_protocol",
            "parallel",
            "ghash_parallel.sv",
            "assign window_ready = room || !block_last_i;",
            "assign window_ready = 1'b1;",
            "payload_holds",
        ),
        (
            "ghash_protocol",
            "parallel",
            "ghash_parallel.sv",
            "(open_q || !key_valid_i);",
            "1'b1;",
            "key_goes_first",
        ),
    ],
    ids=["power-left", "mask-left", "serial-overwrites", "parallel-overwrites", "key-waits"],
)
def test_a_broken_unit_is_caught(
    top: str, unit: str, file: str, old: str, new: str, failing: str
) -> None:
    broken = mutant(RTL, file, old, new)
    zero = top.endswith("_zeroise")
    verdict = prove(proof(top, unit, Method.BOUNDED, 12, broken, zero))
    assert not verdict.holds
    assert any(failing in name for name in verdict.failed), verdict.message


@pytest.mark.parametrize("unit", ["four-stages", "serial"])
@pytest.mark.parametrize("top", HARNESSES)
def test_the_harness_is_clean(top: str, unit: str) -> None:
    assert_clean(top, [*RTL, *HARNESSES[top]], UNITS[unit])
