# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Spaces of designs, platforms and runs: tables whose fields may hold several values.

A list gives each of its values, ``{ from = 1, to = 8, step = 1 }`` each number of a range
including its end; several such fields give every combination. A field whose value is itself
a list, such as ``key_sizes``, takes a list of lists. So does a field whose type is not known.
"""

from __future__ import annotations

import itertools
import math
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel

from .design import DESIGNS, Design
from .errors import ContradictionError, DesignError
from .load import find_file, kind_of, make_model, read_table
from .platform import PLATFORMS, Platform

MOST = 100_000
"""The most combinations of a table."""
_ROUNDING = Decimal("1e-9")
"""How much of a step the end of a range may be too small, since it was rounded."""

T = TypeVar("T")


@dataclass(frozen=True)
class Refusal:
    """An invalid combination."""

    fields: Mapping[str, Any]
    reason: str


@dataclass(frozen=True)
class Space(Generic[T]):
    """Every combination of a table's values."""

    possible: tuple[T, ...]
    refused: tuple[Refusal, ...] = ()


def load_designs(name_or_path: str | Path) -> Space[Design]:
    """Return the designs of a file; any field may hold several values.

    If there are several, each has a number at the end of its name.

    Raises:
        DesignError: As for ``load_design``; invalid combinations are not an error.
    """
    return _load("designs", DESIGNS, name_or_path)


def load_platforms(name_or_path: str | Path) -> Space[Platform]:
    """Return the platforms of a file; any field may hold several values.

    Raises:
        DesignError: As for ``load_designs``.
    """
    return _load("platforms", PLATFORMS, name_or_path)


def expand(
    table: Mapping[str, Any],
    make: Callable[[dict[str, Any]], T],
    fields: Mapping[str, Any] | type[BaseModel],
    source: Path | str,
) -> Space[T]:
    """Return the model of each combination of a table's values.

    Args:
        table: The fields, some with several values.
        make: Makes a model from its fields.
        fields: The model, or the types of its fields by name.
        source: Where the table came from, for messages.

    Raises:
        DesignError: A field is unknown or has a wrong value, a range is invalid, or there
            are more than ``MOST`` combinations.
    """
    possible, refused = [], []
    for values in _combinations(table, fields, source):
        try:
            possible.append(make(values))
        except ContradictionError as error:
            refused.append(Refusal(values, str(error)))
    return Space(tuple(possible), tuple(refused))


def _load(folder: str, kinds: Mapping[str, type[Any]], name_or_path: str | Path) -> Space[Any]:
    path = find_file(folder, kinds, name_or_path)
    table = read_table(path)
    model: type[Any] = kind_of(kinds, table, path)
    found = expand(table, lambda values: make_model(model, values, path), model, path)
    if len(found.possible) + len(found.refused) == 1 or isinstance(table.get("name"), list):
        return found
    named = [
        one.model_copy(
            update={"name": f"{str(getattr(one, 'name', None) or path.stem)[:58]}-{number}"}
        )
        for number, one in enumerate(found.possible, 1)
    ]
    return Space(tuple(named), found.refused)


def _combinations(
    table: Mapping[str, Any], fields: Any, source: Path | str
) -> Iterator[dict[str, Any]]:
    choices = [_choices(value, _type_of(fields, name), source) for name, value in table.items()]
    count = math.prod(map(len, choices))
    if count > MOST:
        raise DesignError(f"{source}: stands for {count:,} combinations; at most are {MOST:,}")
    for chosen in itertools.product(*choices):
        yield dict(zip(table, chosen, strict=True))


def _choices(value: Any, kind: Any, source: Path | str) -> list[Any]:
    """Return the values that a field's value gives."""
    if isinstance(value, dict):
        if {"from", "to"} <= value.keys() <= {"from", "to", "step"}:
            return _range(value, source)
        return list(_combinations(value, kind, source))
    if not isinstance(value, list):
        return [value]
    if _base(kind) is tuple and not (value and all(isinstance(one, list) for one in value)):
        return [value]
    if _base(kind) is tuple:
        return value
    inner = [
        [one] if kind is None and isinstance(one, list) else _choices(one, kind, source)
        for one in value
    ]
    return list(itertools.chain.from_iterable(inner))


def _range(value: Mapping[str, Any], source: Path | str) -> list[Any]:
    ends = (value["from"], value["to"], value.get("step", 1))
    if not all(map(is_finite, ends)) or not ends[2] > 0 or ends[1] < ends[0]:
        raise DesignError(
            f"{source}: {dict(value)} is not a range: to must not be below from, and step above 0"
        )
    # Decimals, so that a third tenth is 0.3 and not 0.30000000000000004.
    first, last, step = (Decimal(str(one)) for one in ends)
    count = math.floor((last - first) / step + _ROUNDING) + 1
    if count > MOST:
        raise DesignError(f"{source}: {dict(value)} has {count:,} values; at most are {MOST:,}")
    kind = int if all(isinstance(one, int) for one in ends) else float
    return [kind(first + number * step) for number in range(count)]


def is_finite(value: object) -> bool:
    """Whether a value is a number, and one that floating point can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max


def _type_of(fields: Any, name: str) -> Any:
    """Return the type of a table's field; None if it is not known."""
    kind = plain_type(fields)
    if isinstance(kind, Mapping):
        return kind.get(name)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        found = kind.model_fields
        return next((f.annotation for key, f in found.items() if name in (f.alias, key)), None)
    return get_args(kind)[1] if get_origin(kind) is dict else None


def _base(kind: Any) -> Any:
    plain = plain_type(kind)
    return get_origin(plain) or plain


def plain_type(kind: Any) -> Any:
    """Return a type without ``Annotated`` and ``None``."""
    if get_origin(kind) is Annotated:
        return plain_type(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        return plain_type(next(one for one in get_args(kind) if one is not type(None)))
    return kind
