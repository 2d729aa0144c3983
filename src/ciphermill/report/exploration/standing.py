# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The standing of each candidate: its objectives, its constraints, and the front."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from ciphermill.campaign.exploration import Candidate, Exploration, Objective, State
from ciphermill.report.exploration.expression import names_in, value_of


class Kind(StrEnum):
    """What a candidate is for a reader, the best first."""

    FRONT = "front"
    """Good, and no other good one is better in one objective and not worse in the others."""
    GOOD = "measured"
    """Measured, and fulfils every constraint."""
    OUTSIDE = "outside"
    """Measured, and breaks a constraint or lacks an objective."""
    WAITING = "waiting"
    DROPPED = "dropped"
    FAILED = "failed"
    REFUSED = "refused"


_DIGEST = re.compile(r"(?<=candidate )[0-9a-f]{16}\b")
"""A candidate in the reason of another one."""

KIND_WORDS = {
    Kind.FRONT: "on the front",
    Kind.GOOD: "good",
    Kind.OUTSIDE: "outside the constraints",
    Kind.WAITING: "waiting",
    Kind.DROPPED: "dropped",
    Kind.FAILED: "failed",
    Kind.REFUSED: "refused",
}
"""Each kind in words."""

_OTHERS = {
    State.WAITING: Kind.WAITING,
    State.DROPPED: Kind.DROPPED,
    State.FAILED: Kind.FAILED,
    State.REFUSED: Kind.REFUSED,
}


@dataclass(frozen=True)
class Standing:
    """A candidate and what counts about it."""

    candidate: Candidate
    kind: Kind
    values: tuple[float | None, ...]
    """Of each objective."""
    reason: str
    """Why it is not good; empty if it is, or may become so."""

    @property
    def known(self) -> tuple[float, ...]:
        """The objectives of a good candidate."""
        return tuple(one for one in self.values if one is not None)


@dataclass(frozen=True)
class Ranking:
    """All candidates of an exploration with their standings."""

    exploration: Exploration
    standings: tuple[Standing, ...]
    """In the order of the candidates."""

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """The exploration's objectives."""
        return self.exploration.objectives

    @cached_property
    def best_first(self) -> list[Standing]:
        """The front, then the other kinds in their order; within a kind by the first objective."""
        kinds = list(Kind)

        def key(one: Standing) -> tuple[int, bool, float, int]:
            first = one.values[0] if one.values else None
            loss = 0.0 if first is None else losses((first,), self.objectives)[0]
            return kinds.index(one.kind), first is None, loss, one.candidate.place

        return sorted(self.standings, key=key)

    def of(self, *kinds: Kind) -> list[Standing]:
        """Return the candidates of some kinds, the best first."""
        return [one for one in self.best_first if one.kind in kinds]

    @property
    def front(self) -> list[Standing]:
        """The front, by the first objective."""
        return self.of(Kind.FRONT)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields that candidates have, in their order."""
        return tuple(dict.fromkeys(name for one in self.standings for name in one.candidate.fields))

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """The names of the figures that any candidate has, sorted."""
        return tuple(sorted({name for one in self.standings for name in one.candidate.figures}))

    @cached_property
    def goals(self) -> tuple[str, ...]:
        """The objectives, then the figures that objectives and constraints name."""
        named = [
            name
            for text in (*(one.expression for one in self.objectives), *self._constraints)
            for name in names_in(text)
            if name in self.figures
        ]
        return tuple(dict.fromkeys([*(one.expression for one in self.objectives), *named]))

    @property
    def _constraints(self) -> tuple[str, ...]:
        return self.exploration.constraints

    def values_of(self, field: str) -> list[Any]:
        """Return the values of a field in their natural order, each once."""
        found: dict[str, Any] = {}
        for one in self.standings:
            if field in one.candidate.fields:
                value = one.candidate.fields[field]
                found.setdefault(shown(value), value)
        numbers = all(is_number(value) for value in found.values())
        return sorted(found.values()) if numbers else list(found.values())


def rank(exploration: Exploration) -> Ranking:
    """Return the standing of each candidate."""
    good = {one.digest for one in exploration.good()}
    front = {one.digest for one in exploration.front()}

    places = {one.digest: one.place for one in exploration.candidates}

    def told(one: Candidate) -> str:
        # A reader finds a candidate by its place.
        return _DIGEST.sub(lambda word: str(places.get(word[0], word[0])), one.reason)

    def standing(one: Candidate) -> Standing:
        values = tuple(value_of(goal.expression, one.figures) for goal in exploration.objectives)
        if one.state is not State.MEASURED:
            return Standing(one, _OTHERS[one.state], values, told(one))
        if one.digest not in good:
            return Standing(one, Kind.OUTSIDE, values, _fault(exploration, one, values))
        return Standing(one, Kind.FRONT if one.digest in front else Kind.GOOD, values, "")

    return Ranking(exploration, tuple(map(standing, exploration.candidates)))


def losses(values: Sequence[float], objectives: Sequence[Objective]) -> tuple[float, ...]:
    """Return objectives as they are compared: each number is to be small."""
    return tuple(one.loss(value) for value, one in zip(values, objectives, strict=False))


def is_number(value: object) -> bool:
    """Whether a field's value has a place on a scale."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def shown(value: object) -> str:
    """Return a field's value as text, as its file has it.

    >>> [shown(value) for value in (True, 8, 0.5, "axi-lite", [1, 2])]
    ['true', '8', '0.5', 'axi-lite', '1, 2']
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(map(shown, value))
    return str(value)


def _fault(exploration: Exploration, candidate: Candidate, values: Sequence[float | None]) -> str:
    """Return why a measured candidate is not good."""
    lacking = [
        one.expression
        for one, value in zip(exploration.objectives, values, strict=True)
        if value is None
    ]
    if lacking:
        return f"it has no value of {', '.join(lacking)}"
    broken = [one for one in exploration.constraints if not value_of(one, candidate.figures)]
    return f"it breaks {', '.join(broken)}"
