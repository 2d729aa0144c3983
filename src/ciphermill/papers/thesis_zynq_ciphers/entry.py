# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The thesis on Zynq ciphers as a command."""

from __future__ import annotations

from ciphermill.papers.entry import AREA, Entry
from ciphermill.papers.plan import Plan
from ciphermill.papers.thesis_zynq_ciphers.comparison import COMPARISON
from ciphermill.papers.thesis_zynq_ciphers.experiment import points
from ciphermill.papers.thesis_zynq_ciphers.kernel import kernel_measurements, results_folder
from ciphermill.papers.thesis_zynq_ciphers.published import load
from ciphermill.papers.thesis_zynq_ciphers.report import thesis_report
from ciphermill.papers.thesis_zynq_ciphers.stored import restored

ENTRY = Entry(
    "Streams through AES on an embedded board and a workstation, in virtual time.",
    lambda asked: Plan(
        list(points(load(), area=asked["area"])), kernel_measurements(results_folder())
    ),
    lambda measurements: thesis_report(load(), restored(measurements)),
    COMPARISON,
    (AREA,),
    ("--no-area --json",),
)
