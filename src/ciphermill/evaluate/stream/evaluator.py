# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The evaluator of streams: a series of sizes, in virtual time or on this machine."""

from __future__ import annotations

from dataclasses import dataclass

from ciphermill.design import Measurement
from ciphermill.evaluate.evaluator import Evaluator, Progress, between
from ciphermill.evaluate.stream.series import Place, Series


@dataclass(frozen=True)
class Sizes:
    """A workload: streams of these sizes, ascending."""

    kib: tuple[int, ...]


def _evaluate(series: Series, place: Place, sizes: Sizes, _: Progress) -> list[Measurement]:
    return place.run(series, sizes.kib)


STREAM = Evaluator(
    "stream",
    between(Series, object, Sizes),
    _evaluate,
    # The models and files of a place are shared by its series.
    alone=lambda _: True,
)
