# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The power data of a library cell, prepared once for all its instances.

Conditions (``when``) are turned into sets of rows of a truth table over the
cell's inputs and, in a sequential cell, its state. Their probability in an instance follows
from the share of time that each input and the state is high, which are assumed to be
independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ciphermill.toolchain.liberty_expression import Expression, input_column
from ciphermill.toolchain.liberty_model import Cell, ClockGate, Storage, Table

STATE = "%state"
"""Name of a sequential cell's state among its variables."""

Rows = tuple[int, ...] | None
"""Rows of the truth table; None for all of them."""


@dataclass(frozen=True, slots=True)
class PinEnergy:
    """Energy of a pin's transitions in some states of the cell."""

    related: str | None
    rows: Rows
    rise: Table | None
    fall: Table | None
    follows: int
    """Edges of the related pin: 1 the same as the output's, -1 the other, 0 either."""


@dataclass(frozen=True, slots=True)
class CellPower:
    """The power of a cell."""

    variables: tuple[str, ...]
    """Inputs, then the state: variable k is bit k of a row's number."""
    state_pins: tuple[tuple[str, bool], ...]
    """Outputs that show the state; True where upright."""
    leakage: tuple[tuple[Rows, float], ...]
    """nW by state."""
    inputs: tuple[tuple[str, tuple[PinEnergy, ...]], ...]
    outputs: tuple[tuple[str, tuple[PinEnergy, ...]], ...]
    sensitive: dict[tuple[str, str], Rows]
    """By output and input: the states in which the output follows the input."""


def probability(rows: Rows, shares: Sequence[float]) -> float:
    """Return the probability of some rows, given that of each."""
    return 1.0 if rows is None else sum(shares[row] for row in rows)


def row_shares(highs: Iterable[float]) -> list[float]:
    """Return the probability of each row from each variable's of being high."""
    shares = [1.0]
    for high in highs:
        low = 1.0 - high
        shares = [share * low for share in shares] + [share * high for share in shares]
    return shares


def prepare(cell: Cell) -> CellPower:
    """Return the power data of a cell."""
    return _Preparation(cell).result()


class _Preparation:
    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        sequential = cell.sequential
        self._variables = (*cell.inputs, *((STATE,) if sequential else ()))
        self._count = 1 << len(self._variables)
        self._ones = (1 << self._count) - 1
        self._columns = {
            name: input_column(k, len(self._variables)) for k, name in enumerate(self._variables)
        }
        if isinstance(sequential, Storage):
            self._columns[sequential.state] = self._columns[STATE]
            self._columns[sequential.inverted_state] = self._ones ^ self._columns[STATE]
        if isinstance(sequential, ClockGate):
            clock, state = self._columns[sequential.clock], self._columns[STATE]
            self._columns[sequential.output] = (
                clock | state if sequential.idles_high else clock & state
            )
        for name in cell.outputs:
            function = cell.pins[name].function
            if function is not None and name not in self._columns:
                self._columns[name] = self._column(function)

    def result(self) -> CellPower:
        cell = self._cell
        return CellPower(
            variables=self._variables,
            state_pins=self._state_pins(),
            leakage=tuple(self._leakage()),
            inputs=tuple((name, self._energies(name)) for name in cell.inputs),
            outputs=tuple((name, self._energies(name)) for name in cell.outputs),
            sensitive={
                (output, name): self._sensitive(output, k)
                for output in cell.outputs
                for k, name in enumerate(cell.inputs)
            },
        )

    def _column(self, expression: Expression) -> int:
        # A name that is neither pin nor state (an internal node) is ignored.
        columns = dict.fromkeys(expression.variables, self._ones) | self._columns
        return expression.column(columns, self._ones)

    def _rows(self, column: int) -> Rows:
        if column == self._ones:
            return None
        return tuple(row for row in range(self._count) if column >> row & 1)

    def _state_pins(self) -> tuple[tuple[str, bool], ...]:
        if not isinstance(self._cell.sequential, Storage):
            return ()
        state = self._columns[STATE]
        pins = []
        for name in self._cell.outputs:
            column = self._columns.get(name)
            if column in (state, self._ones ^ state):
                pins.append((name, column == state))
        return tuple(pins)

    def _leakage(self) -> list[tuple[Rows, float]]:
        rest = self._ones
        states: list[tuple[Rows, float]] = []
        for when, value in self._cell.leakage_states:
            column = self._column(when) & rest
            rest &= ~column
            states.append((self._rows(column), value))
        other = self._cell.leakage_nw
        if other is None and states:
            other = sum(value for _, value in states) / len(states)
        if rest and other is not None:
            states.append((self._rows(rest), other))
        return states

    def _energies(self, name: str) -> tuple[PinEnergy, ...]:
        """Return a pin's energies; one without a condition applies where no other does."""
        powers = self._cell.pins[name].internal_power
        conditions = [None if p.when is None else self._column(p.when) for p in powers]
        energies = []
        for power, condition in zip(powers, conditions, strict=True):
            column = self._ones
            if condition is not None:
                column = condition
            else:
                for other, taken in zip(powers, conditions, strict=True):
                    if taken is not None and other.related_pin == power.related_pin:
                        column &= ~taken
            related = power.related_pin
            energies.append(
                PinEnergy(
                    related, self._rows(column), power.rise, power.fall,
                    self._follows(name, related),
                )
            )  # fmt: skip
        return tuple(energies)

    def _follows(self, name: str, related: str | None) -> int:
        senses = {arc.sense for arc in self._cell.pins[name].arcs if arc.related_pin == related}
        if senses == {"positive_unate"}:
            return 1
        return -1 if senses == {"negative_unate"} else 0

    def _sensitive(self, output: str, k: int) -> Rows:
        """Return the rows in which an output changes with variable k; all for a state's."""
        column = self._columns.get(output)
        if column is None or self._cell.sequential is not None:
            return None
        high = input_column(k, len(self._variables))
        shift = 1 << k
        flipped = (column & high) >> shift | (column & ~high & self._ones) << shift
        return self._rows(column ^ flipped)
