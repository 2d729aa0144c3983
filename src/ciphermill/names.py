# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Suggestions for mistyped names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a question that names the most similar of the names; empty if none is similar.

    >>> did_you_mean("zedbord", ["zc706", "zedboard"])
    'did you mean zedboard?'
    >>> did_you_mean("thesis", ["aes256-hw-sw-partitions", "thesis-zynq-ciphers"])
    'did you mean thesis-zynq-ciphers?'
    >>> did_you_mean("abacus", ["cpu", "software"])
    ''
    """
    known = list(dict.fromkeys(names))
    found = difflib.get_close_matches(name.lower(), known, n=1)
    # The beginning of exactly one name is taken for that name, whatever its length.
    begun = [one for one in known if len(name) > 2 and one.startswith(name.lower())]
    if not found and len(begun) == 1:
        found = begun
    return f"did you mean {found[0]}?" if found else ""
