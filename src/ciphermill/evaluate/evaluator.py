# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The interface of evaluators, each for some kinds of designs and platforms."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ciphermill.design import Measurement


class Cancelled(Exception):
    """The evaluation was cancelled."""


@dataclass
class Progress:
    """Reports the progress of evaluations, and lets another thread cancel them."""

    report: Callable[[str], None] = lambda _: None
    """Called with a line at each step of a build, a synthesis or a simulation."""
    advance: Callable[[str, float], None] = lambda _, __: None
    """Called with the name of a device and the fraction of its work that is done."""
    points: Callable[[int, int], None] = lambda _, __: None
    """Called with the number of points of a run that are done, and their total."""
    cancelled: threading.Event = field(default_factory=threading.Event)

    def done(self, name: str, fraction: float) -> None:
        """Report how far a device is.

        Raises:
            Cancelled: The evaluation was cancelled.
        """
        if self.cancelled.is_set():
            raise Cancelled
        self.advance(name, fraction)


def between(design: Any, platform: Any, workload: Any) -> Callable[[Any, Any, Any], bool]:
    """Return whether a question's design, platform and workload are of these types."""
    return lambda *asked: all(map(isinstance, asked, (design, platform, workload)))


@dataclass(frozen=True)
class Evaluator:
    """An entry of the table in ``evaluate.evaluate``.

    Its functions take a design, a platform and a workload.
    """

    name: str
    answers: Callable[[Any, Any, Any], bool]
    """Whether it supports this design, platform and workload."""
    evaluate: Callable[[Any, Any, Any, Progress], list[Measurement]]
    prepare: Callable[[Any, Any, Any, Progress], object] | None = None
    """Builds what an evaluation needs. All points are prepared in sequence before the first
    evaluation; then they are evaluated in parallel."""
    alone: Callable[[Any], bool] = lambda _: False
    """Whether an evaluation of this design must run alone, since it measures wall time."""
