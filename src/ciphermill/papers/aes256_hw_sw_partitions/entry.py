# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES-256 paper as a command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ciphermill.design import Measurement
from ciphermill.papers.entry import ON_SYSTEMS, OUTPUT, Entry, Options
from ciphermill.papers.paper import PaperReport
from ciphermill.toolchain.model import Report

if TYPE_CHECKING:
    from ciphermill.papers.plan import Plan


def plan(asked: Options) -> Plan:
    """Plan the experiment."""
    from ciphermill.papers.aes256_hw_sw_partitions import experiment, published
    from ciphermill.papers.systems import Wanted
    from ciphermill.toolchain import soc

    if asked["trace"]:
        soc.need_trace_headers()  # before the other systems are built, which takes minutes
    return experiment.plan(published.load(), Wanted.of(asked))


def files(asked: Options, step: Report) -> Mapping[str, str]:
    """Return what the program shows, and write the waveform, where they were asked for."""
    from ciphermill.design import SoftCore
    from ciphermill.papers.aes256_hw_sw_partitions import experiment, published

    core = SoftCore(asked["soft_core"])
    if asked["trace"]:
        experiment.trace_stages(Path(asked["trace"]), core, step)
    if not asked["console"]:
        return {}
    return {asked["console"]: experiment.consoles(published.load(), core, step)}


def report(stored: Sequence[Measurement]) -> PaperReport:
    """Return the report of stored measurements."""
    from ciphermill.papers.aes256_hw_sw_partitions import published
    from ciphermill.papers.aes256_hw_sw_partitions.report import partitions_report

    return partitions_report(published.load(), stored)


ENTRY = Entry(
    "Five splits of AES-256 between hardware and software, cycle by cycle.",
    plan,
    report,
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
    files,
)
