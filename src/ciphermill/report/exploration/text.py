# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Texts of others, such as names and logs, made fit for pages and drawings."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Escape sequences of terminals, and characters that a page must not hold."""


def clean(text: str) -> str:
    r"""Return what a tool printed without control characters.

    >>> clean("\x1b[31mred\x1b[0m\tand\n\x00nothing")
    'red\tand\nnothing'
    """
    return _CONTROL.sub("", text)


def plain_text(text: str) -> str:
    """Return a text in which matplotlib finds no formula, and which it can draw."""
    return clean(text).replace("$", r"\$")
