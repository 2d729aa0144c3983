# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The combinations of a space: its designs, platforms and workloads, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pydantic import BaseModel

from ciphermill.algorithms import ALGORITHMS

from .design import DESIGNS, Design
from .errors import DesignError
from .load import kind_of, load_platform, make_model
from .measurement import digest
from .platform import PLATFORMS, Platform
from .runs import DEFAULT_BYTES, make_workload
from .search_space import SearchSpace, VariantTable
from .space import MOST, Refusal, expand, is_finite, load_designs
from .system import System
from .workload import Workload

_TOLD_ELSEWHERE = ("name", "description")
_OF_FILES = ("top", "folders", "parameters", "clock", "reset", "protocol")
"""Fields that the file of a named design determines."""


@dataclass(frozen=True)
class Combination:
    """A combination of a space's values."""

    digest: str
    """Equal for equal combinations, also on another machine."""
    fields: Mapping[str, Any]
    """The value of each field that the space varies, such as ``design.partition``."""
    design: Design | None = None
    platform: Platform | None = None
    workload: Workload | None = None
    refused: str = ""
    """Why it is impossible; empty if it is possible."""


def combinations(space: SearchSpace) -> list[Combination]:
    """Return every combination of a space once, in the order of its file.

    Raises:
        DesignError: A field is unknown or has a wrong value, a named design or platform does
            not exist, or there are more than ``space.MOST`` combinations.
    """
    found: dict[str, Combination] = {}
    for number, part in enumerate(space.parts, 1):
        source = f"{space.name}: variant {number}" if space.variant else space.name
        for one in _of_part(part, source):
            found.setdefault(one.digest, one)
            _check_count(len(found), space.name)
    return _varied(list(found.values()))


def plain_table(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table of any fields in types of JSON: Python's ranges and tuples become lists.

    >>> plain_table({"width": range(1, 4), "bus": ("ahb", "axi")})
    {'width': [1, 2, 3], 'bus': ['ahb', 'axi']}

    Raises:
        DesignError: A name is no text, or a value has none of these types.
    """
    for name in table:
        if not isinstance(name, str):
            raise DesignError(f"space: {name!r} is no name of a field: it is not text")
    return {name: _plain_value(name, value) for name, value in table.items()}


def table_combinations(table: Mapping[str, Any]) -> list[Combination]:
    """Return every combination of a table of any fields, each with all of its fields.

    Raises:
        DesignError: A range is invalid, or there are more than ``space.MOST`` combinations.
    """
    space = expand(table, dict, {}, "space")
    found = {digest(fields): fields for fields in space.possible}
    return [Combination(key, fields) for key, fields in found.items()]


def workload_of(design: Design, fields: Mapping[str, Any], source: str) -> Workload | None:
    """Return the workload of a design with some fields; other fields have their defaults.

    Without any fields, only a system has a workload.

    Args:
        design: The design.
        fields: Fields of a workload.
        source: The origin of the fields, for messages.

    Raises:
        ContradictionError: The design cannot run it.
        DesignError: A field is wrong.
    """
    if isinstance(design, System):
        return make_workload(fields, design, source)
    name = design.algorithm
    if name is None or not fields:
        return None
    algorithm = ALGORITHMS[name]
    operation = fields.get("operation", algorithm.operations[0])
    sizes = algorithm.key_bits_of(operation) if operation in algorithm.operations else ()
    usual = {
        "algorithm": name,
        "operation": operation,
        "mode": next(iter(algorithm.modes), ""),
        "key_bits": max(sizes, default=0),
        "bytes": DEFAULT_BYTES,
    }
    return make_model(Workload, {**usual, **fields}, source)


def _of_part(part: VariantTable, source: str) -> Iterator[Combination]:
    designs, impossible = _designs(part.design, source)
    yield from (_refused("design", one) for one in impossible)
    platforms, impossible = _platforms(part.platform, source)
    yield from (_refused("platform", one) for one in impossible)
    for design, own in designs:
        asked = expand(
            part.workload, partial(_workload, design=design, source=source), Workload, source
        )
        for one in asked.refused:
            fields = {**own, **_flat("workload", one.fields)}
            yield Combination(digest(fields), fields, refused=one.reason)
        for workload in asked.possible:
            for platform, place in platforms:
                fields = {**own, **place}
                if workload is not None:
                    fields |= _flat("workload", workload.model_dump(mode="json"))
                key = digest(_plain(design), _plain(platform), workload)
                yield Combination(key, fields, design, platform, workload)


def _plain_value(name: str, value: object) -> Any:
    if isinstance(value, Mapping):
        return plain_table(value)
    if isinstance(value, list | tuple | range):
        return [_plain_value(name, one) for one in value]
    if isinstance(value, str | bool | None) or is_finite(value):
        return value
    raise DesignError(
        f"space: {name}: {value!r} of type {type(value).__name__} is not a value; a value is a "
        "finite number, a text, true or false, None, a list or a table"
    )


def _workload(values: dict[str, Any], design: Design, source: str) -> Workload | None:
    return workload_of(design, values, source)


def _designs(
    table: dict[str, Any] | str | list[str], source: str
) -> tuple[list[tuple[Design, dict[str, Any]]], list[Refusal]]:
    """Return the designs of a part with their fields, and the impossible ones."""
    if not isinstance(table, dict):
        found: list[tuple[Design, dict[str, Any]]] = []
        refused: list[Refusal] = []
        for name in [table] if isinstance(table, str) else table:
            space = load_designs(name)
            refused += space.refused
            for one in space.possible:
                own = _flat("design", one.model_dump(mode="json", exclude=set(_OF_FILES)))
                found.append((one, {"design": one.name, **own}))
        return found, refused
    source = f"{source}: design"
    model = kind_of(DESIGNS, table, source)
    made = expand(table, lambda values: _design(model, values, source), model, source)
    return [(one, _flat("design", one.model_dump(mode="json"))) for one in made.possible], list(
        made.refused
    )


def _design(model: type[BaseModel], values: dict[str, Any], source: str) -> Any:
    """Return a design, which gets a name by its fields if its kind needs one."""
    if "name" in values or not model.model_fields["name"].is_required():
        return make_model(model, values, source)
    made: Any = make_model(model, {**values, "name": "candidate"}, source)
    return made.model_copy(update={"name": f"candidate-{digest(_plain(made))}"})


def _platforms(
    table: dict[str, Any] | str | list[str] | None, source: str
) -> tuple[list[tuple[Platform | None, dict[str, Any]]], list[Refusal]]:
    """Return the platforms of a part with their fields, and the impossible ones."""
    if table is None:
        return [(None, {})], []
    if not isinstance(table, dict):
        names = [table] if isinstance(table, str) else table
        return [(load_platform(name), {"platform": name}) for name in names], []
    source = f"{source}: platform"
    model = kind_of(PLATFORMS, table, source)
    made = expand(table, lambda values: _design(model, values, source), model, source)
    return [(one, _flat("platform", one.model_dump(mode="json"))) for one in made.possible], list(
        made.refused
    )


def _refused(word: str, one: Refusal) -> Combination:
    fields = _flat(word, one.fields)
    return Combination(digest(fields), fields, refused=one.reason)


def _plain(model: BaseModel | None) -> Any:
    """Return a model's fields without its name, which may follow from the others."""
    return None if model is None else model.model_dump(mode="json", exclude=set(_TOLD_ELSEWHERE))


def _flat(prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields by dotted name, without those that are absent.

    >>> _flat("design", {"clock": {"mhz": 100}, "variant": None})
    {'design.clock.mhz': 100}
    """
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name in _TOLD_ELSEWHERE or value is None:
            continue
        if isinstance(value, Mapping):
            found |= _flat(f"{prefix}.{name}", value)
        else:
            found[f"{prefix}.{name}"] = value
    return found


def _varied(found: list[Combination]) -> list[Combination]:
    """Return combinations with only those fields that tell them apart."""
    values: dict[str, set[str]] = {}
    possible = [one for one in found if not one.refused] or found
    for one in possible:
        for name, value in one.fields.items():
            values.setdefault(name, set()).add(json.dumps(value))
    several = {name for name, seen in values.items() if len(seen) > 1}
    # A field with one value that others lack follows from another field, such as the kind; it
    # stays only where it alone tells candidates apart.
    told = {json.dumps(_only(one.fields, several), sort_keys=True) for one in possible}
    absent = {name for name in values if any(name not in one.fields for one in possible)}
    kept = several if len(told) == len(possible) else several | absent
    same = set(values) - kept
    return [
        replace(one, fields={name: value for name, value in one.fields.items() if name not in same})
        for one in found
    ]


def _only(fields: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name in names}


def _check_count(count: int, name: str) -> None:
    if count > MOST:
        raise DesignError(f"{name}: stands for more than {MOST:,} combinations, which is the most")
