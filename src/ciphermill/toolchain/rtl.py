# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The RTL of a design: its files, their order, and its parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermill.algorithms import ALGORITHMS, Algorithm, coprocessor_folders
from ciphermill.design import Accelerator, Direction, KeyStorage, find_home
from ciphermill.registers import accel

from .errors import ToolError

TOP = "accel"
"""The accelerator's module (hw/accel/rtl/accel.sv)."""

_PACKAGE_USE = re.compile(r"\b([a-z][a-z0-9_]*_pkg)\s*::")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class RtlSource:
    """A module of RTL, and the files that it is made of."""

    top: str
    """The module."""
    files: Sequence[Path]
    """SystemVerilog files, packages first."""
    parameters: Mapping[str, int]
    """Parameters of the module."""
    clock: str = "clk_i"
    """Its clock input; a module without registers may lack it."""
    reset: str | None = "rst_ni"
    """Its reset input, low when active; None if it has none."""
    block_ram: bool = False
    """Memories may go to block RAM of an FPGA."""
    includes: Sequence[Path] = ()
    """Folders of files that the sources include; a package's version covers these files."""


def accelerator_folders(*algorithms: Algorithm, sha2: bool = False) -> tuple[str, ...]:
    """Return the folders under ``hw`` that an accelerator of some algorithms is made of.

    Args:
        algorithms: The algorithms of its channels.
        sha2: Whether SHA-2 is beside one.

    >>> accelerator_folders(ALGORITHMS["ascon"])
    ('prim', 'ascon', 'accel')
    """
    folders = ["prim"]
    for algorithm in algorithms:
        folders += [*algorithm.cores.folders, *(("ghash",) if algorithm.cores.shared else ())]
    return tuple(dict.fromkeys((*folders, *(("sha2",) if sha2 else ()), "accel")))


def rtl_sources() -> list[Path]:
    """Return the SystemVerilog files of accelerators of every algorithm, packages first.

    A package comes after those that it uses, as compilers require.

    Raises:
        ToolError: A folder has no files, or packages use each other in a circle.
    """
    built = (one for one in ALGORITHMS.values() if one.rtl and one.rtl.accelerated)
    folders = dict.fromkeys(folder for one in built for folder in accelerator_folders(one))
    return folder_sources([find_home() / "hw" / folder / "rtl" for folder in folders])


def coprocessor_sources() -> list[Path]:
    """Return the SystemVerilog files of coprocessors, packages first.

    Raises:
        DesignError: There is no source tree.
        ToolError: As for ``folder_sources``.
    """
    return folder_sources([find_home() / "hw" / name / "rtl" for name in coprocessor_folders()])


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


def without_foreign(files: Sequence[Path], top: str) -> list[Path]:
    """Return the files, other than the top module's, whose packages are among them.

    The accelerator has files for each of several algorithms; those of an algorithm whose folder
    is missing are left out.
    """
    names = {path.stem for path in files}
    return [path for path in files if path.stem == top or packages_used(path) <= names]


def packages_used(path: Path) -> set[str]:
    """Return the packages that a file names."""
    return set(_PACKAGE_USE.findall(_COMMENT.sub("", path.read_text(encoding="utf-8"))))


def _in_order(packages: dict[str, Path]) -> list[str]:
    uses = {
        name: sorted(packages_used(path) & packages.keys() - {name})
        for name, path in packages.items()
    }
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
    algorithm = ALGORITHMS[design.algorithm]
    rtl = algorithm.cores
    parameters = {rtl.architecture_parameter: rtl.architectures[design.architecture]}
    if algorithm.is_hash:
        return {**parameters, "WordSizes": sha2_word_sizes(design)}
    absent = set(Direction) - set(design.directions)  # a hash is always present
    operations = sum(flag for one, flag in rtl.operation_flags.items() if one not in absent)
    if design.sbox is not None:
        parameters["SBox"] = rtl.sboxes[design.sbox]
    if rtl.operation_flags:
        parameters[rtl.operation_parameter] = operations
    if rtl.key_size_flags:
        sizes = sum(rtl.key_size_flags[size] for size in design.key_sizes)
        parameters[rtl.key_size_parameter] = sizes
    if algorithm.modes:
        parameters |= {
            "StagesPerRound": design.stages_per_round or 1,
            "BlockRam": int(design.block_ram),
            "KeyStorage": int(design.key_storage is not KeyStorage.ON_THE_FLY),
        }
    return parameters


def sha2_word_sizes(design: Accelerator) -> int:
    """Return the parameter ``Sha2WordSizes`` of an accelerator (``accel_pkg``)."""
    return sum({32: 1, 64: 2}[bits] for bits in design.sha2_word_bits)


def _channel_cores(design: Accelerator) -> int:
    """Return the parameter ``ChannelCores`` of an accelerator: a digit for each channel."""
    listed = design.channel_algorithms or (design.algorithm,) * 8
    digits = [ALGORITHMS[name].cores.accelerator_code or 0 for name in listed]
    return sum(digit << 4 * n for n, digit in enumerate(digits))


def accelerator_parameters(design: Accelerator) -> dict[str, int]:
    """Return the parameters of ``accel`` for a design."""
    algorithm, interface = ALGORITHMS[design.algorithm], design.interface
    rtl = algorithm.cores
    core = core_parameters(design)
    if algorithm.is_hash:
        core.pop("WordSizes")
    elif not rtl.shared and algorithm.modes:
        core = {"Directions": core[rtl.operation_parameter]}
    elif "agree" in algorithm.operations:
        architecture = f"CAPABILITY__ARCHITECTURE__{design.architecture.upper()}"
        curves = core[rtl.key_size_parameter]
        core = {"EccArchitecture": getattr(accel, architecture), "Curves": curves}
    elif not algorithm.modes:
        core.pop(rtl.operation_parameter)
        core["Directions"] = sum(rtl.operation_flags[one] for one in design.directions)
    alone = any(ALGORITHMS[name].is_hash for name in design.every_channel)
    modes = {
        "Gcm": int(design.gcm),
        "GhashDigit": design.effective_ghash_digit,
        "GhashStages": design.effective_ghash_stages,
        "Xts": int(design.xts),
    }
    return {
        "ChannelCores": _channel_cores(design),
        **core,
        **({"Sha2WordSizes": sha2_word_sizes(design)} if design.sha2_word_bits else {}),
        **({"Sha2Channels": int(not alone)} if design.channel_algorithms else {}),
        **({"KeySlots": design.key_slots} if design.key_slots else {}),
        "StreamWidth": interface.stream_bits,
        "InputFifoBlocks": interface.input_fifo_blocks,
        "OutputFifoBlocks": interface.output_fifo_blocks,
        "Asynchronous": int(interface.asynchronous),
        **({"SyncStages": stages} if (stages := interface.synchroniser_stages) != 2 else {}),
        **({"BlockRamFifos": 1} if interface.block_ram_fifos else {}),
        **(modes if rtl.shared else {}),
        "Channels": design.channels,
        "Cores": design.cores,
    }
