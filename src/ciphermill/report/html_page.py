# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Functions that all pages share: templates, and the provenance of figures."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ciphermill.design import Provenance
from ciphermill.report import format as human

if TYPE_CHECKING:
    import jinja2


def environment() -> jinja2.Environment:
    """Return the templates' environment, with the functions that format figures."""
    import jinja2

    templates = jinja2.Environment(
        loader=jinja2.PackageLoader("ciphermill.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    formats = (human.count, human.duration, human.ratio, human.significant, human.throughput)
    templates.filters |= {one.__name__: one for one in formats}
    return templates


def render(template: str, **values: object) -> str:
    """Return a page as HTML text without external resources.

    Args:
        template: Its file, which extends ``page.html.j2``.
        values: The template's values, at least ``title`` and ``subtitle``.
    """
    from ciphermill._engine import __version__

    shared = {"provenance": (), "version": __version__, "wide": False}
    return named_cells(environment().get_template(template).render(**{**shared, **values}))


_TABLE = re.compile(r"<table.*?</table>", re.DOTALL)
_HEADING = re.compile(r'<th scope="col"([^>]*)>(.*?)</th>', re.DOTALL)
_ROW = re.compile(r'<tr class="row.*?</tr>', re.DOTALL)


def named_cells(page: str) -> str:
    """Return a page whose table cells have the names of their columns.

    A narrow screen shows a row as lines of a name and a cell, below the row's first cell,
    which has its name too if it is a figure. An empty first cell means the same as the one
    above, whose text is repeated there.

    >>> table = '<table><th scope="col">a</th><th scope="col">b<br>c</th>{}</table>'
    >>> named_cells(table.format('<tr class="row"><td>1</td><td>2</td></tr>')).partition("<tr")[2]
    ' class="row"><td data-name="a">1</td><td data-name="b c">2</td></tr></table>'
    """
    return _TABLE.sub(_named_table, page)


def _named_table(table: re.Match[str]) -> str:
    names: list[str] = []
    bar = ""
    for kind, heading in _HEADING.findall(table[0]):
        name = re.sub(r"<[^>]+>", " ", heading)
        # A bar needs no name; the figure beside it, which has no heading, gets that name.
        names.append("" if "bar" in kind else name or bar)
        bar = name if "bar" in kind else ""
    above = ""

    def named(row: re.Match[str]) -> str:
        nonlocal above
        begin, first, *cells = row[0].split("<td")
        kind, _, rest = first.partition(">")
        if rest.startswith("</td>"):
            first = f'{kind}><span class="narrow">{above}</span>{rest}'
        else:
            above = rest.partition("</td>")[0]
        if above[:1].isdigit() and names:
            first = f' data-name="{names[0]}"{first}'
        for number, name in enumerate(names[1 : len(cells) + 1]):
            if name:
                cells[number] = f' data-name="{name}"{cells[number]}'
        return "<td".join((begin, first, *cells))

    return _ROW.sub(named, table[0])


def moment(started: str) -> str:
    """Format the start of a run, in UTC as in the store.

    >>> moment("2026-01-02T03:04:05+00:00")
    '2 January 2026, 03:04 UTC'
    """
    return f"{datetime.fromisoformat(started).astimezone(UTC):%-d %B %Y, %H:%M UTC}"


def described(svg: str, text: str) -> str:
    """Return a drawing as one image with an alternative text."""
    label = html.escape(text, quote=True)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def origin_lines(origin: Provenance | None) -> list[tuple[str, str]]:
    """Return names and values of a measurement's provenance."""
    if origin is None:
        return []
    tools = ", ".join(f"{name} {version}" for name, version in sorted((origin.tools or {}).items()))
    lines = (
        ("Command", origin.command),
        ("Commit", origin.commit),
        ("Tools", tools),
        ("Processor", origin.processor),
        ("System", origin.system),
    )
    return [(name, value) for name, value in lines if value]
