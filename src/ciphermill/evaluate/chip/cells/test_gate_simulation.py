# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The gate-level simulator on circuits that can be worked out by hand."""

import random

import pytest
from support.gates import (
    delays_of,
    gate_library,
    random_delays,
    random_netlist,
    timing_of,
)
from support.netlists import make_netlist

from ciphermill.evaluate.chip.activity.simulation import SimulationError
from ciphermill.evaluate.chip.cells.gate_simulation import GateSimulation
from ciphermill.evaluate.chip.cells.netlist import Netlist

CELLS = gate_library()


def toggler(more: dict[str, str], outputs: str = "y") -> Netlist:
    """A flip-flop that toggles each cycle, net q, and what hangs on it."""
    cells = {"u0": "DFF CK=clk D=qn Q=q QN=qn", **more}
    return make_netlist(CELLS, cells, inputs="clk", outputs=outputs)


def pulses(buffer_ps: float, xor_ps: float) -> tuple[GateSimulation, Netlist]:
    """q and q later by a buffer into a XOR: a pulse a clock, as long as the buffer's delay."""
    netlist = toggler({"u1": "BUF A=q Y=late", "u2": "XOR A=q B=late Y=y"})
    timing = delays_of(netlist, {"u0": 40, "u1": buffer_ps, "u2": xor_ps})
    return GateSimulation(netlist, timing, 1000, clock="clk"), netlist


def window(
    simulation: GateSimulation, cycles: int, netlist: Netlist
) -> dict[str, tuple[int, int, float]]:
    """Toggles, those without glitches and the time at 1 of each net, by name."""
    simulation.clock(2)
    simulation.start_window()
    simulation.clock(cycles)
    found = simulation.end_window()
    settled = simulation.settled_activity
    assert found.duration_ps == settled.duration_ps == cycles * 1000
    return {
        name: (found.toggles[net], settled.toggles[net], found.high_ps[net])
        for net, name in enumerate(netlist.net_names)
    }


def test_unequal_delays_make_a_glitch_of_their_difference() -> None:
    simulation, netlist = pulses(buffer_ps=50, xor_ps=20)
    nets = window(simulation, 10, netlist)
    assert nets["clk"] == (20, 20, 5000)
    assert nets["q"][:2] == (10, 10)
    assert nets["y"] == (20, 0, 10 * 50)


def test_a_pulse_shorter_than_the_delay_vanishes() -> None:
    simulation, netlist = pulses(buffer_ps=19.999, xor_ps=20)
    assert window(simulation, 10, netlist)["y"] == (0, 0, 0)


def test_rising_and_falling_delays_shape_the_pulse() -> None:
    netlist = toggler({"u1": "BUF A=q Y=late", "u2": "XOR A=q B=late Y=y"})
    timing = delays_of(netlist, {"u0": 40, "u1": 50})
    delays = dict(timing.delays)
    delays[2, "Y", "A"] = (30, 999)  # A rises or falls: the XOR rises
    delays[2, "Y", "B"] = (999, 10)  # B follows: it falls
    simulation = GateSimulation(netlist, timing_of(delays), 1000, clock="clk")
    # Up 30 ps after q, down 50 + 10 ps after q.
    assert window(simulation, 10, netlist)["y"] == (20, 0, 10 * 30)


def test_the_earlier_of_two_causes_counts() -> None:
    # q falls: the NAND rises 90 ps after A and 10 ps after B, and B changes 20 ps later.
    netlist = toggler({"u1": "BUF A=q Y=late", "u2": "NAND A=q B=late Y=y"})
    delays = dict(delays_of(netlist, {"u0": 40, "u1": 20}).delays)
    delays[2, "Y", "A"] = (90, 90)
    delays[2, "Y", "B"] = (10, 10)
    simulation = GateSimulation(netlist, timing_of(delays), 1000, clock="clk")
    nets = window(simulation, 10, netlist)
    # Rises at 40 + 20 + 10. Falls by A at 40 + 90 or by B at 40 + 20 + 10: B is the last to come.
    assert nets["y"] == (10, 10, 5 * 1000)


def test_inputs_change_one_flip_flop_after_the_edge() -> None:
    netlist = make_netlist(
        CELLS, {"u0": "DFF CK=clk D=a Q=q", "u1": "XOR A=a B=q Y=y"}, inputs="clk a", outputs="y"
    )
    simulation = GateSimulation(netlist, delays_of(netlist, {"u0": 40, "u1": 5}), 1000, clock="clk")
    simulation.clock(2)
    simulation.start_window()
    simulation.poke("a", 1)
    simulation.clock(1)
    simulation.poke("a", 0)
    simulation.clock(1)
    activity = simulation.end_window()
    names = {name: net for net, name in enumerate(netlist.net_names)}
    assert activity.high_ps[names["a"]] == 1000, "from 40 ps of one clock to 40 ps of the next"
    # a and q change at one time in the second cycle: no pulse comes through the XOR.
    assert activity.toggles[names["y"]] == 1


def test_inputs_wait_no_longer_than_their_paths_allow() -> None:
    cells = {"u0": "DFF CK=clk D=y Q=q", "u1": "XOR A=a B=q Y=n", "u2": "BUF A=n Y=y"}
    netlist = make_netlist(CELLS, cells, inputs="clk a", outputs="y")
    timing = delays_of(netlist, {"u0": 400, "u1": 200, "u2": 350})
    simulation = GateSimulation(netlist, timing, 960, clock="clk")  # q's path fits, a's by 410
    for n in range(20):
        simulation.poke("a", n & 1)
        simulation.clock()
    simulation = GateSimulation(netlist, timing, 951, clock="clk")  # both fit barely
    for n in range(20):
        simulation.poke("a", n & 1)
        simulation.clock()


def test_flip_flops_behind_gated_cycles_take_old_values() -> None:
    cells = {
        "u0": "DFF CK=clk D=qn Q=q QN=qn",
        "g0": "ICG CK=clk E=1 GCK=c0",
        "b0": "BUF A=c0 Y=c1",
        "b1": "BUF A=c1 Y=c2",
        "u1": "DFF CK=c2 D=q Q=q1",
        "u2": "DFF CK=clk D=q1 Q=q2",
    }
    netlist = make_netlist(CELLS, cells, inputs="clk", outputs="q q1 q2")
    slow_gates = {"u0": 30, "u1": 30, "u2": 30, "g0": 500, "b0": 500, "b1": 500}
    for timing in (None, delays_of(netlist, slow_gates)):
        simulation = GateSimulation(netlist, timing, 1000, clock="clk")
        history = []
        for _ in range(8):
            simulation.clock()
            history.append([simulation.peek(name) for name in ("q", "q1", "q2")])
        assert [row[1] for row in history[2:]] == [row[0] for row in history[1:-1]]
        assert [row[2] for row in history[2:]] == [row[1] for row in history[1:-1]]


@pytest.mark.parametrize("kind", ["ICG", "ICGT", "ICGN"])
def test_a_clock_gate_lets_whole_cycles_through(kind: str) -> None:
    test = " SE=0" if kind == "ICGT" else ""
    edge = "DFFN" if kind == "ICGN" else "DFF"
    cells = {"g": f"{kind} CK=clk E=en{test} GCK=gated", "u": f"{edge} CK=gated D=qn Q=q QN=qn"}
    netlist = make_netlist(CELLS, cells, inputs="clk en", outputs="q")
    gated = netlist.net_names.index("gated")
    for timing in (None, delays_of(netlist, {"u": 30})):
        simulation = GateSimulation(netlist, timing, 1000, clock="clk")
        simulation.clock(2)
        simulation.start_window()
        for enable in (0, 1, 1, 0, 0, 1, 0):
            simulation.poke("en", enable)
            simulation.clock()
        activity = simulation.end_window()
        assert activity.toggles[gated] == 2 * 3
        assert activity.toggles[netlist.net_names.index("q")] == 3


def test_reset_enable_and_preset() -> None:
    cells = {
        "r": "DFFR CK=clk D=d RN=rn Q=r",
        "s": "DFFS CK=clk D=d RN=rn Q=s",
        "e": "DFFE CK=clk D=d EN=en Q=e",
        "b": "DFFRS CK=clk D=d RN=rn SN=rn Q=b QN=bn",
        "n": "DFFN CK=clk D=d Q=n",
        "l": "LATCH G=en D=d Q=l",
    }
    netlist = make_netlist(CELLS, cells, inputs="clk d en rn", outputs="r s e b bn n l")

    def values() -> str:
        return "".join(str(simulation.peek(name)) for name in "rsebnl")

    for timing in (None, delays_of(netlist, dict.fromkeys(cells, 20.0))):
        simulation = GateSimulation(netlist, timing, 1000, clock="clk")
        assert values() == "010100", "reset is on from the beginning; both: as the library says"
        simulation.poke("rn", 1)
        simulation.poke("d", 1)
        simulation.clock()
        assert values() == "110100", "no falling edge yet; nothing enabled"
        simulation.poke("en", 1)
        simulation.clock()
        assert values() == "111111"
        simulation.poke("d", 0)
        simulation.poke("en", 0)
        simulation.clock()
        # The latch was closed before its data fell, or after: both inputs changed together.
        assert values()[:5] == "00100"
        simulation.poke("rn", 0)
        assert values()[:5] == "01110", "without a clock"


def test_flip_flops_begin_at_random_values_where_asked() -> None:
    netlist = random_netlist(3)
    zero, one, other = (GateSimulation(netlist, seed=seed) for seed in (None, 1, 2))
    states = [net for net, name in enumerate(netlist.net_names) if name.startswith("q")]
    assert states
    found = {simulation.peek("data_o") for simulation in (zero, one, other)}
    assert len(found) == 3


@pytest.mark.parametrize("seed", range(20))
def test_with_delays_nets_end_where_they_do_without(seed: int) -> None:
    netlist = random_netlist(seed)
    timing = random_delays(netlist, seed)
    simulation = GateSimulation(netlist, timing, 10_000, seed=seed)
    source = random.Random(seed)
    simulation.clock()
    simulation.poke("rst_ni", 1)
    simulation.clock(2)
    simulation.start_window()
    for _ in range(40):
        simulation.poke("data_i", source.getrandbits(70))
        simulation.poke("enable_i", source.getrandbits(4))
        simulation.clock()  # compares all flip-flops
    found, settled = simulation.end_window(), simulation.settled_activity
    for net, name in enumerate(netlist.net_names):
        with_glitches, without = found.toggles[net], settled.toggles[net]
        assert with_glitches >= without, name
        # The window ends in the moment of an edge, at which nothing is under way.
        assert (with_glitches - without) % 2 == 0, name
        assert 0 <= found.high_ps[net] <= found.duration_ps
    assert found.total() > settled.total()


@pytest.mark.parametrize("seed", range(10))
def test_delays_may_begin_with_a_window(seed: int) -> None:
    netlist = random_netlist(seed)
    timing = random_delays(netlist, seed)
    always, later = (
        GateSimulation(netlist, timing, 10_000, seed=seed, delays_in_windows=late)
        for late in (False, True)
    )
    source = random.Random(seed)
    for _ in range(3):
        for counted in (False, True):
            if counted:
                for simulation in (always, later):
                    simulation.start_window()
            for _ in range(7):
                data, enable = source.getrandbits(70), source.getrandbits(4)
                for simulation in (always, later):
                    simulation.poke("rst_ni", 1)
                    simulation.poke("data_i", data)
                    simulation.poke("enable_i", enable)
                    simulation.clock()
        one, other = always.end_window(), later.end_window()
        assert one.toggles == other.toggles
        assert one.high_ps == pytest.approx(other.high_ps)
        assert always.settled_activity == later.settled_activity


def test_too_fast_a_clock_is_found() -> None:
    netlist = toggler({"u1": "BUF A=q Y=late", "u2": "DFF CK=clk D=late Q=y"})
    timing = delays_of(netlist, {"u0": 40, "u1": 900})
    GateSimulation(netlist, timing, 941, clock="clk").clock(10)
    with pytest.raises(SimulationError, match=r"clock \d: u2 does not get its value in time"):
        GateSimulation(netlist, timing, 939, clock="clk").clock(10)


def test_a_loop_is_named() -> None:
    cells = {"u0": "NAND A=a B=n2 Y=n1", "u1": "INV A=n1 Y=n2", "u2": "INV A=n2 Y=y"}
    netlist = make_netlist(CELLS, cells, inputs="clk a", outputs="y")
    with pytest.raises(SimulationError, match=r"combinational loop: (n1, n2|n2, n1)$"):
        GateSimulation(netlist, clock="clk")


def test_a_divided_clock_is_refused() -> None:
    netlist = toggler({"u1": "DFF CK=q D=y Q=z QN=y"})
    with pytest.raises(SimulationError, match="clock does not come from the clock input: q"):
        GateSimulation(netlist, clock="clk")


def test_what_cannot_be_simulated_is_said() -> None:
    netlist = toggler({"u1": "INV A=q Y=y"})
    with pytest.raises(SimulationError, match="hand has no clock input clk_i"):
        GateSimulation(netlist)
    simulation = GateSimulation(netlist, clock="clk")
    with pytest.raises(SimulationError, match="has no input clk to be set"):
        simulation.poke("clk", 1)
    with pytest.raises(SimulationError, match="has no port z"):
        simulation.peek("z")
    with pytest.raises(SimulationError, match="no window is open"):
        simulation.end_window()
    simulation.clock()
    simulation.peek("y")
    with pytest.raises(SimulationError, match=r"begins after clock\(\)"):
        simulation.start_window()


def test_wide_ports_and_their_limits() -> None:
    netlist = random_netlist(1)
    simulation = GateSimulation(netlist)
    assert simulation.inputs == {"rst_ni": 1, "enable_i": 4, "data_i": 70}
    value = (1 << 69) | 5
    simulation.poke("data_i", value)
    assert simulation.peek("data_i") == value
    for wrong in (1 << 70, -1):
        with pytest.raises(SimulationError, match="does not fit the 70 bits of port data_i"):
            simulation.poke("data_i", wrong)
