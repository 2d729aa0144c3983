# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill encrypt``."""

from __future__ import annotations

import click

from ciphermill.cli import options, progress, secrets

_EXAMPLES = """\b
Examples:
  ciphermill encrypt report.pdf
  ciphermill encrypt report.pdf -o /backup/report --password-file secret.txt
  tar c photos | ciphermill encrypt > photos.tar.cm
  ciphermill encrypt disk.img --device model:aes-pipelined --mode ctr
  ciphermill encrypt letter.txt --format openssl --iterations 600000
"""


@click.command("encrypt", epilog=_EXAMPLES)
@click.argument("input", default=options.STREAM)
@secrets.options
@click.option(
    "--kdf",
    type=click.Choice(["scrypt", "argon2id", "pbkdf2"]),
    help="How a password becomes a key.  [default: scrypt]",
)
@click.option(
    "--chunk",
    metavar="BYTES",
    callback=options.number_of_bytes,
    help="Plaintext in a chunk, a multiple of 16; 64k and 1M are understood.  [default: 1M]",
)
@click.option(
    "--key-bits",
    type=click.Choice(["128", "192", "256"]),
    default="256",
    show_default=True,
    help="AES key size.",
)
@click.option(
    "--mode",
    type=click.Choice(["gcm", "ctr", "cbc", "ecb"]),
    help="Mode of operation.  [default: the device's best; cbc for openssl]",
)
@options.shared
def command(
    input: str,
    output: str | None,
    device: str,
    format_: str,
    mode: str | None,
    key_bits: str,
    chunk: int | None,
    kdf: str | None,
    iterations: int | None,
    force: bool,
    password_file: str | None,
    key_file: str | None,
) -> None:
    """Encrypt INPUT, a file or - for standard input.

    The result goes to INPUT.cm, or from standard input to standard output. The
    password is asked for, or comes from --password-file or the environment
    variable CIPHERMILL_PASSWORD, never from an argument.
    """
    target = options.encrypted_name(input, output, format_)
    if format_ == "openssl":
        options.refuse_misplaced(format_, {"--kdf": kdf, "--chunk": chunk, "--key-file": key_file})
        options.warn(
            "the openssl format is not authenticated: changes to the file will not be noticed"
        )
    else:
        options.refuse_misplaced(format_, {"--iterations": iterations})
    if mode == "ecb":
        options.warn("ECB shows which blocks of the input are equal; prefer another --mode")
    if key_file and kdf:
        raise click.UsageError("--kdf goes with a password, not with --key-file")

    from ciphermill import _engine

    opened = options.open_in_process(device)
    secret = secrets.find(password_file, key_file, twice=True)
    with progress.of_bytes("encrypting") as advance:
        if format_ == "openssl":
            _engine.openssl_path(
                input,
                target,
                opened,
                direction="encrypt",
                password=secret.password or b"",
                mode=mode or "cbc",
                key_bits=int(key_bits),
                iterations=iterations,
                force=force,
                progress=advance,
            )
            return
        done = _engine.encrypt_path(
            input,
            target,
            opened,
            password=secret.password,
            key=secret.key,
            mode=mode,
            key_bits=_size(key_bits, secret),
            chunk_bytes=chunk,
            key_derivation=kdf,
            force=force,
            progress=advance,
        )
    if done["mode"] == "ecb" and mode is None:
        options.warn(
            f"{device} offers ECB only, which shows which blocks of the input are equal; "
            "prefer another --device"
        )


def _size(key_bits: str, secret: secrets.Secret) -> int:
    """The AES key size: what was asked for, or what a shorter key file can give."""
    context = click.get_current_context()
    chosen = context.get_parameter_source("key_bits") != click.core.ParameterSource.DEFAULT
    if secret.key is None or chosen:
        return int(key_bits)
    return min(int(key_bits), 8 * len(secret.key))
