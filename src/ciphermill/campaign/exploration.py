# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Explorations as the store has them: a space, its objectives, and what became of each candidate.

Search, reports and web pages share these types and know nothing else of one another. An
exploration is a run of the store: its measurements are found by the run's number and by the
digest of the candidate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from ciphermill.design import Measurement
from ciphermill.design.expression import ExpressionError, parse

DIGITS = 12
"""Significant digits with which values of objectives are compared: the last bits of a figure
depend on the order of the operations that it comes from."""


class State(StrEnum):
    """What became of a candidate."""

    REFUSED = "refused"
    """Its fields contradict each other; nothing was measured."""
    WAITING = "waiting"
    """Proposed; not all of its measurements are there."""
    DROPPED = "dropped"
    """Out of the race after cheap measurements; the dear ones were not made."""
    MEASURED = "measured"
    """All of its measurements are there."""
    FAILED = "failed"
    """A measurement failed; it never counts as good."""


class Activity(StrEnum):
    """Whether anything works on an exploration."""

    RUNNING = "running"
    """A process holds its claim."""
    INTERRUPTED = "interrupted"
    """It has not ended, and no process works on it: the same command continues it."""
    ENDED = "ended"


@dataclass(frozen=True)
class Objective:
    """A figure to make small or large."""

    expression: str
    """Over figures, such as ``cycles.per_block * area.lut``."""
    direction: Literal["minimise", "maximise"] = "minimise"

    def loss(self, value: float) -> float:
        """Return a value as it is compared: ``rounded``, and so that small is good.

        Race, front, hypervolume and reports all compare objectives by this.
        """
        return rounded(-value if self.direction == "maximise" else value)


def rounded(value: float) -> float:
    """Return a value with ``DIGITS`` significant digits."""
    return float(f"{value:.{DIGITS}g}")


@dataclass(frozen=True)
class StepRecord:
    """One kind of measurement that each candidate in the race gets; cheap steps come first."""

    name: str
    dear: bool = False
    """Made only for candidates that no other has beaten by cheap figures."""


@dataclass(frozen=True)
class Candidate:
    """A combination of a space's values."""

    digest: str
    """Equal for equal combinations, also on another machine."""
    place: int
    """In the order in which the search proposed them, from 0."""
    fields: Mapping[str, Any]
    """The value of each field that the space varies, such as ``design.partition``."""
    state: State = State.WAITING
    figures: Mapping[str, float] = field(default_factory=dict)
    """Every numeric figure of the steps that are done, by dotted name; of two steps that give
    the same figure, the later one counts."""
    steps: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """The figures of each step that is done, by the step's name: what a continued exploration
    does not measure again. ``figures`` is their union."""
    step: str | None = None
    """The last step that is done."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Wall time of each step that was run, in seconds."""
    reason: str = ""
    """Why it was refused, dropped, or failed: a sentence."""
    log: str = ""
    """What the tool of a failed measurement printed."""
    measurements: tuple[Measurement, ...] = ()
    """Of all steps; empty where the objective is a function of the user's own."""


@dataclass(frozen=True)
class Exploration:
    """An exploration as it is stored, finished or not."""

    number: int
    """Number of the run."""
    name: str
    """Name of the space."""
    started: str
    """UTC, ISO 8601."""
    ended: bool
    command: str
    """Of the command line; of the Python program that called ``explore``; empty if unknown."""
    objectives: tuple[Objective, ...]
    constraints: tuple[str, ...]
    """Expressions that a good candidate fulfils, such as ``area.lut < 4000``."""
    steps: tuple[StepRecord, ...]
    search: str
    """``grid``, ``random``, ``tpe`` or ``guided``."""
    seed: int
    total: int
    """Candidates of the whole space, those that are refused included."""
    definition: Mapping[str, Any] = field(default_factory=dict)
    """The space's file, as a table."""
    candidates: tuple[Candidate, ...] = ()
    """In the order of their places."""

    @property
    def continued_by(self) -> str:
        """The command that continues it; empty if a program in Python began it."""
        return self.command if self.command.startswith("ciphermill ") else ""

    def objectives_of(self, candidate: Candidate) -> list[float]:
        """Return the values of the objectives of a measured candidate.

        Raises:
            ExpressionError: A figure is missing.
        """
        return [parse(one.expression).value(candidate.figures) for one in self.objectives]

    def losses_of(self, candidate: Candidate) -> list[float]:
        """Return the objectives of a measured candidate as they are compared: small is good.

        Raises:
            ExpressionError: A figure is missing.
        """
        values = self.objectives_of(candidate)
        return [one.loss(value) for one, value in zip(self.objectives, values, strict=True)]

    def good(self) -> list[Candidate]:
        """Return the measured candidates that fulfil every constraint, in their order.

        One that lacks a figure of an objective or of a constraint is not good.
        """
        limits = [parse(text) for text in self.constraints]

        def is_good(one: Candidate) -> bool:
            try:
                self.objectives_of(one)
                return all(limit.value(one.figures) for limit in limits)
            except ExpressionError:
                return False

        return [one for one in self.candidates if one.state is State.MEASURED and is_good(one)]

    def front(self) -> list[Candidate]:
        """Return the candidates of the Pareto front, sorted by the first objective.

        They are measured and fulfil every constraint, and no other such candidate is better in one
        objective and as good in all others, in the first ``DIGITS`` significant digits.
        """
        # NumPy is optional: the store does without it.
        from ciphermill.campaign.explore.front import front_of, points_of

        found = self.good()
        rows = [self.losses_of(one) for one in found]
        front = front_of(points_of(rows, len(self.objectives))) if rows else []
        return [found[row] for row in sorted(front, key=lambda row: rows[row])]
