# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The measurements that an export carries, and the table of them in its README."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

from ciphermill.design import DOTTED_KEYS, Measurement

_FIGURES = ("cycles.", "time.", "throughput.", "area.", "clock.", "toggles.", "power.", "energy.")
_NOT_IDENTITY = {"provenance", "correct"}
_NOT_SHOWN = {"provenance", "time.total_s", "time.transfer_s", "time.processing_s"}
_DIGITS = 4


def of_module(
    measurements: Iterable[Measurement], names: Collection[str], devices: Collection[str]
) -> list[Measurement]:
    """Return the measurements of a module: by the design they are of, or the device.

    Published figures are another's and stay out.
    """
    return [
        seen
        for seen in measurements
        if (seen.design in names or seen.device in devices) and seen.method.value != "published"
    ]


def latest(measurements: Iterable[Measurement]) -> list[Measurement]:
    """Return the last measurement of each thing that was measured, the order kept."""
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
    """Return the columns and rows of a table of measurements.

    A column is there if it tells rows apart or has a figure; the method always is.
    """
    objects = [seen.to_json() for seen in measurements]
    columns = [
        key
        for key in DOTTED_KEYS
        if key not in _NOT_SHOWN and any(key in row for row in objects) and _tells(key, objects)
    ]
    return columns, [[_shown(row.get(key)) for key in columns] for row in objects]


def _tells(key: str, objects: Sequence[dict[str, object]]) -> bool:
    values = {str(row.get(key)) for row in objects}
    return key == "method" or key.startswith(_FIGURES) or len(values) > 1


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.{_DIGITS}g}" if abs(value) < 10**_DIGITS else f"{value:,.0f}"
    return str(value).replace("|", "\\|")
