# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Code that all pages share: templates, and the provenance of figures."""

from __future__ import annotations

import html
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ciphermill.design import Provenance
from ciphermill.report import format as human

if TYPE_CHECKING:
    import jinja2


def environment() -> jinja2.Environment:
    """Return the templates' environment, with what they format figures with."""
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
    """Return a page as HTML text that loads nothing.

    Args:
        template: Its file, which extends ``page.html.j2``.
        values: What it shows: ``title`` and ``subtitle`` at the least.
    """
    from ciphermill._engine import __version__

    shared = {"provenance": (), "version": __version__, "wide": False}
    return environment().get_template(template).render(**{**shared, **values})


def moment(started: str) -> str:
    """Write when a run started, for readers; UTC, as the store has it.

    >>> moment("2026-01-02T03:04:05+00:00")
    '2 January 2026, 03:04 UTC'
    """
    return f"{datetime.fromisoformat(started).astimezone(UTC):%-d %B %Y, %H:%M UTC}"


def described(svg: str, text: str) -> str:
    """Return a drawing as one image with an alternative text."""
    label = html.escape(text, quote=True)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def origin_lines(origin: Provenance | None) -> list[tuple[str, str]]:
    """Return names and values of what a measurement says of its origin."""
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
