# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill web``."""

from __future__ import annotations

import html
import os
import webbrowser
from pathlib import Path

import click

from ciphermill.cli import running

_EXAMPLES = """\b
Examples:
  ciphermill web
  ciphermill web --device stream:/tmp/board
  ciphermill web --port 8470 --no-browser
  ciphermill web --store measurements.sqlite
"""


@click.command("web", epilog=_EXAMPLES)
@click.option(
    "--device",
    "devices",
    multiple=True,
    metavar="NAME",
    help="Offer this device too, before those of `ciphermill devices`; may be repeated.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Port of 127.0.0.1.  [default: one that is free]",
)
@click.option("--no-browser", is_flag=True, help="Print the link and open no browser.")
@running.store_option
def command(devices: tuple[str, ...], port: int, no_browser: bool, store: str | None) -> None:
    """Open pages in the browser: encryption, and a dashboard.

    A page shows a picture before and after encryption, with histograms and times, and decrypts
    it back. Another page encrypts and decrypts files. The dashboard shows devices, measures one
    when asked, follows the explorations of the results store while they run, and tells what its
    measurements say of each paper.

    Prints the link to the page, which holds a token: who has it can use the page. The server
    listens on this machine alone. Runs until it is interrupted, and removes its files.
    """
    from ciphermill.cli import progress
    from ciphermill.cli.failures import Failure, Terminated
    from ciphermill.registry import open_engine_device

    try:
        from ciphermill.web.server import bind, listen
    except ModuleNotFoundError as error:
        raise Failure(
            f"{error.name} is missing: pip install 'ciphermill[web]' (or run make setup)"
        ) from error

    with progress.of_work() as report:
        for name in devices:
            open_engine_device(name, report=report)
    try:
        bound = bind(port)
    except OSError as error:
        raise Failure(
            f"cannot listen on port {port}: {error.strerror or error}; name another --port"
        ) from error
    try:
        with bound, listen(bound, devices, store) as listening:
            click.echo(listening.url)
            if not no_browser and ("DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ):
                webbrowser.open(_link_file(listening.folder, listening.url).as_uri())
            listening.run()
    except (KeyboardInterrupt, Terminated):
        # The normal end of a server.
        click.echo("ciphermill: stopped; the files of the page are removed", err=True)


def _link_file(folder: Path, url: str) -> Path:
    """Return a file that leads to the page: a browser's arguments can be read by other users."""
    path = folder / "open.html"
    link = html.escape(url, quote=True)
    path.write_text(
        f'<meta charset="utf-8"><meta http-equiv="refresh" content="0; url={link}">'
        f'<a href="{link}">Ciphermill</a>\n',
        encoding="utf-8",
    )
    return path
