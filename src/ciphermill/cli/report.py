# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill report``: shows a stored run as tables and as an HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from ciphermill.cli import files, options, running
from ciphermill.cli.failures import ExitCode, Failure

_EXAMPLES = """\b
Examples:
  ciphermill report
  ciphermill report 12 --report run-12.html
  ciphermill report 3 4 --store measurements-of-another-machine.sqlite
"""


@click.command("report", epilog=_EXAMPLES)
@click.argument("runs", nargs=-1, type=click.IntRange(1), metavar="[RUN]...")
@running.plot_option
@running.output_options
def command(
    runs: tuple[int, ...],
    store: str | None,
    report: str | None,
    plot: str | None,
    as_json: bool,
) -> None:
    """Show stored runs: their tables and their HTML reports.

    RUN is the number of a run, as ciphermill results lists it; the default is the last run.
    Nothing is measured or built, so the store may be of another machine.
    """
    from ciphermill.papers.page import paper_page, stored_report
    from ciphermill.report.pages import PAGES

    if len(runs) > 1 and (report or plot):
        raise click.UsageError("--report and --plot need a single run; name one, or omit them")
    path = running.store_location(store)
    if not path.exists:
        raise click.UsageError(f"there is no results store {path}")
    seen = []
    with running.open_store(store) as opened:
        if not (held := [int(one) for one in opened.held("run")]):
            raise Failure(f"{path} contains no measurement", ExitCode.USAGE)
        for number in runs or (max(held),):
            records = opened.records(run=number)
            if not records:
                raise click.UsageError(f"{path} has no run {number}; the last is {max(held)}")
            found = [record.measurement for record in records]
            seen += found
            paper = stored_report(found)
            if not paper and not any(page.shows(one) for page in PAGES for one in found):
                raise Failure(f"run {number}: there is no page for its measurements")
            if not as_json:
                if paper:
                    running.print_parts(paper.summary())
                else:
                    running.print_tables(found)
            page = Path(report) if report else path.beside(f"run-{number}.html")
            running.check_outputs(opened, str(page), plot)
            if paper:
                files.write(page, paper_page(paper))
                written_pages = [page]
            else:
                written_pages = running.write_report(found, records[0].started, page, plot)
            for written in written_pages:
                click.echo(f"Report: {written}", err=as_json)
    if as_json:
        options.print_json([one.to_json() for one in seen])
