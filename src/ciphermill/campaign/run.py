# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A run evaluates points, and stores the measurements of each as soon as it is done.

A point is a workload on a design on a platform. A run that was killed is continued by
a run of the same points, at the same commit, on the same machine: points that the store
has are not evaluated again. A working tree with changes cannot continue a run, because its
commit does not identify the code.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from ciphermill.campaign.store import Store, StoreError
from ciphermill.design import Measurement, Provenance, Space
from ciphermill.design.measurement import digest
from ciphermill.evaluate.evaluate import evaluate, find_evaluator
from ciphermill.evaluate.evaluator import Evaluator, Progress
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.processes import tool_threads


@dataclass(frozen=True)
class Point:
    """The design, platform and workload of an evaluation.

    Each of the three may be a ``Space``: ``Run`` then evaluates every combination.
    """

    design: Any
    platform: Any
    workload: Any

    def each(self) -> Iterator[Point]:
        """Yield the points of every combination; without a space, the point itself."""
        words = (self.design, self.platform, self.workload)
        choices = (one.possible if isinstance(one, Space) else (one,) for one in words)
        return itertools.starmap(Point, itertools.product(*choices))

    @property
    def digest(self) -> str:
        """A digest that is equal for equal points, also on another machine."""
        return digest(self.design, self.platform, self.workload)


class Run:
    """One run: its points, its measurements, and what failed."""

    def __init__(
        self,
        store: Store | None,
        origin: Provenance,
        points: Sequence[Point] = (),
        *,
        progress: Progress | None = None,
        jobs: int | None = None,
        keep_going: type[ToolError] | None = None,
    ) -> None:
        """Make a run; nothing is evaluated or stored yet.

        Args:
            store: The store for the measurements; None: they are not stored.
            origin: The provenance of every measurement.
            points: The points to evaluate; spaces are expanded.
            progress: Receives the progress of the work, and can cancel it.
            jobs: Points that are evaluated in parallel; by default one for each processor.
            keep_going: Errors of a point after which the other points continue; they are in
            ``errors``.
        """
        self.store = store
        by_digest = {one.digest: one for point in points for one in point.each()}
        self.points = list(by_digest.values())
        self.started = datetime.now(UTC)
        self.number: int | None = None
        """Number in the store; None until something is stored."""
        self.continued = 0
        """Points that an earlier, killed run had stored."""
        self.errors: dict[int, ToolError] = {}
        """The error of each point without measurements, by its index in ``points``."""
        self.unstored: StoreError | None = None
        """The error that kept measurements from being stored."""
        self._origin = origin
        self._progress = progress or Progress()
        self._jobs = jobs or os.cpu_count() or 1
        self._keep_going = keep_going
        self._digests = list(by_digest)
        self._places = {one: place for place, one in enumerate(by_digest)}
        self._key = digest(self._digests, origin.commit, origin.processor)
        self._found: dict[int, list[Measurement]] = {}

    @property
    def measurements(self) -> list[Measurement]:
        """The measurements of all points that are done, in the order of the points."""
        return [one for place in sorted(self._found) for one in self._found[place]]

    def page(self, name: str) -> Path:
        """Return the path of a page: beside the store, or in the current folder."""
        return self.store.location.beside(name) if self.store else Path(name)

    def of(self, point: Point) -> list[Measurement]:
        """Return the measurements of a point, or of all its combinations."""
        places = (self._places[one.digest] for one in point.each())
        return [seen for place in places for seen in self._found.get(place, [])]

    def cancel(self) -> None:
        """Make ``go`` end with ``Cancelled`` as soon as possible; from any thread."""
        self._progress.cancelled.set()

    def go(self) -> list[Measurement]:
        """Evaluate every point that is not stored, and return all measurements.

        Raises:
            BaseException: The first error of an evaluation; see ``evaluate``. Points that
                are done stay stored, and the run can be continued.
        """
        with self._claimed():
            self._progress.points(len(self._found), len(self.points))
            waiting = [place for place in range(len(self.points)) if place not in self._found]
            for place in waiting:
                self._prepare(place)
            beside = []
            for place in waiting:
                if place in self.errors:
                    continue
                if self._evaluator(place).alone(self.points[place].design):
                    self._take(place, partial(self._evaluate, place))
                else:
                    beside.append(place)
            self._side_by_side(beside)
            self.end()
        return self.measurements

    def keep(self, measurements: Sequence[Measurement], place: int = 0) -> None:
        """Store measurements of this run; if that fails, ``unstored`` has the reason."""
        own = [stamped(one, self._origin) for one in measurements]
        self._found.setdefault(place, []).extend(own)
        if self.store is None or self.unstored is not None:
            return
        point = (self._digests[place], place) if place < len(self._digests) else None
        try:
            if self.number is None:
                self.number = self.store.add_run(
                    own,
                    command=self._origin.command or "",
                    started=self.started,
                    key=self._key if self.points else None,
                    point=point,
                )
            else:
                self.store.extend_run(self.number, own, point)
        except StoreError as error:
            self.unstored = error

    def end(self) -> None:
        """Mark the run as ended in the store."""
        if self.store is None or self.number is None or self.unstored is not None:
            return
        try:
            self.store.end_run(self.number)
        except StoreError as error:
            self.unstored = error

    def _evaluator(self, place: int) -> Evaluator:
        one = self.points[place]
        return find_evaluator(one.design, one.platform, one.workload)

    def _prepare(self, place: int) -> None:
        one, prepare = self.points[place], self._evaluator(place).prepare
        if prepare is not None:
            try:
                prepare(one.design, one.platform, one.workload, self._progress)
            except ToolError as error:
                self._fail(place, error)

    def _evaluate(self, place: int) -> list[Measurement]:
        one = self.points[place]
        return evaluate(one.design, one.platform, one.workload, progress=self._progress)

    def _take(self, place: int, result: Callable[[], list[Measurement]]) -> None:
        try:
            found = result()
        except ToolError as error:
            self._fail(place, error)
        else:
            self.keep(found, place)
            self._progress.points(len(self._found), len(self.points))

    def _fail(self, place: int, error: ToolError) -> None:
        if self._keep_going is None or not isinstance(error, self._keep_going):
            raise error
        self.errors[place] = error

    def _side_by_side(self, places: Sequence[int]) -> None:
        if not places:
            return
        futures: dict[Future[list[Measurement]], int] = {}
        with tool_threads(max(1, min(self._jobs, len(places)))) as pool:
            # An interrupt may come at any moment, also while the first point starts.
            try:
                for place in places:
                    futures[pool.submit(self._evaluate, place)] = place
                for future in as_completed(futures):
                    self._take(futures[future], future.result)
            except BaseException:
                self._progress.cancelled.set()
                for future in futures:
                    future.cancel()
                raise

    @contextlib.contextmanager
    def _claimed(self) -> Iterator[None]:
        """Continue a killed run, unless another process may still be running it."""
        if self.store is None:
            yield
            return
        with self.store.alone() as alone:
            if alone and not (self._origin.commit or "-dirty").endswith("-dirty"):
                self._continue(self.store)
            yield

    def _continue(self, store: Store) -> None:
        found = store.unfinished(self._key)
        if found is None:
            return
        self.number, points = found
        self._found = {
            place: points[one] for place, one in enumerate(self._digests) if one in points
        }
        self.continued = len(self._found)
        if self.continued:
            self._progress.report(
                f"Run {self.number} is continued: {self.continued} of {len(self.points)} points "
                "are stored"
            )


def stamped(seen: Measurement, origin: Provenance) -> Measurement:
    """Return a measurement with a provenance; tools that it names itself are kept."""
    tools = seen.provenance.tools if seen.provenance else {}
    whole = origin.model_copy(update={"tools": {**origin.tools, **tools}})
    return seen.model_copy(update={"provenance": whole})
