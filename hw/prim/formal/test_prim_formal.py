# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is proven of the primitives, and that each proof fails on a broken one."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.equivalence import Circuit, Equivalence, compare
from ciphermill_dv.formal import Method, Proof, mutant, prove
from ciphermill_dv.simulate import REPOSITORY, assert_clean, rtl_sources

pytestmark = pytest.mark.synthesis

HOME = REPOSITORY
FORMAL = HOME / "hw" / "prim" / "formal"
RTL = rtl_sources("prim")

# Harness, its parameters, steps of the induction, and cycles within which every cover
# is reached.
PROOFS: list[tuple[str, dict[str, int], int, int]] = [
    *(("prim_fifo_formal", {"Depth": depth}, 2, 2 * depth + 4) for depth in (2, 3, 4, 8)),
    *(
        ("prim_fifo_formal", {"Depth": depth, "BlockRam": 1}, 2, 2 * depth + 6)
        for depth in (2, 3, 4, 8)
    ),
    ("prim_skid_buffer_formal", {}, 2, 6),
    ("prim_stream_resize_formal", {"InWidth": 16, "OutWidth": 64}, 2, 8),
    ("prim_stream_resize_formal", {"InWidth": 32, "OutWidth": 128}, 2, 8),
    ("prim_stream_resize_formal", {"InWidth": 64, "OutWidth": 16}, 2, 8),
    ("prim_stream_resize_formal", {"InWidth": 128, "OutWidth": 32}, 2, 8),
    *(("prim_stream_blocks_formal", {"StreamWidth": width}, 2, 10) for width in (32, 64, 128)),
    ("prim_fifo_async_formal", {"Depth": 4}, 3, 24),
    ("prim_fifo_async_formal", {"Depth": 8}, 3, 0),  # full after 36 half clocks: too far
    ("prim_fifo_async_formal", {"Depth": 4, "SyncStages": 3}, 3, 26),
    ("prim_fifo_async_formal", {"Depth": 4, "BlockRam": 1}, 3, 26),
    ("prim_fifo_async_formal", {"Depth": 8, "SyncStages": 3, "BlockRam": 1}, 3, 0),
    ("prim_handshake_crossing_formal", {}, 3, 20),
    ("prim_handshake_crossing_formal", {"SyncStages": 3}, 3, 30),
]
FREE_CLOCKS = ("prim_fifo_async_formal", "prim_handshake_crossing_formal")

# Harness, parameters, file, what is broken in it, and an assertion that must fail
# (or one of several).
MUTANTS: list[tuple[str, dict[str, int], str, str, str, str]] = [
    (
        "prim_fifo_formal",
        {},
        "prim_fifo.sv",
        "!blocked && (count_q != CountWidth'(Depth))",
        "!blocked",
        "full_exactly",
    ),
    (
        "prim_fifo_formal",
        {},
        "prim_fifo.sv",
        "if (push && !pop) begin",
        "if (push) begin",
        "full_exactly|empty_exactly",
    ),
    (
        "prim_fifo_formal",
        {"Depth": 3},
        "prim_fifo.sv",
        "(read_address_q == LastAddress) ? '0 : read_address_q + 1'b1",
        "read_address_q + 1'b1",
        "word_is_itself",
    ),
    (
        "prim_fifo_formal",
        {},
        "prim_sweep.sv",
        "AddressWidth'(Depth - 1)",
        "AddressWidth'(Depth - 2)",
        "swept",
    ),
    (
        "prim_fifo_formal",
        {"BlockRam": 1},
        "prim_fifo.sv",
        "!blocked && (count_q != CountWidth'(pop))",
        "!blocked && (count_q != '0)",
        "empty_exactly",
    ),
    (
        "prim_fifo_formal",
        {"BlockRam": 1},
        "prim_fifo.sv",
        "word_q <= memory[read_address_next];",
        "word_q <= memory[read_address_q];",
        "word_is_itself|payload_holds",
    ),
    (
        "prim_fifo_async_formal",
        {"BlockRam": 1},
        "prim_fifo_async.sv",
        "gray(read_next) != write_gray_seen",
        "read_gray_q != write_gray_seen",
        "never_invented|word_is_itself",
    ),
    (
        "prim_skid_buffer_formal",
        {},
        "prim_skid_buffer.sv",
        "valid_i && ready_q",
        "valid_i",
        "no_clock_added",
    ),
    (
        "prim_skid_buffer_formal",
        {},
        "prim_skid_buffer.sv",
        "ready_q <= !stays;",
        "ready_q <= 1'b1;",
        "never_over_full",
    ),
    (
        "prim_skid_buffer_formal",
        {},
        "prim_skid_buffer.sv",
        "full_q ? data_q : data_i",
        "data_i",
        "payload_holds|word_is_itself",
    ),
    (
        "prim_skid_buffer_formal",
        {},
        "prim_skid_buffer.sv",
        "if (!stays) begin",
        "if (1'b0) begin",
        "nothing_left",
    ),
    (
        "prim_stream_resize_formal",
        {"InWidth": 16, "OutWidth": 64},
        "prim_stream_resize.sv",
        "index_q <= last_i ? '0 : index_q + 1'b1;",
        "index_q <= index_q + 1'b1;",
        "bytes_counted",
    ),
    (
        "prim_stream_resize_formal",
        {"InWidth": 64, "OutWidth": 16},
        "prim_stream_resize.sv",
        "last_i && final_part",
        "last_i",
        "last_is_last",
    ),
    (
        "prim_stream_blocks_formal",
        {},
        "prim_stream_to_blocks.sv",
        "malformed_q <= beat_malformed || (malformed_q && (index_q != '0));",
        "malformed_q <= beat_malformed;",
        "told",
    ),
    (
        "prim_stream_blocks_formal",
        {},
        "prim_blocks_to_stream.sv",
        "block_keep[Lanes * 32'(index_q) +: Lanes]",
        "block_keep[0 +: Lanes]",
        "keep_is_itself",
    ),
    (
        "prim_fifo_async_formal",
        {},
        "prim_fifo_async.sv",
        "write_gray_q <= gray(write_next);",
        "write_gray_q <= write_next;",
        "room_for_it|never_invented|never_over_full",
    ),
    (
        "prim_fifo_async_formal",
        {},
        "prim_fifo_async.sv",
        "read_gray_seen[AddressWidth-2:0]}",
        "~read_gray_seen[AddressWidth-2:0]}",
        "room_for_it|never_over_full",
    ),
    (
        "prim_handshake_crossing_formal",
        {},
        "prim_handshake_crossing.sv",
        "open_q && (request_q == acknowledge_src)",
        "open_q",
        "one_at_most|room_for_it",
    ),
]


def sources(top: str, rtl: list[Path] | None = None) -> tuple[Path, ...]:
    """Return the files of a harness."""
    parts = [*sorted(FORMAL.glob("formal_*.sv")), FORMAL / f"{top}.sv"]
    return (*(rtl or RTL), *parts)


def proof(
    top: str,
    depth: int,
    method: Method,
    parameters: dict[str, int],
    *,
    rtl: list[Path] | None = None,
    without: str = "",
) -> Proof:
    """Return a proof of a harness; of broken RTL where it is given."""
    free = top in FREE_CLOCKS
    return Proof(
        top, sources(top, rtl), depth, method, parameters, free_clocks=free, without=without
    )


def name(case: object) -> str:
    return "-".join(f"{k}{v}" for k, v in case.items()) if isinstance(case, dict) else str(case)


@pytest.mark.parametrize(("top", "parameters", "depth", "reach"), PROOFS, ids=name)
def test_the_properties_hold_for_ever(
    top: str, parameters: dict[str, int], depth: int, reach: int
) -> None:
    verdict = prove(proof(top, depth, Method.INDUCTION, parameters))
    assert verdict.holds, verdict.message


@pytest.mark.parametrize(
    ("top", "parameters", "depth", "reach"), [case for case in PROOFS if case[3]], ids=name
)
def test_the_assumptions_leave_room(
    top: str, parameters: dict[str, int], depth: int, reach: int
) -> None:
    verdict = prove(proof(top, reach, Method.COVER, parameters))
    assert verdict.holds, verdict.message


@pytest.mark.parametrize(
    ("top", "parameters", "file", "old", "new", "fails"),
    MUTANTS,
    ids=[f"{case[2]}-{number}" for number, case in enumerate(MUTANTS)],
)
def test_a_broken_one_is_caught(
    top: str, parameters: dict[str, int], file: str, old: str, new: str, fails: str
) -> None:
    broken = mutant(RTL, file, old, new)
    depth = 20 if top in FREE_CLOCKS else 2 * parameters.get("Depth", 4) + 6
    # A run from reset breaks the property itself, not only an invariant that supports it.
    verdict = prove(proof(top, depth, Method.BOUNDED, parameters, rtl=broken, without="*why_*"))
    assert not verdict.holds
    # The solver may find either of two assertions that break in the same way.
    named = {claim.rsplit(".", 1)[-1] for claim in verdict.failed}
    assert named & set(fails.split("|")), verdict.message
    assert (HOME / verdict.trace).is_file()


@pytest.mark.parametrize("top", sorted({case[0] for case in PROOFS}))
def test_the_harness_is_clean(top: str) -> None:
    assert_clean(top, sources(top))


def carry_save_sum(rtl: list[Path], width: int, operands: int) -> Equivalence:
    """Compare the sum for standard cells with additions."""
    parameters = {"Width": width, "Operands": operands}
    wanted = Circuit("prim_sum", tuple(RTL), parameters)
    return compare(wanted, Circuit("prim_sum", tuple(rtl), {**parameters, "CarrySave": 1}))


@pytest.mark.parametrize(
    ("width", "operands"), [(1, 2), (57, 2), (64, 2), (6, 6), (32, 3), (64, 3), (32, 4), (64, 4)]
)
def test_a_carry_save_sum_is_a_sum(width: int, operands: int) -> None:
    verdict = carry_save_sum(RTL, width, operands)
    assert verdict.holds, verdict.message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(propagates[0] && carry_i)", "1'b0"),
        ("span < Width; span *= 2", "span < 16; span *= 2"),
        ("carried = majority << 1;", "carried = majority;"),
    ],
    ids=["carry", "prefix", "majority"],
)
def test_a_broken_sum_is_caught(old: str, new: str) -> None:
    assert not carry_save_sum(mutant(RTL, "prim_sum.sv", old, new), 32, 3).holds
