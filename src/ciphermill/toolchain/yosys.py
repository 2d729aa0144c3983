# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area on Xilinx 7-series after synthesis with yosys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .cache import code_key, kept
from .errors import ToolError
from .packages import tool_version
from .rtl import RtlSource
from .rtlil import share_modules
from .run_yosys import YOSYS, read_slang, relative, run_yosys

LUT_RAM_LUTS: Mapping[str, int] = {
    "RAM16X1D": 2,
    "RAM32X1S": 1,
    "RAM32X1D": 2,
    "RAM32M": 4,
    "RAM64X1S": 1,
    "RAM64X1D": 2,
    "RAM64M": 4,
    "RAM128X1S": 2,
    "RAM128X1D": 4,
    "RAM256X1S": 4,
    "SRL16E": 1,
    "SRLC32E": 1,
}
"""LUTs that a RAM or shift register of LUTs takes (Xilinx UG474, tables 2-3 and 2-5)."""


@dataclass(frozen=True)
class AreaXc7:
    """Area on Xilinx 7-series after synthesis; nothing is placed or routed."""

    lut: int
    """LUTs, those used as RAM or shift register included."""
    lut_ram: int
    """LUTs used as RAM or shift register."""
    ff: int
    """Flip-flops."""
    muxf7: int
    muxf8: int
    carry: int
    """Carry chains of four bits."""
    dsp: int
    block_ram: int
    """Block RAMs of 18 Kbit; one of 36 Kbit counts twice."""


def synthesise_xc7(source: RtlSource, *, time_limit_s: float | None = None) -> AreaXc7:
    """Return a module's area on Xilinx 7-series (``synth_xilinx -family xc7 -flatten``).

    Modules that the source marks with ``keep_hierarchy`` stay apart, and count.
    The result is cached by the content of the sources. A synthesis takes from
    half a minute for an iterative core to many minutes for a large pipeline.

    Args:
        source: The module.
        time_limit_s: Seconds after which yosys is stopped.

    Raises:
        ToolError: Yosys is missing, refused the source or took too long.
    """
    memories = "" if source.block_ram else " -nobram"
    read, what = read_slang(source), f"synthesis of {source.top}"
    synthesise = f"synth_xilinx -family xc7 -flatten{memories} -top {source.top}"
    facts = {
        "commands": [read, synthesise],
        "yosys": tool_version(YOSYS),
        "code": code_key("rtlil.py"),
    }

    def make(folder: Path) -> object:
        whole, result = folder / "whole.il", folder / "statistics.json"
        write = f"write_rtlil {relative(whole)}"
        run_yosys([read, write], [whole], what=what, time_limit_s=time_limit_s)
        whole.write_text(share_modules(whole.read_text(encoding="utf-8")), encoding="utf-8")
        statistics = f"tee -q -o {relative(result)} stat -json"
        commands = [f"read_rtlil {relative(whole)}", synthesise, statistics]
        run_yosys(commands, [result], what=what, time_limit_s=time_limit_s)
        return json.loads(result.read_text(encoding="utf-8"))

    found: dict[str, Any] = kept("area", source.files, facts, make, dict)
    return area_from_statistics(found, source.top)


def area_from_statistics(statistics: Mapping[str, Any], top: str) -> AreaXc7:
    """Return the area that ``stat -json`` tells of, summed over the hierarchy.

    Raises:
        ToolError: There is none.
    """
    design = statistics.get("design")
    if not isinstance(design, dict) or not design.get("num_cells_by_type"):
        raise ToolError(f"yosys gave no statistics of {top}")
    cells: dict[str, int] = design["num_cells_by_type"]

    def count(*names: str) -> int:
        return sum(cells.get(name, 0) for name in names)

    lut_ram = sum(luts * cells.get(name, 0) for name, luts in LUT_RAM_LUTS.items())
    return AreaXc7(
        lut=count("INV", *(f"LUT{inputs}" for inputs in range(1, 7))) + lut_ram,
        lut_ram=lut_ram,
        ff=count("FDRE", "FDSE", "FDCE", "FDPE", "FDRE_1", "FDSE_1", "FDCE_1", "FDPE_1"),
        muxf7=count("MUXF7"),
        muxf8=count("MUXF8"),
        carry=count("CARRY4"),
        dsp=count("DSP48E1"),
        block_ram=count("RAMB18E1") + 2 * count("RAMB36E1"),
    )
