# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Passwords in URLs, which no message, page or stored command may show."""

from __future__ import annotations

import re

_USER = re.compile(r"(\w[\w+.-]*://[^\s:/?#]*):\S*@")
_QUERY = re.compile(r"([?&](?:\w*password|\w*secret|\w*token)=)[^&\s]*", re.IGNORECASE)


def without_passwords(text: str) -> str:
    """Return a text in which ``***`` replaces the password of each URL.

    >>> without_passwords("explore --store postgresql://ann:secret@host/db")
    'explore --store postgresql://ann:***@host/db'
    >>> without_passwords("postgresql://host/db?user=ann&password=secret&sslmode=require")
    'postgresql://host/db?user=ann&password=***&sslmode=require'
    """
    return _QUERY.sub(r"\1***", _USER.sub(r"\1:***@", text))
