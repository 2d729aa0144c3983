# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A netlist as Verilog that every tool reads: single bits, short names, no expressions."""

from __future__ import annotations

from .netlist import CONST0, CONST1, Netlist


def to_verilog(netlist: Netlist) -> str:
    """Return a netlist as a structural Verilog module.

    Ports are split into bits (``p0``, ``p1``, ... in the order of ``port_bits``),
    the instance of index k is ``u<k>`` and net k is ``n<k>``: names that need no
    escape in Verilog or Tcl. An output that is another port or a constant gets an
    ``assign``.
    """
    bits = port_bits(netlist)
    lines = [f"module top({', '.join(bits.values())});"]
    lines += [
        f"  {direction} {bits[name, k]};"
        for direction, ports in (("input", netlist.inputs), ("output", netlist.outputs))
        for name, nets in ports.items()
        for k in range(len(nets))
    ]
    names = {CONST0: "1'b0", CONST1: "1'b1"}
    for name, nets in netlist.inputs.items():
        for k, net in enumerate(nets):
            names[net] = bits[name, k]
    assigns = []
    for name, nets in netlist.outputs.items():
        for k, net in enumerate(nets):
            if net in names:
                assigns.append(f"  assign {bits[name, k]} = {names[net]};")
            else:
                names[net] = bits[name, k]
    wires = [net for net in range(len(netlist.net_names)) if net not in names]
    names.update((net, f"n{net}") for net in wires)
    lines += [f"  wire n{net};" for net in wires]
    for index, instance in enumerate(netlist.instances):
        pins = ", ".join(f".{pin}({names[net]})" for pin, net in instance.pins.items())
        lines.append(f"  {instance.cell} u{index} ({pins});")
    return "\n".join([*lines, *assigns, "endmodule", ""])


def port_bits(netlist: Netlist) -> dict[tuple[str, int], str]:
    """Return the name that each bit of each port has in ``to_verilog``."""
    ports = [*netlist.inputs.items(), *netlist.outputs.items()]
    keys = [(name, k) for name, nets in ports for k in range(len(nets))]
    return {key: f"p{index}" for index, key in enumerate(keys)}
