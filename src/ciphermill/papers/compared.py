# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Printed figures beside ours, one by one, and the verdict on each.

This file has the only definition of the verdicts. A paper lists its tables and where ours of
each figure is found, and in its ``comparison.toml`` the printed figures that cannot be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import Field

from ciphermill.design import Measurement, Method
from ciphermill.design.load import load_model
from ciphermill.design.streaming_platform import Input
from ciphermill.design.table import Table
from ciphermill.papers.published import (
    Way,
    paper_file,
    place_of,
    printed_numbers,
    printed_way,
    printed_ways,
)

View = TypeVar("View")
TOLERANCE = 0.1
"""How near to a printed figure ours counts as the same, as a part of it, unless a paper says
otherwise."""


class Standing(StrEnum):
    """The verdict on a printed figure; the same words on the page and in ``--json``."""

    REPRODUCED = "reproduced"
    BEATEN = "beaten"
    MISSED = "missed"
    FOLLOWS = "follows from inputs"
    NOT_COMPARABLE = "not comparable"
    NOT_DONE = "not done here"
    NOT_RUN = "not run"


MEANINGS: Mapping[Standing, str] = {
    Standing.REPRODUCED: "Ours differs from the printed figure by the paper's tolerance at most, "
    "or lies in the printed range widened by it, and was not computed from that figure.",
    Standing.BEATEN: "Ours is better than that, in a figure of which less (or more) is better. "
    "The factor says how many times.",
    Standing.MISSED: "Ours is worse than that; or it differs, in a figure of which neither less "
    "nor more is better. The factor is never less than 1.",
    Standing.FOLLOWS: "Ours was computed from the printed figure itself, from one that states "
    "the same, from inputs that were all fitted to printed figures, or by arithmetic from "
    "published inputs. It proves nothing, however close it is.",
    Standing.NOT_COMPARABLE: "The printed figure is a setting, a figure of other people's work, "
    "a misprint, or of another technology, machine or way of counting. Where there is one of "
    "ours, it stands beside it for reading, without a verdict.",
    Standing.NOT_DONE: "What would give the figure cannot be done here, for the reason that "
    "stands beside it.",
    Standing.NOT_RUN: "The store has no measurement for it yet; the command beside it makes one, "
    "or the text says what it needs.",
}
"""What each verdict means, for people."""


class Better(StrEnum):
    """Which of two values of a figure is the better one."""

    LESS = "less"
    MORE = "more"
    NEITHER = "neither"
    """Of a property, such as the number of toggles, or of a model of the paper's own machine."""


@dataclass(frozen=True)
class Ours:
    """A figure of ours that stands beside a printed one."""

    value: float
    method: Method
    """How it was obtained."""
    of: str
    """What it is of: design, platform, and what differs from the paper's."""
    inputs: tuple[Input, ...] = ()
    """What went in, of a figure that was not measured or simulated alone."""
    same: tuple[str, ...] = ()
    """Further printed figures, ``paper#place``, that state what the printed one states: one that
    was fitted to them follows from its inputs too."""
    unit: str = ""
    """Where it is not that of the printed figure: the two have no ratio then."""
    arithmetic: bool = False
    """Whether it is a formula of its inputs, of which nothing was measured or simulated here."""

    def rests_on(self, printed: Sequence[tuple[str, Way]]) -> bool:
        """Whether it was computed from one of these printed figures, or from inputs alone.

        Args:
            printed: The ways to the printed figure's numbers, each with the paper's name.
        """
        if self.arithmetic:
            return True
        own = [*printed, *map(_way, self.same)]
        went_in = [_way(figure) for one in self.inputs for figure in one.figures]
        if any(_same(one, other) for one in went_in for other in own):
            return True
        return bool(self.inputs) and all(one.method == "fitted" for one in self.inputs)


def of_measurement(
    seen: Measurement | None, value: float | None, of: str, unit: str = ""
) -> Ours | None:
    """Return a figure of a measurement without inputs; None if there is none."""
    return None if seen is None or value is None else Ours(value, seen.method, of, unit=unit)


def printed_input(paper: str, *places: str) -> Input:
    """Return printed figures of a paper as an input of a figure of ours."""
    return Input(paper, places[0], "published", tuple(f"{paper}#{place}" for place in places))


def _way(figure: str) -> tuple[str, Way]:
    paper, _, place = figure.partition("#")
    return paper, printed_way(paper, place)


def _same(one: tuple[str, Way], other: tuple[str, Way]) -> bool:
    """Whether two ways are to one figure, or one is to a table around the other."""
    shorter = min(len(one[1]), len(other[1]))
    return one[0] == other[0] and one[1][:shorter] == other[1][:shorter]


@dataclass(frozen=True)
class Figure(Generic[View]):
    """A printed figure, and where ours is found."""

    place: str
    """Its place in ``published.toml``; a range of two numbers is one figure."""
    what: str
    unit: str = ""
    better: Better = Better.NEITHER
    ours: Callable[[View], Ours | None] = field(default=lambda _: None, repr=False)
    """Find ours in the view of a run. None, or a ``LookupError``: the run does not have it."""
    needs: str = ""
    """What the paper's command needs beside, where ours may be missing after it too."""


@dataclass(frozen=True)
class PrintedTable(Generic[View]):
    """A table of a paper."""

    title: str
    """Its name in the paper and what it has."""
    figures: tuple[Figure[View], ...]
    about: str = ""
    """What both sides ran on, and what to know before comparing."""


@dataclass(frozen=True)
class Comparison(Generic[View]):
    """What a paper's folder gives to the page of all papers."""

    tables: Callable[[], Sequence[PrintedTable[View]]]
    view: Callable[[Sequence[Measurement]], View]
    """Make the view of a run's measurements.
    A ``LookupError`` says that the run is not complete."""
    tolerance: float = TOLERANCE
    """See ``TOLERANCE``."""


class LeftOut(Table):
    """Printed figures that cannot be compared, or not here."""

    verdict: Literal["not comparable", "not done here"]
    places: Annotated[tuple[str, ...], Field(min_length=1)]
    """Of figures, or of tables of figures; ``*`` is every table of an array."""
    why: Annotated[str, Field(min_length=1)]


class LeftOuts(Table):
    """A paper's ``comparison.toml``."""

    left_out: tuple[LeftOut, ...] = ()

    @classmethod
    def of(cls, paper: str) -> LeftOuts:
        """Load the file of a paper, by its name; without a file nothing is left out.

        Raises:
            DesignError: The file is malformed.
        """
        path = paper_file(paper, "comparison.toml")
        return load_model(cls, path) if path.exists() else cls()

    def reasons(self, paper: str) -> Iterator[tuple[Way, LeftOut]]:
        """Yield the ways to what is left out.

        Raises:
            DesignError: The paper prints no such figure.
        """
        for one in self.left_out:
            for place in one.places:
                yield from ((way, one) for way in printed_ways(paper, place))


@dataclass(frozen=True)
class Compared:
    """A printed figure beside ours, with the verdict."""

    paper: str
    figure: str
    """Its place in ``published.toml``."""
    table: str
    what: str
    unit: str
    printed: tuple[float, ...]
    """One number, or the two ends of a range."""
    better: Better
    ours: Ours | None
    run: int | None
    """The stored run that ours is from."""
    standing: Standing
    factor: float | None
    """Of a figure that was beaten or missed: how many times, at least 1."""
    why: str
    """The reason of a figure that is not compared; the command of one that was not run."""

    @property
    def ratio(self) -> float | None:
        """Ours over the printed figure; over the nearest end of a range that it is outside of."""
        if self.ours is None or self.ours.unit:
            return None
        near = nearest(self.printed, self.ours.value)
        return self.ours.value / near if near else None

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of what went into ours, each once, as in ``Measurement.inputs``."""
        ours = self.ours.inputs if self.ours else ()
        return tuple(dict.fromkeys(name for one in ours for name in one.names))

    def to_json(self) -> dict[str, Any]:
        """Return it as an object; every key is always there."""
        ours = self.ours
        range_ = list(self.printed)
        return {
            "paper": self.paper,
            "figure": f"{self.paper}#{self.figure}",
            "table": self.table,
            "what": self.what,
            "unit": self.unit,
            "published": range_[0] if len(range_) == 1 else range_,
            "ours": ours.value if ours else None,
            "ours_unit": (ours.unit or self.unit) if ours else None,
            "method": ours.method.value if ours else None,
            "of": ours.of if ours else None,
            "inputs": list(self.inputs),
            "run": self.run,
            "better": self.better.value,
            "ratio": self.ratio,
            "verdict": self.standing.value,
            "factor": self.factor,
            "reason": self.why,
        }


def nearest(printed: Sequence[float], value: float) -> float:
    """Return the number of a printed figure that a value is compared with.

    >>> nearest((5.0,), 7.0), nearest((450, 500), 470), nearest((450, 500), 520)
    (5.0, 470, 500)
    """
    return min(max(value, min(printed)), max(printed))


def stand(
    printed: Sequence[float], ours: float, better: Better, tolerance: float
) -> tuple[Standing, float | None]:
    """Return the verdict on a figure of ours that was not computed from the printed one.

    Args:
        printed: One number, or the two ends of a range.
        ours: Ours, in the same unit.
        better: Whether less or more of it is better.
        tolerance: See ``TOLERANCE``.

    >>> stand((100,), 109, Better.LESS, 0.1)
    (<Standing.REPRODUCED: 'reproduced'>, None)
    >>> stand((100,), 50, Better.LESS, 0.1), stand((100,), 50, Better.MORE, 0.1)
    ((<Standing.BEATEN: 'beaten'>, 2.0), (<Standing.MISSED: 'missed'>, 2.0))
    """
    near = nearest(printed, ours)
    if abs(ours - near) <= tolerance * abs(near):
        return Standing.REPRODUCED, None
    times = max(ours / near, near / ours) if ours > 0 and near > 0 else None
    less = ours < near
    beaten = better is not Better.NEITHER and less == (better is Better.LESS)
    return Standing.BEATEN if beaten else Standing.MISSED, times


def compared(
    paper: str,
    tables: Sequence[PrintedTable[View]],
    views: Sequence[tuple[int, View]],
    tolerance: float,
    command: str,
) -> Iterator[Compared]:
    """Yield every number of a paper beside ours, those of its tables first.

    Args:
        paper: The paper's name.
        tables: Its tables.
        views: Views of stored runs with their numbers, the newest first: a figure is that of the
        first run that has it.
        tolerance: See ``TOLERANCE``.
        command: What measures it.

    Raises:
        DesignError: A place that the paper's folder names is not printed.
    """
    numbers = printed_numbers(paper)
    left_out = dict(LeftOuts.of(paper).reasons(paper))
    shown: set[Way] = set()
    for table in tables:
        for figure in table.figures:
            at = printed_way(paper, figure.place)
            ways = [way for way in numbers if way[: len(at)] == at]
            shown.update(ways)
            number, ours = _first(figure, views)
            values = tuple(numbers[way] for way in ways)
            named = [(paper, way) for way in ways]
            reason = _reason(left_out, at)
            standing, factor, why = (
                (Standing(reason.verdict), None, reason.why)
                if reason
                else _verdict(figure, values, named, ours, tolerance, command)
            )
            yield Compared(
                *(paper, figure.place, table.title, figure.what, figure.unit, values),
                *(figure.better, ours, number, standing, factor, why),
            )
    for way, value in numbers.items():
        reason = _reason(left_out, way)
        if way not in shown and reason:
            place = place_of(paper, way)
            yield Compared(
                *(paper, place, "", place, "", (value,), Better.NEITHER, None, None),
                *(Standing(reason.verdict), None, reason.why),
            )


def _first(
    figure: Figure[View], views: Sequence[tuple[int, View]]
) -> tuple[int | None, Ours | None]:
    for number, view in views:
        try:
            ours = figure.ours(view)
        except LookupError:
            continue
        if ours is not None:
            return number, ours
    return None, None


def _verdict(
    figure: Figure[View],
    values: tuple[float, ...],
    ways: Sequence[tuple[str, Way]],
    ours: Ours | None,
    tolerance: float,
    command: str,
) -> tuple[Standing, float | None, str]:
    if ours is None:
        return Standing.NOT_RUN, None, "; ".join(filter(None, (command, figure.needs)))
    if ours.rests_on(ways):
        return Standing.FOLLOWS, None, ""
    if ours.unit:
        raise ValueError(f"{figure.place}: ours is in {ours.unit}; say why in comparison.toml")
    return (*stand(values, ours.value, figure.better, tolerance), "")


def _reason(left_out: Mapping[Way, LeftOut], way: Way) -> LeftOut | None:
    """Return why a figure is left out: the reason of the nearest table around it."""
    for length in range(len(way), 0, -1):
        if way[:length] in left_out:
            return left_out[way[:length]]
    return None
