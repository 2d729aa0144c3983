# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Power of a circuit of ten cells, worked out by hand (``support.netlists`` has the tables)."""

from dataclasses import replace
from typing import Any

import pytest
from support.netlists import hand_library, make_netlist, ten_cells, uniform_activity

from ciphermill.evaluate.chip.activity.activity import Activity
from ciphermill.evaluate.chip.cells.power import Energy, Kind, estimate_power
from ciphermill.evaluate.chip.cells.timing import analyse_timing
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.liberty_expression import parse_expression
from ciphermill.toolchain.liberty_model import ClockGate, Library, Table

DURATION_PS = 10_000.0
ACTIVITY = {
    "clk": (20, 0.5), "a": (8, 0.5), "b": (4, 0.25), "c": (2, 0.5), "en": (2, 0.5),
    "n1": (8, 0.5), "n2": (6, 0.8), "n3": (10, 0.5), "q0": (6, 0.5), "n4": (6, 0.5),
    "n5": (4, 0.75), "gclk": (10, 0.25), "q1": (3, 0.4), "n7": (7, 0.5), "y": (7, 0.5),
}  # fmt: skip
"""Toggles and share of time high, by net."""

# ½·C·V² is 2 fJ for each fF at 2 V.
SWITCHING_FJ = {
    "u0": 2 * 2 * 8,  # n1 drives XOR.A
    "u1": 2 * 2 * 6,
    "u2": 2 * 1 * 10,
    "u3": 2 * (1 + 2) * 6,  # q0 drives INV.A and XOR.A
    "u4": 2 * 1 * 6,
    "u5": 2 * 1 * 4,
    "u6": 2 * 2 * 3,
    "u7": 2 * 1 * 7,
    "u8": 0,  # an output port has no pin
    "u9": 2 * 1 * 10,
}
CLOCK_PORT_FJ = 2 * 2 * 20

# A toggle costs the mean of a rise and a fall.
INTERNAL_FJ = {
    "u0": 8 * 0.4,
    # A matters while B is high: 8·0.25; B while A is high: 4·0.5. They share alike.
    "u1": 6 * (0.8 + 1.5) / 2,
    # A while B is high 8·0.8 at 2 fJ, while B is low 8·0.2 at 1 fJ; B 6 at 3 fJ.
    "u2": 10 * (6.4 * 2 + 1.6 * 1 + 6 * 3) / (6.4 + 1.6 + 6),
    # CK half the time with D low, 2 fJ a clock, half high, 4 fJ; D; Q; QN toggles unseen.
    "u3": 10 * (0.5 * 2 + 0.5 * 4) + 10 * 0.4 + 6 * 2.5 + 6 * 1,
    "u4": 6 * 0.4,
    "u5": 4 * (3 * 0.8 + 1 * 1.5) / (3 + 1),
    "u6": 5 * (0.25 * 2 + 0.75 * 4) + 4 * 0.4 + 3 * 2.5 + 3 * 1,
    "u7": 7 * (2.4 * 2 + 3.6 * 1 + 3 * 3) / (2.4 + 3.6 + 3),
    "u8": 7 * 0.4,
    "u9": 20 * 0.5 + 10 * 2,
}
LEAKAGE_NW = {
    "u0": 3, "u1": 5, "u2": 6, "u3": 15, "u4": 3, "u5": 5,
    "u6": 0.4 * 10 + 0.6 * 20, "u7": 6, "u8": 3, "u9": 3,
}  # fmt: skip


def activity(names: list[str]) -> Activity:
    found = [ACTIVITY.get(name, (0, float(name == "1"))) for name in names]
    highs = [share * DURATION_PS for _, share in found]
    return Activity(DURATION_PS, [toggles for toggles, _ in found], highs)


def test_ten_cells_by_hand() -> None:
    netlist = ten_cells()
    power = estimate_power(netlist, analyse_timing(netlist, "clk"), activity(netlist.net_names))
    for instance, energy in zip(netlist.instances, power.instances, strict=True):
        name = instance.name
        assert energy.switching_fj == pytest.approx(SWITCHING_FJ[name]), name
        assert energy.internal_fj == pytest.approx(INTERNAL_FJ[name]), name
        assert energy.leakage_fj == pytest.approx(LEAKAGE_NW[name] * DURATION_PS * 1e-6), name
    assert power.total.switching_fj == pytest.approx(sum(SWITCHING_FJ.values()) + CLOCK_PORT_FJ)
    assert power.total.internal_fj == pytest.approx(sum(INTERNAL_FJ.values()))
    assert power.milliwatts(power.total.leakage_fj) == pytest.approx(65e-6)
    assert power.energy_pj == pytest.approx(power.total.total_fj / 1000)
    assert power.power_mw == pytest.approx(power.total.total_fj / DURATION_PS)


def test_every_cell_is_in_one_kind_and_one_module() -> None:
    netlist = ten_cells()
    power = estimate_power(netlist, analyse_timing(netlist, "clk"), activity(netlist.net_names))
    clock = power.by_kind[Kind.CLOCK]
    assert clock.switching_fj == pytest.approx(SWITCHING_FJ["u9"] + CLOCK_PORT_FJ)
    assert clock.internal_fj == pytest.approx(INTERNAL_FJ["u9"])
    sequential = power.by_kind[Kind.SEQUENTIAL]
    assert sequential.internal_fj == pytest.approx(INTERNAL_FJ["u3"] + INTERNAL_FJ["u6"])
    assert power.by_module["u_half"].internal_fj == pytest.approx(
        INTERNAL_FJ["u6"] + INTERNAL_FJ["u9"]
    )
    assert power.by_module.keys() == {"", "u_half"}
    for parts in (power.by_kind.values(), power.by_module.values()):
        assert sum(parts, Energy()).total_fj == pytest.approx(power.total.total_fj)


def test_energies_are_looked_up_by_the_edge_of_the_input_that_causes_them() -> None:
    library = hand_library()
    netlist = make_netlist(library, {"u0": "INV A=a Y=y"}, inputs="a", outputs="y")
    timing = analyse_timing(netlist, None)
    inverter = library.cells["INV"]
    table = library.cells["XOR"].pins["Y"].arcs[0].cell_rise  # 20 + 0.5·slew
    (old,) = inverter.pins["Y"].internal_power
    pin = replace(inverter.pins["Y"], internal_power=(replace(old, rise=table),))
    cells = {"INV": replace(inverter, pins={**inverter.pins, "Y": pin})}
    netlist = replace(netlist, library=replace(library, cells=cells))
    slews = list(timing.slew_ps)
    slews[netlist.inputs["a"][0]] = (0.0, 40.0)
    power = estimate_power(
        netlist, replace(timing, slew_ps=slews), Activity(1, [0, 0, 2, 2], [0] * 4)
    )
    # The output rises as the input falls, with a slew of 40 ps: 20 + 20 fJ; it falls for 0.3.
    assert power.total.internal_fj == pytest.approx(40 + 0.3)


def test_an_output_left_open_toggles_as_its_inputs_make_it() -> None:
    netlist = make_netlist(
        hand_library(), {"u0": "XOR A=a B=b", "u1": "NAND A=a B=b"}, inputs="a b", outputs=""
    )
    timing = analyse_timing(netlist, None)
    power = estimate_power(netlist, timing, Activity(100, [0, 0, 4, 2], [0, 100, 50, 25]))
    xor, nand = power.instances
    assert xor.switching_fj == nand.switching_fj == 0
    # XOR: 6 toggles. A: 4·0.25 at 2, 4·0.75 at 1; B: 2 at 3.
    assert xor.internal_fj == pytest.approx(1 * 2 + 3 * 1 + 2 * 3)
    # NAND: A while B is high, 4·0.25 at 0.8; B while A is high, 2·0.5 at 1.5.
    assert nand.internal_fj == pytest.approx(1 * 0.8 + 1 * 1.5)


def changed(library: Library, cell: str, **fields: Any) -> Library:
    return replace(library, cells={**library.cells, cell: replace(library.cells[cell], **fields)})


def test_a_state_is_known_from_its_inverse() -> None:
    netlist = make_netlist(hand_library(), {"u": "DFF CK=c D=d QN=y"}, inputs="c d", outputs="y")
    timing = analyse_timing(netlist, "c")
    # QN is high a quarter of the time, so Q is for three.
    power = estimate_power(netlist, timing, Activity(100, [0, 0, 0, 0, 6], [0, 100, 50, 50, 25]))
    assert power.milliwatts(power.total.leakage_fj) == pytest.approx((0.75 * 10 + 0.25 * 20) * 1e-6)
    assert power.total.internal_fj == pytest.approx(6 * 1 + 6 * 2.5)


def test_an_energy_without_a_condition_holds_where_no_other_does() -> None:
    library = hand_library()
    data = library.cells["DFF"].pins["D"]
    (old,) = data.internal_power
    double = Table((0.0,), (0.0,), ((0.8,),))
    high = replace(old, when=parse_expression("CK"), rise=double, fall=double)
    pins = {**library.cells["DFF"].pins, "D": replace(data, internal_power=(old, high))}
    netlist = make_netlist(
        changed(library, "DFF", pins=pins), {"u": "DFF CK=c D=d Q=y"}, inputs="c d", outputs="y"
    )
    timing = analyse_timing(netlist, "c")
    power = estimate_power(netlist, timing, Activity(100, [0, 0, 0, 10, 0], [0, 100, 25, 50, 0]))
    assert power.total.internal_fj == pytest.approx(10 * (0.25 * 0.8 + 0.75 * 0.4))


@pytest.mark.parametrize(
    ("kind", "high_ps", "leakage_nw"),
    [
        # The gate is open a fifth of the time: clock and output 10, clock alone 40, neither 50 ps.
        ("latch_posedge", 10, 0.1 * 100 + 0.4 * 10 + 0.5 * 1),
        # It rests at 1: both 50, output alone 40, neither 10 ps.
        ("latch_negedge", 90, 0.5 * 100 + 0.4 * 2 + 0.1 * 1),
    ],
)
def test_a_clock_gate_s_output_goes_with_its_clock(
    kind: str, high_ps: float, leakage_nw: float
) -> None:
    library = hand_library()
    gate = library.cells["GATE"].sequential
    assert isinstance(gate, ClockGate)
    states = {"CK & GCK": 100, "CK & !GCK": 10, "!CK & GCK": 2, "!CK & !GCK": 1}
    library = changed(
        library,
        "GATE",
        sequential=replace(gate, kind=kind),
        leakage_states=tuple((parse_expression(when), nw) for when, nw in states.items()),
    )
    netlist = make_netlist(library, {"u": "GATE CK=c E=e GCK=y"}, inputs="c e", outputs="y")
    timing = analyse_timing(netlist, "c")
    power = estimate_power(netlist, timing, Activity(100, [0] * 5, [0, 100, 50, 50, high_ps]))
    assert power.milliwatts(power.total.leakage_fj) == pytest.approx(leakage_nw * 1e-6)


def test_a_quiet_circuit_only_leaks() -> None:
    netlist = ten_cells()
    count = len(netlist.net_names)
    power = estimate_power(
        netlist, analyse_timing(netlist, "clk"), Activity(1000, [0] * count, [0] * count)
    )
    assert power.total.switching_fj == power.total.internal_fj == 0
    assert power.total.leakage_fj > 0


def test_power_is_linear_in_time() -> None:
    netlist = ten_cells()
    timing = analyse_timing(netlist, "clk", wire_ff_per_fanout=1)
    short, long = (
        estimate_power(
            netlist,
            timing,
            uniform_activity(netlist, timing, period_ps=500, toggles_per_cycle=0.2, cycles=cycles),
        )
        for cycles in (100, 1000)
    )
    assert short.power_mw == pytest.approx(long.power_mw)
    assert 10 * short.energy_pj == pytest.approx(long.energy_pj)


def test_uniform_activity_leaves_the_clock_its_two_toggles() -> None:
    netlist = ten_cells()
    timing = analyse_timing(netlist, "clk")
    found = uniform_activity(netlist, timing, period_ps=500, toggles_per_cycle=0.1, cycles=50)
    names = {name: net for net, name in enumerate(netlist.net_names)}
    assert found.duration_ps == 25_000
    assert found.toggles[names["clk"]] == found.toggles[names["gclk"]] == 100
    assert found.toggles[names["q0"]] == 5
    assert found.high_ps[names["q0"]] == 12_500


def test_an_activity_of_another_netlist_is_refused() -> None:
    netlist = ten_cells()
    timing = analyse_timing(netlist, "clk")
    with pytest.raises(ToolError, match="activity of 1 nets"):
        estimate_power(netlist, timing, Activity(1, [0], [0]))
    count = len(netlist.net_names)
    with pytest.raises(ToolError, match="without length"):
        estimate_power(netlist, timing, Activity(0, [0] * count, [0] * count))
