# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""An exploration as one object of JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from ciphermill.report.exploration.standing import Kind, Ranking, Standing
from ciphermill.report.exploration.why import knee, recommended


def to_json(ranking: Ranking) -> dict[str, Any]:
    """Return an exploration with the standing of each candidate; places name candidates.

    A figure that is not finite is null.
    """
    exploration = ranking.exploration
    best, middle = recommended(ranking), knee(ranking)
    return {
        "number": exploration.number,
        "name": exploration.name,
        "started": exploration.started,
        "ended": exploration.ended,
        "command": exploration.command,
        "search": exploration.search,
        "seed": exploration.seed,
        "total": exploration.total,
        "objectives": [asdict(one) for one in exploration.objectives],
        "constraints": list(exploration.constraints),
        "steps": [asdict(one) for one in exploration.steps],
        "recommended": best.candidate.place if best else None,
        "knee": middle.candidate.place if middle else None,
        "front": [one.candidate.place for one in ranking.front],
        "candidates": [_candidate(one) for one in ranking.standings],
    }


def _candidate(one: Standing) -> dict[str, Any]:
    candidate = one.candidate
    return {
        "place": candidate.place,
        "digest": candidate.digest,
        "state": candidate.state.value,
        "good": one.kind in (Kind.FRONT, Kind.GOOD),
        "fields": dict(candidate.fields),
        "objectives": list(one.values),
        "figures": {
            name: value if math.isfinite(value) else None
            for name, value in candidate.figures.items()
        },
        "seconds": dict(candidate.seconds),
        "reason": one.reason,
        "log": candidate.log,
        "measurements": [seen.to_json() for seen in candidate.measurements],
    }
