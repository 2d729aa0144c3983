# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Campaigns of streams without a store, for tests."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermill.campaign.run import Run
from ciphermill.campaign.streams import Streams, stream_points, streams_of
from ciphermill.design import Provenance
from ciphermill.evaluate.stream.series import Place


def run_streams(
    place: Place, sizes_kib: Sequence[int], origin: Provenance | None = None
) -> Streams:
    """Run every series of a place without a store.

    Args:
        place: Where they run.
        sizes_kib: Sizes, ascending.
        origin: What every measurement says of its origin.

    Raises:
        SimulationError: A system locks up, a model is wrong, or there are no cores.
        WrongStreamError: Two implementations differ.
        ciphermill.Error: A device or file failed.
    """
    run = Run(None, origin or Provenance(), stream_points(place, sizes_kib))
    run.go()
    return streams_of(run, place)
