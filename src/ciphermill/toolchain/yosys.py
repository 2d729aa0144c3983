# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area on Xilinx 7-series after synthesis with yosys."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from .cache import code_key, kept
from .errors import ToolError
from .packages import tool_version
from .processes import side_by_side
from .rtl import RtlSource
from .rtlil import own_name, share_modules, take_out
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


def synthesise_xc7(
    source: RtlSource, *, apart: Collection[str] = (), time_limit_s: float | None = None
) -> AreaXc7:
    """Return a module's area on Xilinx 7-series (``synth_xilinx -family xc7 -flatten``).

    Modules that the source marks with ``keep_hierarchy`` stay apart, and count.
    The result is cached by the content of the sources. A synthesis takes from
    half a minute for an iterative core to many minutes for a large pipeline.

    Args:
        source: The module.
        apart: Names of modules inside it, and inside each other, that are synthesised by
            themselves, once for all designs that contain them, and added as often as they are
            there. What optimisation across their ports would save is not saved.
        time_limit_s: Seconds after which yosys is stopped.

    Raises:
        ToolError: Yosys is missing, refused the source or took too long, or none of the modules
            of ``apart`` is inside.
    """
    read, what = read_slang(source), f"synthesis of {source.top}"
    facts = {
        "commands": [read, _synth_xilinx(source.top, source)],
        "yosys": tool_version(YOSYS),
        "code": code_key("rtlil.py"),
    }
    if apart:
        facts["apart"] = sorted(apart)

    def make(folder: Path) -> object:
        whole = folder / "whole.il"
        write = f"write_rtlil {relative(whole)}"
        run_yosys([read, write], [whole], what=what, time_limit_s=time_limit_s)
        text = share_modules(whole.read_text(encoding="utf-8"))
        if apart and not take_out(text, apart).taken:
            listed = ", ".join(sorted(apart))
            raise ToolError(f"{source.top} contains none of {listed}: synthesise it whole")
        return _statistics(folder, text, source.top, source, apart, time_limit_s)

    found: dict[str, Any] = kept("area", source.files, facts, make, dict)
    return area_from_statistics(found, source.top)


def _synth_xilinx(top: str, source: RtlSource) -> str:
    memories = "" if source.block_ram else " -nobram"
    return f"synth_xilinx -family xc7 -flatten{memories} -top {top}"


def _statistics(
    folder: Path,
    text: str,
    top: str,
    source: RtlSource,
    apart: Collection[str],
    time_limit_s: float | None,
) -> dict[str, Any]:
    """Return what ``stat -json`` tells of a module after synthesis, which is given as RTLIL."""
    divided = take_out(text, apart)
    made = [
        partial(_part_statistics, part, own_name(name), source, apart, time_limit_s)
        for name, part in divided.taken.items()
    ]
    parts = dict(zip(divided.taken, side_by_side(made), strict=True))
    rest, result = folder / "rest.il", folder / "statistics.json"
    rest.write_text(divided.rest, encoding="utf-8")
    statistics = f"tee -q -o {relative(result)} stat -json"
    commands = [f"read_rtlil {relative(rest)}", _synth_xilinx(top, source), statistics]
    run_yosys(commands, [result], what=f"synthesis of {top}", time_limit_s=time_limit_s)
    return _with_parts(json.loads(result.read_text(encoding="utf-8")), parts, top)


def _part_statistics(
    text: str, top: str, source: RtlSource, apart: Collection[str], time_limit_s: float | None
) -> dict[str, Any]:
    """Return the same of a module inside a design, which is kept for all that contain it."""
    facts = {
        "commands": [_synth_xilinx(top, source)],
        "yosys": tool_version(YOSYS),
        "code": code_key("rtlil.py"),
        "apart": sorted(apart),
        "rtlil": text,
    }

    def make(folder: Path) -> object:
        return _statistics(folder, text, top, source, apart, time_limit_s)

    return kept("area", (), facts, make, dict)


def _with_parts(
    statistics: Mapping[str, Any], parts: Mapping[str, Mapping[str, Any]], top: str
) -> dict[str, Any]:
    """Return statistics in which each black box is replaced by its own cells.

    Raises:
        ToolError: A part is not among the cells.
    """
    cells = Counter(_cells(statistics, top))
    for name, inside in parts.items():
        there = cells.pop(name.removeprefix("\\"), 0)
        if not there:
            raise ToolError(f"yosys left {name} out of {top}: synthesise it whole")
        for cell, count in _cells(inside, name).items():
            cells[cell] += there * count
    return {"design": {"num_cells_by_type": dict(cells)}}


def area_from_statistics(statistics: Mapping[str, Any], top: str) -> AreaXc7:
    """Return the area that ``stat -json`` tells of, summed over the hierarchy.

    Raises:
        ToolError: There is none.
    """
    cells = _cells(statistics, top)

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


def _cells(statistics: Mapping[str, Any], top: str) -> dict[str, int]:
    design = statistics.get("design")
    if not isinstance(design, dict) or not design.get("num_cells_by_type"):
        raise ToolError(f"yosys gave no statistics of {top}")
    found: dict[str, int] = design["num_cells_by_type"]
    return found
