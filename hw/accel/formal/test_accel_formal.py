# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is proven of the accelerator's registers, key and streams, and that it can fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermill.design import find_home
from ciphermill.toolchain.formal import Method, Proof, mutant, prove
from ciphermill.toolchain.rtl import rtl_sources
from ciphermill.toolchain.verilator import lint

HOME = find_home()
FORMAL = HOME / "hw" / "accel" / "formal"
RTL = rtl_sources(HOME)

# Harness, parameters, steps of the induction, and clocks within which every cover is reached.
PROOFS: list[tuple[str, dict[str, int], int, int]] = [
    ("accel_key_secret", {}, 2, 8),
    ("accel_registers_axi", {}, 2, 8),
    ("accel_key_zeroise", {}, 2, 12),
]

# Harness, file, what is broken in it, and an assertion that must fail.
MUTANTS: list[tuple[str, str, str, str, str]] = [
    (
        "accel_key_secret",
        "accel_csr.sv",
        "assign to_registers.STATUS.done.next        = done_i;",
        "assign to_registers.STATUS.done.next        = key_o[77];",
        "nothing_tells",
    ),
    (
        "accel_registers_axi",
        "accel_registers.sv",
        "if(axil_n_in_flight < 2'd2) begin",
        "if(1'b1) begin",
        "why_waiting",
    ),
    (
        "accel_key_zeroise",
        "accel_control.sv",
        "key_taken || sweep_all_q || load_dropped",
        "key_taken || load_dropped",
        "key_zero_after",
    ),
    (
        "accel_key_zeroise",
        "accel_csr.sv",
        "assign to_registers.KEY[n].value.hwclr = key_clear_i;",
        "assign to_registers.KEY[n].value.hwclr = key_clear_i && (n != 7);",
        "gone_when_taken",
    ),
]


def sources(top: str, rtl: list[Path]) -> tuple[Path, ...]:
    """Return the files of a harness."""
    shared = sorted((HOME / "hw" / "prim" / "formal").glob("formal_*.sv"))
    return (*rtl, *shared, FORMAL / f"{top}.sv")


@pytest.mark.parametrize(("top", "parameters", "depth", "reach"), PROOFS)
def test_the_properties_hold_for_ever(
    top: str, parameters: dict[str, int], depth: int, reach: int
) -> None:
    verdict = prove(Proof(top, sources(top, RTL), depth, parameters=parameters))
    assert verdict.holds, verdict.message


@pytest.mark.parametrize(("top", "parameters", "depth", "reach"), PROOFS)
def test_the_assumptions_leave_room(
    top: str, parameters: dict[str, int], depth: int, reach: int
) -> None:
    verdict = prove(Proof(top, sources(top, RTL), reach, Method.COVER, parameters))
    assert verdict.holds, verdict.message


@pytest.mark.parametrize(("top", "file", "old", "new", "fails"), MUTANTS)
def test_a_broken_one_is_caught(top: str, file: str, old: str, new: str, fails: str) -> None:
    broken = sources(top, mutant(RTL, file, old, new))
    # The step that holds for the sound one fails: its reasons are right, so one of
    # these, or the property itself, is what broke.
    verdict = prove(Proof(top, broken, 2))
    assert not verdict.holds
    assert fails in [claim.rsplit(".", 1)[-1] for claim in verdict.failed], verdict.message
    assert (HOME / verdict.trace).is_file()


@pytest.mark.parametrize("top", sorted({case[0] for case in PROOFS}))
def test_the_harness_is_clean(top: str) -> None:
    waivers = sorted(HOME.glob("hw/accel/rtl/**/*.vlt"))
    lint(sources(top, RTL), top, waivers=waivers)
