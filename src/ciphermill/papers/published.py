# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The figures that papers print: a ``published.toml`` in the folder of each.

The figures are as printed, with their place in the paper.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field

from ciphermill.design.errors import DesignError
from ciphermill.design.load import load_model, make_model
from ciphermill.design.table import Table

Model = TypeVar("Model", bound=Table)
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(gt=0)]
EVERY = "*"
"""In a place: every table of an array."""
Way = tuple[str | int, ...]
"""The way to a figure in its file: names of tables, and positions in arrays."""


class Paper(Table):
    """Bibliographic data of a paper."""

    name: str
    title: str
    authors: tuple[str, ...] = ()
    published: str = ""
    platform: str
    """The platform of most of its figures."""

    @property
    def citation(self) -> str:
        """Authors, title and place, for people."""
        by = f"{', '.join(self.authors)}: " if self.authors else ""
        return f"{by}{self.title}. {self.published}".strip()


def bibliography(paper: str) -> Paper:
    """Return the bibliographic data of a paper, by its name.

    Raises:
        DesignError: There is no such paper, or the data are malformed.
    """
    return make_model(Paper, _printed(paper)["paper"], str(paper_file(paper)))


def printed_figure(name: str) -> Any:
    """Return the printed figure with a name ``paper#place``, as in ``Measurement.inputs``.

    The place is dotted. In an array of tables a part chooses those tables that have it as
    one of their values: ``result.zedboard.throughput.file.hardware.ecb``; a number that none
    has is a position, from 0, as it is in a list of numbers. Dots of a value are left out.

    Raises:
        DesignError: There is no such paper or figure, or there are several.
    """
    paper, _, place = name.partition("#")
    found = _printed(paper)
    for part in printed_way(paper, place):
        found = found[part]
    return found


def printed_way(paper: str, place: str) -> Way:
    """Return the way to a printed figure, or to a table, from its place; see ``printed_figure``.

    Raises:
        DesignError: There is no such paper or figure, or there are several.
    """
    (found,) = printed_ways(paper, place.replace(EVERY, ""))
    return found


def printed_ways(paper: str, place: str) -> Iterator[Way]:
    """Yield the ways to the figures with a place in which ``*`` means every table of an array.

    Tables of the array that lack the figure are left out.

    Raises:
        DesignError: There is no such paper or figure, or there are several.
    """
    head, every, rest = place.partition(f".{EVERY}.")
    try:
        way, found = _inside(_printed(paper), head)
        if not every:
            yield way
            return
        having = [one for one in enumerate(found) if rest.partition(".")[0] in one[1]]
        if not having:
            raise LookupError("no such figure")
        for number, table in having:
            yield (*way, number, *_inside(table, rest)[0])
    except LookupError as error:
        raise DesignError(f"{paper}#{place}: {paper_file(paper)}: {error.args[0]}") from error


def _inside(found: Any, place: str) -> tuple[Way, Any]:
    """Return the way to a place, and what is there.

    Raises:
        LookupError: There is no such figure, or there are several.
    """
    way: list[str | int] = []
    among: list[int] | None = None
    """Of an array of tables, the positions of those that are meant so far."""

    def chosen() -> Any:
        if among is not None:
            if len(among) != 1:
                raise LookupError(f"{len(among)} tables are meant")
            way.append(among[0])
            return found[among[0]]
        return found

    for part in place.split("."):
        if isinstance(found, list) and found and isinstance(found[0], dict):
            among = list(range(len(found))) if among is None else among
            named = [one for one in among if part in map(_plain, found[one].values())]
            if named:
                among = named
                continue
            if part.isdecimal() and among == [*range(len(found))]:
                among = among[int(part) :][:1]
                continue
        found, among = chosen(), None
        try:
            way.append(int(part) if isinstance(found, list) else part)
            found = found[way[-1]]
        except (LookupError, ValueError, TypeError) as error:
            raise LookupError("no such figure") from error
    found = chosen()
    return tuple(way), found


def place_of(paper: str, way: Way) -> str:
    """Return the place of a printed figure, by the way to it.

    Raises:
        DesignError: There is no such paper.
    """
    found = _printed(paper)
    parts: list[str] = []
    for part in way:
        named = [str(part)]
        if isinstance(found, list) and isinstance(found[0], dict):
            named = _named(found, int(part))
        parts += named
        found = found[part]
    return ".".join(parts)


def _named(tables: list[dict[str, Any]], number: int) -> list[str]:
    """Return values that only one table of an array has together: texts before whole numbers."""
    among = list(tables)
    named: list[str] = []
    values = [one for kind in (str, int) for one in tables[number].values() if type(one) is kind]
    for value in map(_plain, values):
        having = [one for one in among if value in map(_plain, one.values())]
        if len(having) < len(among):
            among, named = having, [*named, value]
        if len(among) == 1:
            return named
    return named or [str(number)]


def printed_numbers(paper: str) -> dict[Way, float]:
    """Return every number that the file of a paper has, by the way to it, in its order.

    Raises:
        DesignError: There is no such paper.
    """

    def inside(found: Any, way: Way) -> Iterator[tuple[Way, float]]:
        if isinstance(found, dict | list):
            pairs = found.items() if isinstance(found, dict) else enumerate(found)
            for part, one in pairs:
                yield from inside(one, (*way, part))
        elif isinstance(found, int | float) and not isinstance(found, bool):
            yield way, found

    return dict(inside(_printed(paper), ()))


@cache
def _printed(paper: str) -> Any:
    path = paper_file(paper)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise DesignError(f"{path}: {error}") from error


def _plain(value: object) -> str:
    """A value as a part of a place.

    >>> _plain("a 1.5 GHz core")
    'a 15 GHz core'
    """
    return str(value).replace(".", "")


def loader(model: type[Model], name: str) -> Callable[[], Model]:
    """Return the function that loads the figures of a paper, by the paper's name.

    It raises ``DesignError`` if the file is missing or malformed.
    """
    return lambda: load_model(model, paper_file(name))


def paper_file(name: str, file: str = "published.toml") -> Path:
    """Return a file of a paper, by the paper's name; it may not be there."""
    return Path(__file__).parent / name.replace("-", "_") / file
