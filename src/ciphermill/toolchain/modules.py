# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""From a name to the RTL that is weighed: modules, and designs as their core or whole."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from pathlib import Path

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import (
    CannotBeError,
    Design,
    KeyStorage,
    Module,
    UnknownNameError,
    design_names,
    find_home,
    load_design,
    load_module,
    module_names,
)

from .rtl import (
    TOP,
    accelerator_folders,
    accelerator_parameters,
    core_parameters,
    folder_sources,
)


class Part(StrEnum):
    """What of an accelerator design is weighed."""

    CORE = "core"
    ACCELERATOR = "accelerator"


def find_module(name_or_path: str, *, part: Part = Part.CORE, home: Path | None = None) -> Module:
    """Return the module that a name or a file stands for.

    Args:
        name_or_path: A name in ``designs/modules/`` or in ``designs/``, or the path
            of a TOML file of either kind.
        part: Of an accelerator design: its core alone, or the whole.
        home: The source tree; found by ``find_home`` unless given.

    Raises:
        DesignError: There is no such module or design, or its file is malformed, or
            a module was asked for as an accelerator.
    """
    home = home or find_home()
    path = Path(name_or_path)
    if name_or_path.endswith(".toml") or "/" in name_or_path:
        if not _is_design(path):
            return _alone(load_module(path, home=home), part)
        return design_module(load_design(path, home=home), part)
    if name_or_path in module_names(home=home):
        return _alone(load_module(name_or_path, home=home), part)
    if name_or_path in design_names(home=home):
        return design_module(load_design(name_or_path, home=home), part)
    names = [*module_names(home=home), *design_names(home=home)]
    raise UnknownNameError("module or design", name_or_path, names)


def design_module(design: Design, part: Part = Part.CORE) -> Module:
    """Return the module that a design's core, or its whole accelerator, is."""
    whole = part is Part.ACCELERATOR
    algorithm = ALGORITHMS[design.cipher]
    rtl = algorithm.cores
    cycles = max(
        rtl.cycles.get(
            (design.architecture, design.key_storage or KeyStorage.STORED, direction),
            rtl.cycles[(design.architecture,)],
        )[max(design.key_sizes)]
        for direction in design.directions
    )
    return Module(
        name=f"{design.name}-accelerator"[:64] if whole else design.name,
        description=design.description,
        cipher=design.cipher,
        architecture=design.architecture.value,
        key_sizes=design.key_sizes,
        directions=design.directions,
        block_bits=8 * algorithm.block_bytes,
        cycles_per_block=cycles,
        top=TOP if whole else rtl.top,
        folders=accelerator_folders(design.cipher) if whole else rtl.folders,
        parameters=accelerator_parameters(design) if whole else core_parameters(design),
        protocol="accelerator" if whole else "block-core",
        block_ram=design.block_ram,
    )


def module_sources(module: Module, *, home: Path | None = None) -> list[Path]:
    """Return a module's SystemVerilog files, packages first.

    Raises:
        ToolError: A folder has no files, or packages use each other in a circle.
    """
    home = home or find_home()
    folders = [
        home / folder if "/" in folder else home / "hw" / folder / "rtl"
        for folder in module.folders
    ]
    return folder_sources(folders)


def _is_design(path: Path) -> bool:
    """Whether a file is a design and no module, as far as it can be read."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False
    return "top" not in values and "architecture" in values


def _alone(module: Module, part: Part) -> Module:
    if part is not Part.CORE:
        raise CannotBeError(f"{module.name} is a module: only an accelerator design has parts")
    return module
