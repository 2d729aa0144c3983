# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What all pages have in common: their templates, and where figures are from."""

from __future__ import annotations

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


def origin_lines(origin: Provenance | None) -> list[tuple[str, str]]:
    """Return names and values of what a measurement says of its origin."""
    if origin is None:
        return []
    tools = ", ".join(f"{name} {version}" for name, version in sorted((origin.tools or {}).items()))
    lines = (("Command", origin.command), ("Commit", origin.commit), ("Tools", tools))
    return [(name, value) for name, value in lines if value]
