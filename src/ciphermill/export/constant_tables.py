# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Turns constant tables in yosys's Verilog into functions with a case statement.

Yosys writes a table of constants as a memory with an ``initial`` block. Tools for FPGAs
support this; tools for cells ignore ``initial`` and would infer a memory with unknown
content.
"""

from __future__ import annotations

import re

from ciphermill.toolchain.errors import ToolError

_TABLE = re.compile(
    r"^  reg (?P<range>\[\d+:0\] |)(?P<name>\\\$\S+ ) *\[(?P<last>\d+):0\];\n"
    r"  initial begin\n(?P<rows>(?:    (?P=name)\[\d+\] = \S+;\n)+)  end\n",
    re.MULTILINE,
)
# Yosys writes rows of 32 bits as decimal numbers, unless some bit is unknown.
_ROW = re.compile(r"\[(\d+)\] = (\d+)('\w+);$", re.MULTILINE)


def as_functions(body: str) -> str:
    """Return a module's text with its unnamed constant tables as functions.

    A table that the source declares as a memory (with a name) is not changed, nor one that
    is written or of which bits are selected.

    Raises:
        ToolError: A row is no constant in a form that yosys is known to write.
    """
    for number, match in enumerate(_TABLE.finditer(body), 1):
        name = "lookup" if number == 1 else f"lookup_{number}"
        rest = _calls(body.replace(match[0], "\0", 1), match["name"], name)
        if rest is not None:
            body = rest.replace("\0", _function(name, match), 1)
    return body


def _function(name: str, match: re.Match[str]) -> str:
    rows = _ROW.findall(match["rows"])
    if len(rows) < match["rows"].count("\n"):
        raise ToolError(f"the table {match['name']} has a row in a form that is not known")
    size = int(match["last"]) + 1
    index_bits = max((size - 1).bit_length(), 1)
    lines = [
        f"  function {match['range']}{name};",
        f"    input [{index_bits - 1}:0] index;",
        "    case (index)",
        *(f"      {index_bits}'d{index}: {name} = {bits}{value};" for index, bits, value in rows),
    ]
    if len(rows) < 1 << index_bits:
        lines.append(f"      default: {name} = {rows[0][1]}'h0;")
    return "\n".join([*lines, "    endcase", "  endfunction", ""])


def _calls(body: str, memory: str, function: str) -> str | None:
    """Return the text with each look-up as a call; None if the table is used in another way."""
    parts = body.split(memory)
    result = parts[0]
    for part in parts[1:]:
        end = _closing(part)
        if end is None or re.match(r"\s*(\[|<=|=[^=])", part[end + 1 :]):
            return None
        index = part[part.index("[") + 1 : end]
        result += f"{function}({index}){part[end + 1 :]}"
    return result


def _closing(text: str) -> int | None:
    """Return the position of the bracket that closes the first one of a text."""
    if not text.lstrip().startswith("["):
        return None
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if depth == 0 and character == "]":
            return place
    return None
