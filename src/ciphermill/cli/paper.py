# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill paper``: repeats a paper's experiments and compares the figures."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import click

from ciphermill.cli import files, options, progress, running
from ciphermill.cli.failures import ExitCode, Failure
from ciphermill.cli.main import LazyGroup
from ciphermill.papers import PAPERS
from ciphermill.papers.entry import Entry

_options = options.together(
    click.option("--full", is_flag=True, help="Print every table and its notes too."),
    click.option(
        "--report",
        "page",
        metavar="FILE",
        help="File of the HTML report.  [default: paper-NAME-RUN.html beside the store, with "
        "the number of the run]",
    ),
    running.store_option,
    options.json_of("one object"),
)
_EPILOG = """\b
Examples:
  ciphermill paper {name}"""


class Papers(LazyGroup):
    """A command for each paper of the table ``papers.PAPERS``."""

    table = PAPERS
    called = "paper"

    def made(self, name: str, module: ModuleType) -> click.Command:
        """The command of a paper."""
        entry: Entry = module.ENTRY

        def callback(**asked: Any) -> None:
            _run(name, entry, asked)

        examples = [_EPILOG.format(name=name)]
        examples += [f"  ciphermill paper {name} {example}" for example in entry.examples]
        params: list[click.Parameter] = [*entry.options]
        epilog = "\n".join(examples) + "\n"
        return _options(
            click.Command(
                name,
                callback=callback,
                params=params,
                help=entry.help,
                short_help=entry.help.partition("\n")[0],  # Click would shorten it
                epilog=epilog,
            )
        )


_GROUP_EPILOG = (
    _EPILOG.format(name="thesis-zynq-ciphers")
    + """
  ciphermill paper --all                    every printed figure beside ours
  ciphermill paper --all --json             the same as objects, one a figure

\b
What fills the page of --all:
"""
    + "\n".join(f"  ciphermill paper {name}" for name in PAPERS)
    + """

With --no-area each takes minutes, and rows on area, power and energy stay "not run"."""
)


@click.group(
    "paper",
    cls=Papers,
    no_args_is_help=False,
    invoke_without_command=True,
    epilog=_GROUP_EPILOG,
)
@click.option("--all", "every", is_flag=True, help="Show all papers from the store; run nothing.")
@click.option(
    "--report",
    metavar="FILE",
    help="With --all, the file of its page.  [default: papers.html beside the store]",
)
@running.store_option
@options.list_as_json
@click.pass_context
def command(
    context: click.Context, every: bool, report: str | None, store: str | None, as_json: bool
) -> None:
    """Repeat a paper's experiments and compare the figures.

    Prints the verdict on each of the paper's conclusions and the key figures, stores the
    measurements, and writes an HTML page: published and new figures, reasons for
    differences, the figures behind each verdict, and misprints. The first run builds a
    model for each system, which takes several minutes.

    With --all, writes one page with every figure that the papers print beside ours, from
    the newest stored runs of the papers' commands: reproduced, beaten and by how much,
    missed, following from inputs, or why there is none.
    """
    if context.invoked_subcommand:
        if every or report or store or as_json:
            what = "--all takes no paper's name; other options stand after the name"
            raise click.UsageError(what)
        return
    if not every:
        raise click.UsageError(
            f"name a paper, or give --all; there are: {', '.join(PAPERS)}", context
        )
    _show_all(report, store, as_json)


def _show_all(report: str | None, store: str | None, as_json: bool) -> None:
    from ciphermill.papers.overview import overview, overview_page

    page = Path(report) if report else running.store_location(store).beside("papers.html")
    if running.find_store(store):
        with running.open_store(store) as opened:
            running.check_outputs(opened, str(page))
            found = overview(opened)
    else:
        found = overview(None)
    if as_json:
        options.print_json(found.to_json())
    else:
        options.wide_console().print(found.summary())
    page.parent.mkdir(parents=True, exist_ok=True)
    files.write(page, overview_page(found))
    click.echo(f"Report: {page}", err=as_json)


def _run(name: str, entry: Entry, asked: dict[str, Any]) -> None:
    from ciphermill.papers.page import paper_page
    from ciphermill.papers.plan import evaluate_plan

    full, page, store, as_json = (asked.pop(one) for one in ("full", "page", "store", "as_json"))
    location = running.store_location(store)
    page_path = Path(page) if page else location.beside(f"paper-{name}-RUN.html")
    written = (
        asked[option.name or ""] for option in entry.options if isinstance(option.type, click.Path)
    )
    plan = entry.plan(asked)
    with running.open_store(store) as opened:
        running.check_outputs(opened, str(page_path), *map(str, filter(None, written)))
        with progress.of_work(silent=as_json) as step:
            run = evaluate_plan(plan, opened, running.origin(), step)
            report = entry.report(run.measurements)
            if report.found:
                run.keep(report.found, len(run.points))
            texts = entry.files(asked, step)
        for target, text in texts.items():
            files.write(Path(target), text)
    if not page:
        number = run.number or f"{run.started:%Y-%m-%d-%H%M%S}"
        page_path = location.beside(f"paper-{name}-{number}.html")
    if as_json:
        options.print_json(report.to_json())
    else:
        console = options.wide_console()
        for part in report.renderables() if full else report.summary():
            console.print(part)
    files.write(page_path, paper_page(report))
    ours = run.measurements
    wrong = [seen for seen in ours if seen.correct is False]
    running.tell(run, fail=not wrong)
    click.echo(f"Report: {page_path}", err=as_json)
    if wrong:
        raise Failure(
            f"wrong output: {len(wrong)} of {len(ours)} runs, first {wrong[0].partition} "
            f"{wrong[0].operation}; trust none of these figures",
            ExitCode.DIFFERENT,
        )
