# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The thesis on Zynq ciphers as a command."""

from __future__ import annotations

from ciphermill.campaign.run import Run
from ciphermill.campaign.streams import stream_points
from ciphermill.design import Measurement
from ciphermill.papers.entry import AREA, Entry, Options
from ciphermill.papers.plan import Plan
from ciphermill.papers.thesis_zynq_ciphers import stored
from ciphermill.papers.thesis_zynq_ciphers.experiment import (
    SIZES_KIB,
    run_thesis_paper,
    thesis_places,
)
from ciphermill.papers.thesis_zynq_ciphers.published import load
from ciphermill.papers.thesis_zynq_ciphers.report import thesis_report
from ciphermill.toolchain.model import Report


def plan(asked: Options) -> Plan:
    """Plan the experiment: the streams are points, so that a killed run is continued."""
    places = thesis_places(load())

    def beside(run: Run, step: Report) -> list[Measurement]:
        results = run_thesis_paper(places, run, areas=asked["area"], report=step)
        return list(stored.beside_streams(results))

    return Plan(
        [point for place in places.values() for point in stream_points(place, SIZES_KIB)],
        beside=beside,
    )


ENTRY = Entry(
    "Streams through AES on an embedded board and a workstation, in virtual time.",
    plan,
    lambda measurements: thesis_report(load(), stored.restored(measurements)),
    (AREA,),
    ("--no-area --json",),
)
