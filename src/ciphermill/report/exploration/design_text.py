# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The designs of a candidate as TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ciphermill.campaign.exploration import Candidate, Exploration

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def design_texts(exploration: Exploration, candidate: Candidate) -> list[str]:
    """Return the designs that were measured, as TOML, each once.

    Of a candidate without measured designs: the tables of the space's file that it varies, with
    its values.
    """
    designs = {
        seen.design_digest or json.dumps(seen.design_fields, sort_keys=True): seen.design_fields
        for seen in candidate.measurements
        if seen.design_fields
    }
    if designs:
        return [to_toml(fields) for fields in designs.values()]
    return [to_toml(point(exploration.definition, candidate.fields))]


def point(definition: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of a space's file that a point varies, with the point's values.

    >>> point({"design": {"a": [1, 2], "b": 3}, "objectives": []}, {"design.a": 2})
    {'design': {'a': 2, 'b': 3}}
    """
    first = dict.fromkeys(name.partition(".")[0] for name in fields)
    filled: dict[str, Any] = {name: definition[name] for name in first if name in definition}
    for name, value in fields.items():
        *path, last = name.split(".")
        table = filled
        for part in path:
            inner = table.get(part)
            # The definition is the exploration's own and stays as it is.
            table[part] = dict(inner) if isinstance(inner, Mapping) else {}
            table = table[part]
        table[last] = value
    return filled


def to_toml(table: Mapping[str, Any]) -> str:
    """Return a table as TOML; absent values are left out.

    >>> print(to_toml({"kind": "core", "sizes": [1, 2], "clock": {"mhz": 100.0}}), end="")
    kind = "core"
    sizes = [1, 2]
    <BLANKLINE>
    [clock]
    mhz = 100.0
    """
    return "\n".join(_lines(table, ())).strip("\n") + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    inner = {name: value for name, value in table.items() if isinstance(value, Mapping)}
    plain = {name: value for name, value in table.items() if name not in inner}
    if path and (plain or not inner):
        yield ""
        yield f"[{'.'.join(map(_key, path))}]"
    for name, value in plain.items():
        if value is not None:
            yield f"{_key(name)} = {_value(value)}"
    for name, value in inner.items():
        yield from _lines(value, (*path, str(name)))


def _key(name: object) -> str:
    return str(name) if _BARE.fullmatch(str(name)) else _text(str(name))


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(one) for one in value)}]"
    if isinstance(value, Mapping):
        pairs = (f"{_key(name)} = {_value(one)}" for name, one in value.items())
        return f"{{ {', '.join(pairs)} }}"
    return _text(str(value))


def _text(value: str) -> str:
    # JSON's strings are those of TOML, except for this character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
