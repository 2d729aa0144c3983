# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Two combinational circuits proven equal for every input: yosys's SAT solver on a miter.

One side is a plain description that can be checked by eye against the standard. The other is what
is built: the RTL, the RTL mapped to generic gates, or a netlist of standard cells with the
functions of the library's liberty file. Both have the same ports.

``compare`` gives the solver both as one flat circuit, after merging equal parts. That is
quick where the cones are small: an S-box, a round of PRESENT. ``compare_bits`` is for wide
circuits, such as a round of AES. It goes bit by bit, and a table in which both sides look up
the same operand may give any value. So it proves nothing about the tables, and a missing
proof does not mean a difference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .yosys import ToolError, kept, read_slang, relative, run_yosys

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
    netlist: Path | None = None
    """Mapped to cells, as yosys's JSON, rather than as it is described."""
    liberty: Path | None = None
    """The library of those cells: their functions count."""


@dataclass(frozen=True)
class Equivalence:
    """The result of a comparison."""

    holds: bool
    message: str
    """One line: equal, or an input for which they differ."""
    inputs: Mapping[str, int]
    """Values of the inputs for which they differ; empty if they never do."""


def compare(reference: Circuit, subject: Circuit) -> Equivalence:
    """Return whether two circuits are equal for every input; cached by content.

    Raises:
        ToolError: Yosys is missing or failed, the ports differ, or the solver
            did not finish in time.
    """
    commands = [
        *_read(reference),
        f"rename {reference.top} reference",
        "design -stash reference",
        *_read(subject),
        f"rename {subject.top} subject",
        "design -copy-from reference -as reference reference",
        "miter -equiv -flatten -make_outputs reference subject miter",
        "hierarchy -top miter",
        "opt -full",
    ]
    solve = f"sat -timeout {TIMEOUT_S} -prove trigger 0 -show-inputs miter"
    return _solve(reference, subject, commands, solve, _judge)


def compare_bits(reference: Circuit, subject: Circuit) -> Equivalence:
    """Return whether each bit of the outputs is proven equal for every input; cached.

    A lookup in a table of constants is free to give anything, the same on both sides
    where they look the same operand up in the same table.

    Raises:
        ToolError: Yosys is missing or failed, or the ports differ.
    """
    # Equal names of inner wires on both sides say nothing, so inner names are dropped.
    inside = "rename -hide w:*"
    commands = [
        *_read(reference),
        inside,
        f"rename {reference.top} reference",
        "design -stash reference",
        *_read(subject),
        inside,
        f"rename {subject.top} subject",
        "design -copy-from reference -as reference reference",
        "equiv_make reference subject both",
        "hierarchy -top both",
        # Equal lookups are merged; the result of a lookup then is an undriven wire.
        "opt_merge; opt_clean",
        "delete t:$bmux",
        "equiv_simple",
    ]
    return _solve(reference, subject, commands, "equiv_status", _judge_bits)


def _solve(
    reference: Circuit,
    subject: Circuit,
    commands: Sequence[str],
    solve: str,
    judge: Callable[[str, Circuit, Circuit], Equivalence],
) -> Equivalence:
    """Run the commands and the solver's, and judge the solver's output; cached."""
    files = {Path(__file__), *reference.sources, *subject.sources}
    mapped = (path for side in (reference, subject) for path in (side.netlist, side.liberty))
    files |= {path for path in mapped if path}

    def build(folder: Path) -> str:
        told = folder / "solver.txt"
        steps = [*commands, f"tee -q -o {relative(told)} {solve}"]
        run_yosys(steps, f"comparison of {subject.top}")
        return json.dumps(asdict(judge(told.read_text(), reference, subject)))

    path = kept("equivalence", files, {"commands": [*commands, solve]}, build)
    return Equivalence(**json.loads(path.read_text(encoding="utf-8")))


def _read(circuit: Circuit) -> list[str]:
    """Return the commands that leave a circuit as one flat module of plain logic."""
    if circuit.netlist and circuit.liberty:
        commands = [
            f"read_json {relative(circuit.netlist)}",
            # The cells' functions, as modules.
            f"read_liberty -ignore_miss_func {relative(circuit.liberty)}",
        ]
    else:
        commands = [
            read_slang(circuit.sources, circuit.top, circuit.parameters),
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
    """Read the solver's verdict.

    Raises:
        ToolError: It has no verdict.
    """
    name = _name(subject)
    if "no model found: SUCCESS!" in told:
        return Equivalence(True, f"{name} equals {reference.top}", {})
    if "model found: FAIL!" not in told:
        raise ToolError(
            f"comparison of {name} with {reference.top}: no answer within {TIMEOUT_S} s"
        )
    inputs = {port: int(bits.replace("x", "0"), 2) for port, bits in _ROW.findall(told)}
    values = ", ".join(f"{port}={value:#x}" for port, value in inputs.items())
    return Equivalence(False, f"{name} differs from {reference.top} at {values}", inputs)


_UNPROVEN = re.compile(r"Unproven \$equiv \S+: \\(.+)_gold\b ?(\[\d+\])?")


def _judge_bits(told: str, reference: Circuit, subject: Circuit) -> Equivalence:
    """Read the verdict of ``equiv_status``.

    Raises:
        ToolError: It compared nothing.
    """
    if not (found := re.search(r"Found (\d+) \$equiv cells", told)) or found[1] == "0":
        raise ToolError(f"{_name(subject)} and {reference.top} have no outputs to compare")
    if "Equivalence successfully proven!" in told:
        return Equivalence(True, f"{_name(subject)} equals {reference.top}, bit by bit", {})
    bits = ", ".join("".join(place) for place in _UNPROVEN.findall(told))
    return Equivalence(False, f"{_name(subject)} is not proven to be {reference.top}: {bits}", {})


def _name(circuit: Circuit) -> str:
    generics = ", ".join(f"{name}={value}" for name, value in circuit.parameters.items())
    return f"{circuit.top}({generics})"
