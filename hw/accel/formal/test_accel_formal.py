# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What is proven of the accelerator's registers and key, and that it can fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.formal import Method, Proof, mutant, prove
from ciphermill_dv.simulate import REPOSITORY, assert_clean, rtl_sources

pytestmark = pytest.mark.synthesis

HOME = REPOSITORY
FORMAL = HOME / "hw" / "accel" / "formal"
RTL = rtl_sources("prim", "aes", "present", "ghash", "ascon", "ecc", "sha2", "accel")

# Harness, and cycles within which every cover is reached.
PROOFS = {
    "accel_key_secret": 8,
    "accel_registers_axi": 8,
    "accel_key_zeroise": 12,
    "accel_slot_secret": 45,
}
STEPS = 2  # of every induction
# Cycles within which a broken one shows it: two copies of all registers are slow.
RUNS = {
    "accel_key_secret": 6,
    "accel_registers_axi": 12,
    "accel_key_zeroise": 12,
    "accel_slot_secret": 8,
}

# Harness, file, what is broken in it, and an assertion (or one of several) that must fail.
MUTANTS: list[tuple[str, str, str, str, str]] = [
    (
        "accel_key_secret",
        "accel_csr.sv",
        "assign to_registers.STATUS.done.next        = done_i;",
        "assign to_registers.STATUS.done.next        = key_o[77];",
        "nothing_tells",
    ),
    (
        "accel_slot_secret",
        "accel_ecc_keys.sv",
        "assign result_valid_o = result_valid_i && !keeps;",
        "assign result_valid_o = result_valid_i;",
        "nothing_tells",
    ),
    (
        "accel_slot_secret",
        "accel_ecc_keys.sv",
        "operand_valid_o = feeds_i;",
        "operand_valid_o = feeds_i && read_data[0];",
        "nothing_tells",
    ),
    (
        "accel_registers_axi",
        "accel_registers.sv",
        "if(axil_n_in_flight < 2'd2) begin",
        "if(1'b1) begin",
        "payload_holds|valid_stays|write_was_asked|read_was_asked|one_answer",
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
        "accel_control.sv",
        "key_taken || sweep_all_q || load_dropped",
        "key_taken || sweep_all_q",
        "gone_when_refused",
    ),
    (
        "accel_key_zeroise",
        "accel_csr.sv",
        "assign to_registers.KEY[n].value.hwclr = key_clear_i;",
        "assign to_registers.KEY[n].value.hwclr = key_clear_i && (n != 7);",
        "gone_when_taken|gone_when_refused|key_zero_after",
    ),
]


def sources(top: str, rtl: list[Path]) -> tuple[Path, ...]:
    """Return the files of a harness."""
    shared = sorted((HOME / "hw" / "prim" / "formal").glob("formal_*.sv"))
    return (*rtl, *shared, FORMAL / f"{top}.sv")


@pytest.mark.parametrize("top", PROOFS)
def test_the_properties_hold_for_ever(top: str) -> None:
    verdict = prove(Proof(top, sources(top, RTL), STEPS))
    assert verdict.holds, verdict.message


@pytest.mark.parametrize(("top", "reach"), PROOFS.items())
def test_the_assumptions_leave_room(top: str, reach: int) -> None:
    verdict = prove(Proof(top, sources(top, RTL), reach, Method.COVER))
    assert verdict.holds, verdict.message


@pytest.mark.parametrize(("top", "file", "old", "new", "fails"), MUTANTS)
def test_a_broken_one_is_caught(top: str, file: str, old: str, new: str, fails: str) -> None:
    broken = sources(top, mutant(RTL, file, old, new))
    # A run from reset shows it: the property fails, not merely the reason for it.
    verdict = prove(Proof(top, broken, RUNS[top], Method.BOUNDED, without="*why_*"))
    assert not verdict.holds
    named = {claim.rsplit(".", 1)[-1] for claim in verdict.failed}
    assert named & set(fails.split("|")), verdict.message
    assert (HOME / verdict.trace).is_file()


@pytest.mark.parametrize("top", PROOFS)
def test_the_harness_is_clean(top: str) -> None:
    waivers = sorted(HOME.glob("hw/accel/rtl/**/*.vlt"))
    assert_clean(top, [*waivers, *sources(top, RTL)])
