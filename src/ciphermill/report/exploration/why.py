# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Why this one: what each choice cost against its neighbours, and which design to build."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ciphermill.campaign.exploration import rounded
from ciphermill.report import format as human
from ciphermill.report.exploration.standing import KIND_WORDS, Kind, Ranking, Standing, shown

NOT_PROPOSED = "not proposed by the search"
NOT_THERE = "not in the space"
KNEE_RULE = (
    "The knee point is the design of the front that is nearest to the best of every objective: "
    "each objective is scaled from 0, the best of the front, to 1, the worst of it, in logarithm "
    "where all its values are positive, and the distance is the square root of the sum of squares."
)


@dataclass(frozen=True)
class Neighbour:
    """A candidate that differs from another one in one field alone."""

    field: str
    value: str
    """The chosen candidate's."""
    other: str
    """The neighbour's."""
    ratios: tuple[float | None, ...]
    """Of each objective: the chosen candidate's value over the neighbour's."""
    note: str = ""
    """Why there are no ratios, or why the neighbour is not good."""
    place: int | None = None
    """Of the neighbour; None if it was not proposed."""


def neighbours_of(ranking: Ranking, chosen: Sequence[Standing]) -> list[list[Neighbour]]:
    """Return the neighbours of each chosen candidate, field by field."""
    held = {_key(one.candidate.fields): one for one in ranking.standings}
    # In a union of variants, a choice may bring other fields with it.
    variants = len({frozenset(one.candidate.fields) for one in ranking.standings}) > 1
    values = {name: ranking.values_of(name) for name in ranking.fields}
    return [
        [
            _neighbour(ranking, one, name, value, held, variants=variants)
            for name, found in values.items()
            for value in found
            if name in one.candidate.fields and shown(value) != shown(one.candidate.fields[name])
        ]
        for one in chosen
    ]


def sentence(ranking: Ranking, neighbour: Neighbour) -> str:
    """Return a neighbour as a sentence without a stop.

    Such as ``interface axi4-128 instead of axi-lite: cycles.per_block 0.62x, area.lut 1.08x``.
    """
    parts = [
        f"{one.expression} {human.ratio(ratio)}"
        for one, ratio in zip(ranking.objectives, neighbour.ratios, strict=False)
        if ratio is not None
    ]
    told = ", ".join(parts)
    if neighbour.note:
        told = f"{told}; {neighbour.note}" if told else neighbour.note
    return f"{neighbour.field} {neighbour.value} instead of {neighbour.other}: {told}"


def recommended(ranking: Ranking) -> Standing | None:
    """Return the good candidate that is best in the first objective, None if none is good."""
    front = ranking.front
    return front[0] if front else None


def knee(ranking: Ranking) -> Standing | None:
    """Return the knee point of the front, by ``KNEE_RULE``; None if there is no front."""
    front = ranking.front
    if not front:
        return None
    scaled = [
        _scaled(column, most=one.direction == "maximise")
        for column, one in zip(
            zip(*(standing.known for standing in front), strict=True),
            ranking.objectives,
            strict=True,
        )
    ]
    distances = [math.hypot(*row) for row in zip(*scaled, strict=True)]
    return front[distances.index(min(distances))]


def choice_sentences(ranking: Ranking) -> list[str]:
    """Return the recommended choice and the knee point, each as a sentence."""
    best, middle = recommended(ranking), knee(ranking)
    if best is None or middle is None:
        return []
    first = ranking.objectives[0]
    goal = "most" if first.direction == "maximise" else "least"
    count = len(ranking.of(Kind.FRONT, Kind.GOOD))
    among = "the only good candidate" if count == 1 else f"{human.count(count)} good candidates"
    within = (
        f" within {human.listed(ranking.exploration.constraints)}"
        if (ranking.exploration.constraints)
        else ""
    )
    said = [
        f"For the {goal} {first.expression}{within}, build {label(best)}, with "
        f"{_figures(ranking, best)}: it is the best of {among}."
        if count > 1
        else f"Build {label(best)}, with {_figures(ranking, best)}: it is {among}{within}."
    ]
    if len(ranking.front) > 1 and len(ranking.objectives) > 1:
        same = (
            " It is also" if middle is best else f"{label(middle)[0].upper()}{label(middle)[1:]},"
        )
        with_figures = "" if middle is best else f" with {_figures(ranking, middle)}, is"
        said.append(
            f"{same.strip()}{with_figures} the knee point of the front, "
            "the balance of all objectives."
        )
    return said


def label(one: Standing) -> str:
    """Return a candidate in words: its number and its fields."""
    fields = ", ".join(f"{name} {shown(value)}" for name, value in one.candidate.fields.items())
    return f"candidate {one.candidate.place}" + (f" ({fields})" if fields else "")


def _figures(ranking: Ranking, one: Standing) -> str:
    return human.listed(
        [
            f"{objective.expression} {human.any_figure(value)}"
            for objective, value in zip(ranking.objectives, one.known, strict=True)
        ]
    )


def _scaled(column: Sequence[float], *, most: bool) -> list[float]:
    """Return values from 0, the best of them, to 1, the worst."""
    # Halves, since the distance of the largest numbers would be infinite.
    column = [rounded(one) / 2 for one in column]
    values = [math.log(one) for one in column] if min(column) > 0 else column
    best, worst = (max(values), min(values)) if most else (min(values), max(values))
    return [(one - best) / (worst - best) if worst != best else 0.0 for one in values]


def _key(fields: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, shown(value)) for name, value in fields.items()))


def _neighbour(
    ranking: Ranking,
    one: Standing,
    field: str,
    value: Any,
    held: Mapping[tuple[tuple[str, str], ...], Standing],
    *,
    variants: bool,
) -> Neighbour:
    fields = one.candidate.fields
    told = (field, shown(fields[field]), shown(value))
    other = held.get(_key({**fields, field: value}))
    none: tuple[None, ...] = (None,) * len(ranking.objectives)
    if other is None and variants:
        nearest = _nearest(ranking, one, field, value)
        if nearest is not None:
            note = f"the nearest; differs in {human.listed(_different(one, nearest, field))} too"
            return Neighbour(*told, _ratios(one, nearest), note, nearest.candidate.place)
    if other is None:
        every = len(ranking.standings) >= ranking.exploration.total
        return Neighbour(*told, none, NOT_THERE if every else NOT_PROPOSED)
    place = other.candidate.place
    if other.kind in (Kind.FRONT, Kind.GOOD, Kind.OUTSIDE):
        note = f"but {_as_clause(other.reason)}" if other.kind is Kind.OUTSIDE else ""
        return Neighbour(*told, _ratios(one, other), note, place)
    return Neighbour(*told, none, _unmeasured(other), place)


def _nearest(ranking: Ranking, one: Standing, field: str, value: Any) -> Standing | None:
    """Return the measured candidate with a field's value that differs in the fewest fields."""
    found = [
        other
        for other in ranking.of(Kind.FRONT, Kind.GOOD, Kind.OUTSIDE)
        if field in other.candidate.fields
        and shown(other.candidate.fields[field]) == shown(value)
        and other.candidate.fields.keys() != one.candidate.fields.keys()
    ]
    return min(found, key=lambda other: len(_different(one, other, field)), default=None)


def _different(one: Standing, other: Standing, field: str) -> list[str]:
    """Return the fields beside one in which two candidates differ."""
    mine, its = one.candidate.fields, other.candidate.fields
    return [
        name
        for name in dict.fromkeys([*mine, *its])
        if name != field and shown(mine.get(name)) != shown(its.get(name))
    ]


def _ratios(one: Standing, other: Standing) -> tuple[float | None, ...]:
    return tuple(map(_ratio, one.values, other.values))


def _ratio(mine: float | None, its: float | None) -> float | None:
    """Return a ratio; None if there is none, or floating point cannot hold it."""
    if mine is None or not its:
        return None
    found = mine / its
    return found if math.isfinite(found) and bool(found) == bool(mine) else None


def _unmeasured(other: Standing) -> str:
    kind = other.kind
    words = "not measured yet" if kind is Kind.WAITING else f"{KIND_WORDS[kind]}, not measured"
    if kind is Kind.FAILED:
        words = KIND_WORDS[kind]
    return f"{words}: {_as_clause(other.reason)}" if other.reason else words


def _as_clause(sentence: str) -> str:
    """Return a sentence without its stop."""
    return sentence.strip().removesuffix(".")
