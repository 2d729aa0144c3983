# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The measurements in an export, and their table in its README."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

from ciphermill.design import Measurement

_FIGURES = ("cycles.", "time.", "throughput.", "area.", "clock.", "toggles.", "power.", "energy.")
_NOT_IDENTITY = {"provenance", "correct"}
_DIGITS = 4


def of_module(
    measurements: Iterable[Measurement], names: Collection[str], devices: Collection[str]
) -> list[Measurement]:
    """Return the measurements of a module, found by design or device.

    Published figures are of other designs and are not included.
    """
    return [
        seen
        for seen in measurements
        if (seen.design in names or seen.device in devices) and seen.method.value != "published"
    ]


def latest(measurements: Iterable[Measurement]) -> list[Measurement]:
    """Return the last measurement of each subject, in order."""
    found: dict[str, Measurement] = {}
    for seen in measurements:
        found.pop(identity := _identity(seen), None)
        found[identity] = seen
    return list(found.values())


def _identity(seen: Measurement) -> str:
    fields = {
        key: value
        for key, value in seen.to_json().items()
        if key not in _NOT_IDENTITY and not key.startswith(_FIGURES)
    }
    return json.dumps(fields, sort_keys=True)


def table(measurements: Sequence[Measurement]) -> tuple[list[str], list[list[str]]]:
    """Return the columns and rows of a table of area, clock, speed and energy.

    A row is the subject of a measurement; empty columns are left out. Parts of a breakdown
    are only in ``measurements.json``.
    """
    rows = [_row(seen) for seen in measurements if seen.scope is None]
    rows = [row for row in rows if any(row[name] for name in _CONTENT)]
    columns = [name for name in (_WHERE, *_CONTENT, _HOW) if any(row[name] for row in rows)]
    return columns, [[row[name] or "-" for name in columns] for row in rows]


_WHERE, _HOW = "what", "method"
_CONTENT = ("area", "clock", "speed", "power and energy")
_TARGETS = {
    "xc7": "Xilinx 7-series, synthesis",
    "ecp5": "Lattice ECP5, placed and routed",
    "ice40": "Lattice iCE40, placed and routed",
    "nangate45": "Nangate 45 nm cells",
    "sky130": "SkyWater 130 nm cells",
    "osu018": "OSU 180 nm cells",
    "rtl": "RTL, no technology",
}
_AREAS = (
    ("area_lut", "LUTs"),
    ("area_ff", "flip-flops"),
    ("area_block_ram", "block RAMs"),
    ("area_dsp", "DSPs"),
    ("area_ge", "gate equivalents"),
    ("area_um2", "µm²"),
)
_SPEEDS = (
    ("cycles_per_block", "cycles a block"),
    ("throughput_mb_s", "MB/s"),
)
_ENERGIES = (
    ("energy_pj_per_bit", "pJ a bit"),
    ("power_mw", "mW"),
    ("power_idle_mw", "mW idle"),
    ("toggles_per_op", "toggles an operation"),
)


def _row(seen: Measurement) -> dict[str, str]:
    ran = seen.workload is not None
    return {
        _WHERE: _what(seen),
        # The area of a netlist that ran a workload is in a row of its own.
        "area": "" if ran else _said(seen, _AREAS),
        "clock": f"{_shown(seen.clock_mhz)} MHz" if seen.clock_mhz else "",
        "speed": _said(seen, _SPEEDS),
        "power and energy": _said(seen, _ENERGIES),
        _HOW: seen.method.value,
    }


def _what(seen: Measurement) -> str:
    """Return the subject of a measurement: ``Nangate 45 nm cells, AES-256 encrypt``."""
    target = _TARGETS.get(seen.target or "", seen.target or seen.platform or "")
    place = target or ("the accelerator, cycle by cycle" if seen.device else "")
    key = f"{seen.algorithm.upper()}-{seen.key_bits}" if seen.algorithm and seen.key_bits else ""
    mode = (seen.mode or "").upper()
    operation = " ".join(word for word in (key, mode, seen.operation or "") if word)
    asked = f"made for {_shown(seen.clock_asked_mhz)} MHz" if seen.clock_asked_mhz else ""
    load = f"workload {seen.workload}" if seen.workload else ""
    return ", ".join(word for word in (place, asked, load, operation) if word) or "the module"


def _said(seen: Measurement, fields: Sequence[tuple[str, str]]) -> str:
    values = ((getattr(seen, field), unit) for field, unit in fields)
    return ", ".join(f"{_shown(value)} {unit}" for value, unit in values if value)


def _shown(value: float) -> str:
    if float(value).is_integer() or abs(value) >= 10 ** (_DIGITS - 1):
        return f"{value:,.0f}"
    return f"{value:.{_DIGITS - 1}g}"
