# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Recordings played to a circuit that can be worked out by hand."""

from collections.abc import Collection
from dataclasses import replace

import pytest
from support.gates import gate_library
from support.netlists import make_netlist

from ciphermill.evaluate.chip.activity.simulation import SimulationError
from ciphermill.evaluate.chip.cells.gate_simulation import GateSimulation
from ciphermill.evaluate.chip.replay import replay
from ciphermill.toolchain.soc_recording import Recording

INPUT = [0, 1, 1, 0, 1, 0, 0, 1, 1, 1]
BEFORE = [0, *INPUT[:-1]]
RIGHT = {
    "a": INPUT,
    "q": BEFORE,
    "y": [a ^ q for a, q in zip(INPUT, BEFORE, strict=True)],
}


def simulation() -> GateSimulation:
    """A register of an input, q, and y, which tells whether the input changed."""
    cells = {"u0": "DFF CK=clk D=a Q=q", "u1": "XOR A=a B=q Y=y"}
    netlist = make_netlist(gate_library(), cells, inputs="clk a", outputs="q y")
    return GateSimulation(netlist, clock_period_ps=1000, clock="clk")


def recording(**changed: list[int]) -> Recording:
    return Recording("part", {**RIGHT, **changed})


def test_the_window_has_the_activity_of_its_cycles() -> None:
    circuit = simulation()
    played = replay(circuit, recording(), 2, 6)
    assert (played.cycles, played.compared_bits) == (6, 2)
    assert played.activity.duration_ps == 6000
    toggles = dict(zip(circuit.net_names, played.settled.toggles, strict=True))
    # From the change into clock 2 to the one into clock 7.
    wanted = {
        net: sum(values[clock] != values[clock - 1] for clock in range(2, 8))
        for net, values in RIGHT.items()
    }
    assert {net: toggles[net] for net in wanted} == wanted
    assert toggles["clk"] == 12


def test_an_output_that_differs_in_the_window_is_an_error() -> None:
    wrong = [*RIGHT["y"][:5], 1 - RIGHT["y"][5], *RIGHT["y"][6:]]
    with pytest.raises(SimulationError, match="part: in cycle 5 y is 0x1, and was 0x0"):
        replay(simulation(), recording(y=wrong), 2, 6)
    # Before the window, and where it is not looked at, it may differ.
    replay(simulation(), recording(y=wrong), 6, 2)
    replay(simulation(), recording(y=wrong), 2, 6, ignored={"y"})


def test_what_is_not_valid_may_be_anything() -> None:
    cells = {"u0": "DFF CK=clk D=a Q=q", "u1": "DFF CK=clk D=b Q=r"}
    netlist = make_netlist(gate_library(), cells, inputs="clk a b", outputs="q r")
    (valid,), (payload,) = netlist.outputs["r"], netlist.outputs["q"]
    netlist = replace(netlist, outputs={"request": [payload, valid]})

    def play(seen: int, qualified: Collection[str] = ()) -> None:
        circuit = GateSimulation(netlist, clock_period_ps=1000, clock="clk")
        ports = {"a": [1] * 6, "b": [0, 0, 1, 0, 0, 0], "request": [0, seen, seen, 3, seen, seen]}
        replay(circuit, Recording("part", ports), 1, 4, qualified=qualified)

    play(1)
    with pytest.raises(SimulationError, match="request is 0x1, and was 0x0"):
        play(0)
    play(0, qualified={"request"})
    with pytest.raises(SimulationError, match="request is 0x1, and was 0x2"):
        play(2, qualified={"request"})  # valid must be right nevertheless


def test_recordings_that_do_not_fit() -> None:
    with pytest.raises(SimulationError, match="10 cycles were recorded"):
        replay(simulation(), recording(), 2, 9)
    assert replay(simulation(), recording(), 2, 8).cycles == 8, "to the end"
    with pytest.raises(SimulationError, match="part: y were not recorded"):
        replay(simulation(), Recording("part", {"a": INPUT, "q": BEFORE}), 2, 6)
