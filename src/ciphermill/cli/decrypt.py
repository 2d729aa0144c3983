# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill decrypt``."""

from __future__ import annotations

import click

from ciphermill.cli import options, progress, secrets

_EXAMPLES = """\b
Examples:
  ciphermill decrypt report.pdf.cm
  ciphermill decrypt backup.cm -o report.pdf --password-file secret.txt
  ciphermill decrypt < photos.tar.cm | tar x
  ciphermill decrypt letter.txt.enc --format openssl --iterations 600000
"""


@click.command("decrypt", epilog=_EXAMPLES)
@click.argument("input", default=options.STREAM)
@secrets.options
@click.option(
    "--key-bits",
    type=click.Choice(["128", "192", "256"]),
    help="AES key size of the openssl format.  [default: 256]",
)
@click.option(
    "--mode",
    type=click.Choice(["ctr", "cbc", "ecb"]),
    help="Mode of operation of the openssl format.  [default: cbc]",
)
@options.shared
def command(
    input: str,
    output: str | None,
    device: str,
    format_: str,
    mode: str | None,
    key_bits: str | None,
    iterations: int | None,
    force: bool,
    password_file: str | None,
    key_file: str | None,
) -> None:
    """Decrypt INPUT, a file or - for standard input.

    The result goes to INPUT without its suffix .cm, or from standard input to
    standard output. Nothing unauthenticated is released: a file appears only
    when all of it was authentic, and into a pipe only chunks go that were (an
    error after some of them ends with a non-zero exit code).
    """
    options.refuse_terminal_input(input)
    target = options.decrypted_name(input, output, format_)
    if format_ == "openssl":
        options.refuse_misplaced(format_, {"--key-file": key_file})
        options.warn("the openssl format is not authenticated: the result may have been altered")
    else:
        options.refuse_misplaced(
            format_, {"--mode": mode, "--key-bits": key_bits, "--iterations": iterations}
        )

    from ciphermill import _engine

    opened = options.open_in_process(device)
    secret = secrets.find(password_file, key_file, twice=False)
    with progress.of_bytes("decrypting") as advance:
        if format_ == "openssl":
            _engine.openssl_path(
                input,
                target,
                opened,
                direction="decrypt",
                password=secret.password or b"",
                mode=mode or "cbc",
                key_bits=int(key_bits or 256),
                iterations=iterations,
                force=force,
                progress=advance,
            )
        else:
            _engine.decrypt_path(
                input,
                target,
                opened,
                password=secret.password,
                key=secret.key,
                force=force,
                progress=advance,
            )
