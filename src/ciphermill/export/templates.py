# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The templates of files of an export."""

from __future__ import annotations

import jinja2

COPYRIGHT = "Copyright Ciphermill contributors."

_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.PackageLoader("ciphermill.export", "templates"),
    autoescape=False,  # noqa: S701 - Verilog, Markdown, YAML and make, no HTML
    undefined=jinja2.StrictUndefined,
    keep_trailing_newline=True,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render(template: str, **values: object) -> str:
    """Return a template with its values filled in."""
    return _ENVIRONMENT.get_template(template).render(copyright=COPYRIGHT, **values)
