# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The dashboard: its first page, and the routes of the others."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ciphermill.web.benchmarks import Benchmarks
from ciphermill.web.devices import Devices
from ciphermill.web.explorations import Explorations
from ciphermill.web.jobs import Jobs
from ciphermill.web.pages import Pages
from ciphermill.web.papers import Papers
from ciphermill.web.stored import Stored


class Dashboard:
    """Devices, live benchmarks, explorations as they run, and comparisons with papers."""

    def __init__(
        self, pages: Pages, jobs: Jobs, extra: Sequence[str] = (), store: str | None = None
    ) -> None:
        """Make the pages; nothing is opened or measured yet.

        Args:
            pages: The templates.
            jobs: Where benchmarks run.
            extra: Names of devices beside those that are present.
            store: The results store; by default the default one.
        """
        self._pages = pages
        self._stored = Stored(store)
        self._benchmarks = Benchmarks(pages, jobs, self._stored, extra)
        self._parts = (
            Devices(pages, extra),
            self._benchmarks,
            Explorations(pages, self._stored),
            Papers(pages, self._stored),
        )

    def routes(self) -> list[Route]:
        """Return the routes of all pages."""
        own = [Route("/dashboard", self.page)]
        return [*own, *(route for part in self._parts for route in part.routes())]

    async def page(self, request: Request) -> Response:
        """The first page."""
        running = self._benchmarks.running
        return self._pages.show(
            request,
            "dashboard.html.j2",
            store=self._stored.location,
            benchmark=running.asked.words if running else "",
        )
