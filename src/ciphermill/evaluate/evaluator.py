# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Evaluators: each computes what a workload costs on some designs and platforms."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ciphermill.design import Measurement


class Cancelled(Exception):
    """The evaluation is not wanted any more."""


@dataclass
class Progress:
    """Tells how far evaluations are, and lets them be cancelled from another thread."""

    report: Callable[[str], None] = lambda _: None
    """Given a line at each step of a build, a synthesis or a simulation."""
    advance: Callable[[str, float], None] = lambda _, __: None
    """Given the name of a device and the fraction of its work that is done."""
    points: Callable[[int, int], None] = lambda _, __: None
    """Given how many points of a run are done, of how many."""
    cancelled: threading.Event = field(default_factory=threading.Event)

    def done(self, name: str, fraction: float) -> None:
        """Tell how far a device is.

        Raises:
            Cancelled: Somebody has cancelled the evaluation.
        """
        if self.cancelled.is_set():
            raise Cancelled
        self.advance(name, fraction)


def between(design: Any, platform: Any, workload: Any) -> Callable[[Any, Any, Any], bool]:
    """Return whether a question's design, platform and workload are of these types."""
    return lambda *asked: all(map(isinstance, asked, (design, platform, workload)))


@dataclass(frozen=True)
class Evaluator:
    """One way to answer: a line of the table in ``evaluate.evaluate``.

    The functions are given a design, a platform and a workload.
    """

    name: str
    answers: Callable[[Any, Any, Any], bool]
    """Whether it answers this question."""
    evaluate: Callable[[Any, Any, Any, Progress], list[Measurement]]
    prepare: Callable[[Any, Any, Any, Progress], object] | None = None
    """Builds what an evaluation needs. One point is prepared after another, all of them
    before the first evaluation; afterwards they are evaluated side by side."""
    alone: Callable[[Any], bool] = lambda _: False
    """Whether nothing may run beside an evaluation of this design: it takes wall time."""
