# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Results of embedded systems as measurements, and back again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ciphermill.design import Measurement, Method
from ciphermill.evaluate.chip.area import SystemArea
from ciphermill.evaluate.chip.measures import XC7
from ciphermill.toolchain.yosys import AreaXc7

Name = TypeVar("Name")
_PARTS = ("soft_core", "core", "coprocessor", "front")
_AREA: Mapping[str, str] = {
    "lut": "area_lut",
    "lut_ram": "area_lut_ram",
    "ff": "area_ff",
    "muxf7": "area_muxf7",
    "muxf8": "area_muxf8",
    "carry4": "area_carry",
    "dsp": "area_dsp",
    "block_ram": "area_block_ram",
}
NO_ENERGY = "energy of systems is not made again from stored measurements: run the paper"


def area_rows(area: SystemArea, **fields: Any) -> Iterator[Measurement]:
    """Yield the area of each part of a system; ``scope`` is the part."""
    for part in _PARTS:
        found = getattr(area, part)
        if found is not None:
            sizes = {mine: getattr(found, theirs) for theirs, mine in _AREA.items()}
            yield Measurement(target=XC7, scope=part, method=Method.ESTIMATED, **sizes, **fields)


def area_of(rows: Iterable[Measurement]) -> SystemArea:
    """Return the area whose parts these rows are.

    Raises:
        KeyError: There is no soft core.
    """
    found = {
        seen.scope: AreaXc7(**{theirs: getattr(seen, mine) or 0 for theirs, mine in _AREA.items()})
        for seen in rows
    }
    return SystemArea(found["soft_core"], *(found.get(part) for part in _PARTS[1:]))


def areas_of(
    stored: Iterable[Measurement], name: Callable[[Measurement], Name]
) -> dict[Name, SystemArea]:
    """Return the areas of systems among measurements, by the names that these give.

    Raises:
        KeyError: A system has no soft core.
    """
    parts: dict[Name, list[Measurement]] = {}
    for seen in stored:
        if seen.scope and seen.area_lut is not None:
            parts.setdefault(name(seen), []).append(seen)
    return {one: area_of(rows) for one, rows in parts.items()}


def powered(stored: Iterable[Measurement]) -> bool:
    """Whether power was computed."""
    return any(seen.power_mw for seen in stored if seen.method is not Method.PUBLISHED)


def runs(stored: Sequence[Measurement], method: Method = Method.SIMULATED) -> list[Measurement]:
    """Return the runs of systems: no areas, no powers, no programs or cores by themselves."""
    return [
        seen
        for seen in stored
        if seen.method is method
        and seen.cycles_total is not None
        and (seen.workload, seen.power_mw, seen.scope) == (None, None, None)
    ]
