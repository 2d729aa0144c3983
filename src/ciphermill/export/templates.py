# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The templates of files of an export."""

from __future__ import annotations

import re

import jinja2

COPYRIGHT = "Copyright Ciphermill contributors."


def identifier(name: str) -> str:
    """Return the name of a design as one of Python, or of an IP in Vivado.

    >>> [identifier(name) for name in ("aes-serial", "aes-2.0", "3des")]
    ['aes_serial', 'aes_2_0', 'design_3des']
    """
    plain = re.sub(r"[^a-z0-9]", "_", name)
    return f"design_{plain}" if plain[0].isdigit() else plain


def tcl_word(text: str) -> str:
    r"""Return a text as one word of Tcl, in which nothing is substituted.

    >>> print(tcl_word('a } [exit] "$b"'))
    "a \} \[exit\] \"\$b\""
    """
    escaped = re.sub(r'([\\"$\[\]{}])', r"\\\1", text)
    return f'"{" ".join(escaped.split())}"'


_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.PackageLoader("ciphermill.export", "templates"),
    autoescape=False,  # noqa: S701 - Verilog, Markdown, YAML and make, no HTML
    undefined=jinja2.StrictUndefined,
    keep_trailing_newline=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters["tcl_word"] = tcl_word


def render(template: str, **values: object) -> str:
    """Return a template with its values filled in."""
    return _ENVIRONMENT.get_template(template).render(copyright=COPYRIGHT, **values)
