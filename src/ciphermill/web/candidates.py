# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The candidates of an exploration: their table in any order, and the page of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ciphermill.design import Provenance
from ciphermill.report import format as human
from ciphermill.report.exploration.design_text import design_texts
from ciphermill.report.exploration.expression import value_of
from ciphermill.report.exploration.origin import UNKNOWN, sources
from ciphermill.report.exploration.standing import KIND_WORDS, Ranking, Standing, shown
from ciphermill.report.exploration.table import LOG_CHARACTERS, shortened
from ciphermill.report.exploration.text import clean
from ciphermill.report.exploration.why import neighbours_of
from ciphermill.report.html_page import origin_lines

BEST_FIRST = "best"


def orders(ranking: Ranking) -> dict[str, str]:
    """Return the orders of the table in words, by their names in an address."""
    found = {BEST_FIRST: "the best first", "number": "by number"}
    for goal in ranking.goals:
        found |= {f"least {goal}": f"least {goal} first", f"most {goal}": f"most {goal} first"}
    return found | {f"field {name}": f"by {name}" for name in ranking.fields}


def in_order(ranking: Ranking, order: str) -> list[Standing]:
    """Return the candidates in one of the ``orders``; those without a value come last."""
    kind, _, name = order.partition(" ")
    if kind == BEST_FIRST:
        return ranking.best_first
    if kind == "number":
        return sorted(ranking.standings, key=lambda one: one.candidate.place)
    if kind == "field":
        places = {shown(value): place for place, value in enumerate(ranking.values_of(name))}
        return sorted(
            ranking.best_first,
            key=lambda one: places.get(shown(one.candidate.fields.get(name, "")), len(places)),
        )
    sign = -1.0 if kind == "most" else 1.0

    def key(one: Standing) -> tuple[bool, float]:
        value = value_of(name, one.candidate.figures)
        return value is None, sign * (value or 0.0)

    return sorted(ranking.best_first, key=key)


def row_of(one: Standing, ranking: Ranking) -> dict[str, Any]:
    """Return what the row of a candidate shows."""
    return {
        "place": one.candidate.place,
        "kind": one.kind.value,
        "words": KIND_WORDS[one.kind],
        "fields": [
            shown(one.candidate.fields[name]) if name in one.candidate.fields else ""
            for name in ranking.fields
        ],
        "values": ["" if value is None else human.any_figure(value, 4) for value in one.values],
        "reason": one.reason,
    }


def page_of(one: Standing, ranking: Ranking) -> dict[str, Any]:
    """Return what the page of a candidate shows."""
    candidate = one.candidate
    found = sources(candidate)
    origins: list[Provenance] = []
    figures = []
    for name in _figures(one, ranking):
        seen = found.get(name)
        origin = seen.provenance if seen else None
        if origin and origin not in origins:
            origins.append(origin)
        number = origins.index(origin) + 1 if origin else 0
        value = f"{candidate.figures[name]:,.10g}"
        figures.append((name, value, seen.method.value if seen else UNKNOWN, number))
    (neighbours,) = neighbours_of(ranking, [one])
    return {
        "row": row_of(one, ranking),
        "fields": {name: shown(value) for name, value in candidate.fields.items()},
        "figures": figures,
        "neighbours": neighbours,
        "designs": list(map(clean, design_texts(ranking.exploration, candidate))),
        "log": shortened(clean(candidate.log), LOG_CHARACTERS),
        "origins": [origin_lines(origin) for origin in origins],
        "seconds": candidate.seconds,
        "digest": candidate.digest,
    }


def _figures(one: Standing, ranking: Ranking) -> Iterator[str]:
    """Yield the figures of a candidate: first those that objectives and constraints name."""
    figures: Mapping[str, float] = one.candidate.figures
    yield from (name for name in dict.fromkeys([*ranking.goals, *figures]) if name in figures)
