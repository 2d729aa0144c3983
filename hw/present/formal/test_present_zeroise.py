# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""After a zeroise every register of a core that holds key or data is zero.

The proof begins in any state at all and goes on until busy_o has fallen, which is
all that matters: so it holds for ever. The registers are found in the netlist; the
only ones that need not be zero are named here, with what they hold.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from ciphermill_dv.formal import Method, Proof, mutant, prove
from ciphermill_dv.simulate import REPOSITORY, assert_clean, rtl_sources

pytestmark = pytest.mark.synthesis

HOME = REPOSITORY
TOP = "present_core_zeroise"
RTL = rtl_sources("present")
HARNESS = (
    HOME / "hw" / "prim" / "formal" / "formal_zeroise.sv",
    HOME / "hw" / "present" / "formal" / f"{TOP}.sv",
)

# Architecture, modules whose results are free, registers without key or data.
ITERATIVE = (0, (), (r".*\.direction_q", r".*u_present\.gen_both_sizes\.key_size_q"))
UNROLLED = (1, ("present_rounds*",), ())
SERIAL = (2, (), (r".*\.phase_q",))
CORES = {"iterative": ITERATIVE, "unrolled": UNROLLED, "serial": SERIAL}


def proof(core: tuple[int, tuple[str, ...], tuple[str, ...]]) -> Proof:
    architecture, cut, harmless = core
    return Proof(
        TOP,
        (*RTL, *HARNESS),
        depth=5,
        method=Method.BOUNDED,
        parameters={"Architecture": architecture},
        cut=cut,
        zero_when="swept_o",
        zero_below="u_core",
        zero_except=harmless,
    )


@pytest.mark.parametrize("core", CORES.values(), ids=CORES)
def test_nothing_is_left_after_a_zeroise(
    core: tuple[int, tuple[str, ...], tuple[str, ...]],
) -> None:
    verdict = prove(proof(core))
    assert verdict.holds, verdict.message
    assert verdict.assertions > 15


def test_the_sweep_is_reached() -> None:
    verdict = prove(replace(proof(ITERATIVE), method=Method.COVER, zero_when="", zero_except=()))
    assert verdict.holds, verdict.message


def test_a_register_that_is_left_is_named() -> None:
    old = "if (clear_i) last_key_q <= '0;\n      else if (load)"
    broken = mutant(RTL, "present_keys.sv", old, "if (load)")
    verdict = prove(replace(proof(ITERATIVE), sources=(*broken, *HARNESS)))
    assert not verdict.holds
    assert any("last_key_q is zero" in name for name in verdict.failed), verdict.message


def test_the_harness_is_clean() -> None:
    assert_clean(TOP, [*RTL, *HARNESS])
