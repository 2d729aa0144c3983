# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Proofs without assertions, and patterns or mutants that match nothing, are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.formal import Proof, Register, mutant, prove, zero_constraints
from ciphermill_dv.simulate import REPOSITORY
from ciphermill_dv.yosys import ToolError

PRIM = REPOSITORY / "hw" / "prim" / "rtl"
PROOF = Proof("top", (), 2, zero_when="swept_o", zero_below="u_core", zero_except=("count_q",))
FOUND = [Register("u_core.count_q", 4, 0), Register("u_core.key_q", 8, 0), Register("key_q", 8, 0)]


@pytest.mark.synthesis
def test_a_module_without_assertions_proves_nothing() -> None:
    with pytest.raises(ToolError, match="nothing to prove"):
        prove(Proof("prim_synchroniser", (PRIM / "prim_synchroniser.sv",), 2))


def test_each_register_below_is_asked_for_and_named_by_its_line() -> None:
    text, names = zero_constraints(PROOF, FOUND)
    assert text.splitlines() == [
        "always",
        "assert (=> [swept_o] (= [u_core.key_q] #b00000000))",
    ]
    assert names == ["", "u_core.key_q"]


@pytest.mark.parametrize(
    ("found", "complaint"),
    [
        (FOUND[1:], "no register of u_core is count_q"),
        (FOUND[:1], "no registers below u_core"),
        ([*FOUND, Register("$auto$async2sync.cc:1", 1, 0)], "must have its reset tied off"),
        ([*FOUND, Register("u_core.words", 8, 4)], "was not made into registers"),
    ],
)
def test_what_would_leave_a_register_out_is_refused(found: list[Register], complaint: str) -> None:
    with pytest.raises(ToolError, match=complaint):
        zero_constraints(PROOF, found)


def test_a_mutant_changes_one_place_of_one_file() -> None:
    source = PRIM / "prim_synchroniser.sv"
    (changed,) = mutant([source], source.name, "data_q <= settled;", "data_q <= data_i;")
    assert changed != source
    assert "data_q <= data_i;" in changed.read_text(encoding="utf-8")
    with pytest.raises(ToolError, match="not exactly once"):
        mutant([source], source.name, "ResetValue;", "")
    with pytest.raises(ToolError, match="no such file"):
        mutant([source], Path("other.sv").name, "a", "b")
