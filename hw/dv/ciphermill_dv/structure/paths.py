# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Combinational paths from an input port to an output port of a module.

Two blocks that both have such paths can form a loop, and their delays add up. AXI4 forbids
them outright (IHI 0022, A3.1.1), so each that stays is listed with its reason.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from .netlist import Netlist


@dataclass(frozen=True)
class AllowedPath:
    """Paths that may stay.

    Attributes:
        top: The module, as a pattern (``fnmatch``).
        start: The input port, as a pattern.
        end: The output port, as a pattern.
        reason: Why they may stay.
    """

    top: str
    start: str
    end: str
    reason: str


def find(netlist: Netlist, skip: Collection[str] = ()) -> list[tuple[str, str]]:
    """Return each pair of an input and an output with a combinational path between them.

    Args:
        netlist: The module.
        skip: Inputs to leave out, such as clocks.
    """
    found = []
    for name, bits in netlist.outputs.items():
        starts = {netlist.port_of[bit] for bit in netlist.origins(bits) if bit in netlist.port_of}
        found += [(start, name) for start in sorted(starts) if start not in skip]
    return sorted(found)
