# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A hook of MkDocs: the page of the command line gets its sections from the commands."""

from typing import Any

MARK = "<!-- commands -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return a page's text with the manual in place of the mark."""
    if MARK not in markdown:
        return markdown
    from ciphermill.cli import manual

    return markdown.replace(MARK, manual.markdown())
