# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Rows of explorations and of their candidates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from ciphermill.campaign.exploration import Candidate, Exploration, Objective, State, StepRecord
from ciphermill.design import Measurement

from . import runs
from .database import Rows

_OWN = ("digest", "place", "state", "measurements")
"""Fields of a candidate that are not in its JSON."""
_OF_RUN = ("number", "name", "started", "ended", "command", "candidates")
"""Fields of an exploration that are not in its JSON."""

_KEEP = """
    INSERT INTO candidate (run, digest, place, state, content)
    VALUES (:run, :digest, :place, :state, :content)
    ON CONFLICT (run, digest) DO UPDATE SET
        place = excluded.place, state = excluded.state, content = excluded.content
"""
_SELECT = """
    SELECT run.id, exploration.name, run.started, run.ended, run.command, exploration.definition
    FROM exploration JOIN run ON run.id = exploration.run
"""


@dataclass(frozen=True)
class Kept:
    """A candidate of an exploration, as its rows have it."""

    run: int
    digest: str
    place: int
    state: str
    content: str
    measurements: tuple[Measurement, ...]

    @classmethod
    def of(cls, run: int, candidate: Candidate) -> Kept:
        """Return the rows' content.

        Raises:
            TypeError: JSON cannot hold one of the candidate's values.
        """
        others = [one.name for one in fields(Candidate) if one.name not in _OWN]
        told = {name: getattr(candidate, name) for name in others}
        content = json.dumps(told, default=_plain)
        return cls(
            run,
            candidate.digest,
            candidate.place,
            candidate.state.value,
            content,
            tuple(candidate.measurements),
        )


def _plain(value: Any) -> dict[str, Any]:
    """Return a mapping as JSON knows it."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} {value!r} cannot be stored")


def add(rows: Rows, exploration: Exploration, started: str, key: str) -> int:
    """Insert an exploration and its candidates; return its number."""
    number = runs.add(rows, started=started, command=exploration.command, key=key, ended=False)
    definition = {
        name: value
        for name, value in asdict(replace(exploration, candidates=())).items()
        if name not in _OF_RUN
    }
    rows.execute(
        "INSERT INTO exploration (run, name, definition) VALUES (:run, :name, :definition)",
        {
            "run": number,
            "name": exploration.name,
            "definition": json.dumps(definition, default=_plain),
        },
    )
    keep(rows, [Kept.of(number, one) for one in exploration.candidates])
    return number


def unfinished(rows: Rows, key: str) -> int | None:
    """Return the number of the last exploration with a key that has not ended."""
    ((found,),) = rows.execute(
        "SELECT max(run.id) FROM run JOIN exploration ON exploration.run = run.id"
        " WHERE run.key = :key AND run.ended = 0",
        {"key": key},
    )
    return found if found is None else int(found)


def keep(rows: Rows, kept: Sequence[Kept]) -> None:
    """Insert candidates, or replace those with the same digests, and their measurements."""
    columns = ("run", "digest", "place", "state", "content")
    values = [{name: getattr(one, name) for name in columns} for one in kept]
    rows.execute_each(_KEEP, values)
    rows.execute_each(
        "DELETE FROM measurement WHERE run = :run AND point = :digest",
        [{"run": one.run, "digest": one.digest} for one in kept],
    )
    for one in kept:
        if one.measurements:
            runs.insert(rows, one.run, one.measurements, (one.digest, one.place))


def listed(rows: Rows, number: int | None = None) -> list[Exploration]:
    """Return explorations without their candidates, newest first; or the one with a number."""
    if number is None:
        found = rows.execute(f"{_SELECT} ORDER BY run.id DESC")
    else:
        found = rows.execute(f"{_SELECT} WHERE run.id = :run", {"run": number})
    return [_exploration(*row) for row in found]


def candidates(rows: Rows, number: int) -> tuple[Candidate, ...]:
    """Return the candidates of an exploration in the order of their places."""
    found = rows.execute(
        "SELECT digest, place, state, content FROM candidate WHERE run = :run"
        " ORDER BY place, digest",
        {"run": number},
    )
    measured = runs.of_points(rows, number)
    return tuple(
        Candidate(
            digest=digest,
            place=place,
            state=State(state),
            measurements=tuple(measured.get(digest, ())),
            **json.loads(content),
        )
        for digest, place, state, content in found
    )


def states(rows: Rows, number: int) -> dict[State, int]:
    """Return how many candidates of an exploration are in each state."""
    found = rows.execute(
        "SELECT state, count(*) FROM candidate WHERE run = :run GROUP BY state", {"run": number}
    )
    return {State(state): count for state, count in found}


def _exploration(
    number: int, name: str, started: str, ended: int, command: str, definition: str
) -> Exploration:
    told = json.loads(definition)
    told["objectives"] = tuple(Objective(**one) for one in told["objectives"])
    told["constraints"] = tuple(told["constraints"])
    told["steps"] = tuple(StepRecord(**one) for one in told["steps"])
    return Exploration(
        number=number, name=name, started=started, ended=bool(ended), command=command, **told
    )
