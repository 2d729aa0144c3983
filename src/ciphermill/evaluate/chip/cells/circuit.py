# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Converts a mapped netlist to the arrays of the gate-level simulator.

A cell's outputs become gates with truth tables; the flip-flop or latch inside a sequential
cell becomes a state element. It drives a net of its own, which is not in the netlist; the
cell's outputs are functions of it. A clock gate becomes a latch that is open while the
clock is idle, and an AND (an OR for the kinds that idle high).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise

from ciphermill.evaluate.chip.activity.simulation import SimulationError
from ciphermill.evaluate.chip.cells.gate_engine import Arrays
from ciphermill.evaluate.chip.cells.netlist import CONST1, Instance, Netlist
from ciphermill.toolchain.liberty_expression import Expression, parse_expression
from ciphermill.toolchain.liberty_model import Cell, ClockGate, Storage

Delays = Mapping[tuple[int, str, str], tuple[float, float]]
"""Delay to the rising and the falling output in ps, by instance (index), output and input."""

TRIGGER, CLEAR, PRESET, NEXT_OF_LOW, NEXT_OF_HIGH, BOTH = (1 << k for k in range(6))
"""Flags of a state element's table (``gates/circuit.hpp``)."""
FLIP_FLOP, LATCH = 0, 1
_STATE, _INVERTED = "\0state", "\0inverted"


@dataclass(frozen=True)
class _StateModel:
    """The state element of a cell."""

    kind: int
    inputs: tuple[str, ...]
    table: bytes
    related: tuple[str, ...]
    """Inputs whose arcs have the delay from the state to the outputs."""


@dataclass(frozen=True)
class _GateModel:
    """An output of a cell: a table over some of its inputs and, last, the state."""

    output: str
    inputs: tuple[str, ...]
    has_state: bool
    table: bytes


@dataclass(frozen=True)
class _CellModel:
    state: _StateModel | None
    gates: tuple[_GateModel, ...]


@dataclass(frozen=True)
class Circuit:
    """The arrays, and the names of their elements."""

    arrays: Arrays
    state_names: list[str]
    """Instance of each state element."""


def build_circuit(
    netlist: Netlist, clock: str, delays: Delays | None, seed: int | None = None
) -> Circuit:
    """Return the arrays of a netlist.

    Args:
        netlist: Cells and nets.
        clock: The clock input.
        delays: The delay of every arc; the circuit has no delays without them. A missing
            arc gets the longest delay of the same output.
        seed: Seed of the random initial values of flip-flops and latches; they begin at 0
            without it.

    Raises:
        SimulationError: There is no such clock, or a cell cannot be simulated.
    """
    if len(netlist.inputs.get(clock, ())) != 1:
        raise SimulationError(f"{netlist.top} has no clock input {clock}")
    builder = _Builder(netlist, netlist.inputs[clock][0], delays, seed)
    for index, instance in enumerate(netlist.instances):
        builder.add(index, instance)
    return builder.circuit()


class _Builder:
    """Adds instances, one after the other."""

    def __init__(
        self, netlist: Netlist, clock: int, delays: Delays | None, seed: int | None
    ) -> None:
        self._netlist = netlist
        self._delays = delays
        self._random = None if seed is None else random.Random(seed)  # noqa: S311 (no secret)
        self._arrays = Arrays(len(netlist.net_names), clock, CONST1)
        if delays is not None:
            self._arrays.gate_delays = []
        self._models: dict[str, _CellModel] = {}
        self._places: dict[bytes, int] = {}
        self._state_names: list[str] = []

    def circuit(self) -> Circuit:
        return Circuit(self._arrays, self._state_names)

    def add(self, index: int, instance: Instance) -> None:
        model = self._models.get(instance.cell)
        if model is None:
            model = _model(self._netlist.cell(instance))
            self._models[instance.cell] = model
        hidden = -1
        if model.state is not None:
            hidden = self._add_state(model.state, instance)
        for gate in model.gates:
            if gate.output in instance.pins:
                self._add_gate(gate, index, instance, hidden, model.state)

    def _add_state(self, state: _StateModel, instance: Instance) -> int:
        arrays = self._arrays
        hidden = arrays.net_count
        arrays.net_count += 1
        arrays.state_inputs += [instance.pins[pin] for pin in state.inputs]
        arrays.state_start.append(len(arrays.state_inputs))
        arrays.state_table.append(self._place(state.table))
        arrays.state_output.append(hidden)
        arrays.state_kind.append(state.kind)
        arrays.state_initial.append(self._random.getrandbits(1) if self._random else 0)
        self._state_names.append(instance.name)
        return hidden

    def _add_gate(
        self,
        gate: _GateModel,
        index: int,
        instance: Instance,
        hidden: int,
        state: _StateModel | None,
    ) -> None:
        arrays = self._arrays
        arrays.gate_inputs += [instance.pins[pin] for pin in gate.inputs]
        if gate.has_state:
            arrays.gate_inputs.append(hidden)
        arrays.gate_start.append(len(arrays.gate_inputs))
        arrays.gate_table.append(self._place(gate.table))
        arrays.gate_output.append(instance.pins[gate.output])
        if arrays.gate_delays is not None:
            related: list[tuple[str, ...]] = [(pin,) for pin in gate.inputs]
            if gate.has_state and state is not None:
                related.append(state.related)
            for rise, fall in self._arcs(index, gate.output, related):
                arrays.gate_delays += [_femtoseconds(rise), _femtoseconds(fall)]

    def _arcs(
        self, index: int, output: str, related: Sequence[tuple[str, ...]]
    ) -> list[tuple[float, float]]:
        """Return the delays of an output from each of some groups of inputs."""
        delays = self._delays or {}
        found = [
            [delays[index, output, pin] for pin in pins if (index, output, pin) in delays]
            for pins in related
        ]
        rest = _longest(arc for arcs in found for arc in arcs)
        return [_longest(arcs) if arcs else rest for arcs in found]

    def _place(self, table: bytes) -> int:
        """Return the index of a table; equal tables are stored once."""
        place = self._places.get(table)
        if place is None:
            place = len(self._arrays.tables)
            self._arrays.tables += table
            self._places[table] = place
        return place


def _longest(arcs: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Return the longest delay of each edge; zero without arcs."""
    rises, falls = zip(*arcs, strict=True) if (arcs := list(arcs)) else ((0.0,), (0.0,))
    return max(rises), max(falls)


def _femtoseconds(delay_ps: float) -> int:
    """Return a delay in fs; a value that a table extrapolates to below zero becomes zero."""
    return max(round(delay_ps * 1e3), 0)


def _model(cell: Cell) -> _CellModel:
    """Return the function of a cell.

    Raises:
        SimulationError: It drives a bus or has no function.
    """
    sequential = cell.sequential
    if isinstance(sequential, ClockGate):
        return _clock_gate(cell, sequential)
    state = None
    names: dict[str, str] = {}
    if sequential is not None:
        state = _state(cell, sequential)
        names = {sequential.state: _STATE, sequential.inverted_state: _INVERTED}
    gates = []
    for output in cell.outputs:
        pin = cell.pins[output]
        if pin.function is None or pin.three_state is not None:
            what = "no function" if pin.function is None else "a state in which it drives nothing"
            raise SimulationError(f"cell {cell.name}: output {output} has {what}: not simulated")
        gates.append(_gate(cell, output, pin.function, names))
    return _CellModel(state, tuple(gates))


def _gate(cell: Cell, output: str, function: Expression, states: Mapping[str, str]) -> _GateModel:
    inputs = tuple(name for name in cell.inputs if name in function.variables)
    unknown = set(function.variables) - set(inputs) - set(states)
    if unknown:
        raise SimulationError(f"cell {cell.name}: {output} depends on {', '.join(sorted(unknown))}")
    has_state = any(name in states for name in function.variables)
    if not has_state:
        table = function.truth_table(inputs)
        return _GateModel(output, inputs, False, _bytes(table, len(inputs)))
    direct = [name for name, role in states.items() if role == _STATE]
    inverted = [name for name, role in states.items() if role == _INVERTED]
    whole = function.truth_table([*inputs, *direct, *inverted])
    rows = 1 << len(inputs)
    # The row of (inputs, state) in which the inverted state is the opposite of the state.
    picked = [
        whole >> (row + rows * (1 if state else 2)) & 1 for state in (0, 1) for row in range(rows)
    ]
    return _GateModel(output, inputs, True, bytes(picked))


def _state(cell: Cell, sequential: Storage) -> _StateModel:
    trigger, data = sequential.trigger, sequential.data
    if trigger is None or data is None:
        raise SimulationError(f"cell {cell.name}: a latch without enable or data")
    inputs = _used(cell, trigger, data, sequential.clear, sequential.preset)
    names = [*inputs, sequential.state, sequential.inverted_state]
    rows = 1 << len(inputs)
    next_value = data.truth_table(names)
    # Only clear and preset together make state and inverted state equal; that is not simulated.
    both = sequential.clear_preset == "H"
    table = bytearray()
    for row in range(rows):
        table.append(
            _bit(trigger, inputs, row, TRIGGER)
            | _bit(sequential.clear, inputs, row, CLEAR)
            | _bit(sequential.preset, inputs, row, PRESET)
            | (NEXT_OF_LOW if next_value >> (row + 2 * rows) & 1 else 0)
            | (NEXT_OF_HIGH if next_value >> (row + rows) & 1 else 0)
            | (BOTH if both else 0)
        )
    related = [name for name in inputs if name in trigger.variables]
    if sequential.is_latch:
        related += [name for name in inputs if name in data.variables]
    kind = LATCH if sequential.is_latch else FLIP_FLOP
    return _StateModel(kind, inputs, bytes(table), tuple(dict.fromkeys(related)))


def _used(cell: Cell, *expressions: Expression | None) -> tuple[str, ...]:
    names = {name for expression in expressions if expression for name in expression.variables}
    return tuple(name for name in cell.inputs if name in names)


def _bit(expression: Expression | None, inputs: tuple[str, ...], row: int, flag: int) -> int:
    return flag if expression and expression.truth_table(inputs) >> row & 1 else 0


def _clock_gate(cell: Cell, gate: ClockGate) -> _CellModel:
    """Return a clock gate's latch and gate (liberty's ``clock_gating_integrated_cell``)."""
    idles_high = "negedge" in gate.kind
    enable = gate.enable
    late = "postcontrol" in gate.kind and gate.test is not None
    data = f"{enable}|{gate.test}" if gate.test is not None and not late else enable
    held = f"(s|{gate.test})" if late else "s"
    if not gate.kind.startswith("latch"):
        held = f"({data})"
    function = f"{gate.clock}|!{held}" if idles_high else f"{gate.clock}&{held}"
    state = None
    if gate.kind.startswith("latch"):
        opened = gate.clock if idles_high else f"!{gate.clock}"
        follows, shows = parse_expression(data), parse_expression(opened)
        latch = Storage(True, "s", "sn", follows, shows, None, None, "X")
        state = _state(cell, latch)
        state = _StateModel(state.kind, state.inputs, state.table, (gate.clock,))
    states = {"s": _STATE, "sn": _INVERTED} if state else {}
    return _CellModel(state, (_gate(cell, gate.output, parse_expression(function), states),))


def _bytes(table: int, inputs: int) -> bytes:
    return bytes(table >> row & 1 for row in range(1 << inputs))


def input_delay(circuit: Circuit, inputs: Iterable[int], period_fs: int) -> int:
    """Return the delay in fs after which inputs change.

    Inputs are assumed to come from flip-flops like those of the circuit, so they change
    after the median delay of those. The delay is shorter if the longest path from an input
    leaves less time, since the timing analysis assumes that inputs change with the edge.

    Args:
        circuit: With delays, and without combinational loops.
        inputs: Nets of the inputs.
        period_fs: The clock period.
    """
    arrays = circuit.arrays
    if arrays.gate_delays is None:
        return 0
    hidden = set(arrays.state_output)
    found = []
    for begin, end in pairwise(arrays.gate_start):
        if end - begin == 1 and arrays.gate_inputs[begin] in hidden:
            found.append(max(arrays.gate_delays[2 * begin : 2 * end]))
    median = sorted(found)[len(found) // 2] if found else 0
    return max(0, min(median, period_fs - _longest_path(arrays, inputs) - 1))


def _longest_path(arrays: Arrays, inputs: Iterable[int]) -> int:
    """Return the delay in fs of the longest path from some nets through gates only."""
    delays = arrays.gate_delays or []
    arrival = dict.fromkeys(inputs, 0)
    driver = {net: gate for gate, net in enumerate(arrays.gate_output)}
    waits = {
        gate: [driver[net] for net in arrays.gate_inputs[begin:end] if net in driver]
        for gate, (begin, end) in enumerate(pairwise(arrays.gate_start))
    }
    for gate in TopologicalSorter(waits).static_order():
        output = arrays.gate_output[gate]
        for pin in range(arrays.gate_start[gate], arrays.gate_start[gate + 1]):
            begun = arrival.get(arrays.gate_inputs[pin])
            if begun is not None:
                delay = max(delays[2 * pin : 2 * pin + 2])
                arrival[output] = max(arrival.get(output, 0), begun + delay)
    return max(arrival.values(), default=0)
