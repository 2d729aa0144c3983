# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a row of the page's table opens to: designs, and where each figure comes from.

Thousands of candidates share most lines of their designs and nearly all of their origins, so
each line and each origin is in the page once.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ciphermill.report import format as human
from ciphermill.report.exploration.design_text import design_texts
from ciphermill.report.exploration.origin import UNKNOWN, sources
from ciphermill.report.exploration.standing import Ranking, Standing
from ciphermill.report.exploration.text import clean
from ciphermill.report.html_page import origin_lines

T = TypeVar("T", bound=Hashable)


@dataclass
class _Once(Generic[T]):
    """Values without repetition, by their index."""

    held: dict[T, int] = field(default_factory=dict)

    def index(self, value: T) -> int:
        return self.held.setdefault(value, len(self.held))


@dataclass(frozen=True)
class Details:
    """The data of all rows, and the origins that they name."""

    data: dict[str, object]
    """``lines`` of designs; ``designs`` as indices of lines; ``sources`` of figures as a method
    and the index of an origin (none: -1); ``patterns`` as the source of each named figure (none:
    -1); ``rows``, in the order of the points: designs, pattern, digest, wall times."""
    origins: tuple[list[tuple[str, str]], ...]


def details_of(ranking: Ranking, names: Sequence[str]) -> Details:
    """Return the details of all candidates, the best first.

    Args:
        ranking: The candidates.
        names: The figures whose sources are given.
    """
    lines, designs = _Once[str](), _Once[tuple[int, ...]]()
    origins, known = _Once[str](), _Once[tuple[str, int]]()
    patterns = _Once[tuple[int, ...]]()
    told: list[list[tuple[str, str]]] = []

    def design(text: str) -> int:
        return designs.index(tuple(map(lines.index, clean(text).splitlines())))

    def pattern(one: Standing) -> int:
        found = sources(one.candidate)
        indices = []
        for name in names:
            seen = found.get(name)
            origin = -1
            if seen is not None and seen.provenance is not None:
                origin = origins.index(seen.provenance.model_dump_json())
                if origin == len(told):
                    told.append(origin_lines(seen.provenance))
            method = UNKNOWN if seen is None else seen.method.value
            indices.append(known.index((method, origin)) if name in one.candidate.figures else -1)
        return patterns.index(tuple(indices))

    rows = [
        [
            [design(text) for text in design_texts(ranking.exploration, one.candidate)],
            pattern(one),
            one.candidate.digest,
            _times(one),
        ]
        for one in ranking.best_first
    ]
    data: dict[str, object] = {
        "lines": list(lines.held),
        "designs": list(designs.held),
        "sources": list(known.held),
        "patterns": list(patterns.held),
        "rows": rows,
    }
    return Details(data, tuple(told))


def _times(one: Standing) -> str:
    return ", ".join(
        f"{name} {human.duration(seconds)}" for name, seconds in one.candidate.seconds.items()
    )
