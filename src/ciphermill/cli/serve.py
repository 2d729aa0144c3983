# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill serve``."""

from __future__ import annotations

import click

_EXAMPLES = """\b
Examples:
  ciphermill serve aes-iterative --dir /tmp/board &
  ciphermill encrypt letter.txt --device stream:/tmp/board
  ciphermill serve my/design.toml --dir board
"""


@click.command("serve", epilog=_EXAMPLES)
@click.argument("design")
@click.option(
    "--dir",
    "directory",
    required=True,
    metavar="DIR",
    help="Folder for the device files; created if missing, accessible by this user only.",
)
def command(design: str, directory: str) -> None:
    """Serve a simulated accelerator as device files.

    The files are those that a board's driver offers, a set for each channel of the design.

    DESIGN is an accelerator in designs/ or the path of a TOML file; a setting may follow it,
    as in aes-iterative,clock_mhz=50. Another process
    then encrypts on the device stream:DIR. Runs until it is interrupted, and
    removes the files.
    """
    from ciphermill import _engine
    from ciphermill.cli import progress
    from ciphermill.cli.failures import Terminated
    from ciphermill.registry import split_model
    from ciphermill.toolchain.model import find_model

    with progress.of_work() as report:
        named, settings = split_model(design)
        library = find_model(named, report=report)

    def tell(event: str) -> None:
        text = f"serving {library.stem} as stream:{directory}" if event == "ready" else event
        click.echo(f"ciphermill: {text}", err=True)

    try:
        _engine.serve(library.stem + settings, directory, models=library.parent, on_event=tell)
    except (KeyboardInterrupt, Terminated):
        # The normal end of a simulator.
        click.echo("ciphermill: stopped; the device files are removed", err=True)
