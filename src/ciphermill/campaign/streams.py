# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""A campaign of streams: every series of a place at every size, stored as it goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ciphermill.design import Measurement, Provenance
from ciphermill.evaluate.evaluate import evaluate
from ciphermill.evaluate.stream.evaluator import Sizes
from ciphermill.evaluate.stream.series import KIB, Place, Series

Progress = Callable[[int, int], None]
"""Is told how many series are done, of how many."""
Kept = Callable[[Sequence[Measurement]], None]
"""Is given what is to be kept while a campaign goes on."""
_SAME = ("platform", "model", "processor", "folder")
"""Tools of a provenance: where one differs, a measurement would not come out again."""


@dataclass
class Streams:
    """The results of a campaign."""

    name: str
    """The platform or device."""
    notes: tuple[str, ...] = ()
    """Notes on the figures."""
    measurements: list[Measurement] = field(default_factory=list)
    reused: int = 0
    """Measurements that were there from an earlier run."""

    def find(self, series: Series, kib: int) -> Measurement | None:
        """Return what a series gave at a size."""
        return next(
            (
                seen
                for seen in self.measurements
                if seen.bytes == kib * KIB and Series.of(seen) == series
            ),
            None,
        )


def run_streams(
    place: Place,
    sizes_kib: Sequence[int],
    *,
    wanted: Callable[[Series], bool] = lambda _: True,
    earlier: Sequence[Measurement] = (),
    keep: Kept | None = None,
    provenance: Provenance | None = None,
    progress: Progress | None = None,
) -> Streams:
    """Run the series of a place.

    Args:
        place: Where they run.
        sizes_kib: Sizes, ascending.
        wanted: Chooses among the series.
        earlier: Measurements of an earlier, interrupted run; a series that is whole
            among them, of the same commit, place and model, is not run again.
        keep: Is given each series as soon as it is there.
        provenance: What every measurement says of its origin.
        progress: Is told how far it is.

    Raises:
        SimulationError: A system locks up, a model is wrong, or there are no cores.
        WrongStreamError: Two implementations differ.
        ciphermill.Error: A device or file failed.
    """
    found = Streams(place.name)
    before = {(Series.of(seen), seen.bytes): seen for seen in earlier if seen.application}
    chosen = [series for series in place.series() if wanted(series)]
    for number, series in enumerate(chosen):
        if progress:
            progress(number, len(chosen))
        origin = place.origin(series, provenance or Provenance())
        there = [before.get((series, kib * KIB)) for kib in sizes_kib]
        usable = [seen for seen in there if seen and _same_origin(seen.provenance, origin)]
        if len(usable) == len(sizes_kib):
            found.measurements += usable
            found.reused += len(usable)
            continue
        new = [
            seen.model_copy(update={"provenance": origin})
            for seen in evaluate(series, place, Sizes(tuple(sizes_kib)))
        ]
        if keep:
            keep(new)
        found.measurements += new
    if progress:
        progress(len(chosen), len(chosen))
    found.notes = place.notes()
    if found.reused:
        found.notes += (
            f"{found.reused} measurements are from an earlier run, in the store: how far off "
            "they may be was printed then, and is not among the errors here.",
        )
    return found


def _same_origin(seen: Provenance | None, origin: Provenance) -> bool:
    """Whether a stored result is still valid: source, file and model have not changed."""
    if seen is None or origin.commit is None or origin.commit.endswith("-dirty"):
        return False
    return seen.commit == origin.commit and all(
        seen.tools.get(name) == origin.tools.get(name) for name in _SAME
    )
