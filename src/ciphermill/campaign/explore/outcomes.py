# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What became of each candidate of an exploration that runs, in memory and in the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ciphermill.campaign.exploration import Candidate, State
from ciphermill.campaign.explore.job import Result
from ciphermill.campaign.explore.known import Known
from ciphermill.campaign.explore.plan import Plan
from ciphermill.campaign.explore.race import dropped
from ciphermill.campaign.run import stamped
from ciphermill.campaign.store import Store
from ciphermill.design import Provenance
from ciphermill.design.expression import ExpressionError

_MOST_REFUSED = 1000
"""The most refused candidates that are kept, each with its reason; all are counted."""


class Outcomes:
    """The candidates that were proposed, and those that are refused."""

    def __init__(
        self, plan: Plan, known: Known, *, store: Store | None, origin: Provenance | None
    ) -> None:
        """Begin without any proposed candidate.

        Args:
            plan: The exploration.
            known: Is told the figures of each candidate.
            store: Where candidates are kept; None: nowhere.
            origin: The provenance of every measurement.
        """
        self._plan = plan
        self._known = known
        self._store = store
        self._origin = origin
        self._number = 0
        self._places: dict[int, int] = {}
        self._found: dict[int, Candidate] = {}
        self._kept: dict[str, Candidate] = {}
        count = len(plan.candidates)
        self._refused = [
            Candidate(one.digest, count + n, one.fields, State.REFUSED, reason=one.refused)
            for n, one in enumerate(plan.refused)
        ]
        self.seconds: dict[str, list[float]] = {one.record.name: [] for one in plan.steps}
        """Wall time of each measurement that is there, by step."""

    def begin(self, number: int, kept: Sequence[Candidate]) -> None:
        """Keep candidates from now on, the refused ones first.

        Args:
            number: Of the exploration in the store.
            kept: What an earlier, interrupted run has kept.

        Raises:
            StoreError: The store cannot be written.
        """
        self._number = number
        self._kept = {one.digest: one for one in kept}
        if self._store:
            new = [one for one in self._refused[:_MOST_REFUSED] if one.digest not in self._kept]
            self._store.keep_candidates(number, new)

    def everything(self) -> tuple[Candidate, ...]:
        """Return the proposed candidates in their order, then the refused ones."""
        found = sorted(self._found.values(), key=lambda one: one.place)
        return (*found, *self._refused)

    @property
    def there(self) -> int:
        """Measurements that are there, those of an earlier, interrupted run included."""
        counts = {digest: len(one.steps) for digest, one in self._kept.items()}
        for one in self._found.values():
            counts[one.digest] = max(len(one.steps), counts.get(one.digest, 0))
        return sum(counts.values())

    def propose(self, index: int) -> None:
        """Give a candidate that is proposed for the first time its place."""
        if index not in self._found:
            place = self._places.setdefault(index, len(self._places))
            one = self._plan.candidates[index]
            self._found[index] = Candidate(one.digest, place, one.fields)

    def take_kept(self, index: int, step: str, *, retry_failed: bool) -> bool:
        """Take a result of an earlier run; return whether the step is done by it.

        Args:
            index: The candidate.
            step: The step.
            retry_failed: Whether a candidate that failed then has not failed now.
        """
        kept = self._kept.get(self._plan.candidates[index].digest)
        if kept is None:
            return False
        if step in kept.steps:
            figures = dict(kept.steps[step])
            self._known.figures[index][step] = figures
            seconds = kept.seconds.get(step)
            if seconds is not None:
                self.seconds[step].append(seconds)
            own = self._found[index]
            self._found[index] = replace(
                own,
                steps={**own.steps, step: figures},
                figures=self._known.merged(index),
                step=step,
                seconds={**own.seconds, **({step: seconds} if seconds is not None else {})},
                measurements=kept.measurements,
            )
            self._finish(index)
            return True
        if kept.state is State.FAILED and not retry_failed:
            self._known.failed.add(index)
            self._found[index] = replace(kept, place=self._places[index])
        return False

    def take(self, index: int, step: str, result: Result) -> None:
        """Take a result, and keep it.

        Raises:
            StoreError: It could not be kept.
        """
        self.seconds[step].append(result.seconds)
        if result.reason:
            self._known.failed.add(index)
            self._fail(index, f"{step}: {result.reason}", result.log, result)
        else:
            self._update(index, step, result)

    def take_nothing(self, index: int, step: str) -> None:
        """Take a step that has nothing to measure on a candidate.

        Raises:
            StoreError: It could not be kept.
        """
        self._update(index, step, Result())

    def mark(self, *, end: bool = False) -> None:
        """Mark the candidates that are out of the race, and those that are back.

        Args:
            end: Whether the search proposes no more.

        Raises:
            StoreError: They could not be kept.
        """
        out = dropped(self._known, sorted(self._places, key=self._places.__getitem__))
        changed = []
        for index, own in list(self._found.items()):
            if own.state not in (State.WAITING, State.DROPPED):
                continue
            reason = out.get(index, "")
            if end and not reason:
                reason = "The front was not expected to gain from it within the budget."
            state = State.DROPPED if reason else State.WAITING
            if (own.state, own.reason) != (state, reason):
                self._found[index] = replace(own, state=state, reason=reason)
                changed.append(self._found[index])
        if self._store and changed:
            self._store.keep_candidates(self._number, changed)

    def _update(self, index: int, step: str, result: Result) -> None:
        self._known.figures[index][step] = result.figures
        own = self._found[index]
        seen = [stamped(one, self._origin) if self._origin else one for one in result.measurements]
        self._found[index] = replace(
            own,
            steps={**own.steps, step: dict(result.figures)},
            figures=self._known.merged(index),
            step=step,
            seconds={**own.seconds, step: result.seconds} if result.seconds else own.seconds,
            measurements=(*own.measurements, *seen),
            reason="",
            log="",
        )
        self._finish(index)
        self._keep(index)

    def _finish(self, index: int) -> None:
        """Mark a candidate with all steps as measured; as failed if an objective has no value."""
        if not self._known.is_done(index):
            return
        try:
            self._known.values(index)
            self._known.holds(index)
        except ExpressionError as error:
            self._known.failed.add(index)
            self._fail(index, str(error), str(error), Result())
        else:
            self._found[index] = replace(self._found[index], state=State.MEASURED)

    def _fail(self, index: int, reason: str, log: str, result: Result) -> None:
        own = self._found[index]
        self._found[index] = replace(
            own,
            state=State.FAILED,
            reason=reason,
            log=log,
            measurements=(*own.measurements, *result.measurements),
        )
        self._keep(index)

    def _keep(self, index: int) -> None:
        if self._store:
            self._store.keep_candidate(self._number, self._found[index])
