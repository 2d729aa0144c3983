# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Builds the firmware of a partition: a flat image for a soft core, by ziglang's C compiler.

An image is linked from start-up code, a main program and one partition
(``firmware/README.md``). The host writes the workload into it at 0x200 and finds
the result at 0x280 (``firmware/include/workload.h``).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ciphermill.algorithms import ALGORITHMS, programs
from ciphermill.design import find_home

from .cache import artefact
from .elf import Section, read_elf
from .errors import ToolError
from .model import Report
from .packages import tool_version
from .verilator import run

SOFT_CORES: Mapping[str, tuple[str, ...]] = {
    "picorv32": ("-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m"),
    "vexriscv": ("-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m+zicsr"),
    "ibex": ("-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m+zicsr"),
    "cva6": ("-target", "riscv64-freestanding-none", "-mcpu=generic_rv64+m+zicsr"),
    "sa1110": ("-target", "arm-freestanding-eabi", "-mcpu=strongarm1110"),
}
"""Compiler flags of the processors; ``sa1110``, an ARM, is for instruction-set simulation."""

OPTIMISATIONS: Mapping[str, tuple[str, ...]] = {
    "O2": ("-O2",),
    # ziglang's driver turns -O3 into -O2 and strips symbols at -Os, so the level goes to the
    # compiler proper.
    "O3": ("-O2", "-Xclang", "-O3"),
    "Os": ("-O2", "-Xclang", "-Os"),
}
"""Compiler flags of the optimisation levels."""

MAINS = ("run_workload", "run_messages", "run_operations", "encrypt_show_decrypt")
"""Main programs, files of firmware/programs."""

PROGRAMS: Mapping[str, tuple[str, ...]] = programs()
"""Partitions by name, ``<algorithm>-<partition>[-<variant>]``, each with its sources other than
the driver."""

CUSTOM_INSTRUCTIONS = programs(with_instructions=True)
"""Programs that need a soft core with a port for custom instructions."""

INSTRUCTION_CORES = ("picorv32", "vexriscv")

_COMMON = ("start/memory.c", "drivers/console.c", "drivers/process_each.c")
_FLAGS = (
    "-std=c11",
    "-ffreestanding",
    "-nostdlib",
    "-g0",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fomit-frame-pointer",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    "-fno-sanitize=all",
    "-Wl,--gc-sections",
)


@dataclass(frozen=True)
class Firmware:
    """A built image."""

    path: Path
    """Flat binary, loaded at address 0."""
    code_bytes: int
    """Code and constants of the whole program (``.text`` and ``.rodata``)."""
    image_end: int
    """First address that the firmware does not use; memory from here on is for the host."""
    sections: Mapping[str, Section]
    symbols: Mapping[str, int]


def program_name(cipher: str, partition: str, variant: str | None = None) -> str:
    """Return the program of a partition.

    >>> program_name("aes", "software", "table")
    'aes-software-table'

    Raises:
        ToolError: There is none.
    """
    name = "-".join(part for part in (cipher, partition, variant) if part)
    if name not in PROGRAMS:
        raise ToolError(f"no firmware {name}; there is: {', '.join(PROGRAMS)}")
    return name


def driver(program: str) -> str:
    """Return the source file of a program's driver, relative to firmware/."""
    return f"drivers/{program.replace('-', '_')}.c"


def main_program(program: str) -> str:
    """Return the main program that measures a partition.

    >>> main_program("aes-software-table"), main_program("ecc-software")
    ('run_workload', 'run_operations')
    """
    algorithm = next(one for name, one in ALGORITHMS.items() if program.startswith(f"{name}-"))
    if algorithm.integers:
        return "run_operations"
    return "run_messages" if algorithm.whole_messages else "run_workload"


def ensure_firmware(
    program: str,
    *,
    soft_core: str,
    optimisation: str = "O2",
    main: str | None = None,
    blocks_in_flight: int | None = None,
    report: Report = lambda text: None,
) -> Firmware:
    """Return a program's image, built if it is not up to date.

    Args:
        program: One of ``PROGRAMS`` (``program_name``).
        soft_core: One of ``SOFT_CORES``.
        optimisation: ``O2``, ``O3`` or ``Os``; a leading dash is allowed.
        main: One of ``MAINS``; that of measurements (``main_program``) unless given.
        blocks_in_flight: The parameter of the hardware, if the partition has it: the driver
            keeps that many blocks in flight.
        report: Is given a line before a build.

    Raises:
        ToolError: There is no such program, the core cannot host it, or the
            compiler is missing or refused it.
    """
    level = optimisation.removeprefix("-")
    main = main or main_program(program)
    _check(program, soft_core, level, main)
    home = find_home()
    folder = home / "firmware"
    start = "start_arm.S" if soft_core == "sa1110" else "start_riscv.S"
    names = [f"start/{start}", *_COMMON, f"programs/{main}.c", driver(program), *PROGRAMS[program]]
    sources = [folder / name for name in names]
    includes = [folder / "include", folder / "ciphers", folder / "drivers"]
    includes += [home / "hw" / name / "include" for name in ("accel", "dma", "coprocessor", "soc")]
    script = folder / "start/soc.ld"
    flags = [*SOFT_CORES[soft_core], *OPTIMISATIONS[level], *_FLAGS]
    flags += [f"-DSOFT_CORE_{soft_core.upper()}"]
    if blocks_in_flight is not None:
        flags += [f"-DBLOCKS_IN_FLIGHT={blocks_in_flight}"]
    headers = [path for place in includes for path in sorted(place.glob("*.h"))]
    facts = {
        "names": names,
        "flags": flags,
        "compiler": tool_version("ziglang", "the firmware compiler"),
    }
    files = [*sources, *headers, script]

    def link(scratch: Path) -> Path:
        report(f"building the firmware {program} for {soft_core} ...")
        linked = scratch / "firmware.elf"
        search = [f"-I{place}" for place in includes]
        command: list[str | Path] = [*flags, *search, *sources, f"-Wl,-T,{script}", "-o", linked]
        _compile(command, scratch, f"compiling the firmware {program} for {soft_core}")
        return linked

    executable = read_elf(artefact("firmware", ".elf", files, facts, link).read_bytes())

    def flatten(scratch: Path) -> Path:
        image = scratch / "firmware.bin"
        image.write_bytes(executable.image())
        return image

    sections = executable.sections
    return Firmware(
        path=artefact("firmware", ".bin", files, facts, flatten),
        code_bytes=sum(sections[name].size for name in (".text", ".rodata") if name in sections),
        image_end=executable.symbols["__image_end"],
        sections=sections,
        symbols=executable.symbols,
    )


def _check(program: str, soft_core: str, level: str, main: str) -> None:
    for what, value, choices in (
        ("firmware", program, PROGRAMS),
        ("soft core", soft_core, SOFT_CORES),
        ("optimisation level", level, OPTIMISATIONS),
        ("main program", main, MAINS),
    ):
        if value not in choices:
            raise ToolError(f"no {what} {value}; there is: {', '.join(choices)}")
    if program in CUSTOM_INSTRUCTIONS and soft_core not in INSTRUCTION_CORES:
        raise ToolError(
            f"{soft_core} cannot host {program}: it has no port for custom instructions; "
            f"these have: {', '.join(INSTRUCTION_CORES)}"
        )


def _compile(arguments: list[str | Path], scratch: Path, what: str) -> None:
    environment = {
        **os.environ,
        "ZIG_GLOBAL_CACHE_DIR": str(scratch / "global"),
        "ZIG_LOCAL_CACHE_DIR": str(scratch / "local"),
    }
    run([sys.executable, "-m", "ziglang", "cc", *arguments], what, environment)
