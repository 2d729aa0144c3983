# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Code that the measuring commands share: a run, its store, its report.

Measurements take minutes, and a full disk must not lose them. So the run stores them, the
command prints them and writes its report, and only then ``tell`` reports whether they were
stored.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ciphermill.cli import files, options
from ciphermill.cli.failures import STORE, ExitCode, Failure

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ciphermill.campaign.run import Run
    from ciphermill.campaign.store import Location, Store
    from ciphermill.design import Measurement, Provenance


store_option = click.option(
    "--store",
    metavar="FILE|URL",
    help="The results store: an SQLite file, or a database postgresql://USER@HOST/NAME.  "
    "[default: $CIPHERMILL_STORE, else "
    "ciphermill/measurements.sqlite under $XDG_DATA_HOME]",
)
output_options = options.together(
    options.json_of("a list of measurements"),
    click.option(
        "--report",
        metavar="FILE",
        help="File of the HTML report.  [default: COMMAND-RUN.html beside the store, with "
        "the number of the run]",
    ),
    store_option,
)
"""The options for the output of measurements: ``--store``, ``--report``, ``--json``."""

plot_option = click.option(
    "--plot", metavar="FILE", help="Also write the report's plot as an SVG file."
)


def store_location(named: str | None) -> Location:
    """Return the store that ``--store`` names, or the default one.

    Raises:
        StoreError: It is a URL of no known kind.
    """
    from ciphermill.campaign.store import Location, default_location

    return Location.of(named) if named else default_location()


def open_store(named: str | None) -> Store:
    """Open the store that ``--store`` names, or the default one.

    If the command is interrupted, its last line says what this store has of it.

    Raises:
        StoreError: It cannot be used.
    """
    from ciphermill.campaign.store import Store

    opened = Store(store_location(named))
    if context := click.get_current_context(silent=True):
        context.meta[STORE] = opened
    return opened


def find_store(named: str | None) -> Location | None:
    """Return the store to read; None if nothing was stored yet.

    Raises:
        UsageError: The named store does not exist.
    """
    location = store_location(named)
    if location.exists:
        return location
    if named:
        raise click.UsageError(f"there is no results store {location}")
    return None


def check_outputs(store: Store, report: str | None, *others: str | None) -> None:
    """Check before the work that output files can be written.

    Raises:
        Failure: One of them cannot be written, or is the store.
    """
    page = Path(report) if report else store.location.beside("report.html")
    for path in (page, *map(Path, filter(None, others))):
        files.check_writable(path)
        if store.location.file and path.exists() and path.samefile(store.location.file):
            raise Failure(f"{path} is the results store: name another file")


def origin() -> Provenance:
    """The provenance of this command line's measurements."""
    from ciphermill.toolchain import provenance

    return provenance.provenance(sys.argv)


def show(
    run: Run, name: str, *, report: str | None, plot: str | None = None, as_json: bool
) -> list[Path]:
    """Print a run's measurements, and write its report and its plot; return the pages.

    Args:
        run: What was done.
        name: The command's name, with which the report's name begins.
        report: File of the report, if not beside the store.
        plot: File of the plot, if any.
        as_json: Whether a list of measurements is printed instead of tables.
    """
    seen = run.measurements
    if as_json:
        options.print_json([one.to_json() for one in seen])
    elif seen:
        print_tables(seen)
    if not seen:
        return []
    # A run that could not be stored has a report but no number.
    number = run.number or f"{run.started:%Y-%m-%d-%H%M%S}"
    path = Path(report) if report else run.page(f"{name}-{number}.html")
    return write_report(seen, run.started.isoformat(), path, plot)


def print_tables(seen: Sequence[Measurement]) -> None:
    """Print the tables of a run and its notes."""
    from ciphermill.report.pages import pages

    print_parts(part for page, shown in pages(seen) for part in page.tables(shown))


def print_parts(parts: Iterable[RenderableType]) -> None:
    """Print tables and lines."""
    console = options.wide_console()
    for part in parts:
        console.print(part)


def write_report(
    seen: Sequence[Measurement], started: str, path: Path, plot: str | None
) -> list[Path]:
    """Write the HTML report of a run, and its plot as a file of its own; return the pages.

    Measurements of several kinds have a page each: ``run.html`` and ``run-physical.html``.

    Raises:
        Failure: A file cannot be written, or a plot is requested and the report has none.
    """
    from ciphermill.papers import register_workloads
    from ciphermill.report.pages import pages

    register_workloads()  # pages describe them
    found = pages(seen)
    first, shown = found[0]
    if plot and first.plot is None:
        what = f"the report of {first.name} has no plot: leave --plot out"
        raise Failure(what, ExitCode.USAGE)
    paths = []
    for number, (page, part) in enumerate(found):
        paths.append(path.with_stem(f"{path.stem}-{page.name}") if number else path)
        files.write(paths[-1], page.html(part, started))
    if plot and first.plot is not None:
        files.write(Path(plot), first.plot(shown))
    return paths


def tell(run: Run, pages: Sequence[Path] = (), *, as_json: bool = False, fail: bool = True) -> None:
    """Report on standard error where the run is stored and its pages are.

    Args:
        run: What was done.
        pages: The pages that ``show`` has written.
        as_json: Whether standard output has only JSON.
        fail: Whether a run that could not be stored ends the command; otherwise it is a
            warning, since a more serious error follows.

    Raises:
        StoreError: It could not be stored.
    """
    sys.stdout.flush()
    if run.unstored is None:
        if run.number is not None:
            click.echo(
                f"Stored as run {run.number} in {run.store and run.store.location}", err=True
            )
    elif fail:
        raise run.unstored
    else:
        click.echo(f"ciphermill: warning: {run.unstored}", err=True)
    for page in pages:
        click.echo(f"Report: {page}", err=as_json)


def refuse_wrong(lines: Iterable[str], what: str) -> None:
    """End the command if an output is wrong.

    Args:
        lines: A sentence for each wrong output.
        what: The thing that is not to be trusted then.

    Raises:
        Failure: There is one.
    """
    wrong = list(lines)
    if wrong:
        sys.stdout.flush()
        more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        raise Failure(f"{wrong[0]}{more}; do not trust this {what}", ExitCode.DIFFERENT)
