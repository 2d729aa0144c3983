# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Builds the coprocessor of a system, without the rest of it, as a shared library.

Instruction-set simulation runs firmware without the RTL of a soft core. The coprocessor is
still its RTL, compiled by Verilator together with the functions of
``hw/coprocessor/model``.
"""

from __future__ import annotations

from pathlib import Path

from ciphermill.design import System, find_home

from .errors import ToolError
from .model import Report, say
from .rtl import coprocessor_sources
from .soc import soc_packages, soc_parameters
from .verilator import Model

COPROCESSOR_TOP = "soc_register_coprocessor"
"""The module (hw/soc/rtl/mapped) that a system has on its register bus."""


def ensure_coprocessor(system: System, *, report: Report = say) -> Path:
    """Return the shared library of a system's coprocessor, built if it is not up to date.

    A build takes some twenty seconds. ``hw/coprocessor/model/coprocessor_model.cpp``
    has the functions that it exports.

    Args:
        system: A design whose partition has a coprocessor on the register bus.
        report: Is given a line before and after a build.

    Raises:
        DesignError: There is no source tree.
        ToolError: The partition has no such coprocessor, or a tool is missing or failed.
    """
    if system.interface is None or not system.has_hardware:
        raise ToolError(f"{system.partition} has no coprocessor on a register bus")
    home = find_home()
    every = soc_parameters(system)
    names = ("Partition", "Algorithm", "BlocksInFlight", "SBox")
    parameters = {name: every[name] for name in names if name in every}
    top = home / "hw" / "soc" / "rtl" / "mapped" / f"{COPROCESSOR_TOP}.sv"
    own_model = home / "hw" / "coprocessor" / "model"
    model = Model(
        COPROCESSOR_TOP,
        [*soc_packages(), *coprocessor_sources(), top],
        parameters,
        own_model / "coprocessor_model.cpp",
        exports=own_model / "coprocessor_model.map",
    )
    return model.build(
        "coprocessor",
        ".so",
        own_model.glob("*.*"),
        called=f"coprocessor of {system.partition}",
        report=report,
    )
