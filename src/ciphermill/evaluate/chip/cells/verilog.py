# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Writes a netlist as Verilog that every tool reads: single bits and no expressions."""

from __future__ import annotations

from ciphermill.evaluate.chip.cells.netlist import CONST0, CONST1, Netlist


def to_verilog(netlist: Netlist, *, own_names: bool = False) -> str:
    """Return a netlist as a structural Verilog module.

    Ports are split into bits (``p0``, ``p1``, ... in the order of ``port_bits``),
    the instance of index k is ``u<k>`` and net k is ``n<k>``: names that need no
    escape in Verilog or Tcl. An output that is another port or a constant gets an
    ``assign``.

    Args:
        netlist: The netlist.
        own_names: Use the netlist's own names, escaped, as in its activity
            (``write_saif``). A port's bit is ``name[k]``; if its net has another name, an
            ``assign`` connects the two.
    """
    top, bits = "top", port_bits(netlist)
    wires = [f"n{net}" for net in range(len(netlist.net_names))]
    if own_names:
        top, bits = _escaped(netlist.top), _own_bits(netlist)
        wires = [_escaped(name) for name in netlist.net_names]
    lines = [f"module {top}({', '.join(bits.values())});"]
    lines += [
        f"  {direction} {bits[name, k]};"
        for direction, ports in (("input", netlist.inputs), ("output", netlist.outputs))
        for name, nets in ports.items()
        for k in range(len(nets))
    ]
    names = {CONST0: "1'b0", CONST1: "1'b1"}
    assigns = []
    for name, nets in netlist.inputs.items():
        for k, net in enumerate(nets):
            bit = bits[name, k]
            if own_names and wires[net] != bit:
                assigns.append((wires[net], bit))
            else:
                names[net] = bit
    for name, nets in netlist.outputs.items():
        for k, net in enumerate(nets):
            bit = bits[name, k]
            if net in names:
                assigns.append((bit, names[net]))
            elif own_names and wires[net] != bit:
                assigns.append((bit, wires[net]))
            else:
                names[net] = bit
    inner = [net for net in range(len(wires)) if net not in names]
    names.update((net, wires[net]) for net in inner)
    lines += [f"  wire {wires[net]};" for net in inner]
    for index, instance in enumerate(netlist.instances):
        pins = ", ".join(f".{pin}({names[net]})" for pin, net in instance.pins.items())
        own = _escaped(instance.name) if own_names else f"u{index}"
        lines.append(f"  {instance.cell} {own} ({pins});")
    lines += [f"  assign {target} = {source};" for target, source in assigns]
    return "\n".join([*lines, "endmodule", ""])


def port_bits(netlist: Netlist) -> dict[tuple[str, int], str]:
    """Return the name that each bit of each port has in ``to_verilog``."""
    ports = [*netlist.inputs.items(), *netlist.outputs.items()]
    keys = [(name, k) for name, nets in ports for k in range(len(nets))]
    return {key: f"p{index}" for index, key in enumerate(keys)}


def _own_bits(netlist: Netlist) -> dict[tuple[str, int], str]:
    ports = [*netlist.inputs.items(), *netlist.outputs.items()]
    return {
        (name, k): _escaped(f"{name}[{k}]" if len(nets) > 1 else name)
        for name, nets in ports
        for k in range(len(nets))
    }


def _escaped(name: str) -> str:
    """Return a name as an escaped identifier (IEEE 1364-2005, section 3.7.1)."""
    return f"\\{name} "
