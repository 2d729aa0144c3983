# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A cell library as typed values in fixed units.

Times are picoseconds, capacitances femtofarads, areas square micrometres,
internal energies femtojoules and leakages nanowatts, whatever units the file
has. Each library measures slews between thresholds of its own, so slews of different
libraries cannot be compared.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from .liberty_expression import Expression


@dataclass(frozen=True, slots=True)
class Table:
    """A look-up table of a value by two quantities.

    Delays, transitions and energies depend on the input's slew (rows, ps) and the output's
    load (columns, fF); setup and hold on the slew of the constrained pin (rows, ps) and
    that of the related pin (columns, ps). An axis on which the value does not depend has
    one point.
    """

    rows: tuple[float, ...]
    columns: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]
    """``values[row][column]``."""

    def look_up(self, row: float, column: float = 0.0) -> float:
        """Return the value, by linear interpolation and extrapolation on both axes."""
        rows, columns, values = self.rows, self.columns, self.values
        if len(rows) > 1:
            i = min(max(bisect_right(rows, row) - 1, 0), len(rows) - 2)
            u = (row - rows[i]) / (rows[i + 1] - rows[i])
            below, above = values[i], values[i + 1]
        else:
            u = 0.0
            below = above = values[0]
        if len(columns) == 1:
            return below[0] + u * (above[0] - below[0])
        j = min(max(bisect_right(columns, column) - 1, 0), len(columns) - 2)
        v = (column - columns[j]) / (columns[j + 1] - columns[j])
        low = below[j] + v * (below[j + 1] - below[j])
        high = above[j] + v * (above[j + 1] - above[j])
        return low + u * (high - low)


@dataclass(frozen=True, slots=True)
class TimingArc:
    """The timing of a pin with respect to another: a delay or a constraint."""

    related_pin: str
    kind: str
    """``timing_type``: ``combinational``, ``rising_edge``, ``setup_rising``, ..."""
    sense: str
    """``positive_unate``, ``negative_unate`` or ``non_unate``."""
    when: Expression | None
    cell_rise: Table | None = None
    """Delay to the rising output, ps."""
    cell_fall: Table | None = None
    rise_transition: Table | None = None
    """Slew of the rising output, ps."""
    fall_transition: Table | None = None
    rise_constraint: Table | None = None
    """Constraint on the pin's rising edge, ps."""
    fall_constraint: Table | None = None


@dataclass(frozen=True, slots=True)
class InternalPower:
    """Energy inside the cell for each transition of a pin, without that of its load."""

    related_pin: str | None
    """The input that causes the output's transition; None for an input pin."""
    when: Expression | None
    rise: Table | None
    """fJ for each rise of the pin."""
    fall: Table | None


@dataclass(frozen=True, slots=True)
class Pin:
    """A pin of a cell; supply pins are not included."""

    name: str
    direction: str
    """``input``, ``output``, ``inout`` or ``internal``."""
    capacitance_ff: float
    rise_capacitance_ff: float
    fall_capacitance_ff: float
    function: Expression | None
    """The function of an output, of inputs and state names."""
    three_state: Expression | None
    """The condition under which the output is not driven."""
    arcs: tuple[TimingArc, ...]
    internal_power: tuple[InternalPower, ...]


@dataclass(frozen=True, slots=True)
class Storage:
    """A flip-flop or a latch (liberty's ``ff`` and ``latch``)."""

    is_latch: bool
    """A latch: the state follows its input while enabled, instead of changing at a clock edge."""
    state: str
    """Name of the state in the outputs' functions."""
    inverted_state: str
    data: Expression | None
    """Liberty's ``next_state`` and ``data_in``; a latch may have none."""
    trigger: Expression | None
    """Liberty's ``clocked_on`` and ``enable``; a latch may have none."""
    clear: Expression | None
    preset: Expression | None
    clear_preset: str
    """State if clear and preset are both active: ``L``, ``H``, ``N``, ``T`` or ``X``."""


@dataclass(frozen=True, slots=True)
class ClockGate:
    """An integrated clock gate (``clock_gating_integrated_cell``)."""

    kind: str
    """Such as ``latch_posedge`` or ``latch_posedge_precontrol``."""
    clock: str
    enable: str
    test: str | None
    """Pin that enables the clock for scan."""
    output: str

    @property
    def idles_high(self) -> bool:
        """The output is 1 while the clock is gated off (kinds for falling edges)."""
        return "negedge" in self.kind


@dataclass(frozen=True)
class Cell:
    """A cell of the library."""

    name: str
    area_um2: float
    pins: Mapping[str, Pin]
    leakage_nw: float | None
    """Leakage in any state; None if the library gives it by state only."""
    leakage_states: tuple[tuple[Expression, float], ...]
    """Leakage in nW by condition."""
    sequential: Storage | ClockGate | None
    dont_use: bool

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Names of the input pins, in the library's order."""
        return tuple(pin.name for pin in self.pins.values() if pin.direction == "input")

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """Names of the output pins, in the library's order."""
        return tuple(pin.name for pin in self.pins.values() if pin.direction == "output")

    @property
    def is_combinational(self) -> bool:
        """Every output always drives, and is a function of the inputs alone."""
        return self.sequential is None and all(
            pin.function is not None
            and pin.three_state is None
            and set(pin.function.variables) <= set(self.inputs)
            for pin in map(self.pins.__getitem__, self.outputs)
        )

    def truth_table(self, output: str) -> int:
        """Return an output's values: bit i is the value for input k (of ``inputs``) = bit k of i.

        Raises:
            ValueError: The output depends on a state, or has no function.
        """
        function = self.pins[output].function
        if function is None:
            raise ValueError(f"{self.name}: output {output} has no function")
        return function.truth_table(self.inputs)


@dataclass(frozen=True)
class Library:
    """A cell library at one corner."""

    name: str
    voltage_v: float
    cells: Mapping[str, Cell]

    @cached_property
    def has_clock_gates(self) -> bool:
        """Some of its cells are integrated clock gates."""
        return any(isinstance(cell.sequential, ClockGate) for cell in self.cells.values())

    @cached_property
    def nand2_area_um2(self) -> float | None:
        """Area of the smallest NAND of two inputs: one gate equivalent."""
        areas = [
            cell.area_um2
            for cell in self.cells.values()
            if cell.is_combinational
            and not cell.dont_use
            and len(cell.inputs) == 2
            and len(cell.outputs) == 1
            and cell.area_um2 > 0
            and cell.truth_table(cell.outputs[0]) == 0b0111
        ]
        return min(areas, default=None)
