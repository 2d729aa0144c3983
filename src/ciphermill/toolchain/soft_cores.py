# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The RTL of soft cores, from their PyPI packages: files and their order.

Their RTL is not part of this source tree. A waiver switches this project's lint off for
exactly their files.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ciphermill.design import SoftCore

from .errors import ToolError
from .packages import package_folder, tool_version

_LOWRISC = "system_verilog/vendor/lowrisc_ip/ip/prim/rtl"
_IBEX_MODULES = (
    "pkg",
    "alu",
    "branch_predict",
    "compressed_decoder",
    "controller",
    "counter",
    "cs_registers",
    "csr",
    "decoder",
    "dummy_instr",
    "ex_block",
    "fetch_fifo",
    "id_stage",
    "if_stage",
    "load_store_unit",
    "multdiv_fast",
    "multdiv_slow",
    "pmp",
    "prefetch_buffer",
    "register_file_ff",
    "wb_stage",
    "core",
    "top",
)
_PACKAGES = ("cipher", "mubi", "ram_1p", "secded", "util")
_FILES = {
    SoftCore.PICORV32: ("verilog/picorv32.v",),
    SoftCore.VEXRISCV: ("verilog/VexRiscv_FullCfu.v",),
    SoftCore.IBEX: (
        *(f"{_LOWRISC}/prim_{name}_pkg.sv" for name in _PACKAGES),
        *(f"system_verilog/rtl/ibex_{module}.sv" for module in _IBEX_MODULES),
    ),
}
_INCLUDES = {SoftCore.IBEX: (_LOWRISC, "system_verilog/vendor/lowrisc_ip/dv/sv/dv_utils")}


@dataclass(frozen=True)
class SoftCoreFiles:
    """RTL of a soft core."""

    root: Path
    """The folder of its Python package."""
    version: str
    """That package's version."""
    sources: tuple[Path, ...]
    """Files to compile, packages first."""
    includes: tuple[Path, ...]
    """Folders that the files include from."""


def find_soft_core(core: SoftCore) -> SoftCoreFiles:
    """Return the files of a soft core in the Python environment.

    Raises:
        ToolError: The core's package is missing or incomplete.
    """
    package = f"pythondata-cpu-{core}"
    root = package_folder(package, f"the soft core {core}")
    sources = tuple(root / name for name in _FILES[core])
    missing = [path.name for path in sources if not path.is_file()]
    if missing:
        raise ToolError(f"{root}: not {package} as it should be: it has no {', '.join(missing)}")
    includes = tuple(root / name for name in _INCLUDES.get(core, ()))
    return SoftCoreFiles(root, tool_version(package), sources, includes)
