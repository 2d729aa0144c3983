# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What all pages share: templates, navigation, and the parts that are fetched again."""

from __future__ import annotations

from dataclasses import dataclass

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

import ciphermill
from ciphermill.report import format as human
from ciphermill.report.html_page import moment, named_cells
from ciphermill.web.errors import Refused


@dataclass(frozen=True)
class Link:
    """A page in the navigation."""

    page: str
    """What its template calls itself in the block ``page``."""
    path: str
    """Below the token."""
    words: str


NAVIGATION = (
    Link("pictures", "", "Pictures"),
    Link("files", "files", "Files"),
    Link("dashboard", "dashboard", "Dashboard"),
    Link("devices", "dashboard/devices", "Devices"),
    Link("benchmarks", "dashboard/benchmarks", "Benchmarks"),
    Link("explorations", "dashboard/explorations", "Explorations"),
    Link("papers", "dashboard/papers", "Papers"),
)
"""The pages, in the order of the navigation."""


class Pages:
    """Renders templates."""

    def __init__(self) -> None:
        """Prepare the templates."""
        self._templates = jinja2.Environment(
            loader=jinja2.PackageLoader("ciphermill.web"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )
        formats = (
            human.count,
            human.duration,
            human.ratio,
            human.significant,
            human.size,
            human.throughput,
        )
        self._templates.filters |= {one.__name__: one for one in (*formats, moment)}

    def show(self, request: Request, template: str, **values: object) -> Response:
        """Answer with a page, or with a part of one.

        Args:
            request: What is answered; its token begins the page's links.
            template: The file of the template.
            values: Its values, beside ``root``, ``navigation`` and ``version``.
        """
        shared = {
            "root": f"{request.scope['root_path']}/",
            "navigation": NAVIGATION,
            "version": ciphermill.__version__,
        }
        text = self._templates.get_template(template).render(**shared, **values)
        return HTMLResponse(named_cells(text))


def saved(page: str, name: str) -> Response:
    """Answer with a report as a file to be saved: its styles would break the policy of pages."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HTMLResponse(page, headers=headers)


def number_of(request: Request, name: str, default: int, most: int) -> int:
    """Return a number of the query.

    Raises:
        Refused: It is no number, or not from 0 to ``most``.
    """
    given = request.query_params.get(name, str(default))
    if not given.isascii() or not given.isdecimal() or len(given) > 9 or int(given) > most:
        raise Refused(f"{name} is no number from 0 to {most}")
    return int(given)
