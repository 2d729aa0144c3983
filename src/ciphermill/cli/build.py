# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill build``."""

from __future__ import annotations

import click

_EXAMPLES = """\b
Examples:
  ciphermill build aes-iterative aes-pipelined
  ciphermill build my/design.toml
"""


@click.command("build", epilog=_EXAMPLES)
@click.argument("names", nargs=-1, required=True, metavar="DESIGN...")
def command(names: tuple[str, ...]) -> None:
    """Build the models of designs.

    A built model is a device: encrypt, decrypt and weigh accept it as --device model:DESIGN.

    DESIGN is an accelerator or a board's FPGA in designs/, or the path of a TOML file. A model
    that is up to date is not built again.
    """
    from ciphermill.cli import progress
    from ciphermill.toolchain.model import ensure_model

    with progress.of_work() as report:
        libraries = [ensure_model(name, report=report) for name in names]
    for library in libraries:
        click.echo(f"{library.stem}: {library}")
