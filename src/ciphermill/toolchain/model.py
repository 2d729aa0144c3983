# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""From a design to a model: a shared library that the engine loads.

Verilator turns the RTL into C++, hw/model wraps that in the interface of
``ciphermill_model.h``, and g++ makes one library of it that exports that
interface and nothing else.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ciphermill.design import (
    Design,
    build_folder,
    design_names,
    find_home,
    load_design,
    models_folder,
)

from .cache import Cache, content_key, replace
from .rtl import TOP, accelerator_parameters, rtl_sources
from .verilator import Verilator, find_verilator, need_program, run, verilate

VERILATOR_FLAGS = (
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "--noassert",
    "--no-trace-top",
    "-Wno-fatal",
    "-Wno-lint",
)
"""The lint is a test of its own; a model is built for speed."""

COMPILER_FLAGS = ("-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden")
OPTIMISATION = ("OPT_FAST=-O2", "OPT_SLOW=-O0", "OPT_GLOBAL=-O2")
JOBS = 2

Report = Callable[[str], None]


def say(text: str) -> None:
    """Report progress on standard error."""
    print(text, file=sys.stderr, flush=True)


def ensure_model(design_name: str | Path, *, report: Report = say) -> Path:
    """Return the shared library of a design's model, built if it is not up to date.

    The library is ``<models folder>/<design's name>.so``. A build takes from
    half a minute to a few; nothing is built when sources, parameters, tools and
    flags are those of a model that was built before.

    Args:
        design_name: A design's name, or the path of its TOML file.
        report: Is given a line before and after a build.

    Raises:
        DesignError: There is no such design, or it is malformed.
        ToolError: A tool is missing or failed.
    """
    home = find_home()
    design = load_design(design_name, home=home)
    built = build_model(design, home, Cache(build_folder(home) / "cache"), report)
    target = models_folder(home) / f"{design.name}.so"
    if not (target.is_file() and target.samefile(built)):
        replace(built, target)
    return target


def find_model(design_name: str, *, report: Report = say) -> Path:
    """Return the shared library of a model that is to be used.

    That of a design in ``designs/`` or of a file is brought up to date. Of a design
    that lies elsewhere only its name is known: its model is used as it was built.

    Raises:
        DesignError: There is neither such a design nor such a model, or it is malformed.
        ToolError: A tool is missing or failed.
    """
    home = find_home()
    is_name = "/" not in design_name and design_name not in design_names(home=home)
    built = models_folder(home) / f"{design_name}.so"
    if is_name and built.is_file():
        return built
    return ensure_model(design_name, report=report)


def build_model(design: Design, home: Path, cache: Cache, report: Report) -> Path:
    """Return a design's model in the cache, built if it is not there.

    Raises:
        ToolError: A tool is missing or failed.
    """
    verilator = find_verilator()
    compiler = need_program("g++", "g++")
    make = need_program("make", "make")
    sources = rtl_sources(home, design.cipher)
    wrapper = [*(home / "hw" / "model").glob("*.*"), *(home / "hw/accel/include").glob("*.h")]
    facts = {
        "parameters": accelerator_parameters(design),
        "design": design.model_dump(mode="json", exclude={"description"}),
        "verilator": verilator.version,
        "compiler": compiler_version(compiler),
        "flags": [VERILATOR_FLAGS, COMPILER_FLAGS, OPTIMISATION],
    }
    key = content_key([*sources, *wrapper], facts, relative_to=home)

    def build(folder: Path) -> Path:
        report(f"building the model {design.name} (a minute or so, once) ...")
        begin = time.monotonic()
        tools = _Tools(verilator, compiler, make)
        library = _compile(design, key, sources, home, folder, tools, report)
        report(f"built the model {design.name} in {time.monotonic() - begin:.0f} s")
        return library

    return cache.get(
        "model",
        key,
        ".so",
        build,
        on_wait=lambda: report(f"another process is building the model {design.name}; waiting ..."),
    )


def compiler_version(compiler: str) -> str:
    """Return what tells one g++ from another: its version and what it compiles for."""
    command = [compiler, "-dumpfullversion", "-dumpmachine"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def description(design: Design, key: str, tool: str) -> str:
    """Return the model's description, a JSON object (``ciphermill_model.h``)."""
    return json.dumps(
        {
            "design": design.name,
            "clock_mhz": design.clock.mhz,
            "stream_bits": design.interface.stream_bits,
            "channels": design.channels,
            "design_hash": key[:16],
            "tool": tool,
        }
    )


@dataclass(frozen=True)
class _Tools:
    verilator: Verilator
    compiler: str
    make: str


def _compile(
    design: Design,
    key: str,
    sources: list[Path],
    home: Path,
    folder: Path,
    tools: _Tools,
    report: Report,
) -> Path:
    environment = tools.verilator.environment()
    parameters = accelerator_parameters(design)
    report(f"{design.name}: Verilator turns the RTL into C++ ...")
    verilate(sources, TOP, parameters, folder, VERILATOR_FLAGS)
    report(f"{design.name}: {Path(tools.compiler).name} compiles it ...")
    command: list[str | Path] = [
        tools.make,
        "--silent",
        "-C",
        folder,
        "-f",
        f"V{TOP}.mk",
        "-j",
        str(JOBS),
    ]
    command += [
        f"CXX={tools.compiler}",
        "CFG_CXXFLAGS_STD=-std=gnu++17",
        "CFG_CXXFLAGS_PCH_I=-include",
    ]
    command += [*OPTIMISATION, f"USER_CPPFLAGS={' '.join(COMPILER_FLAGS)}", f"libV{TOP}"]
    run(command, f"compiling the model {design.name}", environment)
    return _link(design, key, home, folder, tools)


def _link(design: Design, key: str, home: Path, folder: Path, tools: _Tools) -> Path:
    verilator = tools.verilator
    model = home / "hw" / "model"
    library = folder / f"{design.name}.so"
    text = description(design, key, f"Verilator {verilator.version}")
    core_khz = round(design.clock.mhz * 1000)
    bus_khz = round((design.clock.bus_mhz or design.clock.mhz) * 1000)
    config = {
        "MODEL_DESCRIPTION": json.dumps(text),
        "MODEL_STREAM_BITS": design.interface.stream_bits,
        "MODEL_CHANNELS": design.channels,
        "MODEL_ASYNCHRONOUS": int(design.interface.asynchronous),
        "MODEL_CORE_KHZ": core_khz,
        "MODEL_BUS_KHZ": bus_khz,
    }
    lines = [f"#define {name} {value}\n" for name, value in config.items()]
    (folder / "model_config.h").write_text("".join(lines), encoding="utf-8")
    command: list[str | Path] = [
        tools.compiler,
        "-std=c++17",
        "-O3",
        "-Wall",
        "-Wextra",
        "-shared",
        *COMPILER_FLAGS,
        f"-I{folder}",
        f"-I{model}",
        f"-I{home / 'hw' / 'accel' / 'include'}",
        "-isystem",
        verilator.root / "include",
        "-isystem",
        verilator.root / "include" / "vltstd",
        model / "ciphermill_model.cpp",
        folder / f"libV{TOP}.a",
        folder / "libverilated.a",
        f"-Wl,--version-script={model / 'ciphermill_model.map'}",
        "-Wl,--no-undefined",
        "-pthread",
        "-o",
        library,
    ]
    run(command, f"linking the model {design.name}", verilator.environment())
    return library
