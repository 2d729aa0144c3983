# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The pages of explorations: those of the store, and each one while it runs."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ciphermill.campaign.exploration import Activity, Exploration, State
from ciphermill.campaign.store import Store
from ciphermill.report import format as human
from ciphermill.report.exploration.standing import KIND_WORDS, Kind, Ranking, rank
from ciphermill.web.candidates import BEST_FIRST, in_order, orders, page_of, row_of
from ciphermill.web.errors import Refused
from ciphermill.web.exploration_plot import axes, lacking, plots
from ciphermill.web.pages import Pages, number_of, saved
from ciphermill.web.plot import MOST_DOTS
from ciphermill.web.stored import NotReadable, Stored

LISTED = 20
"""Explorations of a page of the list."""
ROWS = 50
"""Candidates of a page of a table."""
AGAIN_S = 2
"""An exploration that runs is read again after so many seconds."""
CONTINUED_S = 10
"""One that was interrupted is looked at again after so many seconds: it may be continued."""
_WATCHED_S = 600.0
_RANKED = 4
"""Explorations that have ended and stay in memory, since they change no more."""
_MOST_PAGE = 10**6


class Pace:
    """How fast explorations go, as this server has seen it in the last ten minutes."""

    def __init__(self) -> None:
        """Begin without having seen any."""
        self._seen: dict[int, deque[tuple[float, int]]] = {}

    def remaining_s(self, number: int, settled: int, left: int, now: float) -> float | None:
        """Note what has settled, and return the seconds for what is left; None if not known.

        >>> pace = Pace()
        >>> [pace.remaining_s(1, settled, 60 - settled, now=10.0 * settled) for settled in (2, 5)]
        [None, 550.0]
        """
        seen = self._seen.setdefault(number, deque(maxlen=1000))
        while seen and now - seen[0][0] > _WATCHED_S:
            seen.popleft()
        if not seen or seen[-1][1] != settled:
            seen.append((now, settled))
        begun, before = seen[0]
        if settled == before:
            return None
        return left * (now - begun) / (settled - before)


@dataclass(frozen=True)
class Progress:
    """How far an exploration is."""

    counts: Mapping[State, int]
    total: int
    activity: Activity
    bound: bool
    """Whether the total is only a bound: a search may end before it has tried every candidate."""
    remaining_s: float | None

    @property
    def settled(self) -> int:
        """Candidates that nothing more is done with."""
        return sum(count for state, count in self.counts.items() if state is not State.WAITING)

    @property
    def remaining(self) -> str:
        """The remaining time in words."""
        if self.activity is not Activity.RUNNING:
            return ""
        if self.remaining_s is None:
            return "remaining time not known yet"
        words = roughly(self.remaining_s)
        at_most = "at most " if self.bound and not words.startswith("less") else ""
        return f"{at_most}{words} left"


def roughly(seconds: float) -> str:
    """Return a time in words, as exact as an estimate is.

    >>> [roughly(one) for one in (20, 100, 5000, 200000)]
    ['less than a minute', '2 min', '1 h 20 min', '55 h']
    """
    minutes = round(seconds / 60)
    if seconds < 45:
        return "less than a minute"
    if minutes < 60:
        return f"{max(1, minutes)} min"
    if minutes < 24 * 60:
        return f"{minutes // 60} h {minutes % 60 // 10 * 10} min"
    return f"{minutes // 60} h"


class Explorations:
    """The pages; what has ended is ranked once."""

    def __init__(self, pages: Pages, stored: Stored) -> None:
        """Read from a store."""
        self._pages, self._stored = pages, stored
        self._pace = Pace()
        self._ranked: OrderedDict[int, Ranking] = OrderedDict()

    def routes(self) -> list[Route]:
        """Return the routes of the pages."""
        one = "/dashboard/explorations/{number:int}"
        return [
            Route("/dashboard/explorations", self.list_page),
            Route("/dashboard/explorations/live", self.list_part),
            Route(one, self.page),
            Route(f"{one}/live", self.part),
            Route(f"{one}/report", self.report),
            Route(f"{one}/candidates/{{place:int}}", self.candidate),
        ]

    async def list_page(self, request: Request) -> Response:
        """The list of explorations."""
        page = number_of(request, "page", 0, _MOST_PAGE)
        return self._pages.show(request, "explorations.html.j2", page=page)

    async def list_part(self, request: Request) -> Response:
        """The part of the list that changes."""
        page = number_of(request, "page", 0, _MOST_PAGE)
        try:
            found, total = await run_in_threadpool(self._stored.read, self._listed(page))
        except NotReadable as error:
            return self._pages.show(request, "not_readable.html.j2", why=str(error))
        return self._pages.show(
            request,
            "explorations_part.html.j2",
            found=found,
            again=min((again for _, one in found if (again := _again_s(one))), default=0),
            page=page,
            last=max(0, (total - 1) // LISTED),
            total=total,
        )

    def _listed(
        self, page: int
    ) -> Callable[[Store], tuple[list[tuple[Exploration, Progress]], int]]:
        def work(store: Store) -> tuple[list[tuple[Exploration, Progress]], int]:
            found = store.explorations()
            some = found[page * LISTED : (page + 1) * LISTED]
            return [(one, self._progress(store, one)) for one in some], len(found)

        return work

    def _progress(self, store: Store, one: Exploration) -> Progress:
        activity = Activity.ENDED if one.ended else store.activity(one.number)
        return self._progress_of(one, activity, store.states(one.number))

    def _progress_of(
        self, one: Exploration, activity: Activity, counts: Mapping[State, int]
    ) -> Progress:
        settled = sum(count for state, count in counts.items() if state is not State.WAITING)
        remaining_s = None
        if activity is Activity.RUNNING:
            left = max(0, one.total - settled)
            remaining_s = self._pace.remaining_s(one.number, settled, left, time.monotonic())
        return Progress(counts, one.total, activity, one.search != "grid", remaining_s)

    async def page(self, request: Request) -> Response:
        """The page of one exploration."""
        number = request.path_params["number"]
        try:
            ranking = await run_in_threadpool(self._ranking, number)
        except NotReadable as error:
            return self._pages.show(
                request, "exploration_missing.html.j2", number=number, why=str(error)
            )
        names = axes(ranking)
        return self._pages.show(
            request,
            "exploration.html.j2",
            one=ranking.exploration,
            names=names,
            chosen=_chosen(request, names),
            orders=orders(ranking),
            order=_order(request, ranking),
            page=number_of(request, "page", 0, _MOST_PAGE),
        )

    async def part(self, request: Request) -> Response:
        """The part of the page that changes: counts, plot and table."""
        number = request.path_params["number"]
        page = number_of(request, "page", 0, _MOST_PAGE)
        try:
            activity, ranking = await run_in_threadpool(self._now, number)
        except NotReadable as error:
            return self._pages.show(request, "not_readable.html.j2", why=str(error))
        one = ranking.exploration
        chosen = _chosen(request, axes(ranking))
        progress = self._progress_of(one, activity, Counter(a.state for a in one.candidates))
        order = _order(request, ranking)
        rows = in_order(ranking, order)[page * ROWS : (page + 1) * ROWS]
        pages = f"{request.scope['root_path']}/dashboard/explorations/{number}/candidates/"
        return self._pages.show(
            request,
            "exploration_part.html.j2",
            one=one,
            progress=progress,
            kinds=_kinds(ranking),
            most_dots=MOST_DOTS,
            say=said(progress),
            plots=await run_in_threadpool(plots, ranking, chosen, pages) if chosen else (),
            lacking=lacking(ranking, chosen) if chosen else "",
            chosen=chosen,
            objectives=ranking.objectives,
            fields=ranking.fields,
            order=order,
            order_words=orders(ranking)[order],
            rows=[row_of(standing, ranking) for standing in rows],
            page=page,
            last=max(0, (len(ranking.standings) - 1) // ROWS),
            again=_again_s(progress),
        )

    async def candidate(self, request: Request) -> Response:
        """The page of one candidate: its figures, their origins, its design and its log."""
        number, place = request.path_params["number"], request.path_params["place"]
        try:
            ranking = await run_in_threadpool(self._ranking, number)
        except NotReadable as error:
            return self._pages.show(
                request, "exploration_missing.html.j2", number=number, why=str(error)
            )
        found = next((one for one in ranking.standings if one.candidate.place == place), None)
        if found is None:
            raise Refused(f"exploration {number} has no candidate {place}", 404)
        told = await run_in_threadpool(page_of, found, ranking)
        return self._pages.show(
            request, "candidate.html.j2", one=ranking.exploration, place=place, **told
        )

    async def report(self, request: Request) -> Response:
        """The full report, to be saved: its own scripts would break the policy of these pages."""
        from ciphermill.report.exploration.page import exploration_page

        number = request.path_params["number"]
        try:
            ranking = await run_in_threadpool(self._ranking, number)
        except NotReadable as error:
            raise Refused(str(error), 404) from error
        text = await run_in_threadpool(exploration_page, ranking.exploration)
        return saved(text, f"exploration-{number}.html")

    def _now(self, number: int) -> tuple[Activity, Ranking]:
        """Return whether an exploration runs, and then its candidates."""

        def work(store: Store) -> tuple[Activity, Ranking]:
            # In this order: what has ended has all of its candidates.
            activity = store.activity(number)
            return activity, self._ranked_of(store, number)

        return self._stored.read(work)

    def _ranking(self, number: int) -> Ranking:
        return self._stored.read(lambda store: self._ranked_of(store, number))

    def _ranked_of(self, store: Store, number: int) -> Ranking:
        known = self._ranked.get(number)
        # Another store may have come to the same place, with the same numbers.
        if known and replace(known.exploration, candidates=()) in store.explorations():
            self._ranked.move_to_end(number)
            return known
        ranking = rank(store.exploration(number))
        if ranking.exploration.ended:
            self._ranked[number] = ranking
            while len(self._ranked) > _RANKED:
                self._ranked.popitem(last=False)
        return ranking


def said(progress: Progress) -> str:
    """Return what is read out: it changes at each tenth of the way, and at the end.

    >>> said(Progress({State.MEASURED: 27}, 60, Activity.RUNNING, False, None))
    '40 % of 60 candidates are done'
    """
    if progress.activity is Activity.ENDED:
        return f"The exploration has ended with {human.count(progress.settled)} candidates"
    tenth = 10 * progress.settled // max(1, progress.total)
    done = f"{tenth * 10} % of {human.count(progress.total)} candidates are done"
    return f"Interrupted: {done}" if progress.activity is Activity.INTERRUPTED else done


def _again_s(progress: Progress) -> int:
    """Return after how many seconds an exploration may have changed; 0 if it has ended."""
    after = {Activity.RUNNING: AGAIN_S, Activity.INTERRUPTED: CONTINUED_S, Activity.ENDED: 0}
    return after[progress.activity]


def _chosen(request: Request, names: Sequence[str]) -> tuple[str, str] | None:
    """Return the two axes that a request asks for; None if there is nothing to show.

    Raises:
        Refused: There is no such objective or figure.
    """
    if not names:
        return None
    asked = [request.query_params.get("x", names[0])]
    asked.append(request.query_params.get("y", names[min(1, len(names) - 1)]))
    for name in asked:
        if name not in names:
            raise Refused(f"{name} is no objective of this exploration: choose another")
    return asked[0], asked[1]


def _order(request: Request, ranking: Ranking) -> str:
    """Return the order of the table that a request asks for.

    Raises:
        Refused: There is no such order.
    """
    asked = request.query_params.get("order", BEST_FIRST)
    if asked not in orders(ranking):
        raise Refused(f"{asked} is no order of this table: choose another")
    return asked


def _kinds(ranking: Ranking) -> list[tuple[str, str, int]]:
    """Return each kind of candidate that there is: its class, its words, how many."""
    counts = Counter(one.kind for one in ranking.standings)
    return [(kind.value, KIND_WORDS[kind], counts[kind]) for kind in Kind if counts[kind]]
