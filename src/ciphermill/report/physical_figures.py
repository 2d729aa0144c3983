# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Descriptions of figures of area, timing, power and energy: name, unit, method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator

from ciphermill.design import Measurement, Method
from ciphermill.design.load import load_model
from ciphermill.design.table import Table
from ciphermill.report import format as human
from ciphermill.toolchain.cells import CellTarget

CELL_TARGETS = tuple(target.value for target in CellTarget)
"""Targets of standard cells, the smallest first."""
FPGA_TARGETS = ("xc7", "ecp5", "ice40")
_SHOWN: Mapping[str, Callable[[float], str]] = {
    "significant": human.significant,
    "count": human.count,
    "thousandths": lambda value: human.significant(1000 * value),  # MB as kB
}


def _known(field: str) -> str:
    if field not in Measurement.model_fields:
        raise ValueError(f"a measurement has no field {field}")
    return field


Field = Annotated[str, AfterValidator(_known)]
"""The name of a field in ``Measurement``."""
Columns = dict[Field, str]
"""Headings by field."""


class Quantity(Table):
    """The description of a field of a measurement."""

    field: Field
    name: str
    unit: str = ""
    how: str = ""
    """The method, as a phrase."""
    shown: Literal["significant", "count", "thousandths"] = "significant"

    def show(self, value: float) -> str:
        """Write a value, without the unit."""
        return _SHOWN[self.shown](value)

    def value(self, seen: Measurement) -> float | None:
        """Return the field's value; None where it is absent."""
        found = getattr(seen, self.field)
        return None if found is None else float(found)

    def text(self, seen: Measurement) -> str:
        """Return the value and its unit; empty where it is absent."""
        value = self.value(seen)
        if value is None:
            return ""
        if self.unit in _PREFIXES:
            return prefixed(value, self.unit)
        return f"{self.show(value)} {self.unit}".strip()


@dataclass(frozen=True)
class Figure:
    """A row of the summary."""

    name: str
    value: str
    method: str
    how: str


_PREFIXES: Mapping[str, Sequence[str]] = {
    "mW": ("W", "mW", "µW", "nW", "pW"),
    "µJ": ("J", "mJ", "µJ", "nJ", "pJ", "fJ"),
}
"""Alternative units of a figure, in steps of a thousand."""


def prefixed(value: float, unit: str) -> str:
    """Format a power or an energy with a suitable unit.

    >>> [prefixed(value, "mW") for value in (1500.0, 18.0, 0.00000487, 0.0)]
    ['1.50 W', '18.0 mW', '4.87 nW', '0 mW']
    """
    units = _PREFIXES[unit]
    place = units.index(unit)
    while value >= 999.5 and place > 0:
        value, place = value / 1000, place - 1
    while 0 < value < 0.9995 and place < len(units) - 1:
        value, place = value * 1000, place + 1
    return f"{human.significant(value)} {units[place]}"


class SummaryFigure(Table):
    """A row of a design's summary."""

    field: Field
    of: Literal["made", "fastest", "energy", "toggles"]
    """The measurement from which it is taken."""
    name: str = ""
    """Other than the field's own."""


class Compared(Table):
    """Columns of the page that compares designs, by the kind of target."""

    cells: Columns
    fpga: Columns
    rtl: Columns


class Terminal(Table):
    """Columns of the tables for a terminal."""

    fpga: Columns
    cells: Columns
    energy: Columns
    toggles: Columns


class Figures(Table):
    """The file ``figures.toml``."""

    targets: dict[str, str]
    """Titles."""
    quantity: tuple[Quantity, ...]
    summary: tuple[SummaryFigure, ...]
    compared: Compared
    terminal: Terminal


FIGURES = load_model(Figures, Path(__file__).with_name("figures.toml"))
"""Names, units and tables of figures."""
_BY_FIELD = {quantity.field: quantity for quantity in FIGURES.quantity}
_CLOCK_BY = {
    "opensta": "static timing by OpenSTA, our wire-load model, ideal clock",
    "ciphermill": "our own static timing, wire-load model, ideal clock",
    "nextpnr": "routed, by nextpnr",
}


def quantity(field: str) -> Quantity:
    """Return the text of a field.

    Raises:
        KeyError: The field is not a figure.
    """
    return _BY_FIELD[field]


def target_title(target: str | None) -> str:
    """Name a target for readers."""
    return FIGURES.targets.get(target or "", target or "")


def figures(seen: Measurement) -> list[Figure]:
    """Return a measurement's figures in order, without absent ones.

    The area of a netlist that ran a workload is left out too, since it has a measurement of
    its own.
    """
    found = []
    for one in FIGURES.quantity:
        if was_run(seen) and one.field.startswith(("area_", "clock_gates", "clock_asked")):
            continue
        text = one.text(seen)
        if text:
            found.append(Figure(one.name, text, seen.method.value, how(one, seen)))
    return found


def how(one: Quantity, seen: Measurement) -> str:
    """Return the method of a figure of a measurement."""
    if one.field in ("clock_mhz", "delay_longest_path_ps"):
        if was_run(seen):
            return "the clock of the simulation"
        by = _CLOCK_BY.get(seen.timing_by or "", seen.timing_by or "")
        missed = "; misses the clock asked for" if seen.clock_met is False else ""
        return f"{by}{missed}"
    if one.field == "cycles_per_block" and not was_run(seen):
        return f"{one.how}, as the core's tests check"
    if one.field.startswith("area_") and seen.target in ("ecp5", "ice40"):
        return "placed and routed by nextpnr; the harness's share taken away"
    if one.field == "energy_relative" and seen.energy_reference:
        return f"{one.how} ({seen.energy_reference})"
    return one.how


def heading(seen: Measurement) -> str:
    """Return the subject of a measurement: target, key size, direction, workload.

    >>> heading(Measurement(target="sky130", algorithm="aes", key_bits=128, method="estimated"))
    'SkyWater 130 nm · AES-128'
    """
    cipher = (seen.algorithm or "").upper()
    words = [
        target_title(seen.target),
        f"{cipher}-{seen.key_bits}" if cipher and seen.key_bits else cipher,
        seen.operation,
        f"workload {seen.workload}" if seen.workload else None,
        f"made for {human.significant(seen.clock_asked_mhz)} MHz" if seen.clock_asked_mhz else None,
    ]
    return " · ".join(word for word in words if word)


def was_run(seen: Measurement) -> bool:
    """Return whether a measurement is of a run of a workload, not of a netlist."""
    return seen.method is Method.SIMULATED


def without_breakdowns(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Return the measurements of whole modules."""
    return [seen for seen in measurements if seen.scope is None]
