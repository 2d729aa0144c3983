# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is proven of the DMA engine's parts, and that each proof fails on a broken one."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.formal import Method, Proof, mutant, prove
from ciphermill_dv.simulate import REPOSITORY, assert_clean, rtl_sources

pytestmark = pytest.mark.synthesis

HARDWARE = REPOSITORY / "hw"
FORMAL = HARDWARE / "dma" / "formal"
RTL = rtl_sources("prim", "dma")
WAIVERS = HARDWARE / "dma" / "rtl" / "dma.vlt"

# Harness, its parameters, and cycles within which every cover is reached. The covers of
# dma_read and dma_write, within 24 and 16 cycles, take the solver minutes: no test runs them.
PROOFS: list[tuple[str, dict[str, int], int]] = [
    ("dma_bursts_formal", {"DataWidth": 256, "BurstBeats": 128}, 6),
    ("dma_bursts_formal", {"DataWidth": 64, "AddressWidth": 64}, 6),
    ("dma_byte_funnel_formal", {"InWidth": 32, "OutWidth": 32}, 6),
    ("dma_byte_funnel_formal", {"InWidth": 32, "OutWidth": 64}, 6),
    ("dma_funnel_formal", {"DataWidth": 64}, 8),
    ("dma_intake_formal", {"Streams": 5}, 8),
    ("dma_read_port_formal", {"DataWidth": 32}, 8),
    ("dma_slices_formal", {}, 6),
    ("dma_read_formal", {}, 0),
    ("dma_write_formal", {}, 0),
]

# Harness, file, what is broken in it, how it is found, and an assertion that must fail (or
# one of several).
MUTANTS: list[tuple[str, str, str, str, Method, str]] = [
    (
        "dma_bursts_formal",
        "dma_bursts.sv",
        "remaining_q <= RestWidth'(room);",
        "remaining_q < RestWidth'(room);",
        Method.BOUNDED,
        "skip_is_one|stays_inside|ends_exactly",
    ),
    (
        "dma_bursts_formal",
        "dma_bursts.sv",
        "LastWidth'(span_last_i) + LastWidth'(span_address_i[ByteBits-1:0])",
        "LastWidth'(span_last_i)",
        Method.BOUNDED,
        "ends_exactly",
    ),
    (
        "dma_byte_funnel_formal",
        "dma_byte_funnel.sv",
        "!flush_q && (ready_i || !gives)",
        "ready_i || !gives",
        Method.BOUNDED,
        "next_run_waits",
    ),
    (
        "dma_byte_funnel_formal",
        "dma_byte_funnel.sv",
        "turn        = place - OutBits'(low_i)",
        "turn        = place + OutBits'(low_i)",
        Method.BOUNDED,
        "byte_in_its_lane",
    ),
    (
        "dma_byte_funnel_formal",
        "dma_byte_funnel.sv",
        "low_q     <= gives ? '0 : low;",
        "low_q     <= '0;",
        Method.BOUNDED,
        "begins_where_due",
    ),
    (
        "dma_slices_formal",
        "dma_slices.sv",
        "{1'b0, last_i} + 33'(start_i)",
        "{1'b0, last_i} | 33'(start_i)",
        Method.BOUNDED,
        "last_is_last|has_bytes|reaches_its_end",
    ),
    (
        "dma_slices_formal",
        "dma_slices.sv",
        "count_q <= last_o ? '0 : count_q + 1'b1;",
        "count_q <= count_q + 1'b1;",
        Method.BOUNDED,
        "first_is_first|begins_where_due",
    ),
    (
        "dma_funnel_formal",
        "dma_funnel.sv",
        "clear_i || done_o) begin\n        primed_q",
        "clear_i) begin\n        primed_q",
        Method.BOUNDED,
        "in_step|taken_exactly|zeros_before",
    ),
    (
        "dma_funnel_formal",
        "dma_funnel.sv",
        "(prime || (ready_i && !flush))",
        "(prime || ready_i)",
        Method.BOUNDED,
        "taken_exactly",
    ),
    (
        "dma_intake_formal",
        "dma_intake.sv",
        "(asked_q == stream_q) || settled_i",
        "(asked_q == stream_q) || drained_i",
        Method.BOUNDED,
        "nothing_is_left",
    ),
    (
        "dma_intake_formal",
        "dma_intake.sv",
        "32'(asked_q) < Streams",
        "32'(asked_q) <= Streams",
        Method.BOUNDED,
        "passed_exists|it_exists",
    ),
    (
        "dma_intake_formal",
        "dma_intake.sv",
        "stream_d = asked_q;",
        "stream_d = stream_i;",
        Method.BOUNDED,
        "its_own_stream|it_exists",
    ),
    (
        "dma_read_port_formal",
        "dma_read_port.sv",
        "ahead_q    <= outstanding_q - CountBits'(ended);",
        "ahead_q    <= outstanding_q;",
        Method.BOUNDED,
        "given_to_its_taker",
    ),
    (
        "dma_read_port_formal",
        "dma_read_port.sv",
        "(!ar_valid_q || m_axi_arready_i) && !halt_i",
        "!halt_i",
        Method.BOUNDED,
        "none_overwritten|payload_holds|asked_exactly",
    ),
    (
        "dma_read_formal",
        "dma_read.sv",
        "(32'(room_q) > 32'(burst_beats_o))",
        "(32'(room_q) >= 32'(burst_beats_o))",
        Method.INDUCTION,
        "finds_room|why_bounds|why_room",
    ),
    (
        "dma_write_formal",
        "dma_write.sv",
        "(32'(gathered_q) > 32'(burst_beats))",
        "(32'(gathered_q) >= 32'(burst_beats))",
        Method.INDUCTION,
        "never_waits|why_bounds|why_gathered",
    ),
    (
        "dma_write_formal",
        "dma_write_port.sv",
        "beat_q <= m_axi_wlast_o ? '0 : beat_q + 1'b1;",
        "beat_q <= beat_q + 1'b1;",
        Method.INDUCTION,
        "last_is_last|why_beat",
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
    verdict = prove(Proof(top, sources(top), 2, Method.INDUCTION, parameters))
    assert verdict.holds, verdict.message


@pytest.mark.parametrize(
    ("top", "parameters", "reach"), [case for case in PROOFS if case[2]], ids=name
)
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
    broken = mutant(RTL, file, old, new)
    bounded = method is Method.BOUNDED
    # A run from reset breaks the property itself, not only an invariant that supports it.
    without = "*why_*" if bounded else ""
    depth = 8 if bounded else 2
    verdict = prove(Proof(top, sources(top, broken), depth, method, without=without))
    assert not verdict.holds
    named = {claim.rsplit(".", 1)[-1] for claim in verdict.failed}
    assert named & set(fails.split("|")), verdict.message


@pytest.mark.parametrize("top", sorted({case[0] for case in PROOFS}))
def test_the_harness_is_clean(top: str) -> None:
    assert_clean(top, (*sources(top), WAIVERS))
