# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Builds the model of a design: a shared library that the engine loads.

Verilator turns the RTL into C++, hw/model adds the interface of ``ciphermill_model.h``, and
g++ builds a library that exports only that interface. The FPGA of a board has an interface of its
own (``toolchain/board.py``).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

from ciphermill.design import (
    Accelerator,
    CannotBeError,
    Core,
    UnknownNameError,
    design_names,
    find_home,
    load_design,
    models_folder,
)

from .board import BOARD_TOP, build_board
from .cache import artefact_key, replace
from .rtl import TOP, accelerator_parameters, rtl_sources
from .verilator import Model, find_verilator

Report = Callable[[str], None]


def say(text: str) -> None:
    """Report progress on standard error."""
    print(text, file=sys.stderr, flush=True)


def ensure_model(design_name: str | Path, *, report: Report = say) -> Path:
    """Return the shared library of a design's model, built if it is not up to date.

    The library is ``<models folder>/<design's name>.so``. A build takes from half a minute
    to several minutes; nothing is built if a model with the same sources, parameters, tools
    and flags exists.

    Args:
        design_name: A design's name, or the path of its TOML file.
        report: Is given a line before and after a build.

    Raises:
        DesignError: There is no such design, or it is malformed.
        ToolError: A tool is missing or failed.
    """
    design = _load(design_name)
    built = build_board(design, report) if isinstance(design, Core) else build_model(design, report)
    target = models_folder() / f"{design.name}.so"
    if not (target.is_file() and target.samefile(built)):
        replace(built, target)
    return target


def find_model(design_name: str, *, report: Report = say) -> Path:
    """Return the shared library of a model that is to be used.

    The model of an accelerator in ``designs/``, or of a file, is brought up to date. A name
    that is not in ``designs/`` refers to a model that was built before; it is used as it
    is.

    Raises:
        DesignError: There is neither such a design nor such a model, or it is malformed.
        ToolError: A tool is missing or failed.
    """
    is_name = "/" not in design_name and design_name not in design_names(Accelerator, Core)
    built = models_folder() / f"{design_name}.so"
    if is_name and built.is_file():
        return built
    return ensure_model(design_name, report=report)


def _load(design_name: str | Path) -> Accelerator | Core:
    """Return an accelerator, or the FPGA of a board."""
    try:
        design = load_design(design_name)
    except UnknownNameError as error:
        raise UnknownNameError("design", str(design_name), _with_model()) from error
    if isinstance(design, Accelerator):
        return design
    if isinstance(design, Core) and design.top == BOARD_TOP:
        return design
    raise CannotBeError(
        f"{design_name}: is of kind {design.kind}, not accelerator, nor the FPGA of a board (top "
        f'"{BOARD_TOP}"): only these have a model'
    )


def _with_model() -> list[str]:
    """Return the names of accelerators and of boards' FPGAs in ``designs/``."""
    cores = (load_design(name, Core) for name in design_names(Core))
    return sorted([*design_names(Accelerator), *(c.name for c in cores if c.top == BOARD_TOP)])


def build_model(design: Accelerator, report: Report) -> Path:
    """Return a design's model in the cache, built if it is not there.

    Raises:
        ToolError: A tool is missing or failed.
    """
    home = find_home()
    own, registers = home / "hw" / "model", home / "hw" / "accel" / "include"
    model = Model(
        TOP,
        rtl_sources(),
        accelerator_parameters(design),
        own / "ciphermill_model.cpp",
        optimisation="-O3",
        includes=[registers],
        exports=own / "ciphermill_model.map",
    )
    facts = {"design": design.model_dump(mode="json", exclude={"description"})}
    others = [*own.glob("*.*"), *registers.glob("*.h")]
    key = artefact_key([*model.sources, *others], {**model.facts(), **facts})
    return model.build(
        "model",
        ".so",
        others,
        facts,
        configure=lambda folder: _configure(design, key, folder),
        called=f"model {design.name}",
        report=report,
    )


def description(design: Accelerator, key: str, tool: str) -> str:
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


def _configure(design: Accelerator, key: str, folder: Path) -> None:
    """Write the header with the parameters of the design for the wrapper."""
    text = description(design, key, f"Verilator {find_verilator().version}")
    config = {
        "MODEL_DESCRIPTION": json.dumps(text),
        "MODEL_STREAM_BITS": design.interface.stream_bits,
        "MODEL_CHANNELS": design.channels,
        "MODEL_ASYNCHRONOUS": int(design.interface.asynchronous),
        "MODEL_CORE_KHZ": round(design.clock.mhz * 1000),
        "MODEL_BUS_KHZ": round((design.clock.bus_mhz or design.clock.mhz) * 1000),
    }
    lines = [f"#define {name} {value}\n" for name, value in config.items()]
    (folder / "model_config.h").write_text("".join(lines), encoding="utf-8")
