# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Clock nets and their polarity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ciphermill.evaluate.chip.cells.netlist import Netlist
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.liberty_model import ClockGate


@dataclass(frozen=True)
class ClockNetwork:
    """The nets that the clock reaches through buffers, inverters and gates."""

    nets: Mapping[int, bool]
    """Clock nets; True where the net rises with the clock, False where it falls."""
    instances: frozenset[int]
    """Cells through which the clock passes, without flip-flops."""


def clock_network(netlist: Netlist, clock: str | None) -> ClockNetwork:
    """Return the nets of a clock, from its port to the pins of flip-flops and latches.

    The clock passes through every combinational cell that it enters, so gated or
    multiplexed clocks are included. An output that falls when the clock rises inverts the
    polarity.

    Args:
        netlist: The circuit.
        clock: Its clock input, one bit wide; None for a circuit without a clock.

    Raises:
        ToolError: There is no such input.
    """
    if clock is None:
        return ClockNetwork({}, frozenset())
    if len(netlist.inputs.get(clock, ())) != 1:
        raise ToolError(f"{netlist.top} has no clock input {clock!r} of one bit")
    (root,) = netlist.inputs[clock]
    nets = {root: True}
    instances: set[int] = set()
    todo = [root]
    while todo:
        net = todo.pop()
        for load in netlist.loads[net]:
            instance = netlist.instances[load.instance]
            cell = netlist.cell(instance)
            gate = cell.sequential
            if isinstance(gate, ClockGate):
                outputs = {gate.output: True} if load.pin == gate.clock else {}
            elif gate is not None:
                continue
            else:
                outputs = {
                    output: arc.sense != "negative_unate"
                    for output in cell.outputs
                    for arc in cell.pins[output].arcs
                    if arc.related_pin == load.pin
                }
            for output, upright in outputs.items():
                reached = instance.pins.get(output)
                instances.add(load.instance)
                if reached is not None and reached not in nets:
                    nets[reached] = nets[net] == upright
                    todo.append(reached)
    return ClockNetwork(nets, frozenset(instances))
