# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is proven of the card's parts, and that each proof fails on a broken one."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.formal import Method, Proof, mutant, prove
from ciphermill_dv.simulate import REPOSITORY, assert_clean, rtl_sources

pytestmark = pytest.mark.synthesis

HARDWARE = REPOSITORY / "hw"
FORMAL = HARDWARE / "card" / "formal"
RTL = rtl_sources("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel", "dma", "card")
WAIVERS = [HARDWARE / ip / "rtl" / f"{ip}.vlt" for ip in ("accel", "dma", "card")]

# Harness, its parameters, and cycles within which every cover is reached.
PROOFS: list[tuple[str, dict[str, int], int]] = [
    ("card_arbiter_formal", {"Requests": 5}, 10),
    ("card_arbiter_formal", {"Requests": 24}, 30),
    ("card_completion_formal", {}, 20),
    ("card_gate_formal", {}, 10),
    ("card_memory_formal", {}, 14),
    ("card_reset_formal", {}, 12),
]

STEPS = {"card_completion_formal": 1}
"""Steps of the induction, where two take the solver minutes."""

# Harness, file, what is broken in it, how it is found, and an assertion that must fail (or one of
# several).
MUTANTS: list[tuple[str, str, str, str, Method, str]] = [
    (
        "card_arbiter_formal",
        "card_arbiter.sv",
        "after_q <= ~(grant_o | (grant_o - 1'b1));",
        "after_q <= ~(grant_o - 1'b1);",
        Method.BOUNDED,
        "is_served",
    ),
    (
        "card_arbiter_formal",
        "card_arbiter.sv",
        "(ahead != '0) ? ahead : request_i;",
        "ahead;",
        Method.BOUNDED,
        "one_is_given",
    ),
    (
        "card_completion_formal",
        "card_completion.sv",
        "assign must_wait       = queued.writes && written_q == '0;",
        "assign must_wait       = 1'b0;",
        Method.INDUCTION,
        "output_is_in_memory|why_owed_one|why_debt",
    ),
    (
        "card_completion_formal",
        "card_completion.sv",
        "(!address_q || aw_ready_i) && (!data_q || leaves) && room;",
        "(!address_q || aw_ready_i) && room;",
        Method.INDUCTION,
        "sent_once|itself|why_entry|data_once",
    ),
    (
        "card_gate_formal",
        "card_gate.sv",
        "assign in_open      = packets_q != '0 && !close_i;",
        "assign in_open      = !close_i;",
        Method.BOUNDED,
        "closed_in|packet_is_due|packets_at_most|input_exactly",
    ),
    (
        "card_gate_formal",
        "card_gate.sv",
        "assign fits = bytes_q != '0 && out_last_i == ends && out_keep_i == keep;",
        "assign fits = bytes_q != '0 && out_last_i == ends;",
        Method.BOUNDED,
        "last_is_last|whole_or_last|no_hole|bytes_at_most|output_exactly",
    ),
    (
        "card_memory_formal",
        "card_memory.sv",
        "(!ar_valid_q || m_axi_arready_i) && readers_ready && !halt_i;",
        "(!ar_valid_q || m_axi_arready_i) && readers_ready;",
        Method.BOUNDED,
        "none_taken_in_a_halt|none_begins_in_a_halt",
    ),
    (
        "card_memory_formal",
        "card_memory.sv",
        "(!aw_valid_q || m_axi_awready_i) && senders_ready",
        "senders_ready",
        Method.BOUNDED,
        "payload_holds|no_write_overwritten",
    ),
    (
        "card_memory_formal",
        "card_memory.sv",
        "assign b_valid_o      = writer & ",
        "assign b_valid_o      = sender & ",
        Method.BOUNDED,
        "write_given_once|write_to_its_writer",
    ),
    (
        "card_memory_formal",
        "card_memory.sv",
        "assign idle_o = !reading && !writing && ",
        "assign idle_o = !reading && ",
        Method.INDUCTION,
        "idle_exactly",
    ),
    (
        "card_reset_formal",
        "card_reset.sv",
        "          if (memory_idle_i) begin",
        "          begin",
        Method.BOUNDED,
        "memory_is_idle|memory_stays",
    ),
    (
        "card_reset_formal",
        "card_reset.sv",
        "          if (host_idle_i) begin",
        "          begin",
        Method.BOUNDED,
        "host_is_idle",
    ),
]


def sources(top: str, rtl: list[Path] | None = None) -> tuple[Path, ...]:
    """Return the files of a harness."""
    helpers = sorted((HARDWARE / "prim" / "formal").glob("formal_*.sv"))
    return (*(rtl or RTL), *helpers, FORMAL / f"{top}.sv")


def name(case: object) -> str:
    return "-".join(f"{k}{v}" for k, v in case.items()) if isinstance(case, dict) else str(case)


@pytest.mark.parametrize(("top", "parameters", "reach"), PROOFS, ids=name)
def test_the_properties_hold_for_ever(top: str, parameters: dict[str, int], reach: int) -> None:
    del reach
    verdict = prove(Proof(top, sources(top), STEPS.get(top, 2), Method.INDUCTION, parameters))
    assert verdict.holds, verdict.message


@pytest.mark.parametrize(("top", "parameters", "reach"), PROOFS, ids=name)
def test_the_assumptions_leave_room(top: str, parameters: dict[str, int], reach: int) -> None:
    verdict = prove(Proof(top, sources(top), reach, Method.COVER, parameters))
    assert verdict.holds, verdict.message


@pytest.mark.parametrize(
    ("top", "file", "old", "new", "method", "fails"),
    MUTANTS,
    ids=[f"{case[1]}-{number}" for number, case in enumerate(MUTANTS)],
)
def test_a_broken_one_is_caught(
    top: str, file: str, old: str, new: str, method: Method, fails: str
) -> None:
    broken = sources(top, mutant(RTL, file, old, new))
    # A run from reset breaks the property itself, not only an invariant that supports it.
    bounded = method is Method.BOUNDED
    without = "*why_*" if bounded else ""
    verdict = prove(
        Proof(top, broken, 12 if bounded else STEPS.get(top, 2), method, without=without)
    )
    assert not verdict.holds
    named = {claim.rsplit(".", 1)[-1] for claim in verdict.failed}
    assert named & set(fails.split("|")), verdict.message


@pytest.mark.parametrize("top", sorted({case[0] for case in PROOFS}))
def test_the_harness_is_clean(top: str) -> None:
    assert_clean(top, (*sources(top), *WAIVERS))
