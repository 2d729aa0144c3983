# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The thesis on Zynq ciphers as a command."""

from __future__ import annotations

from ciphermill.design import Measurement, Provenance
from ciphermill.papers.entry import AREA, Entry, Options
from ciphermill.papers.plan import Plan
from ciphermill.papers.thesis_zynq_ciphers import stored
from ciphermill.papers.thesis_zynq_ciphers.experiment import run_thesis_paper
from ciphermill.papers.thesis_zynq_ciphers.published import load
from ciphermill.papers.thesis_zynq_ciphers.report import thesis_report
from ciphermill.toolchain.model import Report


def plan(asked: Options) -> Plan:
    """Plan the experiment."""

    def beside(origin: Provenance, step: Report) -> list[Measurement]:
        results = run_thesis_paper(load(), areas=asked["area"], provenance=origin, report=step)
        return list(stored.measurements(results))

    return Plan(beside=beside)


ENTRY = Entry(
    "Streams through AES on an embedded board and a workstation, in virtual time.",
    plan,
    lambda measurements: thesis_report(load(), stored.restored(measurements)),
    (AREA,),
    ("--no-area --json",),
)
