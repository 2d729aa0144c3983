# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Static timing, worked out by hand (``support.netlists`` has the tables)."""

from pathlib import Path

import pytest
from support.netlists import LIBERTY, hand_library, make_netlist, ten_cells

from ciphermill.evaluate.chip.cells.timing import analyse_timing
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.liberty import parse_library


def test_the_longest_path_of_ten_cells() -> None:
    netlist = ten_cells()
    timing = analyse_timing(netlist, "clk")
    # CK to Q falling 57 + 1·3 fF; XOR 20 + 0.5·10 ps of slew; INV rising 10 + 2·0 fF.
    assert [(step.pin, step.edge) for step in timing.longest_path] == [
        ("u3/Q", "fall"),
        ("u7/Y", "fall"),
        ("u8/Y", "rise"),
        ("y", "rise"),
    ]
    assert [step.delay_ps for step in timing.longest_path] == pytest.approx([60, 25, 10, 0])
    assert [step.arrival_ps for step in timing.longest_path] == pytest.approx([60, 85, 95, 95])
    assert timing.clock_period_ps == pytest.approx(95)
    assert timing.setup_ps == 0
    assert timing.clock_mhz == pytest.approx(1e6 / 95)
    names = {name: net for net, name in enumerate(netlist.net_names)}
    assert timing.load_ff[names["q0"]] == 3
    assert timing.slew_ps[names["n3"]] == (8, 8)
    assert timing.delays[1, "Y", "B"] == pytest.approx((16, 14))
    assert timing.delays[9, "GCK", "CK"] == (0, 0), "the clock's network is ideal"


def test_wires_load_every_pin_and_every_output_port() -> None:
    netlist = ten_cells()
    timing = analyse_timing(netlist, "clk", wire_ff_per_fanout=0.5)
    names = {name: net for net, name in enumerate(netlist.net_names)}
    assert timing.load_ff[names["q0"]] == 3 + 2 * 0.5
    assert timing.load_ff[names["y"]] == 0.5
    assert timing.clock_period_ps == pytest.approx(95 + 1 + 1)


def test_setup_counts_at_a_flip_flop() -> None:
    netlist = make_netlist(
        hand_library(),
        {"u0": "DFF CK=clk D=n1 Q=q", "u1": "INV A=q Y=n1"},
        inputs="clk",
        outputs="",
    )
    timing = analyse_timing(netlist, "clk")
    # Q falls at 58, INV rises 12 later, setup 7: 77. Q rises at 50, INV falls after 9, setup 9.
    assert timing.clock_period_ps == pytest.approx(58 + 12 + 7)
    assert timing.setup_ps == 7
    assert timing.longest_path[-1].pin == "u0/D"


def test_a_path_between_opposite_edges_has_half_a_period() -> None:
    netlist = make_netlist(
        hand_library(),
        {"u0": "DFF CK=clk D=a Q=q", "u1": "INV A=clk Y=nclk", "u2": "DFF CK=nclk D=q Q=y"},
        inputs="clk a",
        outputs="y",
    )
    timing = analyse_timing(netlist, "clk")
    # From u0 to u2: Q falls at 58, setup 9, in half a period. From u2 to y: 57 in half a period.
    assert timing.clock_period_ps == pytest.approx(2 * (58 + 9))
    assert timing.clock.instances == {1}
    names = {name: net for net, name in enumerate(netlist.net_names)}
    assert timing.clock.nets == {names["clk"]: True, names["nclk"]: False}
    back = make_netlist(
        hand_library(),
        {"u0": "INV A=clk Y=nclk", "u1": "DFF CK=nclk D=a Q=y"},
        inputs="clk a",
        outputs="y",
    )
    timing = analyse_timing(back, "clk")
    assert timing.clock_period_ps == pytest.approx(2 * 57)
    assert [step.cell for step in timing.longest_path] == ["DFF", ""]


def test_a_clock_turned_over_twice_is_upright() -> None:
    netlist = make_netlist(
        hand_library(),
        {"u0": "INV A=clk Y=low", "u1": "INV A=low Y=high", "u2": "DFF CK=high D=a Q=y"},
        inputs="clk a",
        outputs="y",
    )
    timing = analyse_timing(netlist, "clk")
    assert timing.clock_period_ps == pytest.approx(57)
    assert sorted(timing.clock.nets.values()) == [False, True, True]


def test_a_flip_flop_that_acts_on_the_falling_edge() -> None:
    text = LIBERTY.replace("rising_edge", "falling_edge").replace("setup_rising", "setup_falling")
    library = parse_library(text.replace('clocked_on : "CK"', 'clocked_on : "!CK"'), Path("x.lib"))
    loop = {"u0": "DFF CK=clk D=n1 Q=q", "u1": "INV A=q Y=n1"}
    timing = analyse_timing(make_netlist(library, loop, inputs="clk", outputs=""), "clk")
    assert timing.clock_period_ps == pytest.approx(58 + 12 + 7)
    # An output is read at the rising edge, half a period after it.
    timing = analyse_timing(make_netlist(library, loop, inputs="clk", outputs="n1"), "clk")
    assert timing.clock_period_ps == pytest.approx(2 * (58 + 12))


def test_a_combinational_circuit_needs_no_clock() -> None:
    netlist = make_netlist(
        hand_library(), {"u0": "INV A=a Y=n", "u1": "NAND A=n B=1 Y=y"}, inputs="a", outputs="y"
    )
    timing = analyse_timing(netlist, None)
    # n rises after 12, y falls 10 later; n falls after 9, y rises 12 later.
    assert timing.clock_period_ps == pytest.approx(22)
    assert timing.longest_path[0].pin == "a"


def test_a_circuit_without_paths_has_no_period() -> None:
    netlist = make_netlist(hand_library(), {"u0": "INV A=0 Y=y"}, inputs="clk", outputs="y")
    timing = analyse_timing(netlist, "clk")
    assert timing.clock_period_ps == 0
    assert timing.longest_path == ()
    assert timing.clock_mhz == float("inf")


def test_a_loop_and_a_missing_clock_are_errors() -> None:
    loop = make_netlist(
        hand_library(), {"u0": "INV A=n Y=m", "u1": "INV A=m Y=n"}, inputs="a", outputs="n"
    )
    with pytest.raises(ToolError, match="loop runs through u0"):
        analyse_timing(loop, None)
    with pytest.raises(ToolError, match="no clock input 'clock'"):
        analyse_timing(ten_cells(), "clock")
