# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""``ciphermill devices``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ciphermill.cli import options

if TYPE_CHECKING:
    from ciphermill.registry import AnyDevice
    from ciphermill.report.table import Table


_EXAMPLES = """\b
Examples:
  ciphermill devices
  ciphermill devices --json
  ciphermill build aes-serial && ciphermill devices
"""


@click.command("devices", epilog=_EXAMPLES)
@options.list_as_json
def command(as_json: bool) -> None:
    """List the devices that are present and what they can do.

    Simulated accelerators are listed once their models are built; an accelerator
    behind device files is named by its folder, stream:FOLDER, and not listed. linux: is
    listed where the kernel driver of the card has a ring that is free.
    """
    from ciphermill.registry import devices

    found = devices()
    if as_json:
        options.print_json([_facts(device) for device in found])
        return
    options.wide_console().print(devices_table(found))


def devices_table(found: Sequence[AnyDevice]) -> Table:
    """Return a table with a row for each device."""
    from ciphermill.report.table import Table

    table = Table()
    for name in ("device", "modes", "key bits", "what it is"):
        table.add_column(name)
    for device in found:
        table.add_row(
            device.name, _modes(device), " ".join(map(str, device.key_sizes)), device.description
        )
    return table


def _facts(device: AnyDevice) -> dict[str, Any]:
    """A device as an object; a field that does not apply is absent."""
    facts = {
        "device": device.name,
        "description": device.description,
        "operations": [
            {"mode": mode, "direction": direction} for mode, direction in device.operations
        ],
        "key_bits": device.key_sizes,
        "algorithms": list(dict.fromkeys(name for name, *_ in device.algorithms)),
        "preferred_chunk_bytes": device.preferred_chunk_bytes,
        "in_flight": device.in_flight,
        "channels": device.channels,
        "sink": device.sink,
        "bypass": device.bypass,
        "clock.mhz": device.clock_mhz,
        "architecture": device.architecture,
        "stream_bits": device.stream_bits,
    }
    return {name: value for name, value in facts.items() if value is not None}


def _modes(device: AnyDevice) -> str:
    """Modes, with the direction if there is only one: ``ecb ctr cbc(decrypt)``."""
    directions: dict[str, list[str]] = {}
    for mode, direction in device.operations:
        directions.setdefault(mode, []).append(direction)
    return " ".join(
        mode if len(found) == 2 else f"{mode}({found[0]})" for mode, found in directions.items()
    )
