# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the program that simulates the FPGA of a board and its memory banks.

``hw/board/README.md`` describes its command line and output. Both clocks are arguments: one
build runs at any.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ciphermill.design import CannotBeError, Core, find_home

from .errors import ToolError, reason_of_end
from .model import Report, say
from .modules import module_source
from .verilator import Model

BOARD_TOP = "board_ctr"
"""The FPGA's module (hw/board/rtl/board_ctr.sv)."""


@dataclass(frozen=True)
class BoardRun:
    """A message that the simulated FPGA encrypted."""

    core_cycles: int
    memory_cycles: int
    """By the FPGA's own timer, from the start to the last byte in memory."""
    output: bytes


def memory_bytes(design: Core) -> int:
    """Return the size of the banks that an FPGA can address.

    Raises:
        CannotBeError: The design leaves a parameter to its default.
    """
    try:
        return design.parameters["Banks"] * 4 << design.parameters["AddressWidth"]
    except KeyError as error:
        raise CannotBeError(f"{design.name}: parameters: {error} is missing") from error


def ensure_board(design: Core, *, report: Report = say) -> Path:
    """Return the program that simulates an FPGA, built if it is not up to date.

    Raises:
        DesignError: There is no source tree, or the design leaves a parameter to its default.
        ToolError: A tool is missing or failed.
    """
    own = find_home() / "hw" / "board" / "model"
    source = module_source(design)
    memory_bytes(design)
    model = Model(
        source.top, source.files, source.parameters, own / "board_model.cpp", program=True
    )

    def configure(folder: Path) -> None:
        banks, width = (source.parameters[name] for name in ("Banks", "AddressWidth"))
        (folder / "board_config.h").write_text(
            f"#define BOARD_BANKS {banks}\n#define BOARD_ADDRESS_WIDTH {width}\n",
            encoding="utf-8",
        )

    return model.build(
        "board",
        "",
        own.glob("*.*"),
        configure=configure,
        called=f"board {design.name}",
        report=report,
    )


def run_board(
    program: Path, core_mhz: float, memory_mhz: float, key: bytes, counter: bytes, data: bytes
) -> BoardRun:
    """Encrypt a message on a simulated FPGA at any two clocks.

    Raises:
        ToolError: The program failed.
    """
    with tempfile.TemporaryDirectory(prefix="ciphermill-board-") as name:
        source, target = Path(name) / "input", Path(name) / "output"
        source.write_bytes(key + counter + data)
        clocks = [str(round(1000 * mhz)) for mhz in (core_mhz, memory_mhz)]
        done = subprocess.run(
            [program, *clocks, source, target],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode:
            reason = reason_of_end(done.returncode, done.stderr) or f"exit code {done.returncode}"
            raise ToolError(f"the model of the board failed: {reason}: {done.stderr.strip()}")
        told = json.loads(done.stdout)
        return BoardRun(told["core_cycles"], told["memory_cycles"], target.read_bytes())
