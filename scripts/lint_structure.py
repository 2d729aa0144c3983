#!/usr/bin/env python3
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Clock-domain crossings and combinational paths of the RTL, from the netlist.

Every crossing between two clocks must start at a flip-flop and go through a synchroniser, or
come from a register that is listed as stable. Every combinational path from an input to an
output of a module with AXI ports must be listed. The lists, with their reasons, are in
hw/dv/ciphermill_dv/structure/allowed.toml. A row for paths that no longer occur fails too.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hw" / "dv"))

from ciphermill_dv.structure import crossings, paths
from ciphermill_dv.structure.netlist import Netlist, NetlistError, read
from ciphermill_dv.structure.tops import (
    BUSES,
    TWO_CLOCKS,
    Top,
    allowed_paths,
    stable_words,
)
from ciphermill_dv.yosys import ToolError


def netlist_of(top: Top) -> Netlist:
    """Return a module's netlist."""
    return read(top.name, top.sources(), top.parameters)


def check_crossings(top: Top) -> list[str]:
    """Print the clock-domain crossings of a module; return those that break the rules."""
    try:
        found = crossings.check(netlist_of(top), top.clocks, stable_words(), top.name)
    except (ToolError, NetlistError) as error:
        return [f"{top.label}: {error}"]
    print(
        f"{top.label}: {found.synchronised} bits through synchronisers, "
        f"{found.stable} stable words, {len(found.findings)} findings"
    )
    return [f"{top.label}: {finding}" for finding in found.findings]


def check_paths(top: Top, used: set[int]) -> list[str]:
    """Print the combinational paths of a module; return those that no row allows.

    Args:
        top: The module.
        used: Gets the numbers of the rows that allow a path.
    """
    try:
        found = paths.find(netlist_of(top))
    except (ToolError, NetlistError) as error:
        return [f"{top.label}: {error}"]
    findings = []
    for start, end in found:
        rows = [
            number
            for number, row in enumerate(allowed_paths())
            if fnmatchcase(top.name, row.top)
            and fnmatchcase(start, row.start)
            and fnmatchcase(end, row.end)
        ]
        used.update(rows)
        if not rows:
            findings.append(f"{top.label}: combinational path from {start} to {end}")
    print(f"{top.label}: {len(found)} combinational paths, {len(findings)} not listed")
    return findings


def main() -> int:
    """Check everything; print what fails; return 1 if anything did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="checks at once (2)")
    parser.add_argument("--top", help="this module only; rows that nothing needs are not told")
    parser.add_argument(
        "--only", choices=("crossings", "paths"), help="one of the two kinds of checks"
    )
    arguments = parser.parse_args()
    used: set[int] = set()

    def chosen(tops: tuple[Top, ...], kind: str) -> list[Top]:
        if arguments.only not in (None, kind):
            return []
        return [top for top in tops if arguments.top in (None, top.name)]

    two, buses = chosen(TWO_CLOCKS, "crossings"), chosen(BUSES, "paths")
    if not two and not buses:
        parser.error(f"no module {arguments.top} is checked")
    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = [
            *pool.map(check_crossings, two),
            *pool.map(lambda top: check_paths(top, used), buses),
        ]
    findings = [finding for result in results for finding in result]
    if not arguments.top and arguments.only != "crossings":
        findings += [
            f"allowed.toml: nothing has a path from {row.start} to {row.end} of {row.top}; "
            "remove the row"
            for number, row in enumerate(allowed_paths())
            if number not in used
        ]
    print("\n".join([*findings, f"{len(results)} checks, {len(findings)} findings"]))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
