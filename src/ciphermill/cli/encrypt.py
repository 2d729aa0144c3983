# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill encrypt``."""

from __future__ import annotations

from functools import partial

import click

from ciphermill.cli import files, options, secrets

_EXAMPLES = """\b
Examples:
  ciphermill encrypt report.pdf
  ciphermill encrypt *.pdf --password-file secret.txt
  ciphermill encrypt report.pdf -o /backup/report --key-file secret.key
  tar c photos | ciphermill encrypt > photos.tar.cm
  pass show backup | ciphermill encrypt report.pdf --password-file -
  ciphermill encrypt report.pdf --kdf argon2id --kdf-memory 512M
  ciphermill encrypt disk.img --device auto
  ciphermill encrypt disk.img --device model:aes-pipelined --mode ctr
  ciphermill encrypt letter.txt --format openssl --iterations 600000
"""


@click.command("encrypt", epilog=_EXAMPLES)
@click.argument("inputs", metavar="[INPUT]...", nargs=-1)
@secrets.options
@click.option(
    "--iterations",
    type=click.IntRange(1, 0x7FFFFFFF),
    help="Iterations of PBKDF2: of --kdf pbkdf2 [default: 600000], or of the openssl format "
    "(its option -iter) [default: 10000].",
)
@click.option(
    "--kdf-passes",
    type=click.IntRange(1, 0x7FFFFFFF),
    help="Passes of argon2id [default: 3], or the p of scrypt [default: 1].",
)
@click.option(
    "--kdf-memory",
    metavar="BYTES",
    callback=options.number_of_bytes,
    help="Memory of scrypt, a power of two [default: 128M], or of argon2id [default: 64M].",
)
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
    help="Bits of the key.  [default: 256]",
)
@click.option(
    "--mode",
    type=click.Choice(["gcm", "ctr", "cbc", "ecb"]),
    help="Mode of operation.  [default: the device's best; cbc for openssl]",
)
@options.shared
def command(
    inputs: tuple[str, ...],
    output: str | None,
    device: str,
    format_: str,
    mode: str | None,
    key_bits: str | None,
    chunk: int | None,
    kdf: str | None,
    kdf_memory: int | None,
    kdf_passes: int | None,
    kdf_limit: int | None,
    iterations: int | None,
    force: bool,
    quiet: bool,
    password_file: str | None,
    key_file: str | None,
) -> None:
    """Encrypt files, or standard input.

    Each INPUT is a file, or - for standard input, which is also read without any. The
    result goes to INPUT.cm, or from standard input to standard output. The password is
    prompted for, or comes from --password-file or the environment variable
    CIPHERMILL_PASSWORD, never from an argument. A failure ends the command; earlier inputs
    are done.
    """
    work = options.inputs_and_outputs(
        inputs, output, lambda source: options.encrypted_name(source, output, format_)
    )
    cost: dict[str, object] = {
        "--kdf": kdf,
        "--kdf-memory": kdf_memory,
        "--kdf-passes": kdf_passes,
        "--kdf-limit": kdf_limit,
    }
    openssl = format_ == "openssl"
    if openssl:
        misplaced = cost | {"--chunk": chunk, "--key-file": key_file}
        options.refuse_misplaced(format_, misplaced)
    elif iterations is not None and kdf != "pbkdf2":
        raise click.UsageError("--iterations needs --kdf pbkdf2 or --format openssl")
    if key_file:
        for name, value in cost.items():
            if value is not None:
                raise click.UsageError(f"{name} is for passwords and has no effect with --key-file")
    secrets.check_sources(password_file, key_file, [source for source, _ in work])

    from ciphermill import _engine, choice

    for source, target in work:
        files.check_input(source)
        _engine.check_paths(source, target, binary=True, force=force)
    if device == choice.AUTO:  # Devices are measured, which takes seconds.
        secrets.check_present(password_file, key_file)
    opened = options.open_or_choose(
        device,
        [source for source, _ in work],
        mode=mode or ("cbc" if openssl else None),
        direction="encrypt",
        chunk_bytes=chunk,
        quiet=quiet,
        key_bits=int(key_bits or 256),
    )
    if openssl and not quiet:
        options.warn(
            "the openssl format is not authenticated: changes to the file will not be noticed"
        )
    if mode == "ecb" and not quiet:
        options.warn("ECB shows which blocks of the input are equal; prefer another --mode")
    # Read the key file, or prompt for the password, only after all other checks.
    secret = secrets.find(None, key_file, twice=False) if key_file else secrets.Secret()
    if not openssl:
        chosen = _engine.EncryptOptions(
            mode=mode,
            key_bits=_size(key_bits, secret),
            chunk_bytes=chunk,
            key_derivation=kdf,
            kdf_memory_bytes=kdf_memory,
            kdf_passes=kdf_passes,
            kdf_iterations=iterations,
            kdf_limit=kdf_limit or 1,
        )
        _engine.check_encryption(opened, chosen, key=secret.key)
    if not key_file:
        secret = secrets.find(password_file, None, twice=True)
    encrypt = (
        secrets.openssl("encrypt", secret, mode, key_bits, iterations)
        if openssl
        else partial(_engine.encrypt_path, options=chosen, password=secret.password, key=secret.key)
    )
    for done in files.transform(work, opened, encrypt, "encrypting", force=force, quiet=quiet):
        if done["mode"] == "ecb" and mode is None and not quiet:
            options.warn(
                f"{opened.name} offers ECB only, which shows which blocks of the input are equal; "
                "prefer another --device"
            )


def _size(key_bits: str | None, secret: secrets.Secret) -> int:
    """The AES key size: what was asked for, or what a shorter key file can give."""
    if key_bits or secret.key is None:
        return int(key_bits or 256)
    return min(256, 8 * len(secret.key))
