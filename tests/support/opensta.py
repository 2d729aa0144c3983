# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""How OpenSTA 2.0.17 (Debian's) counts internal power where every pin toggles alike.

OpenSTA reads the same tables at the same slews and loads as ``power``, but weighs them
differently. It departs from the library's meaning in two ways. Each toggle counts a rise
*and* a fall; later versions take their mean. An output's energy is summed over the inputs
that may cause it. Each input's weight is the probability that it does, where OpenSTA finds
that in the function's outermost operator, and ½ elsewhere.

The tests therefore compare OpenSTA's figures with the same sum computed here. That shows
that tables, slews, loads and units are read alike. ``test_power`` shows by hand that each
toggle is counted once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ciphermill.evaluate.chip.cells.netlist import Instance, Netlist
from ciphermill.evaluate.chip.cells.timing import FALL, RISE, Timing
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.liberty_expression import Expression
from ciphermill.toolchain.liberty_model import Cell, InternalPower, Pin
from ciphermill.toolchain.opensta import constraints, longest_path, path_log, run_sta

CLOCK_TOGGLES = 2.0
_DECIMAL = r"-?\d+\.\d+"
_FLOAT = r"-?\d\.\d+e[-+]\d+"
_GROUP = re.compile(rf"^([A-Z]\w+)\s+({_FLOAT})\s+({_FLOAT})\s+({_FLOAT})\s+({_FLOAT})", re.M)
_INSTANCE = re.compile(rf"^\s*({_FLOAT})\s+({_FLOAT})\s+({_FLOAT})\s+({_FLOAT})\s+(\S+)$", re.M)


_STEP = re.compile(rf"^\s*({_DECIMAL})\s+({_DECIMAL}) ([v^]) (\S+) \((\S+)\)$", re.MULTILINE)
_SETUP = re.compile(rf"^\s*(-?\d+\.\d+)\s+{_DECIMAL}\s+library setup time$", re.MULTILINE)


@dataclass(frozen=True)
class StaStep:
    """A step of the longest path."""

    pin: str
    """As ``instance/pin``, or a port."""
    cell: str
    edge: str
    """``rise`` or ``fall``."""
    delay_ps: float
    arrival_ps: float


@dataclass(frozen=True)
class StaTiming:
    """The longest path."""

    clock_period_ps: float
    """The shortest period at which it arrives in time."""
    setup_ps: float
    path: tuple[StaStep, ...]


@dataclass(frozen=True)
class StaPower:
    """Power in milliwatts."""

    internal_mw: float
    switching_mw: float
    leakage_mw: float


def timing_of_log(log: str, period_ps: float) -> StaTiming:
    """Return the longest path of a log, step by step; times in it are nanoseconds."""
    clock_period_ps, section = longest_path(log, period_ps)
    setup = _SETUP.search(section)
    steps = [
        StaStep(pin, cell, "rise" if edge == "^" else "fall", 1e3 * float(delay), 1e3 * float(time))
        for delay, time, edge, pin, cell in _STEP.findall(section[: section.index("data arrival")])
    ]
    return StaTiming(clock_period_ps, -1e3 * float(setup[1]) if setup else 0.0, tuple(steps))


def sta_timing(
    liberty: Path, verilog: Path, top: str, clock: str, *, wire_ff_per_fanout: float = 0.0
) -> StaTiming:
    """Return the longest path of a netlist."""
    log = path_log(liberty, verilog, top, clock, wire_ff_per_fanout=wire_ff_per_fanout)
    return timing_of_log(log, 1e6)


def sta_power(
    liberty: Path,
    verilog: Path,
    top: str,
    clock: str,
    *,
    wire_ff_per_fanout: float = 0.0,
    period_ps: float,
    toggles_per_cycle: float,
    by_instance: bool = False,
) -> Mapping[str, StaPower]:
    """Return the power where every pin but the clock's toggles equally often.

    Args as for ``sta_timing``; the clock toggles twice a period. By group
    (``Sequential``, ``Combinational``, ..., ``Total``) or by instance.
    """
    script = constraints(top, clock, period_ps)
    script += f"set_power_activity -global -activity {toggles_per_cycle:g}\n"
    which = " -instances [get_cells *]" if by_instance else ""
    log = run_sta(liberty, verilog, wire_ff_per_fanout, script + f"report_power -digits 6{which}\n")
    return power_of_log(log, by_instance=by_instance)


def power_of_log(log: str, *, by_instance: bool = False) -> Mapping[str, StaPower]:
    """Return the result of ``report_power``; powers in its log are watts.

    Raises:
        ToolError: There is no power in it.
    """
    if by_instance:
        found = {row[4]: row[:3] for row in _INSTANCE.findall(log)}
    else:
        found = {row[0]: row[1:4] for row in _GROUP.findall(log)}
    if not found:
        raise ToolError("OpenSTA reported no power")
    return {
        name: StaPower(1e3 * float(internal), 1e3 * float(switching), 1e3 * float(leakage))
        for name, (internal, switching, leakage) in found.items()
    }


@dataclass(frozen=True)
class _Node:
    operator: str
    """A name, ``0``, ``1`` or an operator."""
    parts: tuple[_Node, ...] = ()

    def duty(self) -> float:
        """Return the probability of the function where every name's is ½ each time it occurs."""
        duties = [part.duty() for part in self.parts]
        match self.operator:
            case "!":
                return 1 - duties[0]
            case "&":
                return duties[0] * duties[1]
            case "|":
                return duties[0] + duties[1] - duties[0] * duties[1]
            case "^":
                return duties[0] + duties[1] - 2 * duties[0] * duties[1]
            case "0" | "1":
                return float(self.operator)
            case _:
                return 0.5

    def is_name(self, name: str) -> bool:
        """The node is a name, upright or inverted."""
        return (self.parts[0] if self.operator == "!" else self) == _Node(name)


def _tree(expression: Expression) -> _Node:
    stack: list[_Node] = []
    for item in expression.postfix:
        count = 1 if item == "!" else 2 if item in ("&", "|", "^") else 0
        parts = tuple(stack[len(stack) - count :])
        del stack[len(stack) - count :]
        stack.append(_Node(item, parts))
    return stack[0]


def _inferred(node: _Node, name: str) -> float | None:
    """Return the probability that an output follows an input, where OpenSTA finds one."""
    if node.operator == "!":
        return _inferred(node.parts[0], name)
    if len(node.parts) == 2:
        for part, other in (node.parts, node.parts[::-1]):
            if part.is_name(name):
                return other.duty() if node.operator == "&" else 1 - other.duty()
        return None
    return 1.0 if node == _Node(name) else None


def internal_mw(
    netlist: Netlist, timing: Timing, *, period_ps: float, toggles_per_cycle: float
) -> list[float]:
    """Return the internal power of each instance by OpenSTA's rules, mW."""
    return [
        sum(
            _pin_energy(netlist, timing, instance, pin, toggles_per_cycle)
            for pin in netlist.cell(instance).pins.values()
        )
        / period_ps
        for instance in netlist.instances
    ]


def _pin_energy(
    netlist: Netlist, timing: Timing, instance: Instance, pin: Pin, toggles: float
) -> float:
    """Return a pin's energy in a cycle, fJ."""
    net = instance.pins.get(pin.name)
    if net in timing.clock.nets:
        toggles = CLOCK_TOGGLES
    output = pin.direction == "output"
    load = timing.load_rise_ff[net] if output and net is not None else 0.0
    energy = 0.0
    for power in pin.internal_power:
        source = instance.pins[power.related_pin or pin.name]
        slews = timing.slew_ps[source]
        whole = sum(
            table.look_up(slews[edge], load)
            for edge, table in ((RISE, power.rise), (FALL, power.fall))
            if table
        )
        clocked = source in timing.clock.nets
        energy += toggles * _share(netlist.cell(instance), pin, power, clocked) * whole
    return energy


def _share(cell: Cell, pin: Pin, power: InternalPower, clocked: bool) -> float:
    if power.when is not None:
        return _tree(power.when).duty()
    if power.related_pin is not None and pin.function is not None:
        inferred = _inferred(_tree(pin.function), power.related_pin)
        if inferred is not None:
            return inferred
    return 1.0 if clocked else 0.5
