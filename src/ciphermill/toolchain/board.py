# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Builds the library that simulates the FPGA of a board and its memory banks, and runs it.

The engine loads the library as the device ``model:NAME`` (``hw/board/model/ciphermill_board.h``).
Both clocks are settings of the device: one build runs at any. The design's table ``board`` has
those of a device whose name sets none, and the rate of the link to the host.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ciphermill._engine import Device
from ciphermill.design import CannotBeError, Core, OnBoard, find_home

from .cache import artefact_key
from .modules import module_source
from .verilator import Model, find_verilator

BOARD_TOP = "board_ctr"
"""The FPGA's module (hw/board/rtl/board_ctr.sv)."""
LANE_TOP = "board_lane"
"""A core of the FPGA with its counter, the part that is on the cores' clock."""


@dataclass(frozen=True)
class BoardRun:
    """A message that the simulated FPGA encrypted."""

    core_cycles: int
    processing_s: float
    """By the FPGA's own timer, from the start to the last byte in memory."""
    output: bytes


def memory_bytes(design: Core) -> int:
    """Return the size of the banks that an FPGA can address.

    Raises:
        CannotBeError: The design leaves a parameter to its default.
    """
    return _parameter(design, "Banks") * 4 << _parameter(design, "AddressWidth")


def build_board(design: Core, report: Callable[[str], None]) -> Path:
    """Return the library that simulates an FPGA in the cache, built if it is not there.

    Raises:
        DesignError: There is no source tree, the design leaves a parameter to its default, or it
            has no table ``board``.
        ToolError: A tool is missing or failed.
    """
    board = _board(design)
    own = find_home() / "hw" / "board" / "model"
    source = module_source(design)
    memory_bytes(design)
    model = Model(
        source.top,
        source.files,
        source.parameters,
        own / "board_model.cpp",
        optimisation="-O3",
        exports=own / "ciphermill_board.map",
    )
    facts = {"design": design.model_dump(mode="json", exclude={"description"})}
    others = list(own.glob("*.*"))
    key = artefact_key([*model.sources, *others], {**model.facts(), **facts})

    def configure(folder: Path) -> None:
        text = _description(design, board, key)
        config = {
            "BOARD_DESCRIPTION": json.dumps(text),
            "BOARD_BANKS": _parameter(design, "Banks"),
            "BOARD_ADDRESS_WIDTH": _parameter(design, "AddressWidth"),
        }
        lines = [f"#define {name} {value}\n" for name, value in config.items()]
        (folder / "board_config.h").write_text("".join(lines), encoding="utf-8")

    return model.build(
        "board",
        ".so",
        others,
        facts,
        configure=configure,
        called=f"board {design.name}",
        report=report,
    )


def run_board(
    library: Path, core_mhz: float, memory_mhz: float, key: bytes, counter: bytes, data: bytes
) -> BoardRun:
    """Encrypt a message on a simulated FPGA at any two clocks.

    Raises:
        ciphermill.Error: The library failed, or a clock is out of range.
    """
    clocks = f"clock_mhz={core_mhz!r},memory_clock_mhz={memory_mhz!r}"
    device = Device(f"model:{library.stem},{clocks}", models=library.parent)
    output, timing = device.transform(data, mode="ctr", direction="encrypt", key=key, iv=counter)
    return BoardRun(timing.cycles or 0, timing.processing_s, output)


def _parameter(design: Core, name: str) -> int:
    if name not in design.parameters:
        raise CannotBeError(f"{design.name}: parameters: {name!r} is missing")
    return design.parameters[name]


def lane_of(design: Core) -> Core:
    """Return a core of an FPGA with its counter, by itself: it has one clock, that of the cores."""
    cores = _parameter(design, "Cores")
    stepped = design.parameters.get("Stepped", 0)
    return Core(
        name=f"{design.name}-lane"[:64],
        description=f"one of the {cores} cores of {design.name}",
        algorithm=design.algorithm,
        architecture=design.architecture,
        key_sizes=design.key_sizes,
        directions=design.directions,
        block_bits=design.block_bits,
        top=LANE_TOP,
        folders=design.folders,
        parameters={"Stepped": stepped, "Cores": cores, "Number": cores - 1},
    )


def _board(design: Core) -> OnBoard:
    if design.board is None:
        raise CannotBeError(
            f"{design.name}: board: is missing: without clock_mhz, memory_clock_mhz and "
            "link_mbit_s in a table [board] the FPGA is no device"
        )
    return design.board


def _description(design: Core, board: OnBoard, key: str) -> str:
    """The description of the library, a JSON object (``ciphermill_board.h``)."""
    return json.dumps(
        {
            "design": design.name,
            "architecture": design.architecture,
            "cores": _parameter(design, "Cores"),
            "banks": _parameter(design, "Banks"),
            "memory_bytes": memory_bytes(design),
            "clock_mhz": board.clock_mhz,
            "memory_clock_mhz": board.memory_clock_mhz,
            "link_mbit_s": board.link_mbit_s,
            "design_hash": key[:16],
            "tool": f"Verilator {find_verilator().version}",
        }
    )
