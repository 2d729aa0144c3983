# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill report``: shows a stored run as tables and as an HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from ciphermill.cli import explored, files, options, running
from ciphermill.cli.failures import ExitCode, Failure

_EXAMPLES = """\b
Examples:
  ciphermill report
  ciphermill report 12 --report run-12.html
  ciphermill report 3 4 --store measurements-of-another-machine.sqlite
  ciphermill report 7 --report exploration.html --svg plots --csv candidates.csv
  ciphermill report --parquet candidates.parquet      the newest exploration
"""


@click.command("report", epilog=_EXAMPLES)
@click.argument("runs", nargs=-1, type=click.IntRange(1), metavar="[RUN]...")
@running.plot_option
@explored.output_options
@running.output_options
def command(
    runs: tuple[int, ...],
    store: str | None,
    report: str | None,
    plot: str | None,
    as_json: bool,
    **outputs: str | None,
) -> None:
    """Show stored runs: their tables and their HTML reports.

    RUN is the number of a run, as ciphermill results lists it; the default is the last run, and
    with an option of explorations alone the newest exploration. An exploration, finished or not,
    is shown with its Pareto front and what each choice cost; --json prints it as one object.
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
        explorations = [one.number for one in opened.explorations()]
        if not (held := {*map(int, opened.held("run")), *explorations}):
            raise Failure(f"{path} contains no measurement", ExitCode.USAGE)
        asked = {name: target for name, target in outputs.items() if target}
        newest = max(explorations if explorations and asked else held)
        if chosen := _exploration(runs or (newest,), explorations, asked, plot):
            page = Path(report) if report else path.beside(f"run-{chosen}.html")
            running.check_outputs(opened, str(page), *explored.files_of(asked))
            # First whether it runs: what has ended has all of its candidates.
            activity = opened.activity(chosen)
            exploration = opened.exploration(chosen)
            explored.show(exploration, page, asked, as_json=as_json)
            explored.tell(exploration, activity)
            return
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


def _exploration(
    runs: Sequence[int], explorations: Sequence[int], outputs: Mapping[str, str], plot: str | None
) -> int | None:
    """Return the exploration that is to be shown; None if runs of measurements are.

    Raises:
        UsageError: Runs and options do not go together.
    """
    found = next((number for number in runs if number in explorations), None)
    if found is None:
        if outputs:
            listed = ", ".join(map(str, sorted(explorations))) or "none"
            raise click.UsageError(
                f"--{next(iter(outputs))} is of explorations, and run {runs[0]} is none; the "
                f"explorations of this store: {listed}"
            )
        return None
    if len(runs) > 1:
        raise click.UsageError(f"run {found} is an exploration: name it alone")
    if plot:
        raise click.UsageError(
            f"run {found} is an exploration, which has several plots: give --svg FOLDER"
        )
    return found
