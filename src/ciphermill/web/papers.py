# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The page of papers: what the stored measurements say of each one's conclusions."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ciphermill.campaign.store import Store
from ciphermill.papers import PAPERS
from ciphermill.papers.entry import Entry
from ciphermill.papers.overview import overview, overview_page
from ciphermill.papers.page import paper_of, paper_page
from ciphermill.papers.paper import PaperReport, Verdict
from ciphermill.papers.published import bibliography
from ciphermill.web.errors import Refused
from ciphermill.web.pages import Pages, saved
from ciphermill.web.stored import NotReadable, Stored

CLASSES = {Verdict.HOLDS: "holds", Verdict.DOES_NOT_HOLD: "fails"}
"""How the page marks verdicts; the others are grey."""
_MOST_RUNS = 5
"""Runs of a paper that are tried: the newest may not be complete."""


class Papers:
    """The page. A report is made once for each run, since a run that is complete stays as it is."""

    def __init__(self, pages: Pages, stored: Stored) -> None:
        """Read from a store."""
        self._pages, self._stored = pages, stored
        self._made: dict[str, tuple[int, PaperReport]] = {}
        # Reports draw plots, which takes seconds: one after the other.
        self._lock = threading.Lock()

    def routes(self) -> list[Route]:
        """Return the routes of the page."""
        return [
            Route("/dashboard/papers", self.page),
            Route("/dashboard/papers/all", self.all),
            Route("/dashboard/papers/{name}", self.part),
            Route("/dashboard/papers/{name}/report", self.report),
        ]

    async def page(self, request: Request) -> Response:
        """The page; each paper's part is fetched by itself."""
        papers = await run_in_threadpool(lambda: [bibliography(name) for name in PAPERS])
        return self._pages.show(request, "papers.html.j2", papers=papers)

    async def all(self, _: Request) -> Response:
        """Every printed figure beside ours, to be saved."""
        try:
            found = await run_in_threadpool(self._stored.read, overview)
        except NotReadable as error:
            raise Refused(str(error), 404) from error
        return saved(overview_page(found), "papers.html")

    async def part(self, request: Request) -> Response:
        """What is known of a paper."""
        name = _name(request)
        command = f"ciphermill paper {name}"
        try:
            found = await run_in_threadpool(self._found, name)
        except NotReadable as error:
            return self._pages.show(
                request, "paper_part.html.j2", report=None, why=str(error), command=command
            )
        if found is None:
            why = "It has not been run: the store has no complete run of it."
            return self._pages.show(
                request, "paper_part.html.j2", report=None, why=why, command=command
            )
        run, report = found
        return self._pages.show(
            request,
            "paper_part.html.j2",
            report=report,
            name=name,
            run=run,
            command=command,
            counts=[(one, report.count(one), CLASSES.get(one, "")) for one in Verdict],
            classes=CLASSES,
        )

    async def report(self, request: Request) -> Response:
        """The full report, to be saved: its own styles would break the policy of these pages."""
        name = _name(request)
        try:
            found = await run_in_threadpool(self._found, name)
        except NotReadable as error:
            raise Refused(str(error), 404) from error
        if found is None:
            raise Refused(f"{name} has not been run: ciphermill paper {name}", 404)
        run, report = found
        text = await run_in_threadpool(paper_page, report)
        return saved(text, f"paper-{name}-{run}.html")

    def _found(self, name: str) -> tuple[int, PaperReport] | None:
        """Return the newest complete run of a paper with its report; None if there is none."""
        with self._lock:
            return self._stored.read(lambda store: self._newest(name, store))

    def _newest(self, name: str, store: Store) -> tuple[int, PaperReport] | None:
        for run in _runs(name, store):
            made = self._made.get(name)
            if made and made[0] == run:
                return made
            entry: Entry = importlib.import_module(PAPERS[name]).ENTRY
            measurements = [record.measurement for record in store.records(run=run)]
            try:
                self._made[name] = run, entry.report(measurements)
            except KeyError:
                continue  # It was interrupted, or is still running.
            return self._made[name]
        return None


def _runs(name: str, store: Store) -> Iterator[int]:
    """Yield the newest runs of a paper's command, the last one first."""
    runs = [run for run, command in store.commands().items() if paper_of(command) == name]
    yield from sorted(runs, reverse=True)[:_MOST_RUNS]


def _name(request: Request) -> str:
    name: str = request.path_params["name"]
    if name not in PAPERS:
        raise Refused("there is no such paper", 404)
    return name
