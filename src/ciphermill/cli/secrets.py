# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Sources of passwords and keys: never an argument.

Other users of a machine can see the arguments of every process, so a password comes from a
file, the environment, or a prompt on the terminal. Python cannot erase its own strings; the
engine erases its copies.
"""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from ciphermill import _engine
from ciphermill.cli.failures import ExitCode, Failure, reading
from ciphermill.cli.options import STREAM, together

VARIABLE = "CIPHERMILL_PASSWORD"
_KEY_BYTES = (16, 24, 32)
_LONGEST_PASSWORD = 1 << 16
_TRIES = 3
"""The number of times that the prompt asks for a password and its repetition."""


@dataclass(frozen=True, repr=False)
class Secret:
    """A password or a key; exactly one of them is set."""

    password: bytes | None = None
    key: bytes | None = None


options = together(
    click.option(
        "--password-file",
        metavar="FILE",
        help="Take the password from the first line of this file; - is standard input.",
    ),
    click.option(
        "--key-file",
        metavar="FILE",
        help="Use the 16, 24 or 32 bytes of this file as the key, instead of a password.",
    ),
)
"""The options that name a password or a key."""


def openssl(
    direction: str, secret: Secret, mode: str | None, key_bits: str | None, iterations: int | None
) -> Callable[..., dict[str, Any]]:
    """Return the transformation of a file in the format of ``openssl enc``."""
    return partial(
        _engine.openssl_path,
        direction=direction,
        password=secret.password or b"",
        mode=mode or "cbc",
        key_bits=int(key_bits or 256),
        iterations=iterations,
    )


def check_sources(password_file: str | None, key_file: str | None, inputs: list[str]) -> None:
    """Refuse sources of a password or key that exclude each other.

    Raises:
        click.UsageError: two were named, or standard input is both input and password.
    """
    if password_file and key_file:
        raise click.UsageError("--password-file and --key-file exclude each other")
    if password_file == STREAM and STREAM in inputs:
        raise click.UsageError("standard input cannot be both the password and the input")


def check_present(password_file: str | None, key_file: str | None) -> None:
    """Refuse to go on where :func:`find` has no source and no terminal for a prompt.

    Raises:
        Failure: There is neither.
    """
    if not (password_file or key_file or VARIABLE in os.environ):
        _check_terminal()


def find(password_file: str | None, key_file: str | None, *, twice: bool) -> Secret:
    """The password or key, from the named file, the environment, or the prompt.

    Args:
        password_file: file whose first line is the password.
        key_file: file that is the key.
        twice: whether the prompt asks twice, so that a typing error does not lose data.

    Raises:
        Failure: there is none, it is empty, or the file cannot be read.
    """
    if key_file:
        return Secret(key=_read_key(key_file))
    if password_file:
        return Secret(password=_read_password(password_file))
    if VARIABLE in os.environ:
        return Secret(password=_not_empty(os.fsencode(os.environ[VARIABLE]), VARIABLE))
    return Secret(password=_ask(twice))


def _read_key(path: str) -> bytes:
    with reading(path), Path(path).open("rb") as file:
        key = file.read(_KEY_BYTES[-1] + 1)
    if len(key) not in _KEY_BYTES:
        raise Failure(
            f"{path} is no key: it must have 16, 24 or 32 bytes "
            "(make one with: head -c 32 /dev/urandom)",
            ExitCode.USAGE,
        )
    return key


def _read_password(path: str) -> bytes:
    if path == STREAM:
        path = "standard input"
        with reading(path):
            line = sys.stdin.buffer.readline(_LONGEST_PASSWORD + 1)
    else:
        with reading(path), Path(path).open("rb") as file:
            line = file.readline(_LONGEST_PASSWORD + 1)
    if len(line) > _LONGEST_PASSWORD:
        raise Failure(f"the first line of {path} is too long for a password", ExitCode.USAGE)
    return _not_empty(line.removesuffix(b"\n").removesuffix(b"\r"), f"the first line of {path}")


def _not_empty(password: bytes, source: str) -> bytes:
    if not password:
        raise Failure(f"the password is empty: {source} has none", ExitCode.USAGE)
    return password


def _check_terminal() -> None:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError as error:
        raise Failure(
            f"no password: there is no terminal for a prompt; use --password-file, --key-file or "
            f"set {VARIABLE}",
            ExitCode.USAGE,
        ) from error


def _ask(twice: bool) -> bytes:
    """Prompt on the terminal, even if standard input and output are files."""
    _check_terminal()
    try:
        for left in reversed(range(_TRIES)):
            password = getpass.getpass("Password: ")
            if not twice or not password or getpass.getpass("Again: ") == password:
                break
            if not left:
                raise Failure("the two passwords differed each time", ExitCode.USAGE)
            click.echo("The two passwords differ. Once more:", err=True)
    except EOFError as error:
        raise Failure("no password was given", ExitCode.USAGE) from error
    return _not_empty(password.encode(sys.getfilesystemencoding(), "surrogateescape"), "the prompt")
