# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Two combinational circuits proven equal for every input: yosys's SAT solver on a miter.

One side is a plain description that can be checked by eye against the standard;
the other is what is built: the RTL, the RTL mapped to generic gates, or a netlist
of standard cells, whose gates then are what the library's liberty file says of
them. Both have the same ports.

The solver sees the two as one flat circuit, equal parts of which are merged first.
That is quick where the cones are small (an S-box, a round of PRESENT) or most of
the parts are equal; two different S-boxes under one column mixer are not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ciphermill.design import build_folder, find_home

from .cache import Cache, content_key
from .cell_synthesis import synthesise_cells
from .errors import ToolError
from .run_yosys import YOSYS, read_slang, relative, run_yosys, tool_version

TIMEOUT_S = 300
GATES = "AND,NAND,OR,NOR,XOR,XNOR,MUX,AOI3,OAI3"
"""Gates of the generic mapping, as yosys's ``abc -g`` names them."""


@dataclass(frozen=True)
class Circuit:
    """A combinational module."""

    top: str
    sources: tuple[Path, ...]
    """SystemVerilog files, packages first."""
    parameters: Mapping[str, int] = field(default_factory=dict)
    gates: bool = False
    """Mapped to generic gates by ABC, rather than as it is described."""
    liberty: Path | None = None
    """Mapped to the cells of this library, rather than as it is described."""


@dataclass(frozen=True)
class Equivalence:
    """What came of a comparison."""

    holds: bool
    message: str
    """One line: that they are equal, or an input for which they differ."""
    inputs: Mapping[str, int]
    """Values of the inputs for which they differ; empty if they never do."""


def compare(reference: Circuit, subject: Circuit) -> Equivalence:
    """Return whether two circuits are equal for every input; cached by content.

    Raises:
        ToolError: Yosys is missing or failed, the ports differ, or the solver
            found nothing out in time.
    """
    home = find_home()
    commands = [
        *_read(reference, home),
        f"rename {reference.top} reference",
        "design -stash reference",
        *_read(subject, home),
        f"rename {subject.top} subject",
        "design -copy-from reference -as reference reference",
        "miter -equiv -flatten -make_outputs reference subject miter",
        "hierarchy -top miter",
        "opt -full",
    ]
    files = {*reference.sources, *subject.sources}
    files |= {side.liberty for side in (reference, subject) if side.liberty}
    facts = {"commands": commands, "yosys": tool_version(YOSYS), "timeout": TIMEOUT_S}
    key = content_key(files, facts, relative_to=home)

    def build(folder: Path) -> Path:
        told = folder / "sat.txt"
        solve = f"sat -timeout {TIMEOUT_S} -prove trigger 0 -show-inputs miter"
        steps = [*commands, f"tee -q -o {relative(told, home)} {solve}"]
        run_yosys(steps, [told], what=f"comparison of {subject.top}", home=home)
        result = _judge(told.read_text(encoding="utf-8"), reference, subject)
        path = folder / "equivalence.json"
        path.write_text(json.dumps(asdict(result)), encoding="utf-8")
        return path

    path = Cache(build_folder(home) / "cache").get("equivalence", key, ".json", build)
    return Equivalence(**json.loads(path.read_text(encoding="utf-8")))


def _read(circuit: Circuit, home: Path) -> list[str]:
    """Return the commands that leave a circuit as one flat module of plain logic."""
    if circuit.liberty:
        netlist = synthesise_cells(
            circuit.sources, circuit.top, circuit.parameters, circuit.liberty, clock_mhz=100.0
        )
        commands = [
            f"read_json {relative(netlist.json, home)}",
            # The cells' functions, as modules.
            f"read_liberty -ignore_miss_func {relative(circuit.liberty, home)}",
        ]
    else:
        commands = [
            read_slang(circuit.sources, circuit.top, circuit.parameters, home),
            "proc",
        ]
    commands += [
        f"hierarchy -check -top {circuit.top}",
        "setattr -mod -unset keep_hierarchy *",
        "flatten",
        "opt -full",
        "memory_map",
    ]
    if circuit.gates:
        commands += ["techmap", "opt", f"abc -g {GATES}", "opt_clean"]
    return commands


_ROW = re.compile(r"^\s*\\in_(\S+)\s+\S+\s+\S+\s+([01x]+)\s*$", re.MULTILINE)


def _judge(told: str, reference: Circuit, subject: Circuit) -> Equivalence:
    """Read what the solver said.

    Raises:
        ToolError: It found nothing out.
    """
    generics = ", ".join(f"{name}={value}" for name, value in subject.parameters.items())
    name = f"{subject.top}({generics})"
    if "no model found: SUCCESS!" in told:
        return Equivalence(True, f"{name} equals {reference.top}", {})
    if "model found: FAIL!" not in told:
        raise ToolError(
            f"comparison of {name} with {reference.top}: no answer within {TIMEOUT_S} s"
        )
    inputs = {port: int(bits.replace("x", "0"), 2) for port, bits in _ROW.findall(told)}
    values = ", ".join(f"{port}={value:#x}" for port, value in inputs.items())
    return Equivalence(False, f"{name} differs from {reference.top} at {values}", inputs)
