# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The loop of an exploration: propose, measure, keep, until nothing is worth measuring.

Results are kept as soon as they are there, and told to the search in batches, in the order of the
proposals. So the search proposes the same whatever the number of workers and whichever ends first.
A continued exploration goes through the same proposals again, and takes what is kept.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ciphermill.campaign.exploration import Candidate, Exploration
from ciphermill.campaign.explore.job import Result
from ciphermill.campaign.explore.known import Known
from ciphermill.campaign.explore.outcomes import Outcomes
from ciphermill.campaign.explore.plan import Plan, Work, key_of
from ciphermill.campaign.explore.search import (
    CHEAP_EACH,
    EVERY,
    SEARCHES,
    Guided,
    Listed,
    Proposal,
    Sampled,
    Search,
    random_order,
)
from ciphermill.campaign.explore.workers import Workers
from ciphermill.campaign.store import Store, StoreError
from ciphermill.design import CannotBeError, Provenance
from ciphermill.toolchain.errors import DiskFull, ToolError

if TYPE_CHECKING:
    from ciphermill.campaign.explore.study import KeptStudy

BATCH = 8
"""Candidates that the search proposes at once, unless stated."""
SHARE = 3
"""One in so many candidates gets dear measurements, unless a budget is stated."""


def _result_of(future: Future[Result]) -> Result:
    """Return a result; a call that its workers could not finish is a failed one.

    Raises:
        Exception: An error that is not the candidate's.
    """
    try:
        return future.result()
    except DiskFull:
        raise
    except ToolError as error:
        return Result(reason=str(error).partition("\n")[0], log=str(error))


@dataclass(frozen=True)
class Settings:
    """How a space is searched."""

    search: str = "guided"
    seed: int = 0
    budget: int | None = None
    """The most candidates that get dear measurements; by default all of a grid, and a third of
    the possible candidates otherwise."""
    batch: int = BATCH
    retry_failed: bool = False
    """Measure again what failed in an exploration that is continued."""


@dataclass(frozen=True)
class Status:
    """How far an exploration is."""

    done: int
    """Measurements that are there."""
    total: int
    """Measurements that are expected in all."""
    remaining_s: float
    """Expected wall time until the end, by the mean of each step so far."""
    text: str
    """What has just ended."""


@dataclass(frozen=True)
class _Begun:
    """A measurement that was begun."""

    proposal: Proposal
    step: str
    work: Work


class Explorer:
    """One exploration."""

    def __init__(
        self,
        plan: Plan,
        settings: Settings,
        *,
        store: Store | None = None,
        origin: Provenance | None = None,
        told: Callable[[Status], None] = lambda _: None,
    ) -> None:
        """Make an exploration, or find one that was begun and not ended.

        Args:
            plan: What is explored.
            settings: How it is searched.
            store: Where results are kept; None: nowhere.
            origin: The provenance of every measurement.
            told: Is given the status after each measurement.

        Raises:
            CannotBeError: There is no such search, or a size is not positive.
            StoreError: The store cannot be used.
        """
        _check(settings)
        self.plan = plan
        self.settings = settings
        self._store = store
        self._told = told
        self.known = Known(
            plan.candidates, [one.record for one in plan.steps], plan.goals, plan.constraints
        )
        count = len(plan.candidates)
        budget = settings.budget or (count if settings.search == "grid" else max(1, count // SHARE))
        self.budget = min(budget, count)
        self._search = _search(self.known, settings, self.budget)
        self._outcomes = Outcomes(plan, self.known, store=store, origin=origin)
        self._at_once = 1
        how = {"search": settings.search, "seed": settings.seed, "budget": self.budget}
        self._key = key_of(plan, batch=settings.batch, **how)
        self._head = _head(plan, settings, command=(origin.command if origin else None) or "")
        self._shared: dict[str, Result] = {}
        """Results of works that other candidates may have too. A failure is tried again."""
        self._built: set[str] = set()
        """Builds that are kept for others."""
        self._study: KeptStudy | None = None
        self._noted: set[int] = set()

    @property
    def number(self) -> int:
        """Number in the store; 0 without a store."""
        return self._head.number

    @property
    def _guided(self) -> bool:
        return self.settings.search == "guided"

    @contextlib.contextmanager
    def _claimed(self) -> Iterator[None]:
        """A context in which no other process works on this exploration.

        Raises:
            StoreError: Another process does.
        """
        if self._store is None:
            yield
            return
        with self._store.claim(self._key) as mine:
            if not mine:
                raise StoreError(
                    f"another process explores {self.plan.name} in {self._store.location}: wait "
                    "for it, or choose another --store or --seed"
                )
            yield

    @property
    def there(self) -> int:
        """Measurements that are there, those of an earlier, interrupted run included."""
        return self._outcomes.there

    def go(self, workers: Workers) -> Exploration:
        """Explore, and return what was found.

        Raises:
            StoreError: A result could not be kept. What was kept stays, and the same call
                continues.
            Exception: An error that is not a candidate's.
        """
        with self._claimed():
            self._begin()
            while batch := self._search.propose():
                self._measure(batch, workers)
                self.known.settle()
                if self._guided:
                    self._outcomes.mark()
                self._note([one.index for one in batch])
            if self._guided:
                self._outcomes.mark(end=True)
            if self._store:
                self._store.end_exploration(self.number)
        return self.result(ended=True)

    def result(self, *, ended: bool = False) -> Exploration:
        """Return the exploration as it is now."""
        return replace(self._head, ended=ended, candidates=self._outcomes.everything())

    def _begin(self) -> None:
        """Find the exploration in the store if it was begun and not ended, or begin it."""
        if self._store is None:
            return
        kept: Sequence[Candidate] = ()
        number = self._store.unfinished_exploration(self._key)
        if number is None:
            number = self._store.add_exploration(self._head, key=self._key)
        else:
            earlier = self._store.exploration(number)
            kept = earlier.candidates
            self._head = replace(self._head, started=earlier.started, command=earlier.command)
        self._head = replace(self._head, number=number)
        self._outcomes.begin(number, kept)

    def _measure(self, batch: Sequence[Proposal], workers: Workers) -> None:
        """Make the measurements of a batch, each candidate's steps one after the other."""
        self._at_once = workers.count
        for one in batch:
            self._outcomes.propose(one.index)
        waiting = deque(batch)
        alone: deque[_Begun] = deque()
        running: dict[Future[Result], _Begun] = {}
        followers: dict[str, list[Proposal]] = {}
        try:
            while waiting or running or alone:
                while waiting and len(running) < 2 * workers.count:
                    begun = self._next(waiting.popleft())
                    if begun is None:
                        continue
                    shared = self._shared_by(begun.work)
                    awaited = next((key for key in shared if key in followers), None)
                    if awaited is not None:
                        followers[awaited].append(begun.proposal)
                        continue
                    for key in shared:
                        followers[key] = []
                    if begun.work.alone:
                        alone.append(begun)
                    else:
                        running[workers.submit(begun.work.measure)] = begun
                if running:
                    futures = list(wait(running, return_when=FIRST_COMPLETED).done)
                elif alone:
                    begun = alone.popleft()
                    futures = [workers.submit(begun.work.measure)]
                    running[futures[0]] = begun
                else:
                    continue
                for future in futures:
                    begun = running.pop(future)
                    self._take(begun, _result_of(future))
                    # Before those that have not begun: they are the next in the order.
                    for key in (begun.work.build, begun.work.same):
                        waiting.extendleft(reversed(followers.pop(key, [])))
                    waiting.appendleft(begun.proposal)
        except BaseException:
            self._rescue(running)
            raise

    def _shared_by(self, work: Work) -> list[str]:
        """Return what a work shares with others, which wait for it."""
        shared = [work.same] if work.same else []
        if work.build and work.build not in self._built:
            shared.append(work.build)
        return shared

    def _rescue(self, running: Mapping[Future[Result], _Begun]) -> None:
        """Keep what has ended when something else broke off, such as an interrupt."""
        for future, begun in running.items():
            if not future.cancel() and future.done() and future.exception() is None:
                with contextlib.suppress(StoreError):
                    self._take(begun, future.result())

    def _next(self, proposal: Proposal) -> _Begun | None:
        """Return the next measurement of a candidate; None if there is no further one.

        Steps whose results are there, from an earlier run or from another candidate, are taken on
        the way.
        """
        index = proposal.index
        for step in self.plan.steps:
            name = step.record.name
            if name in self.known.figures[index]:
                continue
            if index in self.known.failed or (step.record.dear and not proposal.dear):
                return None
            again = self.settings.retry_failed
            if self._outcomes.take_kept(index, name, retry_failed=again):
                continue
            if index in self.known.failed:
                return None
            if self._guided and step.record.dear and self.known.broken(index):
                return None
            work = step.work(self.plan.candidates[index])
            if work is None:
                self._outcomes.take_nothing(index, name)
                continue
            begun = _Begun(proposal, name, work)
            result = self._shared.get(work.same)
            if result is None:
                return begun
            self._take(begun, replace(result, seconds=0.0))
        return None

    def _take(self, begun: _Begun, result: Result) -> None:
        """Take a result, and tell how far the exploration is."""
        index = begun.proposal.index
        self._outcomes.take(index, begun.step, result)
        if not result.reason:
            if begun.work.same:
                self._shared.setdefault(begun.work.same, result)
            self._built.add(begun.work.build)
        self._tell(index, begun.step, result)

    def _note(self, indexes: Sequence[int]) -> None:
        """Keep those that are finished or have failed in Optuna's study; a grid has none."""
        ended = [i for i in indexes if self.known.is_done(i) or i in self.known.failed]
        ended = [index for index in ended if index not in self._noted]
        if self._store is None or not ended or self.settings.search == "grid":
            return
        if self._study is None:
            from ciphermill.campaign.explore.study import KeptStudy

            name = f"{self.plan.name} {self.number}"
            self._study = KeptStudy(self._store, name, self.known)
        self._study.keep(ended)
        self._noted.update(ended)

    def _tell(self, index: int, step: str, result: Result) -> None:
        seconds = self._outcomes.seconds
        done = sum(map(len, seconds.values()))
        total, remaining = done, 0.0
        for one in self.plan.steps:
            taken = seconds[one.record.name]
            most = self.budget if one.record.dear else self._cheap_count()
            left = max(0, most - len(taken))
            total += left
            remaining += left * (sum(taken) / len(taken) if taken else result.seconds)
        name = self.plan.candidates[index].digest
        ended = "failed" if result.reason else f"{result.seconds:.1f} s"
        self._told(Status(done, total, remaining / self._at_once, f"{step} of {name}: {ended}"))

    def _cheap_count(self) -> int:
        if not self._guided:
            return self.budget
        count = len(self.plan.candidates)
        if count <= EVERY:
            return count
        return min(count, self.budget * (CHEAP_EACH if self.known.dear else 1))


def _head(plan: Plan, settings: Settings, *, command: str) -> Exploration:
    """Return an exploration without candidates, which no store has."""
    return Exploration(
        number=0,
        name=plan.name,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        ended=False,
        command=command,
        objectives=tuple(one.objective for one in plan.goals),
        constraints=tuple(one.text for one in plan.constraints),
        steps=tuple(one.record for one in plan.steps),
        search=settings.search,
        seed=settings.seed,
        total=len(plan.candidates) + len(plan.refused),
        definition=plan.definition,
    )


def _check(settings: Settings) -> None:
    if settings.search not in SEARCHES:
        raise CannotBeError(f"no search is called {settings.search!r}; {', '.join(SEARCHES)}")
    for name in ("budget", "batch"):
        value = getattr(settings, name)
        if value is not None and value < 1:
            raise CannotBeError(f"{name} is {value}; it is 1 or more")


def _search(known: Known, settings: Settings, budget: int) -> Search:
    count = len(known.candidates)
    if settings.search == "grid":
        return Listed(range(budget))
    if settings.search == "random":
        return Listed(random_order(count, settings.seed)[:budget])
    if settings.search == "guided" and count <= EVERY:
        return Guided(known, budget, settings.batch)
    from ciphermill.campaign.explore.sampler import Sampler

    sampler = Sampler(known, settings.seed)
    if settings.search == "tpe":
        return Sampled(sampler, budget, settings.batch)
    return Guided(known, budget, settings.batch, sampler)
