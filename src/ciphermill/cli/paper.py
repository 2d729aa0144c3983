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

from ciphermill.campaign import provenance
from ciphermill.cli import options
from ciphermill.cli.failures import ExitCode, Failure

if TYPE_CHECKING:
    from ciphermill.design import Provenance, SoftCore
    from ciphermill.report.paper import PaperReport

PARTITIONS, COPROCESSORS = "aes256-hw-sw-partitions", "aes-present-coprocessors"

_EXAMPLES = """\b
Examples:
  ciphermill paper aes256-hw-sw-partitions
  ciphermill paper aes256-hw-sw-partitions --soft-core picorv32 --no-area
  ciphermill paper aes-present-coprocessors --json
"""


@click.command("paper", epilog=_EXAMPLES)
@click.argument("name", type=click.Choice([PARTITIONS, COPROCESSORS]))
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
@click.option("--store", metavar="FILE", help="The results store.  [default: see weigh --help]")
@click.option("--json", "as_json", is_flag=True, help="Print one object and nothing else.")
def command(name: str, soft_core: str, area: bool, store: str | None, as_json: bool) -> None:
    """Run a paper's experiments on our systems and print ours beside its figures.

    Says where the two differ and why, checks the paper's conclusions one by one,
    and names what is printed and cannot be right. The first run builds a model for
    each partition, which takes several minutes.
    """
    from ciphermill.campaign.store import Store, default_store_path
    from ciphermill.design import Method, SoftCore

    path = Path(store) if store else default_store_path()
    with Store(path) as opened:
        started = datetime.now().astimezone()
        origin = provenance.provenance(sys.argv)
        report = _report(name, SoftCore(soft_core), area, origin)
        ours = [seen for seen in report.measurements if seen.method is not Method.PUBLISHED]
        run = opened.add_run(ours, command=provenance.command_line(sys.argv), started=started)
    if as_json:
        click.echo(json.dumps(report.to_json(), indent=2))
    else:
        console = options.wide_console()
        for part in report.renderables():
            console.print(part)
    click.echo(f"Stored as run {run} in {path}", err=True)
    if wrong := [seen for seen in ours if seen.correct is False]:
        sys.stdout.flush()
        raise Failure(
            f"wrong output: {len(wrong)} of {len(ours)} runs, first {wrong[0].partition} "
            f"{wrong[0].direction}; trust none of these figures",
            ExitCode.DIFFERENT,
        )


def _report(name: str, soft_core: SoftCore, areas: bool, origin: Provenance) -> PaperReport:
    if name == PARTITIONS:
        from ciphermill.campaign.partitions_paper import run_partitions_paper
        from ciphermill.design.published import load_partitions_paper
        from ciphermill.report.partitions_paper import partitions_report

        paper = load_partitions_paper()
        return partitions_report(
            paper,
            run_partitions_paper(paper, soft_core, areas=areas, provenance=origin, report=_say),
        )
    from ciphermill.campaign.coprocessors_paper import run_coprocessors_paper
    from ciphermill.design.published import load_coprocessors_paper
    from ciphermill.report.coprocessors_paper import coprocessors_report

    other = load_coprocessors_paper()
    return coprocessors_report(
        other,
        run_coprocessors_paper(other, soft_core, areas=areas, provenance=origin, report=_say),
    )


def _say(text: str) -> None:
    click.echo(text, err=True)
