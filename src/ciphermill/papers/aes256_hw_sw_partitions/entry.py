# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES-256 paper as a command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from ciphermill.design import Measurement, Provenance
from ciphermill.papers.entry import ON_SYSTEMS, OUTPUT, Entry, Options, on_systems
from ciphermill.papers.paper import PaperReport
from ciphermill.toolchain.model import Report


def run(asked: Options, origin: Provenance, step: Report) -> PaperReport:
    """Run the experiment."""
    from ciphermill.papers.aes256_hw_sw_partitions import experiment, published
    from ciphermill.papers.aes256_hw_sw_partitions.report import partitions_report
    from ciphermill.toolchain import soc

    trace = Path(asked["trace"]) if asked["trace"] else None
    if trace:
        soc.need_trace_headers()  # before the other systems are built, which takes minutes
    paper = published.load()
    arguments = on_systems(asked)
    results = experiment.run_partitions_paper(
        paper, **arguments, trace=trace, provenance=origin, report=step
    )
    report = partitions_report(paper, results)
    wrong = [one.system.label for one in results.shown if not one.correct]
    texts = [f"== {one.system.label}\n{one.console}" for one in results.shown]
    return replace(
        report,
        files={asked["console"]: "\n".join(texts)} if asked["console"] else {},
        wrong=f"{wrong[0]} showed an array that is not the known answer" if wrong else "",
    )


def restore(stored: Sequence[Measurement]) -> PaperReport:
    """Return the report of stored measurements."""
    from ciphermill.papers.aes256_hw_sw_partitions import experiment, published
    from ciphermill.papers.aes256_hw_sw_partitions.report import partitions_report

    return partitions_report(published.load(), experiment.restored(stored))


ENTRY = Entry(
    "Five splits of AES-256 between hardware and software, cycle by cycle.",
    run,
    restore,
    (
        *ON_SYSTEMS,
        click.Option(
            ["--trace"],
            type=OUTPUT,
            metavar="FILE",
            help="Write the four stages of its simulations as an FST waveform.",
        ),
        click.Option(
            ["--console"],
            type=OUTPUT,
            metavar="FILE",
            help="Write what its program showed on the console.",
        ),
    ),
    (
        "--soft-core picorv32 --no-area",
        "--no-area --energy --cells nangate45",
        "--no-area --trace stages.fst --console shown.txt",
    ),
)
