# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The checks of the structure find each kind of fault in a fixture, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from ciphermill_dv.structure import crossings, paths
from ciphermill_dv.structure.netlist import Netlist, NetlistError, read

pytestmark = pytest.mark.synthesis

TOP = "structure_fixture"
CLOCKS = {"a_*": "a_clk_i", "b_*": "b_clk_i"}
WORDS = [crossings.StableWord(TOP, name, "a fixture") for name in ("word_q", "memory")]


@pytest.fixture(scope="module")
def netlist() -> Netlist:
    return read(TOP, [Path(__file__).with_name(f"{TOP}.sv")])


def about(found: crossings.Crossings, name: str) -> list[str]:
    return [finding for finding in found.findings if finding.startswith(f"{name}:")]


def test_each_bad_crossing_is_found(netlist: Netlist) -> None:
    found = crossings.check(netlist, CLOCKS, WORDS, TOP)
    expected = {
        "u_decoded.meta_q": "is combinational logic",
        "u_inverted.meta_q": "is combinational logic",
        "u_own.meta_q": "has the clock of the synchroniser",
        "b_meta_o": "reads the first flip-flop of a synchroniser",
        "bare_q (hw/dv/tests/structure_fixture.sv": "without a synchroniser",
        "reset_q": "is reset by a_rst_ni",
    }
    rest = list(found.findings)
    for name, text in expected.items():
        (match,) = [line for line in rest if line.startswith(name)]
        assert text in match
        rest.remove(match)
    assert rest == []


def test_good_crossings_are_counted(netlist: Netlist) -> None:
    found = crossings.check(netlist, CLOCKS, WORDS, TOP)
    # u_good and u_port.
    assert (found.synchronised, found.stable) == (2, 2)


def test_a_word_that_is_not_listed_is_found(netlist: Netlist) -> None:
    found = crossings.check(netlist, CLOCKS, WORDS[:1], TOP)
    (finding,) = [line for line in found.findings if line.startswith("output b_memory_o")]
    assert "takes data of memory, on a_clk_i, without a synchroniser" in finding


def test_every_port_needs_a_clock(netlist: Netlist) -> None:
    with pytest.raises(NetlistError, match="no pattern says which clock"):
        crossings.check(netlist, {"a_*": "a_clk_i"}, WORDS, TOP)


def test_combinational_paths_are_found(netlist: Netlist) -> None:
    assert paths.find(netlist) == [("a_data_i", "a_path_o"), ("b_address_i", "b_memory_o")]
