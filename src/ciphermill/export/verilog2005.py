# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Converts SystemVerilog to one file of Verilog-2005 (IEEE 1364-2005), by yosys.

Yosys elaborates with the given parameters and keeps the hierarchy, so each instance has a
module of its own. Equal modules are merged here and get their original names; if a module
has several sets of parameters, the second is ``prim_fifo_2`` and so on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermill.toolchain.cache import artefact
from ciphermill.toolchain.errors import ToolError
from ciphermill.toolchain.packages import tool_version
from ciphermill.toolchain.rtl import RtlSource
from ciphermill.toolchain.run_yosys import YOSYS, read_slang, relative, run_yosys

from .constant_tables import as_functions

_PASSES = (
    # Processes become registers and multiplexers; memories stay arrays.
    "proc",
    "opt_expr",
    "opt_reduce",
    "memory_collect",
    # Tables of constants; then cells that Verilog has no expression for.
    "memory_bmux2rom",
    "bmuxmap",
    "demuxmap",
    "bwmuxmap",
    # No other optimisation, since restructuring here costs area in the user's synthesis.
    "opt_expr -mux_undef -undriven",
    "opt_merge",
    "opt_clean -purge",
    # Names that depend only on the module, so that equal modules have equal text.
    "rename -enumerate",
    # A vector with several drivers becomes separate wires: an event-driven simulator would
    # evaluate all readers of the vector for each of its parts.
    "splitnets -driver",
    "opt_clean -purge",
    "check -assert",
    # Other attributes stay: keep_hierarchy, ASYNC_REG, rom_style and so on.
    "attrmap -remove src -remove hdlname -remove full_case -remove parallel_case",
    "setattr -mod -unset src -unset top -unset hdlname -unset cells_not_processed",
)

_MODULE = re.compile(
    r"^((?:\(\*[^\n]*\*\)\n)*)module (\\\S+ |[A-Za-z_][A-Za-z0-9_$]*)(.*?^endmodule)$",
    re.DOTALL | re.MULTILINE,
)
_INSTANCE = re.compile(r"^(\s+(?:\(\*.*?\*\)\s*)*)(\\\S+ |[A-Za-z_]\w*)( +\S+ *\()$", re.MULTILINE)
_ESCAPED = re.compile(r"\\\S+ ")
_INTERNAL_CELL = re.compile(r"^\s+\\\$(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class _Module:
    attributes: str
    name: str
    body: str
    """From after the name to ``endmodule``."""


def verilog_2005(
    sources: Sequence[Path], top: str, parameters: Mapping[str, int], notice: str
) -> str:
    """Return a module and all below it as Verilog-2005, cached by content.

    Args:
        sources: SystemVerilog files, packages first.
        top: The top module; it keeps its name and its ports, enumerations as vectors.
        parameters: Its parameters, which become constants in the result.
        notice: The text of the first lines, without comment marks.

    Raises:
        ToolError: Yosys is missing, refused the source, or wrote what is not Verilog-2005.
    """
    commands = [
        read_slang(RtlSource(top, sources, parameters)),
        f"hierarchy -check -top {top}",
        *_PASSES,
    ]
    facts = {"commands": commands, "yosys": tool_version(YOSYS)}

    def build(folder: Path) -> Path:
        result = folder / "module.v"
        write = f"write_verilog {relative(result)}"
        run_yosys([*commands, write], [result], what=f"Verilog-2005 of {top}")
        return result

    path = artefact("verilog2005", ".v", sources, facts, build)
    comment = "".join(f"// {line}".rstrip() + "\n" for line in notice.splitlines())
    return comment + _merged(path.read_text(encoding="utf-8"), top)


_PORT = re.compile(r"^\s*(input|output|inout) (?:\[(\d+):(\d+)\] )?(\w+);", re.MULTILINE)


@dataclass(frozen=True)
class Port:
    """A port of a module."""

    name: str
    direction: str
    """``input``, ``output`` or ``inout``."""
    bits: int


def port_list(text: str, top: str) -> list[Port]:
    """Return a module's ports, in their order, in what ``verilog_2005`` returned."""
    header = re.search(rf"^module {top}\(([^;]*)\);(.*?)^endmodule", text, re.M | re.S)
    if header is None:
        return []
    found = {}
    for direction, left, right, name in _PORT.findall(header[2]):
        bits = abs(int(left) - int(right)) + 1 if left else 1
        found[name] = Port(name, direction, bits)
    return [found[name] for name in re.findall(r"\w+", header[1]) if name in found]


def _merged(text: str, top: str) -> str:
    """Return yosys's Verilog with equal modules merged, leaves first.

    Raises:
        ToolError: A cell remains that Verilog cannot express, or the top is missing.
    """
    modules = {module.name: module for module in _modules(text)}
    if top not in modules:
        raise ToolError(f"yosys wrote no module {top}")
    final: dict[str, str] = {}  # what a module of yosys is called in the end
    bodies: dict[tuple[str, str, str], str] = {}  # name by plain name, attributes and body
    count: dict[str, int] = {}
    written: list[str] = []

    def visit(name: str) -> str:
        if name in final:
            return final[name]
        module = modules[name]

        def rename(match: re.Match[str]) -> str:
            inner = match[2].removeprefix("\\").rstrip()
            if inner not in modules:
                return match[0]
            return f"{match[1]}{visit(inner)}{match[3]}"

        body = _INSTANCE.sub(rename, as_functions(module.body))
        if left := _INTERNAL_CELL.search(body):
            raise ToolError(f"{name}: yosys's cell ${left[1]} has no equivalent in Verilog-2005")
        body = _plain_names(body)
        plain = name.partition("$")[0]
        key = (plain, module.attributes, body)
        if key not in bodies:
            count[plain] = count.get(plain, 0) + 1
            # The top comes last, and no other module may have its name.
            taken = count[plain] + (plain == top and name != top)
            bodies[key] = plain if taken == 1 else f"{plain}_{taken}"
            written.append(f"{module.attributes}module {bodies[key]}{body}\n")
        final[name] = bodies[key]
        return final[name]

    visit(top)
    return "\n" + "\n".join(written)


def _plain_names(body: str) -> str:
    r"""Return a module's text with no escaped names: ``\low[3] `` is ``low_3``."""
    taken = set(re.findall(r"\w+", body))
    for escaped in sorted(set(_ESCAPED.findall(body))):
        plain = re.sub(r"\W+", "_", escaped[1:].strip()).rstrip("_")
        while plain in taken:
            plain += "_"
        taken.add(plain)
        body = body.replace(escaped, plain)
    return body


def _modules(text: str) -> Iterator[_Module]:
    for match in _MODULE.finditer(text):
        yield _Module(match[1], match[2].removeprefix("\\").rstrip(), match[3])
