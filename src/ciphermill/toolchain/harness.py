# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A wrapper with four pins for a core that has more ports than a device has pins.

Place and route needs a pin for each port. The harness shifts all inputs in through one pin
and combines all outputs into another: a chain of flip-flops drives the inputs, each output
goes to a flip-flop, and these are XORed into a second chain, whose end is the output pin.
So every path of the core runs from register to register, as inside a larger design, and
synthesis can remove no part of the core. Clock and reset have pins of their own. The reset
clears the first chain, so that none of its flip-flops equals one after the core, which
synthesis would merge.

The area of the harness itself is measured with ``wires``: the same harness around a module
that only connects its inputs to its outputs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .errors import ToolError

NAME = "ciphermill_harness"
WIRES = "ciphermill_wires"
_PORT = re.compile(r"^(input|output|inout) \[(\d+):(\d+)\] (\S+)$")


@dataclass(frozen=True)
class Port:
    """A port of a module."""

    name: str
    is_input: bool
    width: int


def read_portlist(text: str, top: str) -> list[Port]:
    """Return the ports that yosys' ``portlist`` printed.

    Raises:
        ToolError: There are none, or one is bidirectional.
    """
    ports = []
    for line in text.splitlines():
        found = _PORT.match(line.strip())
        if found is None:
            continue
        direction, high, low, name = found.groups()
        if direction == "inout":
            raise ToolError(f"{top}: port {name} goes both ways, which no harness can hold")
        ports.append(Port(name, direction == "input", abs(int(high) - int(low)) + 1))
    if not ports:
        raise ToolError(f"yosys found no ports of {top}")
    return ports


def data_widths(ports: Sequence[Port], clock: str, reset: str | None, top: str) -> tuple[int, int]:
    """Return the number of input bits, without clock and reset, and of output bits.

    Raises:
        ToolError: Clock or reset is not among the ports, or there are no inputs or no outputs.
    """
    inputs = {port.name: port.width for port in ports if port.is_input}
    for name in (clock, reset):
        if name is not None and name not in inputs:
            raise ToolError(f"{top} has no input {name}; its module file names clock and reset")
    wide = sum(width for name, width in inputs.items() if name not in (clock, reset))
    out = sum(port.width for port in ports if not port.is_input)
    if not wide or not out:
        raise ToolError(f"{top} has no data inputs or no outputs to place and route")
    return wide, out


def wrap(ports: Sequence[Port], top: str, clock: str, reset: str | None) -> str:
    """Return the Verilog of the harness around a module.

    Args:
        ports: The module's ports.
        top: Its name.
        clock: Its clock input.
        reset: Its reset input, low when active, if it has one.
    """
    inputs, outputs = data_widths(ports, clock, reset, top)
    connections, low_in, low_out = [], 0, 0
    for port in ports:
        if port.name == clock:
            connection = "clk"
        elif port.name == reset:
            connection = "rst_n"
        elif port.is_input:
            connection = f"in_q[{low_in + port.width - 1}:{low_in}]"
            low_in += port.width
        else:
            connection = f"out[{low_out + port.width - 1}:{low_out}]"
            low_out += port.width
        connections.append(f".\\{port.name} ({connection})")
    return _harness(inputs, outputs, top, connections)


def wires(inputs: int, outputs: int) -> str:
    """Return the same harness around wires only, whose area is that of the harness."""
    length = max(inputs, outputs)
    harness = _harness(inputs, outputs, WIRES, [".in (in_q)", ".out (out)"])
    return (
        f"{harness}\nmodule {WIRES} (input wire [{length - 1}:0] in,"
        f" output wire [{outputs - 1}:0] out);\n"
        f"  assign out = in[{outputs - 1}:0];\nendmodule\n"
    )


def _harness(inputs: int, outputs: int, top: str, connections: Sequence[str]) -> str:
    length = max(inputs, outputs, 2)
    chain = f"{{in_q[{length - 2}:0], scan_in}}"
    folded = f"{{fold_q[{outputs - 2}:0], in_q[{length - 1}]}}"
    if outputs == 1:
        folded = f"in_q[{length - 1}]"
    joined = ",\n    ".join(connections)
    return f"""module {NAME} (
  input wire clk, input wire rst_n, input wire scan_in, output wire scan_out
);
  reg [{length - 1}:0] in_q;
  reg [{outputs - 1}:0] out_q, fold_q;
  wire [{outputs - 1}:0] out;
  always @(posedge clk) begin
    in_q <= rst_n ? {chain} : {length}'d0;
    out_q <= out;
    fold_q <= {folded} ^ out_q;
  end
  assign scan_out = fold_q[{outputs - 1}];
  \\{top} u_core (
    {joined}
  );
endmodule
"""
