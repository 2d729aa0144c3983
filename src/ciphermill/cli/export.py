# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill export``: a design as a self-contained folder."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ciphermill.cli import options, running
from ciphermill.cli.failures import ExitCode, Failure

if TYPE_CHECKING:
    from ciphermill.design import Core, Measurement

_EXAMPLES = """\b
Examples:
  ciphermill export aes-iterative -o take-away
  ciphermill export aes-iterative --part core -o aes-core
  ciphermill export present-minimal -o present --json
  cd take-away && make lint sim driver

docs/reference/export.md describes the files in the folder.
"""


@click.command("export", epilog=_EXAMPLES)
@click.argument("design")
@click.option(
    "-o", "--output", "output", required=True, metavar="DIR", help="The folder to write to."
)
@options.part
@click.option("--force", is_flag=True, help="Write into a folder that is not empty.")
@running.store_option
@options.list_as_json
def command(
    design: str, output: str, part: str | None, force: bool, store: str | None, as_json: bool
) -> None:
    """Write a design to a self-contained folder.

    DESIGN is the name of a core or an accelerator in designs/, or the path of a TOML
    file of either kind. DIR gets the SystemVerilog, one file of Verilog-2005, a
    FuseSoC core file, documentation and driver of the registers, a self-test, and stored
    measurements.
    """
    from ciphermill._engine import __version__
    from ciphermill.export.bundle import Exported, bundle
    from ciphermill.export.folder import FolderTaken, check_folder, removed_on_failure, write_export
    from ciphermill.toolchain.modules import Part, find_core

    module = find_core(design, part=Part(part) if part else None)
    measurements = _measurements(module, store)
    folder = Path(output)
    try:
        with removed_on_failure(folder):
            check_folder(folder, force=force)
            if not as_json:
                click.echo(f"exporting {module.name} ...", err=True)
            exported = Exported(module, __version__, running.origin(), measurements)
            files = bundle(exported)
            write_export(files, folder, force=force)
    except FolderTaken as error:
        raise Failure(str(error), ExitCode.USAGE) from error
    except OSError as error:
        raise Failure(f"cannot write {folder}: {error.strerror or error}") from error
    if as_json:
        options.print_json([_file(name, text) for name, text in files.items()])
    else:
        click.echo(f"{folder}: {len(files)} files of {module.name}, top {module.top}")


def _measurements(module: Core, store: str | None) -> list[Measurement]:
    from ciphermill.campaign.store import Store
    from ciphermill.export.figures import of_module

    path = running.find_store(store)
    if path is None:
        return []
    names = {module.name, module.name.removesuffix("-accelerator")}
    devices = {f"model:{name}" for name in names} if module.protocol == "accelerator" else set()
    with Store(path) as opened:
        return of_module((record.measurement for record in opened.records()), names, devices)


def _file(name: str, text: str) -> dict[str, str | int]:
    data = text.encode()
    return {"path": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
