# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill decrypt``."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from ciphermill.cli import files, options, secrets
from ciphermill.cli.failures import ExitCode, Failure

_EXAMPLES = """\b
Examples:
  ciphermill decrypt report.pdf.cm
  ciphermill decrypt *.cm --password-file secret.txt
  ciphermill decrypt backup.cm -o report.pdf --key-file secret.key
  ciphermill decrypt < photos.tar.cm | tar x
  pass show backup | ciphermill decrypt report.pdf.cm --password-file -
  ciphermill decrypt letter.txt.enc --format openssl --iterations 600000
"""


@click.command("decrypt", epilog=_EXAMPLES)
@click.argument("inputs", metavar="[INPUT]...", nargs=-1)
@secrets.options
@click.option(
    "--iterations",
    type=click.IntRange(1, 0x7FFFFFFF),
    help="PBKDF2 iterations of the openssl format (openssl's -iter).  [default: 10000]",
)
@click.option(
    "--key-bits",
    type=click.Choice(["128", "192", "256"]),
    help="Bits of the key of the openssl format.  [default: 256]",
)
@click.option(
    "--mode",
    type=click.Choice(["ctr", "cbc", "ecb"]),
    help="Mode of operation of the openssl format.  [default: cbc]",
)
@options.shared
def command(
    inputs: tuple[str, ...],
    output: str | None,
    device: str,
    format_: str,
    mode: str | None,
    key_bits: str | None,
    kdf_limit: int | None,
    iterations: int | None,
    force: bool,
    quiet: bool,
    password_file: str | None,
    key_file: str | None,
) -> None:
    """Decrypt files, or standard input.

    Each INPUT is a file, or - for standard input, which is also read without any. The
    result goes to INPUT without its suffix .cm, or from standard input to standard
    output. Unauthenticated data are never written: an output file appears only if all of
    its input is authentic, and a pipe gets only authentic chunks (an error after some of
    them ends with a non-zero exit code). A failure ends the command; earlier inputs are
    done.
    """
    work = options.inputs_and_outputs(
        inputs, output, lambda source: options.decrypted_name(source, output, format_)
    )
    openssl = format_ == "openssl"
    if openssl:
        options.refuse_misplaced(format_, {"--key-file": key_file, "--kdf-limit": kdf_limit})
    else:
        options.refuse_misplaced(
            format_, {"--mode": mode, "--key-bits": key_bits, "--iterations": iterations}
        )
    secrets.check_sources(password_file, key_file, [source for source, _ in work])

    from ciphermill import _engine, choice

    seen_mode = mode or ("cbc" if openssl else None)
    bits, chunk_bytes = int(key_bits or 256), None
    for source, target in work:
        options.refuse_terminal_input(source)
        _engine.check_paths(source, target, binary=False, force=force)
        if not openssl and Path(source).is_file():
            facts = _engine.inspect(source, kdf_limit=kdf_limit or 1)
            _check_kind(source, facts["key_derivation"] == "key", key_file)
            seen_mode, bits, chunk_bytes = (
                facts[name] for name in ("mode", "key_bits", "chunk_bytes")
            )
    if device == choice.AUTO:  # Devices are measured, which takes seconds.
        secrets.check_present(password_file, key_file)
    opened = options.open_or_choose(
        device,
        [source for source, _ in work],
        mode=seen_mode,
        direction="decrypt",
        chunk_bytes=chunk_bytes,
        quiet=quiet,
        key_bits=bits,
    )
    if openssl and not quiet:
        options.warn("the openssl format is not authenticated: the result may have been altered")
    secret = secrets.find(password_file, key_file, twice=False)
    decrypt = (
        secrets.openssl("decrypt", secret, mode, key_bits, iterations)
        if openssl
        else partial(
            _engine.decrypt_path,
            password=secret.password,
            key=secret.key,
            kdf_limit=kdf_limit or 1,
        )
    )
    list(files.transform(work, opened, decrypt, "decrypting", force=force, quiet=quiet))


def _check_kind(source: str, needs_key: bool, key_file: str | None) -> None:
    """Refuse a password for a file that needs a key, and a key for one that needs a password.

    Raises:
        Failure: the wrong one is given, or would be requested.
    """
    if needs_key and not key_file:
        raise Failure(f"{source} was encrypted with a key: name it with --key-file", ExitCode.USAGE)
    if key_file and not needs_key:
        raise Failure(
            f"{source} was encrypted with a password: leave --key-file out", ExitCode.USAGE
        )
