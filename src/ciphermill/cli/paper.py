# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill paper``: a paper's experiments on our systems, beside its figures."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ciphermill.cli import files, options, progress
from ciphermill.cli.failures import ExitCode, Failure
from ciphermill.cli.storing import store_run
from ciphermill.toolchain import provenance

if TYPE_CHECKING:
    from ciphermill.design import Provenance, SoftCore
    from ciphermill.papers.paper import PaperReport

PARTITIONS, COPROCESSORS = "aes256-hw-sw-partitions", "aes-present-coprocessors"
THESIS = "thesis-zynq-ciphers"
_NOT_OF_THE_THESIS = {
    "soft_core": "--soft-core",
    "energy": "--energy",
    "cells": "--cells",
}
"""Its systems are simulated from platforms/, without a soft core and without cells."""

_EXAMPLES = """\b
Examples:
  ciphermill paper aes256-hw-sw-partitions
  ciphermill paper aes256-hw-sw-partitions --soft-core picorv32 --no-area
  ciphermill paper aes256-hw-sw-partitions --no-area --energy --cells nangate45
  ciphermill paper aes256-hw-sw-partitions --no-area --trace stages.fst --console shown.txt
  ciphermill paper aes-present-coprocessors --json
  ciphermill paper aes-present-coprocessors --no-area --energy --cells nangate45
  ciphermill paper thesis-zynq-ciphers
  ciphermill paper thesis-zynq-ciphers --no-area --json
"""


@click.command("paper", epilog=_EXAMPLES)
@click.argument("name", type=click.Choice([PARTITIONS, COPROCESSORS, THESIS]))
@click.option(
    "--soft-core",
    type=click.Choice(["picorv32", "vexriscv", "ibex"]),
    default="vexriscv",
    show_default=True,
    help="What our firmware runs on; VexRiscv is the closest to the papers' MicroBlaze.",
)
@click.option(
    "--area/--no-area",
    default=True,
    show_default=True,
    help="Synthesise too, which takes many minutes the first time.",
)
@click.option(
    "--energy/--no-energy",
    default=None,
    help="Compute power and energy in standard cells where a library is found, and of the AES "
    "and PRESENT paper count toggles; many minutes the first time.  [default: as --area]",
)
@click.option(
    "--cells",
    type=click.Choice(options.CELLS),
    help="The cell library of the energy.  [default: the first that is found]",
)
@click.option(
    "--trace",
    metavar="FILE",
    help="Of the AES-256 paper: write the four stages of its simulations as an FST waveform.",
)
@click.option(
    "--console",
    "console_file",
    metavar="FILE",
    help="Of the AES-256 paper: write what its program showed on the console.",
)
@click.option("--store", metavar="FILE", help="The results store.  [default: see weigh --help]")
@click.option("--json", "as_json", is_flag=True, help="Print one object and nothing else.")
@click.pass_context
def command(
    context: click.Context,
    name: str,
    soft_core: str,
    area: bool,
    energy: bool | None,
    cells: str | None,
    trace: str | None,
    console_file: str | None,
    store: str | None,
    as_json: bool,
) -> None:
    """Run a paper's experiments on our systems and print ours beside its figures.

    Says where the two differ and why, checks the paper's conclusions one by one,
    and names what is printed and cannot be right. The first run builds a model for
    each partition, which takes several minutes.
    """
    from ciphermill.campaign.store import Store, default_store_path
    from ciphermill.design import Method, SoftCore
    from ciphermill.toolchain.cells import CellTarget, find_library
    from ciphermill.toolchain.soc import need_trace_headers

    if name != PARTITIONS and (trace or console_file):
        raise click.UsageError(f"--trace and --console go with {PARTITIONS}")
    if trace:
        need_trace_headers()  # before the other systems are built, which takes minutes
    if name == THESIS:
        for option, said in _NOT_OF_THE_THESIS.items():
            if context.get_parameter_source(option) is ParameterSource.COMMANDLINE:
                raise click.UsageError(f"{said} does not go with {THESIS}")
    wanted = (area if energy is None else energy) and name != THESIS
    if cells and not wanted:
        raise click.UsageError("--cells goes with --energy")
    if cells:
        find_library(CellTarget(cells))  # before the co-simulations, which take minutes
    path = Path(store) if store else default_store_path()
    with Store(path) as opened:
        for target in filter(None, (trace, console_file)):
            files.check_writable(Path(target))
        started = datetime.now().astimezone()
        origin = provenance.provenance(sys.argv)
        core = SoftCore(soft_core)
        if name == THESIS:
            report = _thesis(area, origin, silent=as_json)
        else:
            with progress.of_work(silent=as_json) as step:
                if name == PARTITIONS:
                    report = _partitions(
                        core, area, wanted, cells, trace, console_file, origin, step
                    )
                else:
                    report = _coprocessors(core, area, wanted, cells, origin, step)
        ours = [seen for seen in report.measurements if seen.method is not Method.PUBLISHED]
        stored = store_run(opened, ours, started)
    if as_json:
        click.echo(json.dumps(report.to_json(), indent=2))
    else:
        console = options.wide_console()
        for part in report.renderables():
            console.print(part)
    wrong = [seen for seen in ours if seen.correct is False]
    stored.tell(fail=not wrong)
    if wrong:
        raise Failure(
            f"wrong output: {len(wrong)} of {len(ours)} runs, first {wrong[0].partition} "
            f"{wrong[0].direction}; trust none of these figures",
            ExitCode.DIFFERENT,
        )


def _partitions(
    soft_core: SoftCore,
    areas: bool,
    energy: bool,
    cells: str | None,
    trace: str | None,
    console_file: str | None,
    origin: Provenance,
    step: progress.Report,
) -> PaperReport:
    from ciphermill.papers.aes256_hw_sw_partitions.experiment import run_partitions_paper
    from ciphermill.papers.aes256_hw_sw_partitions.report import partitions_report
    from ciphermill.papers.published import load_partitions_paper
    from ciphermill.toolchain.cells import CellTarget

    paper = load_partitions_paper()
    results = run_partitions_paper(
        paper,
        soft_core,
        areas=areas,
        energy=energy,
        target=CellTarget(cells) if cells else None,
        trace=Path(trace) if trace else None,
        provenance=origin,
        report=step,
    )
    if console_file:
        texts = (f"== {one.system.label}\n{one.console}" for one in results.shown)
        files.write(Path(console_file), "\n".join(texts))
    if wrong := [one for one in results.shown if not one.correct]:
        raise Failure(
            f"wrong output: {wrong[0].system.label} showed an array that is not the known answer",
            ExitCode.DIFFERENT,
        )
    return partitions_report(paper, results)


def _coprocessors(
    soft_core: SoftCore,
    areas: bool,
    energy: bool,
    cells: str | None,
    origin: Provenance,
    step: progress.Report,
) -> PaperReport:
    from ciphermill.papers.aes_present_coprocessors.experiment import run_coprocessors_paper
    from ciphermill.papers.aes_present_coprocessors.report import coprocessors_report
    from ciphermill.papers.published import load_coprocessors_paper
    from ciphermill.toolchain.cells import CellTarget

    paper = load_coprocessors_paper()
    results = run_coprocessors_paper(
        paper,
        soft_core,
        areas=areas,
        energy=energy,
        target=CellTarget(cells) if cells else None,
        provenance=origin,
        report=step,
    )
    return coprocessors_report(paper, results)


def _thesis(areas: bool, origin: Provenance, *, silent: bool) -> PaperReport:
    from ciphermill.papers.thesis_zynq_ciphers.experiment import run_thesis_paper
    from ciphermill.papers.thesis_zynq_ciphers.published import load_thesis_paper
    from ciphermill.papers.thesis_zynq_ciphers.report import thesis_report

    paper = load_thesis_paper()
    report = progress.say_nothing if silent else progress.say
    with progress.of_steps("series", silent=silent) as advance:
        results = run_thesis_paper(
            paper, areas=areas, provenance=origin, progress=advance, report=report
        )
    return thesis_report(paper, results)
