# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the page's script draws: axes, and each candidate's place on them, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from ciphermill.campaign.exploration import rounded
from ciphermill.report import format as human
from ciphermill.report.exploration.expression import value_of
from ciphermill.report.exploration.standing import (
    KIND_WORDS,
    Kind,
    Ranking,
    Standing,
    is_number,
    shown,
)

LEAST_DRAWN, MOST_DRAWN = 1e-150, 1e150
"""Magnitudes between which values are drawn, and 0: a range, or a ratio, of larger and smaller ones
may be more than floating point can hold."""
ABSENT = "absent"
"""The place on a field's axis of candidates without the field, such as those of another variant."""


@dataclass(frozen=True)
class Axis:
    """A field or a figure to draw candidates along."""

    name: str
    role: str
    """``objective``, ``field`` or ``figure``."""
    direction: str = ""
    """Of an objective: ``minimise`` or ``maximise``."""
    words: tuple[str, ...] = ()
    """Of a field: its values, ``ABSENT`` among them. Empty if they are numbers that all have."""

    def value(self, one: Standing) -> float | None:
        """Return a candidate's number on this axis; of words, their index."""
        if self.role != "field":
            return value_of(self.name, one.candidate.figures)
        value = one.candidate.fields.get(self.name, ABSENT)
        return float(self.words.index(shown(value))) if self.words else float(value)

    def drawn(self, one: Standing) -> float | None:
        """Return a candidate's number on this axis if plots draw it."""
        value = self.value(one)
        return value if is_drawn(value) else None


def is_drawn(value: float | None) -> TypeGuard[float]:
    """Whether plots draw a value."""
    return value is not None and (value == 0 or LEAST_DRAWN <= abs(value) <= MOST_DRAWN)


def left_out(ranking: Ranking, axes: Sequence[Axis]) -> str:
    """Return a sentence on the axes that have values which plots do not draw; empty if none has."""
    names = [
        axis.name
        for axis in axes
        if any(axis.value(one) is not None and axis.drawn(one) is None for one in ranking.standings)
    ]
    if not names:
        return ""
    return (
        f"Not drawn: values of {human.listed(names)} beyond {MOST_DRAWN:g} or nearer to 0 than "
        f"{LEAST_DRAWN:g}. The table of candidates has them."
    )


def axes_of(ranking: Ranking) -> list[Axis]:
    """Return the objectives, the fields that vary, and the other figures."""
    objectives = [Axis(one.expression, "objective", one.direction) for one in ranking.objectives]
    goals = [one.name for one in objectives]
    # First the figures that objectives and constraints name.
    figures = dict.fromkeys([*ranking.goals, *ranking.figures])
    fields = [_field(ranking, name) for name in ranking.fields]
    return [
        *objectives,
        *(one for one in fields if len(one.words or ranking.values_of(one.name)) > 1),
        *(Axis(name, "figure") for name in figures if name not in goals),
    ]


def plot_data(ranking: Ranking) -> dict[str, object]:
    """Return what the page's script draws.

    A point is the candidate's place, the index of its kind, and its number on each axis (none
    where it has no figure), rounded as objectives are compared.
    """
    axes = axes_of(ranking)
    kinds = list(Kind)
    return {
        "kinds": [{"name": kind.value, "words": KIND_WORDS[kind]} for kind in kinds],
        "axes": [_plain(one) for one in axes],
        "drawn": [LEAST_DRAWN, MOST_DRAWN],
        "points": [
            [one.candidate.place, kinds.index(one.kind), *_numbers(one, axes)]
            for one in ranking.best_first
        ],
    }


def as_script(data: Mapping[str, object]) -> str:
    """Return JSON that cannot end the element of a page that holds it."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def _field(ranking: Ranking, name: str) -> Axis:
    values = ranking.values_of(name)
    if any(name not in one.candidate.fields for one in ranking.standings):
        values = [ABSENT, *values]
    words = () if all(map(is_number, values)) else tuple(dict.fromkeys(map(shown, values)))
    return Axis(name, "field", words=words)


def _plain(axis: Axis) -> dict[str, object]:
    told = {"name": axis.name, "role": axis.role, "direction": axis.direction}
    return {**told, "words": list(axis.words)}


def _numbers(one: Standing, axes: Sequence[Axis]) -> list[float | int | None]:
    return [_short(axis.value(one)) for axis in axes]


def _short(value: float | None) -> float | int | None:
    if value is None:
        return None
    short = rounded(value)
    return int(short) if short.is_integer() and abs(short) < 1e15 else short
