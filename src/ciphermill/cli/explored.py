# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill report`` of a run that is an exploration: prints it and writes its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ciphermill.cli import options, progress, running
from ciphermill.cli.failures import Failure

if TYPE_CHECKING:
    from ciphermill.campaign.exploration import Activity, Exploration

OUTPUTS = ("png", "svg", "csv", "parquet")
"""Options of explorations alone, by parameter."""

output_options = options.together(
    click.option(
        "--parquet", metavar="FILE", help="Of an exploration: write its candidates as Parquet."
    ),
    click.option("--csv", metavar="FILE", help="Of an exploration: write its candidates as CSV."),
    click.option("--png", metavar="FOLDER", help="Of an exploration: the plots as PNG files."),
    click.option(
        "--svg",
        metavar="FOLDER",
        help="Of an exploration: the front of each pair of objectives, and the parallel "
        "coordinates, as SVG files.",
    ),
)


def files_of(outputs: Mapping[str, str]) -> list[str]:
    """Return the files of outputs; of a folder a file in it."""
    return [
        str(Path(target) / "plot") if name in ("png", "svg") else target
        for name, target in outputs.items()
    ]


def show(
    exploration: Exploration, page: Path, outputs: Mapping[str, str], *, as_json: bool
) -> None:
    """Print an exploration, and write its page and other outputs.

    Args:
        exploration: As it is stored.
        page: File of the page.
        outputs: Files and folders, by the name in ``OUTPUTS``.
        as_json: Whether one object is printed instead of the front and the recommended choice.

    Raises:
        Failure: A file cannot be written, or a library is missing.
    """
    from ciphermill.report.exploration.as_json import to_json
    from ciphermill.report.exploration.export import MissingLibraryError, write_csv, write_parquet
    from ciphermill.report.exploration.page import write_exploration_page
    from ciphermill.report.exploration.plot_files import write_plots
    from ciphermill.report.exploration.standing import rank
    from ciphermill.report.exploration.table import summary

    ranking = rank(exploration)
    if as_json:
        options.print_json(to_json(ranking))
    else:
        running.print_parts(summary(ranking))
    writers: Mapping[str, Callable[[Path], object]] = {
        "report": lambda path: write_exploration_page(exploration, path),
        "png": lambda path: write_plots(ranking, path, "png", page),
        "svg": lambda path: write_plots(ranking, path, "svg", page),
        "csv": lambda path: write_csv(ranking, path),
        "parquet": lambda path: write_parquet(ranking, path),
    }
    told = {"report": "Report", "png": "PNG", "svg": "SVG", "csv": "CSV", "parquet": "Parquet"}
    for name, target in {"report": str(page), **outputs}.items():
        path = Path(target)
        try:
            writers[name](path)
        except MissingLibraryError as error:
            raise Failure(str(error)) from error
        except OSError as error:
            raise Failure(f"cannot write {path}: {error.strerror or error}") from error
        click.echo(f"{told[name]}: {path}", err=as_json)


def tell(exploration: Exploration, activity: Activity) -> None:
    """Say of an exploration that has not ended whether it runs, or how it is continued."""
    from ciphermill.campaign.exploration import Activity

    if exploration.ended or activity is Activity.ENDED:
        return
    if activity is Activity.RUNNING:
        progress.say("A process works on this exploration now")
    elif exploration.continued_by:
        progress.say(f"Interrupted; the same command continues: {exploration.continued_by}")
    else:
        progress.say("Interrupted; the program that called ciphermill.explore continues it")
