# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Separates the larger memories of a module from the logic that is mapped to standard cells.

A cache of 4 KiB would be 33,000 flip-flops; on a chip it is an SRAM macro. The module is
read and flattened, each larger ``$mem_v2`` cell is removed and its pins become ports, and
the remaining module is written as Verilog.

One kind of memory is supported, that of an SRAM macro: it reads and writes at the rising
edge; it has one read port with an enable and one write port with an enable for each bit; a
read from the address of a write returns the old value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .cache import artefact, code_key
from .errors import ToolError
from .model import Report
from .packages import tool_version
from .rtl import RtlSource
from .run_yosys import YOSYS, read_slang, relative, run_yosys

LEAST_BITS = 2048
"""Memories from this size on are taken out; smaller ones, such as a register file of
1,024 bits, become flip-flops."""
PREPARE = (
    "proc",
    "flatten",
    "opt_expr",
    "opt_clean",
    "opt -nodffe -nosdff",
    "wreduce",
    "peepopt",
    "opt_clean",
    "opt",
    "memory -nomap",
    "opt_clean",
)
"""Commands from the source to memory cells: the beginning of yosys's ``synth``, without the passes
that turn sums into cells for which Verilog has no expression."""
_PINS = {"RD_ADDR": "output", "RD_EN": "output", "RD_DATA": "input"} | dict.fromkeys(
    ("WR_ADDR", "WR_EN", "WR_DATA"), "output"
)
"""Pins that become ports of the module, and their directions there."""
_ARRAYS = "// Taken out: "
"""The first line of the Verilog; the memories follow, as JSON."""


@dataclass(frozen=True)
class MemoryArray:
    """A memory that was removed from a module."""

    name: str
    """The path of the instance."""
    words: int
    width: int
    offset: int
    """Its first address."""
    ports: Mapping[str, str]
    """Ports of the module by pin: ``RD_ADDR``, ``RD_EN``, ``RD_DATA`` and those of the write."""

    @property
    def bits(self) -> int:
        """Its size in bits."""
        return self.words * self.width


@dataclass(frozen=True)
class SplitModule:
    """A module without its larger memories."""

    verilog: Path
    arrays: tuple[MemoryArray, ...]


def take_arrays_out(source: RtlSource, *, report: Report = lambda _: None) -> SplitModule:
    """Return a module without its larger memories.

    Args:
        source: The module.
        report: Is given a line before a step that is not cached.

    Raises:
        ToolError: Yosys is missing or refused the source, or a memory is of a kind
            that is not known.
    """
    top, read = source.top, read_slang(source)
    facts = {
        "read": read,
        "least": LEAST_BITS,
        "yosys": tool_version(YOSYS),
        "code": code_key("arrays.py"),
    }

    def build(folder: Path) -> Path:
        report(f"taking the memories of {top} out ...")
        names = ("words.json", "left.json", "left.v", "split.v")
        words, left, verilog, result = (folder / name for name in names)
        free = "setattr -mod -unset keep_hierarchy *"
        commands = [read, free, *PREPARE, f"write_json {relative(words)}"]
        run_yosys(commands, [words], what=f"memories of {top}")
        data = json.loads(words.read_text(encoding="utf-8"))
        arrays = split(data, top)
        left.write_text(json.dumps(data), encoding="utf-8")
        commands = [
            f"read_json {relative(left)}",
            "opt_clean -purge",
            f"write_verilog -noattr {relative(verilog)}",
        ]
        run_yosys(commands, [verilog], what=f"{top} without memories")
        found = json.dumps([asdict(array) for array in arrays])
        text = verilog.read_text(encoding="utf-8")
        result.write_text(f"{_ARRAYS}{found}\n{text}", encoding="utf-8")
        return result

    verilog = artefact("split", ".v", source.files, facts, build)
    with verilog.open(encoding="utf-8") as file:
        found = json.loads(file.readline().removeprefix(_ARRAYS))
    return SplitModule(verilog, tuple(MemoryArray(**array) for array in found))


def split(data: dict[str, Any], top: str) -> list[MemoryArray]:
    """Take the larger memories out of a netlist of words (``write_json``), in place.

    Raises:
        ToolError: One is of a kind that is not known.
    """
    module = data["modules"][top]
    (clock,) = module["ports"]["clk_i"]["bits"]
    found: list[MemoryArray] = []
    for name, cell in list(module["cells"].items()):
        if cell["type"] != "$mem_v2":
            continue
        parameters = {key: _number(value) for key, value in cell["parameters"].items()}
        words, width = parameters["SIZE"] or 0, parameters["WIDTH"] or 0
        if words * width < LEAST_BITS:
            continue
        pins = cell["connections"]
        if problem := _unknown(parameters, pins, clock):
            raise ToolError(f"{top}: memory {name}: {problem}")
        ports = {pin: f"array{len(found)}_{pin.lower()}" for pin in _PINS}
        for pin, port in ports.items():
            module["ports"][port] = {"direction": _PINS[pin], "bits": pins[pin]}
            module["netnames"][port] = {"hide_name": 0, "bits": pins[pin], "attributes": {}}
        del module["cells"][name]
        found.append(MemoryArray(name, words, width, parameters["OFFSET"] or 0, ports))
    module.pop("memories", None)
    return found


def _number(value: str | int) -> int | None:
    """Return a parameter's value; None for one with undefined bits, or a text."""
    if isinstance(value, int):
        return value
    return int(value, 2) if value and set(value) <= {"0", "1"} else None


def _unknown(
    parameters: Mapping[str, int | None], pins: Mapping[str, list[Any]], clock: int
) -> str | None:
    """Say what is not as it must be, or None."""
    if parameters["RD_PORTS"] != 1 or parameters["WR_PORTS"] != 1:
        return f"{parameters['RD_PORTS']} read and {parameters['WR_PORTS']} write ports"
    for edge in ("RD_CLK_ENABLE", "RD_CLK_POLARITY", "WR_CLK_ENABLE", "WR_CLK_POLARITY"):
        if parameters[edge] != 1:
            return "it does not work at the rising edge"
    if pins["RD_CLK"] != [clock] or pins["WR_CLK"] != [clock]:
        return "it has another clock"
    if pins["RD_ARST"] != ["0"] or pins["RD_SRST"] != ["0"]:
        return "its output is reset"
    if parameters["RD_TRANSPARENCY_MASK"] or parameters["RD_WIDE_CONTINUATION"]:
        return "a read sees the write of its clock"
    return None
