# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The RTL module to evaluate, by name: a core, or an accelerator, whole or its core alone."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from ciphermill.algorithms import ALGORITHMS
from ciphermill.design import (
    Accelerator,
    CannotBeError,
    Core,
    Design,
    KeyStorage,
    design_names,
    find_home,
    load_design,
    load_designs,
)

from .rtl import (
    TOP,
    RtlSource,
    accelerator_folders,
    accelerator_parameters,
    core_parameters,
    folder_sources,
    without_foreign,
)


class Part(StrEnum):
    """The part of an accelerator that is evaluated."""

    CORE = "core"
    ACCELERATOR = "accelerator"


def find_core(name_or_path: str, *, part: Part | None = None) -> Core:
    """Return the RTL module of a name or a file.

    Args:
        name_or_path: A name in ``designs/``, or the path of a TOML file.
        part: Of an accelerator: its core alone, or the whole; the whole unless given.

    Raises:
        DesignError: There is no such core or accelerator, its file is malformed, or it is a
            core and the whole accelerator was requested.
    """
    return _core(load_design(name_or_path), part)


def find_cores(name_or_path: str, *, part: Part | None = None) -> list[Core]:
    """Return the modules of a file; any field may hold several values.

    Raises:
        DesignError: As for ``find_core``, or no combination of the fields' values is valid.
    """
    space = load_designs(name_or_path)
    if len(space.possible) + len(space.refused) == 1:
        return [find_core(name_or_path, part=part)]
    if not space.possible:
        raise CannotBeError(f"{name_or_path}: no combination can be: {space.refused[0].reason}")
    return [_core(one, part) for one in space.possible]


def _core(design: Design, part: Part | None) -> Core:
    if isinstance(design, Core):
        if part is Part.ACCELERATOR:
            raise CannotBeError(f"{design.name} is a core: only an accelerator has parts")
        return design
    if isinstance(design, Accelerator):
        return core_of(design, part or Part.ACCELERATOR)
    able = ", ".join(design_names(Core, Accelerator))
    raise CannotBeError(f"{design.name} is of kind {design.kind}; there are: {able}")


def core_of(design: Accelerator, part: Part = Part.ACCELERATOR) -> Core:
    """Return the RTL module of an accelerator or of its core."""
    whole = part is Part.ACCELERATOR
    algorithm = ALGORITHMS[design.algorithm]
    rtl = algorithm.cores
    storage = design.key_storage or KeyStorage.STORED
    keys = [(design.architecture, storage, direction) for direction in design.directions]
    either = rtl.cycles[(design.architecture,)]
    key_bits = max(design.key_sizes, default=0)
    cycles = max([rtl.cycles.get(key, either)[key_bits] for key in keys] or [either[key_bits]])
    return Core(
        name=f"{design.name}-accelerator"[:64] if whole else design.name,
        description=design.description,
        algorithm=design.algorithm,
        architecture=design.architecture.value,
        key_sizes=design.key_sizes,
        directions=design.directions,
        block_bits=8 * algorithm.block_bytes,
        cycles_per_block=cycles,
        top=TOP if whole else rtl.top,
        folders=accelerator_folders(
            *(ALGORITHMS[name] for name in design.every_channel), sha2=bool(design.sha2_word_bits)
        )
        if whole
        else rtl.folders,
        parameters=accelerator_parameters(design) if whole else core_parameters(design),
        protocol="accelerator" if whole else rtl.protocol,
        block_ram=design.block_ram or (whole and design.interface.block_ram_fifos),
    )


def module_source(module: Core) -> RtlSource:
    """Return the RTL of a module.

    Raises:
        ToolError: As for ``module_sources``.
    """
    return RtlSource(
        module.top,
        module_sources(module),
        module.parameters,
        module.clock,
        module.reset,
        module.block_ram,
    )


def module_sources(module: Core) -> list[Path]:
    """Return a module's SystemVerilog files, packages first.

    A file that uses a package of no folder of the module is left out: accelerators have such
    files for the cores of other algorithms.

    Raises:
        ToolError: A folder has no files, or packages use each other in a circle.
    """
    home = find_home()
    folders = [
        home / folder if "/" in folder else home / "hw" / folder / "rtl"
        for folder in module.folders
    ]
    return without_foreign(folder_sources(folders), module.top)
