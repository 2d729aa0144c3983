# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The AES-256 paper as a command."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from ciphermill.design import SoftCore
from ciphermill.papers.aes256_hw_sw_partitions import experiment
from ciphermill.papers.aes256_hw_sw_partitions.comparison import COMPARISON
from ciphermill.papers.aes256_hw_sw_partitions.published import load
from ciphermill.papers.aes256_hw_sw_partitions.report import partitions_report
from ciphermill.papers.entry import ON_SYSTEMS, OUTPUT, Entry, Options
from ciphermill.papers.plan import Plan
from ciphermill.papers.systems import Wanted
from ciphermill.toolchain import soc
from ciphermill.toolchain.model import Report


def plan(asked: Options) -> Plan:
    """Plan the experiment."""
    if asked["trace"]:
        soc.need_trace_headers()  # before the other systems are built, which takes minutes
    return experiment.plan(load(), Wanted.of(asked))


def files(asked: Options, step: Report) -> Mapping[str, str]:
    """Return the program's console output and write the waveform, if requested."""
    core = SoftCore(asked["soft_core"])
    if asked["trace"]:
        experiment.trace_stages(Path(asked["trace"]), core, step)
    if not asked["console"]:
        return {}
    return {asked["console"]: experiment.consoles(load(), core, step)}


ENTRY = Entry(
    "Five splits of AES-256 between hardware and software, cycle by cycle.",
    plan,
    lambda stored: partitions_report(load(), stored),
    COMPARISON,
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
