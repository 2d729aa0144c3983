# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""For tests: a library and a circuit whose timing and power can be worked out by hand.

Units are picoseconds, femtofarads, femtojoules and nanowatts, the supply 2 V. Most
tables are constants, or straight lines over the load.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ciphermill.evaluate.chip.activity.activity import Activity
from ciphermill.evaluate.chip.cells.netlist import CONST0, CONST1, Instance, Netlist
from ciphermill.evaluate.chip.cells.timing import Timing
from ciphermill.toolchain.liberty import parse_library
from ciphermill.toolchain.liberty_model import Library


def _line(kind: str, start: float, slope: float) -> str:
    return f'{kind} (by_load) {{ values ("{start}, {start + 10 * slope}"); }}'


def _scalar(kind: str, value: float) -> str:
    return f'{kind} (scalar) {{ values ("{value}"); }}'


def _delay(pin: str, rise: tuple[float, float], fall: tuple[float, float], slew: float) -> str:
    return (
        f'related_pin : "{pin}"; {_line("cell_rise", *rise)} {_line("cell_fall", *fall)}'
        f" {_scalar('rise_transition', slew)} {_scalar('fall_transition', slew)}"
    )


def _energy(rise: float, fall: float, about: str = "") -> str:
    return (
        f"internal_power () {{ {about} "
        f"{_scalar('rise_power', rise)} {_scalar('fall_power', fall)} }}"
    )


def _input(name: str, capacitance: float, more: str = "") -> str:
    return f"pin ({name}) {{ direction : input; capacitance : {capacitance}; {more} }}"


_BY_SLEW = 'values ("20", "25");'

LIBERTY = f"""
library (by_hand) {{
  time_unit : "1ps"; voltage_unit : "1V"; leakage_power_unit : "1nW";
  capacitive_load_unit (1, ff); nom_voltage : 2;
  lu_table_template (by_load) {{ variable_1 : total_output_net_capacitance; index_1 ("0, 10"); }}
  lu_table_template (by_slew) {{ variable_1 : input_net_transition; index_1 ("0, 10"); }}
  cell (INV) {{
    area : 1;
    leakage_power () {{ when : "A"; value : 2; }}
    leakage_power () {{ when : "!A"; value : 4; }}
    {_input("A", 1)}
    pin (Y) {{
      direction : output; function : "!A";
      timing () {{ timing_sense : negative_unate; {_delay("A", (10, 2), (8, 1), 4)} }}
      {_energy(0.5, 0.3, "related_pin : A;")}
    }}
  }}
  cell (NAND) {{
    area : 1.5; cell_leakage_power : 5;
    {_input("A", 1)} {_input("B", 2)}
    pin (Y) {{
      direction : output; function : "!(A & B)";
      timing () {{ timing_sense : negative_unate; {_delay("A B", (12, 2), (10, 2), 6)} }}
      {_energy(1, 0.6, "related_pin : A;")} {_energy(2, 1, "related_pin : B;")}
    }}
  }}
  cell (XOR) {{
    area : 3; cell_leakage_power : 6;
    {_input("A", 2)} {_input("B", 2)}
    pin (Y) {{
      direction : output; function : "A ^ B";
      timing () {{
        related_pin : "A B"; timing_sense : non_unate;
        cell_rise (by_slew) {{ {_BY_SLEW} }} cell_fall (by_slew) {{ {_BY_SLEW} }}
        {_scalar("rise_transition", 8)} {_scalar("fall_transition", 8)}
      }}
      {_energy(2, 2, 'related_pin : A; when : "B";')}
      {_energy(1, 1, 'related_pin : A; when : "!B";')}
      {_energy(3, 3, "related_pin : B;")}
    }}
  }}
  cell (DFF) {{
    area : 6;
    ff (IQ, IQN) {{ next_state : "D"; clocked_on : "CK"; }}
    leakage_power () {{ when : "Q"; value : 10; }}
    leakage_power () {{ when : "!Q & QN"; value : 20; }}
    {
    _input("CK", 1, "clock : true;" + _energy(1, 1, 'when : "!D";') + _energy(2, 2, 'when : "D";'))
}
    {
    _input(
        "D",
        1,
        'timing () { related_pin : "CK"; timing_type : setup_rising;'
        + _scalar("rise_constraint", 7)
        + _scalar("fall_constraint", 9)
        + "}"
        + _energy(0.4, 0.4),
    )
}
    pin (Q) {{
      direction : output; function : "IQ";
      timing () {{ timing_type : rising_edge; {_delay("CK", (50, 0), (57, 1), 10)} }}
      {_energy(3, 2, "related_pin : CK;")}
    }}
    pin (QN) {{
      direction : output; function : "IQN";
      timing () {{ timing_type : rising_edge; {_delay("CK", (50, 0), (57, 1), 10)} }}
      {_energy(1, 1, "related_pin : CK;")}
    }}
  }}
  cell (GATE) {{
    area : 5; cell_leakage_power : 3;
    clock_gating_integrated_cell : latch_posedge;
    {_input("CK", 1, "clock_gate_clock_pin : true;" + _energy(0.5, 0.5))}
    {
    _input(
        "E",
        1,
        "clock_gate_enable_pin : true;"
        + 'timing () { related_pin : "CK"; timing_type : setup_rising;'
        + _scalar("rise_constraint", 5)
        + "}",
    )
}
    pin (GCK) {{
      direction : output; clock_gate_out_pin : true;
      timing () {{ timing_sense : positive_unate; {_delay("CK", (30, 0), (30, 0), 5)} }}
      {_energy(2, 2, "related_pin : CK;")}
    }}
  }}
}}
"""


def hand_library() -> Library:
    """Return the library."""
    return parse_library(LIBERTY, Path("by_hand.lib"))


def make_netlist(
    library: Library,
    cells: Mapping[str, str],
    *,
    inputs: str,
    outputs: str,
    modules: Mapping[str, str] | None = None,
) -> Netlist:
    """Return a netlist that is written by hand.

    Args:
        library: The cells' library.
        cells: By instance: its cell, then its pins as ``PIN=net``.
        inputs: Names of the input nets, which are ports of one bit.
        outputs: Names of the output nets.
        modules: Module instance by instance, where it is not the top.
    """
    nets = {"0": CONST0, "1": CONST1}

    def net(name: str) -> int:
        return nets.setdefault(name, len(nets))

    input_ports = {name: [net(name)] for name in inputs.split()}
    instances = []
    for name, text in cells.items():
        kind, *pins = text.split()
        pairs = (pin.split("=") for pin in pins)
        wires = {pin: net(wire) for pin, wire in pairs}
        instances.append(Instance(name, kind, (modules or {}).get(name, ""), wires))
    output_ports = {name: [net(name)] for name in outputs.split()}
    return Netlist("hand", library, instances, list(nets), input_ports, output_ports)


def ten_cells() -> Netlist:
    """Return a circuit of ten cells: two flip-flops, one behind a clock gate."""
    return make_netlist(
        hand_library(),
        {
            "u0": "INV A=a Y=n1",
            "u1": "NAND A=a B=b Y=n2",
            "u2": "XOR A=n1 B=n2 Y=n3",
            "u3": "DFF CK=clk D=n3 Q=q0",
            "u4": "INV A=q0 Y=n4",
            "u5": "NAND A=n4 B=c Y=n5",
            "u6": "DFF CK=gclk D=n5 Q=q1",
            "u7": "XOR A=q0 B=q1 Y=n7",
            "u8": "INV A=n7 Y=y",
            "u9": "GATE CK=clk E=en GCK=gclk",
        },
        inputs="clk a b c en",
        outputs="y",
        modules={"u6": "u_half", "u9": "u_half"},
    )


def uniform_activity(
    netlist: Netlist,
    timing: Timing,
    *,
    period_ps: float,
    toggles_per_cycle: float,
    cycles: int = 1000,
) -> Activity:
    """Return the activity in which every net but the clock's toggles equally often.

    Every net is high half of the time; clock nets toggle twice in a cycle.

    Args:
        netlist: The circuit.
        timing: Says which nets are the clock's.
        period_ps: Clock period.
        toggles_per_cycle: Of every other net.
        cycles: Length of the window.
    """
    count = len(netlist.net_names)
    toggles = [round(toggles_per_cycle * cycles)] * count
    for net in timing.clock.nets:
        toggles[net] = 2 * cycles
    return Activity(period_ps * cycles, toggles, [0.5 * period_ps * cycles] * count)
