# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Options that ``encrypt`` and ``decrypt`` share, and the names of their outputs."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

    from ciphermill._engine import Device

CELLS = ("nangate45", "sky130", "osu018")
"""Libraries of standard cells, as in ``toolchain.cells``, which is slow to import."""
STREAM = "-"
SUFFIXES = {"ciphermill": ".cm", "openssl": ".enc"}
"""The suffix that each format appends to a file's name."""

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}

PIPE_WIDTH = 120
"""Columns of output to a file or pipe."""
LIST_WIDTH = 1000
"""Columns of a list to a file or pipe, in which each row is one line."""

STUCK_BIT = "Set this bit of the coprocessor's output to one, to see that the check detects it."

Command = TypeVar("Command", bound=Callable[..., object])


def json_of(what: str) -> Callable[[Command], Command]:
    """Return the option ``--json``, which prints this and nothing else."""
    return click.option("--json", "as_json", is_flag=True, help=f"Print {what} and nothing else.")


list_as_json = json_of("a list of objects")
part = click.option(
    "--part",
    type=click.Choice(["core", "accelerator"]),
    help="Of an accelerator: the core alone, or the whole.  [default: accelerator]",
)


def together(*added: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return a decorator that adds several options to a command."""

    def add(command: Command) -> Command:
        for option in added:
            command = option(command)
        return command

    return add


def print_json(value: object) -> None:
    """Print the one object or list of a command's ``--json``."""
    click.echo(json.dumps(value, indent=2))


device = click.option(
    "--device",
    default="cpu",
    show_default=True,
    help="The device to use; see: ciphermill devices.",
)


def number_of_bytes(
    _: click.Context | None, __: click.Parameter | None, text: str | None
) -> int | None:
    """An option's number of bytes: ``65536``, ``64k`` or ``1M`` (powers of two).

    >>> [number_of_bytes(None, None, text) for text in ("100", "64k", "1M", "1MiB")]
    [100, 65536, 1048576, 1048576]

    Raises:
        click.BadParameter: it is not a number of bytes.
    """
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]+)([kmg]?)(i?b)?", text, re.ASCII | re.IGNORECASE)
    if match is None:
        raise click.BadParameter(f"{text!r} is not a number of bytes, such as 65536, 64k or 1M")
    return int(match[1]) * _UNITS[match[2].lower()]


def numbers_of_bytes(
    context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> tuple[int, ...]:
    """The numbers of bytes of an option that may be given several times."""
    numbers = (number_of_bytes(context, parameter, text) for text in texts)
    return tuple(number for number in numbers if number is not None)


def completes(names: Sequence[str]) -> Callable[..., list[str]]:
    """Return the shell completion of an option: names, although other values are allowed too."""
    return lambda _, __, begun: [name for name in names if name.startswith(begun)]


shared = together(
    click.option("-q", "--quiet", is_flag=True, help="Print errors only."),
    click.option("-f", "--force", is_flag=True, help="Overwrite an output that exists."),
    click.option(
        "--kdf-limit",
        metavar="TIMES",
        type=click.IntRange(1, 0x7FFFFFFF),
        help="Allow a key derivation at this many times the usual limits; see inspect.  "
        "[default: 1]",
    ),
    click.option(
        "--format",
        "format_",
        type=click.Choice(list(SUFFIXES)),
        default="ciphermill",
        show_default=True,
        help="Ciphermill's container, or the unauthenticated format of `openssl enc -pbkdf2`.",
    ),
    click.option(
        "--device",
        default="cpu",
        show_default=True,
        help="The device to use, or auto for the one that is measured to be the fastest; see: "
        "ciphermill devices.",
    ),
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the result to this file, for a single input; - is standard output.",
    ),
)
"""The options that both directions have."""


def open_in_process(name: str) -> Device:
    """Open the device that transforms the files.

    Raises:
        ciphermill.Error: The device cannot be opened.
        ciphermill.software.RestartNeeded: the device needs another process.
    """
    from ciphermill.registry import open_engine_device
    from ciphermill.software import NAME, check_process

    if name == NAME:
        check_process()
    return open_engine_device(name)


def open_or_choose(
    name: str,
    sources: Iterable[str],
    *,
    mode: str | None,
    direction: str,
    chunk_bytes: int | None,
    quiet: bool,
    key_bits: int = 256,
) -> Device:
    """Open the device that transforms the files; ``auto`` is the fastest for the longest of them.

    Args:
        name: A device's name, or ``auto``.
        sources: The inputs; ``-`` is long.
        mode: Mode of operation; GCM when absent.
        direction: ``encrypt`` or ``decrypt``.
        chunk_bytes: Length of a chunk; the default when absent.
        quiet: Not to say which device was chosen, and why.
        key_bits: Bits of the key.

    Raises:
        ciphermill.Error: The device cannot be opened.
        ciphermill.software.RestartNeeded: the device needs another process.
    """
    from ciphermill import _engine, choice

    if name != choice.AUTO:
        return open_in_process(name)
    files = [Path(source) for source in sources]
    lengths = [file.stat().st_size if file.is_file() else choice.LONGEST_BYTES for file in files]
    chosen = choice.choose_device(
        max(lengths),
        mode=mode or "gcm",
        operation=direction,
        key_bits=key_bits,
        chunk_bytes=chunk_bytes or _engine.DEFAULT_CHUNK_BYTES,
    )
    if not quiet:
        click.echo(f"ciphermill: {chosen.reason}", err=True)
    return chosen.device


def refuse_misplaced(format_: str, given: dict[str, object]) -> None:
    """Refuse options that the format does not have.

    Raises:
        click.UsageError: one of them was given.
    """
    for name, value in given.items():
        if value is not None:
            raise click.UsageError(f"{name} does not go with --format {format_}")


def given_options() -> dict[str, str]:
    """Return the options on the command line, as they are written, by parameter.

    For a flag with an opposite, such as ``--power/--no-power``, the one that was given.
    """
    from click.core import ParameterSource

    context = click.get_current_context()
    found = {}
    for one in context.command.params:
        name = one.name or ""
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        off = context.params.get(name) is False and one.secondary_opts
        written = one.secondary_opts if off else one.opts
        found[name] = written[-1] if isinstance(one, click.Option) else name.upper()
    return found


def refuse(refused: Iterable[str], why: str) -> None:
    """Refuse options that would have no effect, by parameter.

    Raises:
        click.UsageError: One of them was given.
    """
    for name, written in given_options().items():
        if name in refused:
            raise click.UsageError(f"{written} {why}")


def encrypted_name(source: str, output: str | None, format_: str) -> str:
    """Name of the output when encrypting: the input's with a suffix, unless named.

    >>> encrypted_name("a.jpg", None, "ciphermill")
    'a.jpg.cm'
    >>> encrypted_name("-", None, "ciphermill")
    '-'
    """
    if output is not None:
        return output
    return STREAM if source == STREAM else source + SUFFIXES[format_]


def decrypted_name(source: str, output: str | None, format_: str) -> str:
    """Name of the output when decrypting: the input's without its suffix, unless named.

    >>> decrypted_name("a.jpg.cm", None, "ciphermill")
    'a.jpg'

    Raises:
        click.UsageError: the input's name has no such suffix.
    """
    if output is not None:
        return output
    if source == STREAM:
        return STREAM
    suffix = SUFFIXES[format_]
    if not source.endswith(suffix) or Path(source).name == suffix:
        raise click.UsageError(f"{source} does not end in {suffix}: name the output with --output")
    return source.removesuffix(suffix)


def warn(message: str) -> None:
    """A warning on standard error."""
    click.echo(f"ciphermill: warning: {message}", err=True)


def wide_console(pipe_width: int = PIPE_WIDTH) -> Console:
    """A console with the width of the terminal or of ``COLUMNS``.

    Args:
        pipe_width: Columns if standard output is a file or pipe.
    """
    from rich.console import Console

    narrow = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(highlight=False, width=None if narrow else pipe_width)


def inputs_and_outputs(
    inputs: tuple[str, ...], output: str | None, name: Callable[[str], str]
) -> list[tuple[str, str]]:
    """Each input with its output; without an input, standard input.

    Args:
        inputs: what the command line names.
        output: the output that it names.
        name: gives the output of an input.

    Raises:
        click.UsageError: one output is named for several inputs, or one input twice.
    """
    if len(inputs) > 1 and output is not None:
        raise click.UsageError("--output needs a single input: name one, or omit --output")
    if len(set(inputs)) < len(inputs):
        raise click.UsageError("an input is named twice")
    return [(source, name(source)) for source in inputs or (STREAM,)]


def refuse_terminal_input(source: str) -> None:
    """Refuse to wait for encrypted bytes typed on a terminal.

    Raises:
        click.UsageError: standard input is the source and a terminal.
    """
    if source == STREAM and sys.stdin.isatty():
        raise click.UsageError("standard input is a terminal: name a file, or pipe one in")
