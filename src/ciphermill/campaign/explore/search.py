# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Searches: which candidates are measured next. Each proposes batches and is told the results."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ciphermill.campaign.explore.choose import Chooser
from ciphermill.campaign.explore.known import Known
from ciphermill.campaign.explore.race import dropped

EVERY = 1000
"""A guided search makes the cheap measurements of every candidate of a space up to this size."""
CHEAP_EACH = 4
"""In a larger space, candidates that get cheap measurements for each that gets dear ones."""
_ROUNDS = 3
"""The search of a larger space ends after so many rounds in which nothing is worth measuring."""
_BATCHES = 5
"""A guided search spends its budget in at least so many batches: a batch is chosen by the results
of those before, so a single one would be blind."""
SEARCHES = ("grid", "random", "tpe", "guided")


@dataclass(frozen=True)
class Proposal:
    """A candidate to measure."""

    index: int
    dear: bool
    """Whether it gets the dear steps too, or the cheap ones only."""


class Search(Protocol):
    """Proposes candidates. It sees the results in ``Known``."""

    def propose(self) -> list[Proposal]:
        """Return the next batch, after the results of the one before; empty at the end."""
        ...


class Listed:
    """Candidates in a fixed order: the grid, or a random sample."""

    def __init__(self, order: Sequence[int]) -> None:
        """Propose candidates in this order, all of them at once: none depends on results."""
        self._order = list(order)

    def propose(self) -> list[Proposal]:
        """Return all candidates the first time, then none."""
        found, self._order = self._order, []
        return [Proposal(index, dear=True) for index in found]


class More(Protocol):
    """Finds candidates by the results of those before: Optuna's sampler, for one."""

    def next(self, count: int) -> list[int]:
        """Return candidates that it has not returned before; fewer if no more are left."""
        ...


class Sampled:
    """Candidates that a sampler asks for, with all steps, until the budget is spent."""

    def __init__(self, sampler: More, budget: int, batch: int) -> None:
        """Begin a search.

        Args:
            sampler: Sees the results of the batches before.
            budget: The most candidates that are measured.
            batch: Candidates that are proposed at once.
        """
        self._sampler = sampler
        self._left = budget
        self._batch = batch

    def propose(self) -> list[Proposal]:
        """Return the next batch; empty when the budget is spent or no candidate is left."""
        found = self._sampler.next(min(self._batch, self._left)) if self._left else []
        self._left -= len(found)
        return [Proposal(index, dear=True) for index in found]


class Guided:
    """Cheap measurements first; dear ones where the front is expected to gain most."""

    def __init__(self, known: Known, budget: int, batch: int, more: More | None = None) -> None:
        """Begin a search.

        Args:
            known: The results.
            budget: The most candidates that get dear measurements. Where no step is dear, the most
                that ``more`` finds.
            batch: The most candidates that are proposed at once.
            more: Finds the candidates that get cheap measurements; None: every candidate does.
        """
        self._known = known
        self._left = budget
        self._batch = min(batch, -(-budget // _BATCHES))
        self._more = more
        self._chooser = Chooser(known)
        self._pool = [] if more else list(range(len(known.candidates)))
        self._waiting = list(self._pool) if known.cheap else []
        self._proposed: set[int] = set()
        self._idle = 0
        self._find_more()

    def propose(self) -> list[Proposal]:
        """Return cheap measurements as long as there are some to make, then dear ones."""
        for _ in range(_ROUNDS):
            if self._waiting:
                found, self._waiting = self._waiting, []
                return [Proposal(index, dear=False) for index in found]
            chosen = self._choose()
            if self._left > 0:
                self._find_more()
            if chosen or not self._more:
                return [Proposal(index, dear=True) for index in chosen]
            self._idle += bool(self._known.dear)
            if self._idle >= _ROUNDS or not (self._left > 0 or self._waiting):
                break
        return []

    def _choose(self) -> list[int]:
        """Return the candidates that get dear measurements next."""
        known = self._known
        out = dropped(known, self._pool)
        done = [index for index in self._pool if known.is_done(index)]
        gone = {*done, *out, *known.failed, *self._proposed}
        runners = [index for index in self._pool if index not in gone]
        if not runners or self._left <= 0:
            return []
        count = min(self._batch, self._left)
        chosen = self._chooser.choose(runners, [*done, *runners], count)
        self._left -= len(chosen)
        self._proposed.update(chosen)
        self._idle = 0 if chosen else self._idle
        return chosen

    def _find_more(self) -> None:
        if self._more:
            count = self._batch * (CHEAP_EACH if self._known.cheap else 1)
            if not self._known.dear:
                count = min(count, self._left)
            new = self._more.next(count)
            if not self._known.dear:
                self._left -= len(new)
            self._pool += new
            self._waiting = new if self._known.cheap else []


def random_order(count: int, seed: int) -> list[int]:
    """Return the numbers below ``count`` in an order that follows from the seed."""
    order = list(range(count))
    # Of a number, ``Random`` takes the absolute value.
    own = seed if seed >= 0 else str(seed)
    random.Random(own).shuffle(order)  # noqa: S311 - a search, not a secret
    return order
