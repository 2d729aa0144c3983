# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill digest``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import get_args

import click

from ciphermill.cli import options, progress
from ciphermill.cli.failures import Failure
from ciphermill.functions import Digest

_EXAMPLES = """\b
Examples:
  ciphermill digest report.pdf
  ciphermill digest *.iso > SHA256SUMS && sha256sum --check SHA256SUMS
  ciphermill digest firmware.bin --algorithm ascon-hash256
  tar c photos | ciphermill digest --algorithm sha-512
  ciphermill digest report.pdf --json
"""


@click.command("digest", epilog=_EXAMPLES)
@click.argument("inputs", metavar="[INPUT]...", nargs=-1)
@click.option(
    "--algorithm",
    default="sha-256",
    show_default=True,
    help=f"The hash: {', '.join(get_args(Digest))}.",
)
@options.device
@options.list_as_json
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
def command(
    inputs: tuple[str, ...], algorithm: str, device: str, as_json: bool, quiet: bool
) -> None:
    """Print the digests of files, or of standard input.

    Each INPUT is a file, or - for standard input, which is also read without any.

    Lines have the format of sha256sum: the digest, two spaces and the name; sha256sum
    --check reads those of SHA-256. The device cpu digests a file while reading it; other
    devices need the whole file in memory. A failure ends the command; earlier digests have
    been printed, except with --json.
    """
    from ciphermill import _engine

    opened = options.open_in_process(device)
    found = []
    for source in inputs or (options.STREAM,):
        if source != options.STREAM and Path(source).is_dir():
            files = f"find {shlex.quote(source)} -type f -exec ciphermill digest {{}} +"
            raise Failure(f"{source} is a folder: digest the files in it: {files}")
        options.refuse_terminal_input(source)
        with progress.of_bytes(f"digesting {source}", silent=quiet) as advance:
            digest = _engine.digest_path(source, opened, algorithm=algorithm, progress=advance)
        if as_json:
            found.append({"file": source, "algorithm": algorithm, "digest": digest.hex()})
        else:
            click.echo(_line(digest, source))
    if as_json:
        options.print_json(found)


def _line(digest: bytes, name: str) -> str:
    r"""Return a line in the format of GNU coreutils, with special characters of the name escaped.

    >>> _line(b"\x12", "a file")
    '12  a file'
    >>> _line(b"\x12", "two\nlines")
    '\\12  two\\nlines'
    """
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    return f"{chr(92) if escaped != name else ''}{digest.hex()}  {escaped}"
