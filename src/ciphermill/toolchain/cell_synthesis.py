# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""From SystemVerilog to a netlist of standard cells, with yosys and ABC.

There are two steps, each cached by its content. *Generic* synthesis uses no library: it
reads the sources, expands memories to flip-flops and flattens, or keeps larger modules
separate (``by_module``). *Mapping* uses a library's cells: flip-flops and latches, clock
gates on request, then ABC for the logic, which buffers nets with many pins and sizes cells
for a clock. Separate modules are flattened at the end, so that every instance's name begins
with its module.

No optimisation crosses the boundary of a separate module, so such a netlist is larger and
slower. It is used for breakdowns; total figures are of the flat netlist.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from .cache import artefact, code_key
from .errors import ToolError
from .liberty import load_library
from .liberty_model import Cell, ClockGate, Library
from .model import Report
from .packages import tool_version
from .rtl import RtlSource
from .rtlil import share_modules
from .run_yosys import YOSYS, read_slang, relative, run_yosys

DRIVING_FANOUT = 4
"""Inputs are driven by the smallest buffer, outputs drive this many of its inputs."""
MODULE_SHARE = 0.01
"""Modules with a smaller share of all cells than this are flattened."""
GATED_LEAST = 4
"""The least number of flip-flops with a common enable that get a clock gate."""
DONT_USE = ("*lpflow*", "*probe*", "*macro_sparecell*", "*dlygate*", "*dlymetal*", "*clkdlybuf*")
"""Cells of SkyWater's library for power domains, probing and delay, which are not used."""

_PREPARE = "&get,-n;&fraig,-x;&put;scorr;dc2;strash"
_SIZE = "buffer,-c;topo;upsize,{D};dnsize,{D}"


class Strategy(StrEnum):
    """A script of ABC."""

    AREA = "area"
    """Few gates: the mapper minimises area only and uses inverting multiplexers and XORs; cells
    are sized for speed afterwards."""
    BALANCED = "balanced"
    """Yosys's own script for a library, with buffers on nets with many pins."""
    SPEED = "speed"
    """Logic restructured for least depth first."""
    STRUCTURAL = "structural"
    """Logic kept in the structure that the RTL describes, as prefix adders need."""


SCRIPTS: Mapping[Strategy, str] = {
    Strategy.AREA: f"strash;dch;amap,-m;{_SIZE}",
    Strategy.BALANCED: f"strash;{_PREPARE};&get,-n;&dch,-f;&nf,{{D}};&put;{_SIZE}",
    Strategy.SPEED: f"strash;&get,-n;&st;&syn3;&syn3;&dch,-x;&nf,-R,1000,-F,5;&put;{_SIZE}",
    Strategy.STRUCTURAL: f"strash;ifraig;map,-B,0.9;topo;{_SIZE}",
}
"""Scripts for ABC; yosys replaces ``{D}`` by ``-D`` and the period."""


@dataclass(frozen=True)
class MappedNetlist:
    """A netlist of standard cells."""

    top: str
    json: Path
    """The flat netlist as yosys writes it (``write_json``)."""
    liberty: Path
    """The library of its cells."""
    cells: Mapping[str, int]
    """Number of cells by type."""
    area_um2: float
    """Area of the cells, without wires and the space between cells."""
    gate_equivalents: float
    """The area in gate equivalents: divided by that of the library's smallest NAND2."""
    sequential_um2: float
    """Area of the flip-flops, latches and clock gates."""
    clock_gates: int
    load_ff: float
    """The load assumed at each output."""


def synthesise_cells(
    source: RtlSource,
    liberty: Path,
    *,
    clock_mhz: float,
    by_module: bool = False,
    strategy: Strategy = Strategy.BALANCED,
    clock_gates: bool = False,
    time_limit_s: float | None = None,
    report: Report = lambda _: None,
) -> MappedNetlist:
    """Map a module to standard cells.

    Args:
        source: The module.
        liberty: The library, plain text.
        clock_mhz: The clock for which cells are sized; the netlist may not reach it.
        by_module: Keep larger modules separate while mapping.
        strategy: The optimisation goal of ABC.
        clock_gates: Replace the enables of flip-flops by clock gates.
        time_limit_s: Seconds after which yosys is stopped.
        report: Is given a line before each step that is not cached.

    Raises:
        ToolError: Yosys is missing, refused the source, took too long or gave no netlist;
            or the library has no flip-flop, NAND or buffer, or no clock gate although they
            are requested.
    """
    top = source.top
    generic = _generic(source, by_module, time_limit_s, report)
    library = load_library(liberty)
    buffer = _buffer(library)
    load_ff = DRIVING_FANOUT * buffer.pins[buffer.inputs[0]].capacitance_ff
    commands = _mapping(library, clock_mhz, strategy, clock_gates, top)
    driver = f"set_driving_cell {buffer.name}\nset_load {load_ff:.3f}\n"
    facts = {"commands": commands, "constraints": driver, "yosys": tool_version(YOSYS)}

    def build(folder: Path) -> Path:
        report(f"mapping {top} to {library.name}, {strategy}, {clock_mhz:.0f} MHz ...")
        constraints, result = folder / "constraints.txt", folder / "netlist.json"
        constraints.write_text(driver, encoding="utf-8")
        places = {"LIBERTY": relative(liberty), "CONSTRAINTS": relative(constraints)}
        steps = [
            f"read_rtlil {relative(generic)}",
            *(command.format(**places) for command in commands),
            f"write_json {relative(result)}",
        ]
        what = f"mapping of {top} to {library.name}"
        run_yosys(steps, [result], what=what, time_limit_s=time_limit_s)
        return result

    path = artefact("cell-netlist", ".json", [generic, liberty], facts, build)
    return _mapped(path, top, liberty, library, load_ff)


def _generic(
    source: RtlSource, by_module: bool, time_limit_s: float | None, report: Report
) -> Path:
    """Return the generic netlist (RTLIL), flat or with larger modules separate."""
    flat = "" if by_module else " -flatten"
    read = read_slang(source)
    # The attribute saves LUTs (hw/aes/README.md); without it cells are smaller.
    free = "setattr -mod -unset keep_hierarchy *"
    synthesise = f"synth{flat} -noabc -top {source.top}"
    # opt_share would turn gates into word-wide multiplexers.
    rest = ["opt -full", "simplemap", "setundef -zero", "opt_clean -purge"]
    facts = {"commands": [read, free, synthesise, rest], "yosys": tool_version(YOSYS)}
    if by_module:
        facts["code"] = code_key("cell_synthesis.py", "rtlil.py")

    def run(commands: list[str], *results: Path) -> None:
        run_yosys(commands, results, what=f"synthesis of {source.top}", time_limit_s=time_limit_s)

    def build(folder: Path) -> Path:
        report(f"reading {source.top} ...")
        result, counts, whole = (
            folder / name for name in ("generic.il", "counts.json", "whole.il")
        )
        if not by_module:
            run([read, free, synthesise, *rest, f"write_rtlil {relative(result)}"], result)
            return result
        count = f"tee -q -o {relative(counts)} stat -json"
        read_whole, write_whole = (f"{verb}_rtlil {relative(whole)}" for verb in ("read", "write"))
        run([read, free, write_whole], whole)
        whole.write_text(share_modules(whole.read_text(encoding="utf-8")), encoding="utf-8")
        run([read_whole, synthesise, write_whole, count], whole, counts)
        kept = larger_modules(json.loads(counts.read_text(encoding="utf-8")), source.top)
        marks = [f"setattr -mod -set keep_hierarchy 1 {_escape(name)}" for name in kept]
        run([read_whole, *marks, "flatten", *rest, f"write_rtlil {relative(result)}"], result)
        return result

    return artefact("generic", ".il", source.files, facts, build)


def larger_modules(statistics: Mapping[str, Any], top: str) -> list[str]:
    """Return the modules whose instances have a large enough share of the cells.

    Args:
        statistics: The output of ``stat -json`` for a hierarchy.
        top: Its top module, which is not among the result.

    Raises:
        ToolError: There is no such module.
    """
    modules: dict[str, dict[str, Any]] = {
        name.removeprefix("\\"): about for name, about in statistics["modules"].items()
    }
    if top not in modules:
        raise ToolError(f"yosys gave no statistics of {top}")

    @cache
    def size(name: str) -> int:
        """Cells of one instance of a module, those inside it included."""
        by_type: dict[str, int] = modules[name]["num_cells_by_type"]
        return sum(
            count * (size(kind) if kind in modules else 1)
            for kind, count in ((kind.removeprefix("\\"), n) for kind, n in by_type.items())
        )

    instances: Counter[str] = Counter()

    def count_instances(name: str, times: int) -> None:
        instances[name] += times
        for kind, count in modules[name]["num_cells_by_type"].items():
            if (inner := kind.removeprefix("\\")) in modules:
                count_instances(inner, times * count)

    count_instances(top, 1)
    least = MODULE_SHARE * size(top)
    return sorted(
        name for name, times in instances.items() if name != top and size(name) * times >= least
    )


def _mapping(
    library: Library, clock_mhz: float, strategy: Strategy, clock_gates: bool, top: str
) -> list[str]:
    """Return the commands between the generic netlist and the mapped one."""
    unused = " ".join(
        f"-dont_use {pattern}"
        for pattern in DONT_USE
        if any(_matches(name, pattern) for name in library.cells)
    )
    gates = []
    if clock_gates:
        if not library.has_clock_gates:
            raise ToolError(f"the library {library.name} has no clock gates")
        # A clear that overrides the enable must become part of it, or no flip-flop could be gated.
        gates = [
            "dffunmap -srst-only",
            "opt_dff -nosdff",
            "opt_merge",
            "opt_clean",
            f"clockgate -liberty {{LIBERTY}} -min_net_size {GATED_LEAST}",
        ]
    script = SCRIPTS[strategy].replace("{", "{{").replace("}", "}}")
    return [
        *gates,
        f"dfflibmap -liberty {{LIBERTY}} {unused}",
        "opt",
        f"abc -liberty {{LIBERTY}} -constr {{CONSTRAINTS}} -D {1e6 / clock_mhz:.0f} "
        f"-script +{script} {unused}",
        "opt_clean -purge",
        # Cells and wires get short names; flattening prepends the names of their modules.
        "splitnets",
        "rename -wire",
        "rename -enumerate -pattern g%",
        "setattr -mod -unset keep_hierarchy *",
        f"hierarchy -top {top}",
        "flatten",
        *_ties(library),
        "rename -enumerate -pattern tie%",
        "opt_clean -purge",
    ]


def _ties(library: Library) -> list[str]:
    """Return the command that replaces constants by tie cells, if the library has some."""
    found: dict[int, tuple[str, str]] = {}
    for cell in sorted(library.cells.values(), key=lambda cell: cell.area_um2):
        if cell.inputs or not cell.outputs or not cell.is_combinational:
            continue
        for output in cell.outputs:
            found.setdefault(cell.truth_table(output) & 1, (cell.name, output))
    if found.keys() != {0, 1}:
        return []
    high, low = " ".join(found[1]), " ".join(found[0])
    return [f"hilomap -singleton -hicell {high} -locell {low}"]


def _buffer(library: Library) -> Cell:
    """Return the smallest buffer.

    Raises:
        ToolError: There is none.
    """
    found = [
        cell
        for cell in library.cells.values()
        if len(cell.inputs) == len(cell.outputs) == 1
        and cell.is_combinational
        and not cell.dont_use
        and not any(_matches(cell.name, pattern) for pattern in DONT_USE)
        and cell.truth_table(cell.outputs[0]) == 0b10
    ]
    if not found:
        raise ToolError(f"the library {library.name} has no buffer")
    return min(found, key=lambda cell: (cell.area_um2, cell.name))


def _mapped(path: Path, top: str, liberty: Path, library: Library, load_ff: float) -> MappedNetlist:
    modules: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["modules"]
    if top not in modules:
        raise ToolError(f"yosys gave no netlist of {top}")
    instances = modules[top]["cells"].values()
    cells = Counter(cell["type"] for cell in instances if cell["type"] != "$scopeinfo")
    unknown = sorted(kind for kind in cells if kind not in library.cells)
    if unknown:
        raise ToolError(f"{library.name} has no cells for {', '.join(unknown)} of {top}")
    nand2 = library.nand2_area_um2
    if nand2 is None:
        raise ToolError(f"the library {library.name} has no NAND of two inputs")

    def area(wanted: Callable[[Cell], bool]) -> float:
        found = ((library.cells[kind], count) for kind, count in cells.items())
        return sum(cell.area_um2 * count for cell, count in found if wanted(cell))

    whole = area(lambda _: True)
    return MappedNetlist(
        top=top,
        json=path,
        liberty=liberty,
        cells=dict(sorted(cells.items())),
        area_um2=whole,
        gate_equivalents=whole / nand2,
        sequential_um2=area(lambda cell: cell.sequential is not None),
        clock_gates=sum(
            count
            for kind, count in cells.items()
            if isinstance(library.cells[kind].sequential, ClockGate)
        ),
        load_ff=load_ff,
    )


def _matches(name: str, pattern: str) -> bool:
    return pattern.strip("*") in name


def _escape(name: str) -> str:
    """Return a module's name as a selection of yosys."""
    return name if name.startswith(("\\", "$")) else f"\\{name}"
