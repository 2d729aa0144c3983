# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The simulation without delays and Verilator count the same toggles on the same netlist.

Verilator is given the netlist in Verilog and models of its cells that are written
from the library's functions alone.
"""

import random
from pathlib import Path

import pytest
from support.gates import random_netlist, verilog_models

from ciphermill.evaluate.chip.activity.rtl_simulation import RtlSimulation
from ciphermill.evaluate.chip.activity.simulation import Simulation
from ciphermill.evaluate.chip.cells.gate_simulation import GateSimulation
from ciphermill.evaluate.chip.cells.netlist import CONST0, CONST1, Netlist
from ciphermill.evaluate.chip.cells.verilog import port_bits, to_verilog
from ciphermill.toolchain.rtl import RtlSource

PERIOD_PS = 2000.0


def verilog_simulation(netlist: Netlist, folder: Path) -> RtlSimulation:
    sources = {"models.v": verilog_models(netlist), "top.v": to_verilog(netlist)}
    for name, text in sources.items():
        (folder / name).write_text(text, encoding="utf-8")
    clock = port_bits(netlist)["clk_i", 0]
    paths = tuple(folder / name for name in sources)
    return RtlSimulation(RtlSource("top", paths, {}, clock), PERIOD_PS)


def verilog_names(netlist: Netlist) -> dict[int, str]:
    """Name in ``to_verilog`` of each net but the constants."""
    names = {net: f"n{net}" for net in range(len(netlist.net_names))}
    bits = port_bits(netlist)
    for ports in (netlist.outputs, netlist.inputs):
        for name, nets in ports.items():
            names.update({net: bits[name, bit] for bit, net in enumerate(nets)})
    del names[CONST0], names[CONST1]
    return names


def activity_of_nets(simulation: RtlSimulation, netlist: Netlist) -> dict[int, tuple[int, float]]:
    activity = simulation.end_window()
    place = {name: n for n, name in enumerate(simulation.net_names)}
    aliases = simulation.aliases
    found = {}
    for net, name in verilog_names(netlist).items():
        full = f"top/{name}"
        n = place[aliases.get(full, full)]
        found[net] = (activity.toggles[n], activity.high_ps[n])
    return found


def poke_both(
    gates: GateSimulation, verilog: RtlSimulation, netlist: Netlist, values: dict[str, int]
) -> None:
    bits = port_bits(netlist)
    for port, value in values.items():
        gates.poke(port, value)
        for bit in range(gates.inputs[port]):
            verilog.poke(bits[port, bit], value >> bit & 1)


@pytest.mark.parametrize("seed", [11, 12])
def test_toggles_and_times_of_every_net_are_the_same(seed: int, tmp_path: Path) -> None:
    netlist = random_netlist(seed, gates=400, flip_flops=100)
    gates = GateSimulation(netlist, None, PERIOD_PS)
    verilog = verilog_simulation(netlist, tmp_path)
    both: tuple[Simulation, Simulation] = (gates, verilog)
    source = random.Random(seed)

    def run(cycles: int) -> None:
        for _ in range(cycles):
            poke_both(gates, verilog, netlist, {"data_i": source.getrandbits(70), "rst_ni": 1})
            poke_both(gates, verilog, netlist, {"enable_i": source.getrandbits(4)})
            bits = port_bits(netlist)
            assert gates.peek("data_o") == sum(
                verilog.peek(bits["data_o", bit]) << bit for bit in range(70)
            )
            for simulation in both:
                simulation.clock()

    # Verilog's resets act on an edge of the reset, or of the clock.
    for reset in (1, 0):
        poke_both(gates, verilog, netlist, {"rst_ni": reset})
        gates.peek("data_o")
        verilog.peek(port_bits(netlist)["data_o", 0])
    run(5)
    for cycles in (50, 1, 20):  # windows one after the other
        for simulation in both:
            simulation.start_window()
        run(cycles)
        ours = gates.end_window()
        theirs = activity_of_nets(verilog, netlist)
        assert ours.duration_ps == cycles * PERIOD_PS
        changed = 0
        for net, (toggles, high_ps) in theirs.items():
            name = netlist.net_names[net]
            assert ours.toggles[net] == toggles, name
            assert ours.high_ps[net] == pytest.approx(high_ps), name
            changed += toggles > 0
        assert changed > 100 or cycles == 1
    assert sum(ours.toggles[net] for net in netlist.outputs["data_o"]) > 100
