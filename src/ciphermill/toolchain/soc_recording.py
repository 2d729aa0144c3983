# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Builds a system that records the ports of its parts, cycle by cycle.

A recorder (``hw/soc/record/soc_recorder.sv``) is bound to each part (``bind``, IEEE
1800-2017, section 23.11); the system is not changed otherwise. A recording can be replayed
to a gate-level netlist of the part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermill.design import System, find_home

from .cache import artefact
from .errors import ToolError
from .model import Report, say
from .soc import ensure_soc


@dataclass(frozen=True)
class Tap:
    """A part of a system whose ports are recorded."""

    name: str
    """Name of the recording."""
    scope: str
    """The module to which the recorder is bound."""
    ports: tuple[tuple[str, str], ...]
    """Ports, and the expressions in the scope of the module that give their values."""


@dataclass(frozen=True)
class Recording:
    """The values of a part's ports in each cycle, from the first cycle of the reset on."""

    name: str
    ports: Mapping[str, list[int]]

    @property
    def cycles(self) -> int:
        """The number of recorded cycles."""
        return len(next(iter(self.ports.values()), []))


def ensure_recording_soc(system: System, taps: Sequence[Tap], *, report: Report = say) -> Path:
    """Return the program that simulates a design and records its parts.

    It writes one file for each tap into its working directory.

    Raises:
        DesignError: There is no source tree.
        ToolError: A tool or a soft core is missing, or a tool failed.
    """
    text = "\n".join(["// What is recorded.", *map(_bind, taps), ""])
    recorder = find_home() / "hw" / "soc" / "record" / "soc_recorder.sv"

    def write(folder: Path) -> Path:
        path = folder / "taps.sv"
        path.write_text(text, encoding="utf-8")
        return path

    binds = artefact("taps", ".sv", [recorder], {"text": text}, write)
    return ensure_soc(system, recorders=[recorder, binds], report=report)


def _bind(tap: Tap) -> str:
    expressions = [expression for _, expression in tap.ports]
    width = " + ".join(f"$bits({expression})" for expression in expressions)
    return (
        f'bind {tap.scope} soc_recorder #(\n  .Width ({width}),\n  .Name ("{tap.name}")\n) '
        f"u_record_{tap.name} (\n  .clk_i (clk_i),\n  .ports_i ({{{', '.join(expressions)}}})\n);"
    )


def read_recording(tap: Tap, folder: Path, widths: Mapping[str, int]) -> Recording:
    """Read what a tap recorded.

    Args:
        tap: The tap.
        folder: The working directory of the run.
        widths: Bits of each of its ports.

    Raises:
        ToolError: The recording is missing, or is of ports with other widths.
    """
    path = folder / f"{tap.name}.ports"
    try:
        lines = path.read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError) as error:
        raise ToolError(f"the recording of {tap.name}: {error}") from error
    whole = sum(widths[port] for port, _ in tap.ports)
    digits = -(-whole // 4)
    if not lines or any(len(line) != digits for line in lines):
        raise ToolError(f"the recording of {tap.name} is not one of {whole} bits a cycle")
    try:
        values = [int(line, 16) for line in lines]
    except ValueError as error:
        raise ToolError(f"the recording of {tap.name}: {error}") from error
    ports: dict[str, list[int]] = {}
    rest = whole
    for port, _ in tap.ports:
        rest -= widths[port]
        mask = (1 << widths[port]) - 1
        ports[port] = [value >> rest & mask for value in values]
    return Recording(tap.name, ports)
