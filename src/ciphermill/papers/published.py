# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The figures that papers print: a ``published.toml`` in the folder of each.

The figures are as printed, with their place in the paper.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field

from ciphermill.design.errors import DesignError
from ciphermill.design.load import load_model
from ciphermill.design.table import Table

Model = TypeVar("Model", bound=Table)
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(gt=0)]


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


def printed_figure(name: str) -> Any:
    """Return the printed figure with a name ``paper#place``, as in ``Measurement.inputs``.

    The place is dotted. In an array of tables a part chooses those tables that have it as
    one of their values: ``result.zedboard.throughput.file.hardware.ecb``. In a list of
    numbers it is the position, from 0. Dots of a value are left out.

    Raises:
        DesignError: There is no such paper or figure, or there are several.
    """
    paper, _, place = name.partition("#")
    path = paper_file(paper)
    try:
        found: Any = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise DesignError(f"{path}: {error}") from error
    for part in place.split("."):
        if isinstance(found, list) and found and isinstance(found[0], dict):
            among = [one for one in found if part in map(_plain, one.values())]
            if among:
                found = among
                continue
            if len(found) != 1:
                raise DesignError(f"{name}: {len(found)} tables of {path} are meant")
            found = found[0]
        try:
            found = found[int(part)] if isinstance(found, list) else found[part]
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise DesignError(f"{name}: {path} has no such figure") from error
    return found


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
