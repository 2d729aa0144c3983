# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A campaign of streams: a run of every series of a place, at every size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ciphermill.campaign.run import Point, Run
from ciphermill.design import Measurement
from ciphermill.evaluate.stream.evaluator import Sizes
from ciphermill.evaluate.stream.series import KIB, Place, Series


@dataclass
class Streams:
    """The results of a campaign at one place."""

    name: str
    """The platform or device."""
    notes: tuple[str, ...] = ()
    """Notes on the figures."""
    measurements: list[Measurement] = field(default_factory=list)

    def find(self, series: Series, kib: int) -> Measurement | None:
        """Return the measurement of a series at a size: of several streams at once their total."""
        return next(
            (
                seen
                for seen in self.measurements
                if seen.bytes == kib * KIB and not seen.scope and Series.of(seen) == series
            ),
            None,
        )


def stream_points(
    place: Place, sizes_kib: Sequence[int], wanted: Callable[[Series], bool] = lambda _: True
) -> list[Point]:
    """Return the points of a place: each of its series, at sizes in ascending order.

    Args:
        place: The platform or device.
        sizes_kib: The sizes.
        wanted: Selects among the series.
    """
    sizes = Sizes(tuple(sizes_kib))
    return [Point(series, place, sizes) for series in place.series() if wanted(series)]


def streams_of(run: Run, place: Place) -> Streams:
    """Return the results of a run at one of its places."""
    seen = [one for point in run.points if point.platform is place for one in run.of(point)]
    notes = place.notes()
    if run.continued:
        notes += (
            f"{run.continued} series are from the run that was continued: how far off they may "
            "be is not among the errors here.",
        )
    return Streams(place.name, notes, seen)
