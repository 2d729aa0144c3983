# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Builds the program that simulates a system cycle by cycle.

Verilator turns the system's RTL (``hw/soc``) and its soft core into C++, and
``hw/soc/model`` adds the main program. Firmware is loaded at run time: the same program
runs any image, with any number of memory wait states.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermill.algorithms import ALGORITHMS, coprocessor_folders
from ciphermill.design import Partition, SBox, SoftCore, System, find_home

from .errors import ToolError
from .model import Report, say
from .rtl import accelerator_folders, folder_sources, without_foreign
from .soft_cores import find_soft_core
from .verilator import MODEL_FLAGS, Model, need_program

SOC_TOP = "soc"
"""The system's module (hw/soc/rtl/soc.sv)."""

SOC_FLAGS = (*MODEL_FLAGS, "--flatten")
"""The simulation is faster, and the memory has the same name in every build."""
TRACE_FLAGS = ("--trace-fst", "--trace-structs")

TRACE_HEADERS = {"lz4.h": "liblz4-dev", "zlib.h": "zlib1g-dev"}
"""Headers of Verilator's FST writer, and the Debian package of each."""


@dataclass(frozen=True)
class _Hardware:
    """The sources and parameters of a partition's hardware."""

    folders: tuple[str, ...]
    """Folders of ``hw`` in addition to the system's own."""
    part: str | None
    """The folder of the system's RTL that only this hardware uses."""


_MAPPED = _Hardware(coprocessor_folders(), "mapped")
_INSTRUCTION = _Hardware(coprocessor_folders(), "instruction")
_BEHIND_DMA = dict.fromkeys(
    folder
    for one in ALGORITHMS.values()
    if one.rtl and one.rtl.accelerated
    for folder in accelerator_folders(one)
)
HARDWARE = {
    **dict.fromkeys(Partition, _MAPPED),
    Partition.SOFTWARE: _Hardware(("prim",), None),
    Partition.INSTRUCTION: _INSTRUCTION,
    Partition.STREAM: _INSTRUCTION,
    Partition.DMA: _Hardware((*_BEHIND_DMA, "dma"), "dma"),
}

SOFT_CORE_CODES = {
    SoftCore.PICORV32: 0,
    SoftCore.VEXRISCV: 1,
    SoftCore.IBEX: 2,
    SoftCore.CVA6: 3,
}
PARTITION_CODES = {
    Partition.SOFTWARE: 0,
    Partition.UNROLLED: 1,
    Partition.ITERATIVE: 2,
    Partition.ROUND: 3,
    Partition.LINEAR_LAYER: 4,
    Partition.INSTRUCTION: 5,
    Partition.STREAM: 6,
    Partition.DMA: 7,
    Partition.SHELL: 8,
}
INTERFACE_CODES = {"local": 0, "axi-lite": 1, "axi4": 2}
"""Values of RTL parameters (``soc_pkg``)."""


def soc_parameters(system: System) -> dict[str, int]:
    """Return the parameters of ``soc`` for a design (``soc_pkg``)."""
    partition = hardware_partition(system)
    parameters = {
        "SoftCore": SOFT_CORE_CODES[system.soft_core],
        "Partition": PARTITION_CODES[partition],
        "MemoryBytes": system.memory_bytes,
    }
    if partition is Partition.SOFTWARE:
        return parameters
    parameters["Algorithm"] = ALGORITHMS[system.algorithm].cores.system_code
    if system.interface is not None:
        kind = "axi4" if system.interface.is_axi4 else system.interface.value
        parameters["Interface"] = INTERFACE_CODES[kind]
        parameters["AxiWidth"] = system.interface.data_bits
    if system.blocks_in_flight is not None:
        parameters["BlocksInFlight"] = system.blocks_in_flight
    # Without the parameter the RTL has tables.
    if system.sbox not in (None, SBox.TABLE):
        parameters["SBox"] = ALGORITHMS[system.algorithm].cores.sboxes[system.sbox]
    return parameters


def hardware_partition(system: System) -> Partition:
    """Return the partition for which the RTL is built.

    Software that uses Zkne and Zknd needs the hardware of these instructions.
    """
    software = system.partition is Partition.SOFTWARE
    return Partition.INSTRUCTION if software and system.uses_instructions else system.partition


def soc_packages() -> list[Path]:
    """Return the packages that every module of a system may use."""
    own = find_home() / "hw" / "soc" / "rtl"
    return [*sorted((own / "generated").glob("*.sv")), own / "soc_pkg.sv"]


def soc_sources(system: System) -> list[Path]:
    """Return the SystemVerilog files of a design, packages first, without its soft core's.

    Raises:
        ToolError: A folder has no files, or packages use each other in a circle.
    """
    hardware, home = HARDWARE[hardware_partition(system)], find_home()
    own = home / "hw" / "soc" / "rtl"
    wanted = {own, own / "generated", own / str(system.soft_core), own / str(hardware.part)}
    files = folder_sources([*(home / "hw" / name / "rtl" for name in hardware.folders), own])
    theirs = without_foreign([path for path in files if not path.is_relative_to(own)], SOC_TOP)
    return [path for path in files if path in theirs or path.parent in wanted]


def ensure_soc(
    system: System,
    *,
    trace: bool = False,
    recorders: Sequence[Path] = (),
    report: Report = say,
) -> Path:
    """Return the program that simulates a design, built if it is not up to date.

    A build takes from half a minute to several minutes. Nothing is built if a program with
    the same sources, parameters, tools and flags exists; fields that do not change the
    hardware (optimisation, wait states, key caching) do not matter. ``hw/soc/README.md``
    describes its command line and output.

    Args:
        system: The design.
        trace: Whether the program can write waveforms, which makes it slower.
        recorders: SystemVerilog modules to bind to the design (``soc_recording``).
        report: Is given a line before and after a build.

    Raises:
        DesignError: There is no source tree.
        ToolError: A tool or a soft core is missing, or a tool failed.
    """
    home = find_home()
    core = find_soft_core(system.soft_core)
    if trace:
        need_trace_headers()
    own = home / "hw" / "soc" / "model"
    model = Model(
        SOC_TOP,
        [
            home / "hw" / "soc" / "rtl" / "soc.vlt",
            *core.sources,
            *soc_sources(system),
            *recorders,
        ],
        soc_parameters(system),
        own / "soc_model.cpp",
        (*SOC_FLAGS, *(TRACE_FLAGS if trace else ())),
        rtl_includes=core.includes,
        program=True,
        # Runs at six sevenths of the speed of -O2, and compiles in two thirds of the time.
        model_optimisation="-O1",
    )

    def configure(folder: Path) -> None:
        memory = model.parameters["MemoryBytes"]
        (folder / "soc_config.h").write_text(
            f"#define SOC_MEMORY_BYTES {memory}u\n#define SOC_TRACE {int(trace)}\n",
            encoding="utf-8",
        )

    return model.build(
        "soc",
        "",
        own.glob("*.*"),
        # The files that it includes are covered by the soft core's version.
        {"core": [str(system.soft_core), core.version]},
        configure=configure,
        called=f"system {system.soft_core} with {hardware_partition(system)}",
        report=report,
    )


def need_trace_headers() -> None:
    """Check that a model that writes waveforms can be compiled here.

    Verilator's FST writer includes lz4.h and zlib.h. The check runs the compiler, which
    knows its search path.

    Raises:
        ToolError: A header or the compiler is missing; the message says what to install.
    """
    compiler = need_program("g++", "g++")
    for header, package in TRACE_HEADERS.items():
        command = [compiler, "-fsyntax-only", "-include", header, "-x", "c++", os.devnull]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            raise ToolError(f"{header}, which waveforms need, is missing: apt install {package}")
