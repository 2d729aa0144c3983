# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""From an embedded design to its coprocessor alone, as a shared library.

Instruction-set simulation runs firmware without a soft core's RTL; the hardware
behind the memory-mapped registers is still the RTL, verilated, with the functions
of ``hw/coprocessor/model`` around it.
"""

from __future__ import annotations

from pathlib import Path

from ciphermill.algorithms import coprocessor_folders
from ciphermill.design import System, build_folder, find_home

from .cache import Cache, content_key
from .errors import ToolError
from .model import (
    COMPILER_FLAGS,
    JOBS,
    OPTIMISATION,
    VERILATOR_FLAGS,
    Report,
    compiler_version,
    say,
)
from .rtl import folder_sources
from .soc import soc_parameters
from .verilator import find_verilator, need_program, run, verilate

COPROCESSOR_TOP = "soc_register_coprocessor"
"""The module (hw/soc/rtl/mapped) that a system has on its register bus."""


def ensure_coprocessor(system: System, *, report: Report = say) -> Path:
    """Return the shared library of a system's coprocessor, built if it is not up to date.

    A build takes some twenty seconds. ``hw/coprocessor/model/coprocessor_model.cpp``
    has the functions that it exports.

    Args:
        system: A design whose partition has a coprocessor on the register bus.
        report: Is given a line before a build.

    Raises:
        DesignError: There is no source tree.
        ToolError: The partition has no such coprocessor, or a tool is missing or failed.
    """
    if system.interface is None or not system.has_hardware:
        raise ToolError(f"{system.partition} has no coprocessor on a register bus")
    home = find_home()
    verilator = find_verilator()
    compiler = need_program("g++", "g++")
    need_program("make", "make")
    every = soc_parameters(system)
    names = ("Partition", "Cipher", "BlocksInFlight")
    parameters = {name: every[name] for name in names if name in every}
    own = home / "hw" / "soc" / "rtl"
    sources = folder_sources([home / "hw" / name / "rtl" for name in coprocessor_folders()])
    package, modules = own / "soc_pkg.sv", own / "mapped" / f"{COPROCESSOR_TOP}.sv"
    sources = [package, *sources, modules]
    model = home / "hw" / "coprocessor" / "model"
    wrapper = sorted(model.glob("*.*"))
    facts = {
        "parameters": parameters,
        "verilator": verilator.version,
        "compiler": compiler_version(compiler),
        "flags": [VERILATOR_FLAGS, COMPILER_FLAGS, OPTIMISATION],
    }
    key = content_key([*sources, *wrapper], facts, relative_to=home)

    def build(folder: Path) -> Path:
        report(f"building the coprocessor of {system.partition} ...")
        verilate(sources, COPROCESSOR_TOP, parameters, folder, VERILATOR_FLAGS)
        environment = verilator.environment()
        command: list[str | Path] = ["make", "--silent", "-C", folder, "-j", str(JOBS)]
        command += ["-f", f"V{COPROCESSOR_TOP}.mk", f"CXX={compiler}"]
        command += ["CFG_CXXFLAGS_STD=-std=gnu++17", "CFG_CXXFLAGS_PCH_I=-include", *OPTIMISATION]
        command += [f"USER_CPPFLAGS={' '.join(COMPILER_FLAGS)}", f"libV{COPROCESSOR_TOP}"]
        run(command, "compiling the coprocessor", environment)
        library = folder / "coprocessor.so"
        command = [compiler, "-std=c++17", "-O2", "-Wall", "-Wextra", "-shared", *COMPILER_FLAGS]
        command += [f"-I{folder}", "-isystem", verilator.root / "include"]
        command += ["-isystem", verilator.root / "include" / "vltstd"]
        command += [model / "coprocessor_model.cpp", folder / f"libV{COPROCESSOR_TOP}.a"]
        command += [folder / "libverilated.a", "-Wl,--no-undefined", "-pthread"]
        command += [f"-Wl,--version-script={model / 'coprocessor_model.map'}", "-o", library]
        run(command, "linking the coprocessor", environment)
        return library

    return Cache(build_folder(home) / "cache").get("coprocessor", key, ".so", build)
