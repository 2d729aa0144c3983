# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A round of PRESENT, with its step of the key schedule, equals that of the paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.equivalence import Circuit, compare
from ciphermill_dv.formal import mutant
from ciphermill_dv.simulate import REPOSITORY, assert_clean, rtl_sources

pytestmark = pytest.mark.synthesis

HOME = REPOSITORY
FORMAL = HOME / "hw" / "present" / "formal"
RTL = rtl_sources("present")


def files(top: str, rtl: list[Path] = RTL) -> tuple[Path, ...]:
    return (*rtl, FORMAL / f"{top}.sv")


WANTED = Circuit("present_round_reference", files("present_round_reference"))
SUBJECT = "present_round_subject"


@pytest.mark.parametrize("gates", [False, True], ids=["rtl", "gates"])
def test_a_round_is_that_of_the_paper(gates: bool) -> None:
    verdict = compare(WANTED, Circuit(SUBJECT, files(SUBJECT), gates=gates))
    assert verdict.holds, verdict.message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("y3 = x0 ^ x2 ^ a ^ (x0 & x1) ^ b;", "y3 = x0 ^ x2 ^ a ^ (x0 & x1) ^ c;"),
        ("long_key = {key[66:0], key[127:67]};", "long_key = {key[67:0], key[127:68]};"),
    ],
    ids=["inverse-sbox", "key-schedule"],
)
def test_a_broken_round_is_caught_and_the_input_told(old: str, new: str) -> None:
    broken = mutant(RTL, "present_functions_pkg.sv", old, new)
    verdict = compare(WANTED, Circuit(SUBJECT, files(SUBJECT, broken)))
    assert not verdict.holds
    assert {"direction_i", "key_i", "state_i"} <= set(verdict.inputs)


@pytest.mark.parametrize("top", [WANTED.top, SUBJECT])
def test_the_harness_is_clean(top: str) -> None:
    assert_clean(top, files(top))
