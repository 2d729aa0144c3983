# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""From a design to RTL: which files, in which order, with which parameters."""

from __future__ import annotations

import re
from pathlib import Path

from ciphermill.algorithms import ALGORITHMS, DIRECTION_FLAGS
from ciphermill.design import Accelerator, KeyStorage

from .errors import ToolError

TOP = "accel"
"""The accelerator's module (hw/accel/rtl/accel.sv)."""

_PACKAGE_USE = re.compile(r"\b([a-z][a-z0-9_]*_pkg)\s*::")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def accelerator_folders(cipher: str) -> tuple[str, ...]:
    """Return the folders under ``hw`` that an accelerator for a cipher is made of."""
    return ("prim", *ALGORITHMS[cipher].cores.folders, "ghash", "accel")


def rtl_sources(home: Path, cipher: str) -> list[Path]:
    """Return the SystemVerilog files of an accelerator, packages first.

    A package comes after those that it uses; a compiler that reads the files in
    this order never meets an unknown package.

    Raises:
        ToolError: A folder has no files, or packages use each other in a circle.
    """
    return folder_sources([home / "hw" / ip / "rtl" for ip in accelerator_folders(cipher)])


def folder_sources(folders: list[Path]) -> list[Path]:
    """Return the SystemVerilog files of some folders, packages first.

    Raises:
        ToolError: A folder has no files, or packages use each other in a circle.
    """
    files: list[Path] = []
    for folder in folders:
        found = sorted(folder.rglob("*.sv"))
        if not found:
            raise ToolError(f"{folder}: no SystemVerilog files; is the source tree complete?")
        files += found
    packages = {path.stem: path for path in files if path.stem.endswith("_pkg")}
    modules = [path for path in files if path.stem not in packages]
    return [packages[name] for name in _in_order(packages)] + modules


def _in_order(packages: dict[str, Path]) -> list[str]:
    uses = {}
    for name, path in packages.items():
        text = _COMMENT.sub("", path.read_text(encoding="utf-8"))
        uses[name] = sorted(set(_PACKAGE_USE.findall(text)) & packages.keys() - {name})
    order: list[str] = []
    visiting: set[str] = set()

    def visit(name: str) -> None:
        if name in order:
            return
        if name in visiting:
            raise ToolError(f"packages use each other in a circle: {', '.join(sorted(visiting))}")
        visiting.add(name)
        for used in uses[name]:
            visit(used)
        visiting.discard(name)
        order.append(name)

    for name in sorted(packages):
        visit(name)
    return order


def core_parameters(design: Accelerator) -> dict[str, int]:
    """Return the parameters of the core in an accelerator."""
    rtl = ALGORITHMS[design.algorithm].cores
    return {
        "Architecture": rtl.architectures[design.architecture],
        "SBox": rtl.sboxes[design.sbox],
        "Directions": sum(DIRECTION_FLAGS[direction] for direction in design.directions),
        "KeySizes": sum(rtl.key_size_flags[size] for size in design.key_sizes),
        "StagesPerRound": design.stages_per_round or 1,
        "BlockRam": int(design.block_ram),
        "KeyStorage": int(design.key_storage is not KeyStorage.ON_THE_FLY),
    }


def accelerator_parameters(design: Accelerator) -> dict[str, int]:
    """Return the parameters of ``accel`` that a design stands for."""
    interface = design.interface
    return {
        **core_parameters(design),
        "StreamWidth": interface.stream_bits,
        "InputFifoBlocks": interface.input_fifo_blocks,
        "OutputFifoBlocks": interface.output_fifo_blocks,
        "Asynchronous": int(interface.asynchronous),
        "Gcm": int(design.gcm),
        "GhashDigit": design.effective_ghash_digit,
        "GhashStages": design.effective_ghash_stages,
        "Xts": int(design.xts),
        "Channels": design.channels,
        "Cores": design.cores,
    }
