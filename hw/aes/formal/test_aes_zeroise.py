# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""After a zeroise every register and memory of a core that holds key or data is zero.

The proof begins in any state at all and goes on until busy_o has fallen, which is
all that matters: so it holds for ever. S-boxes and rounds give anything at all.
The registers are found in the netlist, a memory being one for each word; the only
ones that need not be zero are named here, and hold neither key nor data.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from ciphermill_dv.formal import Method, Proof, mutant, prove
from ciphermill_dv.simulate import REPOSITORY, assert_clean, rtl_sources

pytestmark = pytest.mark.synthesis

HOME = REPOSITORY
TOP = "aes_core_zeroise"
RTL = rtl_sources("aes")
HARNESS = (
    HOME / "hw" / "prim" / "formal" / "formal_zeroise.sv",
    HOME / "hw" / "aes" / "formal" / f"{TOP}.sv",
)


@dataclass(frozen=True)
class Core:
    parameters: dict[str, int] = field(default_factory=dict)
    cycles: int = 4
    """The sweep has ended by then."""
    cut: tuple[str, ...] = ("aes_sbox*",)
    harmless: tuple[str, ...] = ()
    """Registers without key or data: counters, indices, directions, key sizes."""


ITERATIVE = Core(
    {"Architecture": 0},
    35,
    ("aes_sbox*", "aes_iterative_round*"),
    (
        r".*\.(key_index_q|last_index_q|index_q|u_sweep\.count_q)",
        r".*\.(running_direction_q|running_bank_q|newest_bank_q)",
        r".*\.(constant_q|phase_q|key_size_q)",
    ),
)
PIPELINED = Core({"Architecture": 1})
SMALL = Core({"Architecture": 1, "Directions": 1, "KeySizes": 1})
"""A pipeline with least in it, for runs that the solver has to find."""
ON_THE_FLY = Core(
    {"Architecture": 0, "KeyStorage": 0},
    5,
    ("aes_sbox*", "aes_iterative_round*"),
    (
        r".*\.(key_size_q|running_size_q|index_q|phase_q|constant_q|u_sweep\.count_q)",
        r".*\.(running_direction_q|running_backward_q)",
    ),
)
CORES = {"iterative": ITERATIVE, "on-the-fly": ON_THE_FLY, "pipelined": PIPELINED}


def proof(core: Core) -> Proof:
    return Proof(
        TOP,
        (*RTL, *HARNESS),
        depth=core.cycles + 2,
        method=Method.BOUNDED,
        parameters={**core.parameters, "Longest": core.cycles},
        cut=core.cut,
        zero_when="swept_o",
        zero_below="u_core",
        zero_except=core.harmless,
    )


@pytest.mark.parametrize("core", CORES.values(), ids=CORES)
def test_nothing_is_left_after_a_zeroise(core: Core) -> None:
    verdict = prove(proof(core))
    assert verdict.holds, verdict.message
    assert verdict.assertions > 15


def test_the_sweep_is_reached() -> None:
    verdict = prove(replace(proof(SMALL), method=Method.COVER, zero_when=""))
    assert verdict.holds, verdict.message


@pytest.mark.parametrize(
    ("core", "file", "old", "new", "register"),
    [
        (
            SMALL,
            "aes_pipelined.sv",
            ".clear_i(clear),\n      .load_i (key_taken),",
            ".clear_i(1'b0),\n      .load_i (key_taken),",
            "u_key.data_o",
        ),
        (
            ON_THE_FLY,
            "aes_iterative_running_keys.sv",
            "if (clear_i) end_q <= '0;\n      else if",
            "if",
            "end_q",
        ),
    ],
    ids=["pipelined", "on-the-fly"],
)
def test_a_register_that_is_left_is_named(
    core: Core, file: str, old: str, new: str, register: str
) -> None:
    broken = mutant(RTL, file, old, new)
    verdict = prove(replace(proof(core), sources=(*broken, *HARNESS)))
    assert not verdict.holds
    assert any(f"{register} is zero" in name for name in verdict.failed), verdict.message


def test_the_harness_is_clean() -> None:
    assert_clean(TOP, [*RTL, *HARNESS])
