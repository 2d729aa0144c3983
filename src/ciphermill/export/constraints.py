# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Timing constraints of the crossings between the clocks of a module: XDC and SDC."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from . import templates
from .crossings import FIRST_STAGE, LAST_STAGE, MIDDLE_STAGES, Clocking, Crossing, Kind

XDC, SDC = "constraints/crossings.xdc", "constraints/crossings.sdc"

_ANY = "[^a-z0-9]+"
"""What is between the parts of a name: dots and brackets of generate blocks in SystemVerilog,
underscores in the Verilog-2005 form."""


def constraint_files(top: str, clocking: Clocking) -> dict[str, str]:
    """Return the constraint files of a module by path; none if it has one clock.

    Args:
        top: The module.
        clocking: Its clocks and crossings.
    """
    if len(clocking.clocks) < 2:
        return {}
    clocks = {port: port.removesuffix("_i") for port in clocking.clocks}
    pairs = sorted({(c.start_clock, c.end_clock) for c in clocking.crossings})
    values = {
        "top": top,
        "clocks": clocks,
        "pairs": [(clocks[one], clocks[two], _shorter(clocks, one, two)) for one, two in pairs],
        "shorter": {
            _shorter(clocks, one, two): tuple(sorted((clocks[one], clocks[two])))
            for one, two in pairs
        },
        "rows": [_row(clocking, crossing, clocks) for crossing in clocking.crossings],
    }
    return {
        XDC: templates.render(
            "crossings.xdc.j2",
            synchronisers=[_stages(clocking, name) for name in clocking.synchronisers],
            reset_synchronisers=[_stages(clocking, name) for name in clocking.reset_synchronisers],
            **values,
        ),
        SDC: templates.render("crossings.sdc.j2", reset_ports=clocking.reset_ports, **values),
    }


def _row(clocking: Clocking, crossing: Crossing, clocks: Mapping[str, str]) -> dict[str, str]:
    start, end = clocks[crossing.start_clock], clocks[crossing.end_clock]
    shorter = _shorter(clocks, crossing.start_clock, crossing.end_clock)
    stable = crossing.kind in (Kind.WORD, Kind.MEMORY)
    return {
        "kind": crossing.kind.value,
        "name": crossing.start,
        "start_clock": start,
        "end_clock": end,
        "start": _cells(clocking, crossing.start),
        "end": _cells(clocking, crossing.end) if crossing.end else "",
        "delay": shorter if stable else f"{start}_period",
    }


def _shorter(clocks: Mapping[str, str], one: str, two: str) -> str:
    """Return the name of the variable with the shorter period of two clocks."""
    if len(clocks) == 2:
        return "shorter_period"
    first, second = sorted((clocks[one], clocks[two]))
    return f"shorter_of_{first}_and_{second}"


def _cells(clocking: Clocking, name: str) -> str:
    """Return a regular expression for the cells that Vivado makes of a register or memory.

    Args:
        clocking: The clocks of the module; it has the paths of the instances.
        name: The path of the register in the flat netlist.
    """
    ends = sorted(len(one) for one in clocking.instances if name.startswith(f"{one}."))
    starts = [0, *(end + 1 for end in ends)]
    parts = [name[start:end] for start, end in zip(starts, [*ends, len(name)], strict=True)]
    *scope, _ = parts
    own = clocking.own_names.get(name, parts[-1:])
    return _pattern(scope, own)


def _stages(clocking: Clocking, synchroniser: str) -> str:
    """Return a regular expression for all flip-flops of a synchroniser."""
    last = f"{synchroniser}.{LAST_STAGE}"
    names = clocking.own_names.get(last, (LAST_STAGE,))
    stages = replace(clocking, own_names={last: (FIRST_STAGE, MIDDLE_STAGES, *names)})
    return _cells(stages, last)


def _pattern(scope: Sequence[str], own: Sequence[str]) -> str:
    parts = [re.sub(r"\W+", _ANY, part) for part in (*scope, *own)]
    inside, names = parts[: len(scope)], parts[len(scope) :]
    last = names[0] if len(names) == 1 else f"({'|'.join(names)})"
    return "(.*/)?" + "/".join([*inside, last]) + "_reg.*"
