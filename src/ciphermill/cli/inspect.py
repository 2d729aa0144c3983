# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill inspect``."""

from __future__ import annotations

from typing import Any

import click

from ciphermill.cli import options

_EXAMPLES = """\b
Examples:
  ciphermill inspect report.pdf.cm
  ciphermill inspect report.pdf.cm --json
  ciphermill inspect - < report.pdf.cm
"""


@click.command("inspect", epilog=_EXAMPLES)
@click.argument("input")
@options.json_of("one object")
def command(input: str, as_json: bool) -> None:
    """Print the header of an encrypted file; needs no password.

    INPUT is a file that ciphermill encrypt wrote, or - for standard input. The header is
    not authenticated before the password is known: anyone who could write to the file may
    have changed it.
    """
    from ciphermill import inspect

    options.refuse_terminal_input(input)
    facts = inspect(input)
    if as_json:
        options.print_json(facts)
        return
    rows = {
        "format": f"Ciphermill container, version {facts['version']}",
        "algorithm": f"{facts['algorithm'].upper()}-{facts['key_bits']} in {facts['mode'].upper()}",
        "chunks": f"{facts['chunk_bytes']:,} bytes of plaintext each",
        "key": _derivation(facts),
    }
    if facts["key_derivation"] not in ("key", "pbkdf2"):
        rows["memory"] = f"{facts['kdf_memory_bytes'] / 2**20:,.1f} MiB to derive the key"
    if facts["kdf_limit"] > 1:
        rows["limit"] = f"decrypt it with --kdf-limit {facts['kdf_limit']}, if you trust its origin"
    for name, said in rows.items():
        click.echo(f"{name:11}{said}")


def _derivation(facts: dict[str, Any]) -> str:
    """How the key is derived, and at what cost."""
    name = facts["key_derivation"]
    if name == "key":
        return "given as a file (--key-file), not derived from a password"
    cost = ", ".join(
        f"{parameter.removeprefix(f'{name}.')} = {value:,}"
        for parameter, value in facts.items()
        if parameter.startswith(f"{name}.")
    )
    return f"from a password by {name}, {cost}"
