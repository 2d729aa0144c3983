# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Where a candidate's figures come from: the measurement behind each of them."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermill.campaign.exploration import Candidate
from ciphermill.design import Measurement
from ciphermill.report.exploration.expression import names_in

UNKNOWN = "not stated"
"""The method of a figure that no measurement has: it is of a function of the user's own."""


def sources(candidate: Candidate) -> dict[str, Measurement]:
    """Return the measurement that gave each figure, by the figure's name.

    The last one that has the figure with this value; if none has that value, the last one
    that has the figure.
    """
    found: dict[str, Measurement] = {}
    exact: set[str] = set()
    for seen in candidate.measurements:
        values = seen.to_json()
        for name in values.keys() & candidate.figures.keys():
            same = values[name] == candidate.figures[name]
            if same or name not in exact:
                found[name] = seen
            if same:
                exact.add(name)
    return found


def method_of(expression: str, found: dict[str, Measurement]) -> str:
    """Return how an expression's figures were obtained, such as ``simulated, estimated``."""
    names = [expression] if expression in found else names_in(expression)
    methods = [found[name].method.value for name in names if name in found]
    return ", ".join(dict.fromkeys(methods)) or UNKNOWN


def tools_of(measurements: Sequence[Measurement]) -> str:
    """Return the tools of some measurements with their versions."""
    tools: dict[str, None] = {}
    for seen in measurements:
        if seen.provenance:
            tools |= dict.fromkeys(
                f"{name} {version}" for name, version in sorted(seen.provenance.tools.items())
            )
    return ", ".join(tools)
