# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Input and output files of commands, checked before any prompt; outputs are never partial."""

from __future__ import annotations

import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ciphermill.cli import options, progress
from ciphermill.cli.failures import Failure

if TYPE_CHECKING:
    from ciphermill._engine import Device


def check_input(source: str) -> None:
    """Refuse a folder, and say how to encrypt one.

    Raises:
        Failure: The input is a folder.
    """
    if source != options.STREAM and Path(source).is_dir():
        folder = shlex.quote(source.rstrip("/") or "/")
        target = "folder.tar.cm" if Path(source).name in ("", "..") else f"{folder}.tar.cm"
        raise Failure(
            f"{source} is a folder: pack it first: tar c {folder} | ciphermill encrypt -o {target}"
        )


def transform(
    work: Sequence[tuple[str, str]],
    device: Device,
    path: Callable[..., dict[str, Any]],
    called: str,
    *,
    force: bool,
    quiet: bool,
) -> Iterator[dict[str, Any]]:
    """Transform each input to its output, with a progress bar; yield the engine's report of each.

    Args:
        work: Inputs and outputs.
        device: The device.
        path: A function of the engine that transforms a file, with its other arguments bound.
        called: The activity, for the progress bar: ``encrypting``.
        force: Overwrite an output that exists.
        quiet: Show no progress and no summary.
    """
    for source, target in work:
        with progress.of_bytes(f"{called} {source}", silent=quiet) as advance:
            done = path(source, target, device, force=force, progress=advance)
        tell(target, done, quiet=quiet)
        yield done


def tell(target: str, done: dict[str, Any], *, quiet: bool) -> None:
    """On a terminal, print a summary of the output: name, size, time and rate.

    Args:
        target: The output; ``-`` is standard output.
        done: The engine's report.
        quiet: Whether to print nothing.
    """
    if quiet or not sys.stderr.isatty():
        return
    name = "standard output" if target == options.STREAM else target
    said = f"{name}: {bytes_in_words(done['bytes_out'])} in {done['time_s']:.2f} s"
    if done["time_s"] > 0:
        said += f", {bytes_in_words(done['bytes_in'] / done['time_s'])}/s"
    if done["key_derivation"] != "key":
        said += f", after {done['derivation_s']:.2f} s for the key"
    click.echo(said, err=True)


def bytes_in_words(number: float) -> str:
    """A number of bytes with a decimal unit.

    >>> [bytes_in_words(number) for number in (0, 999, 1000, 123_456, 5_310_000_000)]
    ['0 bytes', '999 bytes', '1.00 kB', '123 kB', '5.31 GB']
    """
    if number < 1000:
        return f"{number:.0f} bytes"
    for unit in ("kB", "MB", "GB", "TB"):
        number /= 1000
        if number < 1000 or unit == "TB":
            break
    digits = 2 if number < 10 else 1 if number < 100 else 0
    return f"{number:.{digits}f} {unit}"


def check_writable(path: Path) -> None:
    """Make the file's folder, and check that a file can be created in it.

    Raises:
        Failure: It cannot.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise Failure(f"cannot write {path}: {error.strerror or error}") from error


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        Failure: It cannot be written.
    """
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=".ciphermill-", delete=False
        ) as file:
            try:
                file.write(text)
                file.close()
                Path(file.name).chmod(0o644)
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise Failure(f"cannot write {path}: {error.strerror or error}") from error
