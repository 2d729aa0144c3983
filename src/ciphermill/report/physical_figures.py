# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Figures of area, timing, power and energy in words: name, unit, how they were obtained."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ciphermill.design import Measurement, Method
from ciphermill.report import format as human
from ciphermill.report.format import count
from ciphermill.toolchain.cells import CellTarget

_TITLES: Mapping[str, str] = {
    "xc7": "Xilinx 7-series",
    "ecp5": "Lattice ECP5",
    "ice40": "Lattice iCE40",
    "nangate45": "Nangate 45 nm",
    "sky130": "SkyWater 130 nm",
    "osu018": "OSU 180 nm",
    "rtl": "RTL",
}
CELL_TARGETS = tuple(target.value for target in CellTarget)
"""Targets of standard cells, the smallest first."""
FPGA_TARGETS = ("xc7", "ecp5", "ice40")


@dataclass(frozen=True)
class Quantity:
    """A field of a measurement, for readers."""

    field: str
    """Its name in ``Measurement``."""
    name: str
    unit: str
    how: str
    """How it was obtained, in a phrase."""
    show: Callable[[float], str] = human.significant
    """Writes a value, without the unit."""

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
"""Units that a figure may be written in instead of its own, a thousand apart."""


def prefixed(value: float, unit: str) -> str:
    """Write a power or an energy with the unit that fits it.

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


def _thousandths(value: float) -> str:
    """Write MB as kB."""
    return human.significant(1000 * value)


_CELLS = "sum of the library's cells after synthesis; wires and gaps left out"
_LUTS = "counted after synthesis"
_EVENTS = "gate simulation with the cells' delays, glitches counted"
_SETTLED = "the same cycles and netlist, each net settling at once"
_FORMULA = "computed from the figures above"

QUANTITIES: tuple[Quantity, ...] = (
    Quantity("area_um2", "Area", "µm²", _CELLS, count),
    Quantity("area_sequential_um2", "Area of flip-flops", "µm²", _CELLS, count),
    Quantity("area_ge", "Gate equivalents", "GE", "area in two-input NANDs of drive 1", count),
    Quantity("clock_gates", "Clock gates", "", "counted in the netlist", count),
    Quantity("area_lut", "LUTs", "", _LUTS, count),
    Quantity("area_lut_ram", "LUTs as RAM or shift register", "", _LUTS, count),
    Quantity("area_ff", "Flip-flops", "", _LUTS, count),
    Quantity("area_muxf7", "Multiplexers F7", "", _LUTS, count),
    Quantity("area_muxf8", "Multiplexers F8", "", _LUTS, count),
    Quantity("area_carry", "Carry chains", "", _LUTS, count),
    Quantity("area_dsp", "DSP blocks", "", _LUTS, count),
    Quantity("area_block_ram", "Block RAMs", "", _LUTS, count),
    Quantity("area_slices_estimated", "Slices", "", "estimated from LUTs; nothing placed", count),
    Quantity("clock_mhz", "Clock", "MHz", ""),
    Quantity("clock_asked_mhz", "Clock asked for", "MHz", "what the synthesis was told"),
    Quantity("delay_longest_path_ps", "Longest path", "ps", "set-up time included", count),
    Quantity("cycles_per_block", "Cycles a block", "", "from block to block"),
    Quantity("throughput_mb_s", "Throughput", "MB/s", "at the clock above"),
    Quantity("power_mw", "Power while it runs", "mW", _EVENTS),
    Quantity("power_switching_mw", "Switching power", "mW", "wires and pins, by toggles"),
    Quantity("power_internal_mw", "Internal power", "mW", "the library's tables, by slew and load"),
    Quantity("power_leakage_mw", "Leakage power", "mW", "the library's states, by time in each"),
    Quantity("power_zero_delay_mw", "Power without glitches", "mW", _SETTLED),
    Quantity("power_idle_mw", "Power while idle", "mW", "key loaded, clock running, nothing asked"),
    Quantity("energy_pj_per_bit", "Energy a bit", "pJ", _EVENTS),
    Quantity("energy_pj_per_bit_zero_delay", "Energy a bit, no glitches", "pJ", _SETTLED),
    Quantity("energy_pj_per_byte", "Energy a byte", "pJ", _EVENTS),
    Quantity("energy_uj_per_op", "Energy an operation", "µJ", _EVENTS),
    Quantity(
        "energy_relative",
        "Dynamic energy a byte, relative",
        "x",
        "toggles and routed resources over the reference's; no watts",
    ),
    Quantity("toggles_per_cycle", "Toggles a cycle", "", "bits of the RTL that change"),
    Quantity("toggles_per_op", "Toggles an operation", "", "bits of the RTL that change"),
    Quantity("toggles_per_byte", "Toggles a byte", "", "bits of the RTL that change"),
    Quantity("merit_cycles_x_lut", "Cycles x LUTs", "", _FORMULA, count),
    Quantity("merit_mb_s_per_lut", "Throughput a LUT", "kB/s", _FORMULA, _thousandths),
    Quantity(
        "merit_mb_s_per_mhz_per_slice",
        "Throughput a slice",
        "kB/s",
        f"{_FORMULA}; slices estimated",
        _thousandths,
    ),
    Quantity("merit_mb_s_per_mhz", "Throughput a MHz", "MB/s", _FORMULA),
    Quantity(
        "merit_throughput_over_energy",
        "Throughput over energy",
        "",
        "Mbit/s over mJ a Mbit, blocks back to back; the crypto-suite paper's has a bus latency "
        "in its rate",
        count,
    ),
)
"""In the order that a reader wants them."""

_BY_FIELD = {quantity.field: quantity for quantity in QUANTITIES}
_CLOCK_BY = {
    "opensta": "static timing by OpenSTA, our wire-load model, ideal clock",
    "ciphermill": "our own static timing, wire-load model, ideal clock",
    "nextpnr": "routed, by nextpnr",
}


def quantity(field: str) -> Quantity:
    """Return the text of a field.

    Raises:
        KeyError: It is no figure.
    """
    return _BY_FIELD[field]


def target_title(target: str | None) -> str:
    """Name a target for readers."""
    return _TITLES.get(target or "", target or "")


def figures(seen: Measurement) -> list[Figure]:
    """Return a measurement's figures, in order; absent ones are left out.

    The area of what ran a workload is left out too: it has a measurement of its own.
    """
    found = []
    for one in QUANTITIES:
        if was_run(seen) and one.field.startswith(("area_", "clock_gates", "clock_asked")):
            continue
        text = one.text(seen)
        if text:
            found.append(Figure(one.name, text, seen.method.value, how(one, seen)))
    return found


def how(one: Quantity, seen: Measurement) -> str:
    """Say how a figure of a measurement was obtained."""
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
    """Say what a measurement is of: target, key size, direction, workload.

    >>> heading(Measurement(target="sky130", algorithm="aes", key_bits=128, method="estimated"))
    'SkyWater 130 nm · AES-128'
    """
    cipher = (seen.algorithm or "").upper()
    words = [
        target_title(seen.target),
        f"{cipher}-{seen.key_bits}" if cipher and seen.key_bits else cipher,
        seen.direction,
        f"workload {seen.workload}" if seen.workload else None,
        f"made for {human.significant(seen.clock_asked_mhz)} MHz" if seen.clock_asked_mhz else None,
    ]
    return " · ".join(word for word in words if word)


def was_run(seen: Measurement) -> bool:
    """Say whether a measurement is of a workload that ran, and not of what was made."""
    return seen.method is Method.SIMULATED


def without_breakdowns(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Return the measurements of whole modules."""
    return [seen for seen in measurements if seen.scope is None]
