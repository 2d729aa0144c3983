# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Reading a cell library in the liberty format.

Source: Liberty Reference Manual (library, cell, pin, timing and internal_power
groups; non-linear delay model). It reads functions, flip-flops, latches and integrated
clock gates, delay, transition and constraint tables, internal power and leakage. It ignores
buses and bundles (memories), current-source models, scan views (``test_cell``) and
statistical tables.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

from .errors import ToolError
from .liberty_expression import Expression, parse_expression
from .liberty_model import (
    Cell,
    ClockGate,
    InternalPower,
    Library,
    Pin,
    Storage,
    Table,
    TimingArc,
)
from .liberty_syntax import Group, number, quantity, read_groups, syntax_error

_SCALES: Mapping[str, float] = {
    "": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12, "f": 1e-15, "a": 1e-18, "k": 1e3,
}  # fmt: skip
_LOAD_AXES = frozenset({"total_output_net_capacitance", "equal_or_opposite_output_net_capacitance"})
_ROW_AXES = frozenset(
    {"input_net_transition", "input_transition_time", "constrained_pin_transition"}
)
_COLUMN_AXES = frozenset({"related_pin_transition", *_LOAD_AXES})
_DIRECTIONS = frozenset({"input", "output", "inout", "internal"})


def read_library(path: Path) -> Library:
    """Read a liberty file, gzipped or not.

    Raises:
        ToolError: The file cannot be read, or has syntax that is not supported; the message
            begins with path and line.
    """
    return parse_library(read_text(path), path)


@cache
def load_library(path: Path) -> Library:
    """Return ``read_library`` of a file that does not change; it is read once a process.

    Raises:
        ToolError: As ``read_library``.
    """
    return read_library(path)


def read_liberty(path: Path) -> bytes:
    """Return the bytes of a liberty file, gzipped or not.

    Raises:
        ToolError: The file cannot be read.
    """
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise ToolError(f"{path}: {error}") from error
    return data


def read_text(path: Path) -> str:
    """Return the text of a liberty file, gzipped or not.

    Raises:
        ToolError: As ``read_liberty``.
    """
    return read_liberty(path).decode("utf-8", errors="replace")


def parse_library(text: str, path: Path) -> Library:
    """Return the library that a liberty text describes.

    Args:
        text: The file's content.
        path: For messages.

    Raises:
        ToolError: As ``read_library``.
    """
    return _Reader(read_groups(text, path), path).library()


class _Reader:
    """Turns the groups of one file into a library."""

    def __init__(self, root: Group, path: Path) -> None:
        self._root = root
        self._path = path
        self._expressions: dict[str, Expression] = {}
        self._templates = {
            group.name: group for group in root.of("lu_table_template", "power_lut_template")
        }
        self._time_ps = self._unit("time_unit", "s", 1e-12, "1ns")
        volt = self._unit("voltage_unit", "V", 1.0, "1V")
        self._leakage_nw = self._unit("leakage_power_unit", "W", 1e-9, "1nW")
        # This unit is a list of number and unit; the others are texts.
        load = " ".join(self._root.only_list("capacitive_load_unit") or ["1", "pf"])
        self._capacitance_ff = self._unit("capacitive_load_unit", "f", 1e-15, load)
        # Internal power has no unit of its own: capacitance times voltage squared.
        self._energy_fj = self._capacitance_ff * volt * volt
        self._volt = volt

    def _error(self, group: Group, what: str) -> ToolError:
        return syntax_error(self._path, group.line, what)

    def library(self) -> Library:
        cells = {}
        for group in self._root.of("cell"):
            if not group.name:
                raise self._error(group, "a cell without a name")
            if not any(True for _ in group.of("bus", "bundle")):
                cells[group.name] = self._cell(group)
        return Library(self._root.name, self._voltage(), cells)

    def _unit(self, name: str, symbol: str, base: float, default: str) -> float:
        """Return an attribute's unit as a multiple of ``base`` SI units."""
        text = self._root.simple.get(name, default)
        try:
            factor, unit = quantity(text)
            prefix = unit[: -len(symbol)] if unit.lower().endswith(symbol.lower()) else "?"
            value = factor * _SCALES[prefix.lower()] / base
        except (ValueError, KeyError):
            raise self._error(self._root, f"{name} {text!r} is no unit") from None
        if not value > 0:
            raise self._error(self._root, f"{name} {text!r} is not above zero")
        return value

    def _voltage(self) -> float:
        default = self._root.simple.get("default_operating_conditions")
        for group in self._root.of("operating_conditions"):
            if group.name == default and "voltage" in group.simple:
                return self._volt * self._number(group, "voltage")
        if "nom_voltage" not in self._root.simple:
            raise self._error(self._root, "no nom_voltage")
        return self._volt * self._number(self._root, "nom_voltage")

    def _number(self, group: Group, name: str, default: str = "0") -> float:
        text = group.simple.get(name, default)
        try:
            return number(text)
        except ValueError:
            raise self._error(group, f"{name} {text[:40]!r} is no number") from None

    def _flag(self, group: Group, name: str) -> bool:
        return group.simple.get(name, "false").strip().lower() == "true"

    def _expression(self, group: Group, name: str) -> Expression | None:
        text = group.simple.get(name)
        if text is None or not text.strip():
            return None
        if text not in self._expressions:
            try:
                self._expressions[text] = parse_expression(text)
            except ValueError as error:
                raise self._error(group, f"{name}: {error}") from None
        return self._expressions[text]

    def _cell(self, group: Group) -> Cell:
        pins: dict[str, Pin] = {}
        for pin_group in group.of("pin"):
            for name in pin_group.arguments:
                pins[name] = self._pin(pin_group, name)
        states, leakage = [], None
        for state in group.of("leakage_power"):
            value = self._number(state, "value") * self._leakage_nw
            when = self._expression(state, "when")
            if when is None:
                leakage = value
            else:
                states.append((when, value))
        if "cell_leakage_power" in group.simple:
            leakage = self._number(group, "cell_leakage_power") * self._leakage_nw
        sequential = self._sequential(group)
        self._check_names(group, pins, sequential)
        return Cell(
            name=group.name,
            area_um2=self._number(group, "area"),
            pins=pins,
            leakage_nw=leakage,
            leakage_states=tuple(states),
            sequential=sequential,
            dont_use=self._flag(group, "dont_use"),
        )

    def _check_names(
        self, group: Group, pins: Mapping[str, Pin], state: Storage | ClockGate | None
    ) -> None:
        """Refuse an output whose function uses a name that is neither a pin nor a state."""
        known = set(pins)
        if isinstance(state, Storage):
            known |= {state.state, state.inverted_state}
        for pin in pins.values():
            unknown = set(pin.function.variables) - known if pin.function else set()
            if unknown:
                names = ", ".join(sorted(unknown))
                raise self._error(group, f"function of {group.name}/{pin.name} uses {names}")

    def _sequential(self, group: Group) -> Storage | ClockGate | None:
        if "clock_gating_integrated_cell" in group.simple:
            return self._clock_gate(group)
        for state in group.of("ff", "latch"):
            if len(state.arguments) != 2:
                raise self._error(state, f"{state.kind} takes two state names")
            is_latch = state.kind == "latch"
            names = ("data_in", "enable") if is_latch else ("next_state", "clocked_on")
            data, trigger = (self._expression(state, name) for name in names)
            clear, preset = (self._expression(state, name) for name in ("clear", "preset"))
            if not is_latch and (data is None or trigger is None):
                raise self._error(state, "a flip-flop needs next_state and clocked_on")
            both = state.simple.get("clear_preset_var1", "X").strip()
            name, inverted = state.arguments
            return Storage(is_latch, name, inverted, data, trigger, clear, preset, both)
        return None

    def _clock_gate(self, group: Group) -> ClockGate:
        kind = group.simple["clock_gating_integrated_cell"]
        roles: dict[str, str] = {}
        for pin in group.of("pin"):
            for role in ("clock", "enable", "test", "out"):
                if self._flag(pin, f"clock_gate_{role}_pin"):
                    roles[role] = pin.name
        missing = {"clock", "enable", "out"} - roles.keys()
        if missing:
            raise self._error(group, f"clock gate without its {', '.join(sorted(missing))} pin")
        return ClockGate(kind, roles["clock"], roles["enable"], roles.get("test"), roles["out"])

    def _pin(self, group: Group, name: str) -> Pin:
        direction = group.simple.get("direction", "")
        if direction not in _DIRECTIONS:
            raise self._error(group, f"pin {name} has no direction that is known: {direction!r}")
        default = self._root.simple.get(f"default_{direction}_pin_cap", "0")
        capacitance = self._number(group, "capacitance", default) * self._capacitance_ff

        def of_edge(attribute: str) -> float:
            if attribute in group.simple:
                return self._number(group, attribute) * self._capacitance_ff
            return capacitance

        return Pin(
            name=name,
            direction=direction,
            capacitance_ff=capacitance,
            rise_capacitance_ff=of_edge("rise_capacitance"),
            fall_capacitance_ff=of_edge("fall_capacitance"),
            function=self._expression(group, "function"),
            three_state=self._expression(group, "three_state"),
            arcs=tuple(arc for timing in group.of("timing") for arc in self._arcs(timing)),
            internal_power=tuple(
                power for table in group.of("internal_power") for power in self._powers(table)
            ),
        )

    def _arcs(self, group: Group) -> list[TimingArc]:
        tables = {
            name: self._only_table(group, name, self._time_ps)
            for name in (
                "cell_rise", "cell_fall", "rise_transition", "fall_transition",
                "rise_constraint", "fall_constraint",
            )
        }  # fmt: skip
        return [
            TimingArc(
                related_pin=pin,
                kind=group.simple.get("timing_type", "combinational"),
                sense=group.simple.get("timing_sense", "non_unate"),
                when=self._expression(group, "when"),
                **tables,
            )
            for pin in group.simple.get("related_pin", "").split()
        ]

    def _powers(self, group: Group) -> list[InternalPower]:
        rise = self._only_table(group, "rise_power", self._energy_fj)
        fall = self._only_table(group, "fall_power", self._energy_fj)
        both = self._only_table(group, "power", self._energy_fj)
        when = self._expression(group, "when")
        return [
            InternalPower(pin, when, rise or both, fall or both)
            for pin in group.simple.get("related_pin", "").split() or (None,)
        ]

    def _only_table(self, group: Group, kind: str, unit: float) -> Table | None:
        for table in group.of(kind):
            return self._table(table, unit)
        return None

    def _table(self, group: Group, unit: float) -> Table:
        rows = [self._floats(group, text) for text in group.only_list("values") or []]
        flat = [value * unit for row in rows for value in row]
        axes = self._axes(group)
        if not flat:
            raise self._error(group, f"{group.kind} has no values")
        size = 1
        for _, points in axes:
            size *= len(points)
        if len(flat) != size:
            raise self._error(group, f"{group.kind} has {len(flat)} values for {size} points")
        sides = [0 if name in _ROW_AXES else 1 if name in _COLUMN_AXES else 2 for name, _ in axes]
        if len(set(sides)) < len(sides) or 2 in sides:
            names = ", ".join(name for name, _ in axes)
            raise self._error(group, f"{group.kind} over {names} is not supported")
        by_side = {side: axis for side, (_, axis) in zip(sides, axes, strict=True)}
        down, across = by_side.get(0, (0.0,)), by_side.get(1, (0.0,))
        if sides == [1, 0]:
            values = [flat[i :: len(down)] for i in range(len(down))]
        else:
            values = [flat[i : i + len(across)] for i in range(0, len(flat), len(across))]
        return Table(down, across, tuple(map(tuple, values)))

    def _axes(self, group: Group) -> list[tuple[str, tuple[float, ...]]]:
        """Return the axes of a table: their quantities and points, in ps or fF."""
        if group.name in ("", "scalar"):
            return []
        template = self._templates.get(group.name)
        if template is None:
            raise self._error(group, f"no table template {group.name!r}")
        axes = []
        for k in (1, 2, 3):
            name = template.simple.get(f"variable_{k}")
            if name is None:
                break
            points = group.only_list(f"index_{k}") or template.only_list(f"index_{k}")
            if points is None:
                raise self._error(group, f"{group.kind} has no index_{k}")
            unit = self._capacitance_ff if name in _LOAD_AXES else self._time_ps
            values = tuple(value * unit for text in points for value in self._floats(group, text))
            if any(a >= b for a, b in pairwise(values)):
                raise self._error(group, f"index_{k} of {group.kind} does not rise")
            axes.append((name, values))
        return axes

    def _floats(self, group: Group, text: str) -> list[float]:
        try:
            return [number(item) for item in text.replace(",", " ").split()]
        except ValueError:
            raise self._error(group, f"{text[:40]!r} are no numbers") from None
