# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The RTL of soft cores, from their PyPI packages: files and their order.

Their RTL is not part of this source tree. A waiver switches this project's lint off for
exactly their files.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ciphermill.design import SoftCore, find_home

from .cache import artefact, code_key
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
_CVA6 = "system_verilog"
_CVA6_COMMON_CELLS = f"{_CVA6}/common/submodules/common_cells"
_CVA6_PACKAGES = (
    "core/include/riscv_pkg",
    "corev_apu/riscv-dbg/src/dm_pkg",
    "core/include/ariane_pkg",
    "corev_apu/axi/src/axi_pkg",
    "core/include/ariane_axi_pkg",
    "core/include/wt_cache_pkg",
    "core/include/cvxif_pkg",
    "core/fpu/src/fpnew_pkg",
)
_CVA6_MODULES = (
    "alu",
    "amo_buffer",
    "ariane_regfile_ff",
    "axi_shim",
    "branch_unit",
    "cache_subsystem/cva6_icache",
    "cache_subsystem/wt_axi_adapter",
    "cache_subsystem/wt_cache_subsystem",
    "cache_subsystem/wt_dcache",
    "cache_subsystem/wt_dcache_ctrl",
    "cache_subsystem/wt_dcache_mem",
    "cache_subsystem/wt_dcache_missunit",
    "cache_subsystem/wt_dcache_wbuffer",
    "commit_stage",
    "compressed_decoder",
    "controller",
    "csr_buffer",
    "csr_regfile",
    "cva6",
    "cvxif_fu",
    "decoder",
    "ex_stage",
    "fpu_wrap",
    "frontend/bht",
    "frontend/btb",
    "frontend/frontend",
    "frontend/instr_queue",
    "frontend/instr_scan",
    "frontend/ras",
    "id_stage",
    "instr_realign",
    "issue_read_operands",
    "issue_stage",
    "load_store_unit",
    "load_unit",
    "lsu_bypass",
    "mmu_sv39/mmu",
    "mmu_sv39/ptw",
    "mmu_sv39/tlb",
    "mult",
    "multiplier",
    "perf_counters",
    "pmp/src/pmp",
    "pmp/src/pmp_entry",
    "re_name",
    "scoreboard",
    "serdiv",
    "store_buffer",
    "store_unit",
)
_CVA6_CELLS = (
    "cf_math_pkg",
    "exp_backoff",
    "fifo_v3",
    "lfsr",
    "lzc",
    "popcount",
    "rr_arb_tree",
    "shift_reg",
    "unread",
)
_CVA6_OTHERS = (
    "common/local/util/instr_tracer_if",
    "common/local/util/sram",
    "common/local/util/tc_sram_wrapper",
    "corev_apu/src/tech_cells_generic/src/rtl/tc_sram",
)
_FILES = {
    SoftCore.PICORV32: ("verilog/picorv32.v",),
    SoftCore.VEXRISCV: ("verilog/VexRiscv_FullCfu.v",),
    SoftCore.IBEX: (
        *(f"{_LOWRISC}/prim_{name}_pkg.sv" for name in _PACKAGES),
        *(f"system_verilog/rtl/ibex_{module}.sv" for module in _IBEX_MODULES),
    ),
    SoftCore.CVA6: (
        *(f"{_CVA6}/{package}.sv" for package in _CVA6_PACKAGES),
        *(f"{_CVA6_COMMON_CELLS}/src/{cell}.sv" for cell in _CVA6_CELLS),
        *(f"{_CVA6}/core/{module}.sv" for module in _CVA6_MODULES),
        *(f"{_CVA6}/{other}.sv" for other in _CVA6_OTHERS),
    ),
}
_INCLUDES = {
    SoftCore.IBEX: (_LOWRISC, "system_verilog/vendor/lowrisc_ip/dv/sv/dv_utils"),
    SoftCore.CVA6: (f"{_CVA6_COMMON_CELLS}/include",),
}
_CONFIGURATIONS = {SoftCore.CVA6: "hw/soc/rtl/cva6/configuration/cva6_config_pkg.sv"}
"""This project's own package that the core's files import."""


@dataclass(frozen=True)
class SoftCoreFiles:
    """RTL of a soft core."""

    root: Path
    """The folder of its Python package."""
    version: str
    """That package's version."""
    sources: tuple[Path, ...]
    """Files to compile, packages first. The core's configuration, where it imports one, is this
    project's."""
    includes: tuple[Path, ...]
    """Folders that the files include from."""


_INITIALISED = "logic unused_scramble_inputs ="
"""What slang refuses in the top module of Ibex."""


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
    if core in _CONFIGURATIONS:
        sources = (find_home() / _CONFIGURATIONS[core], *sources)
    includes = tuple(root / name for name in _INCLUDES.get(core, ()))
    return SoftCoreFiles(root, tool_version(package), sources, includes)


def synthesisable(core: SoftCore, found: SoftCoreFiles) -> tuple[Path, ...]:
    """Return the sources of a soft core as yosys takes them.

    Ibex initialises a net that nothing uses by others, which the slang front end refuses; a copy
    of that file assigns it instead.

    Raises:
        ToolError: The file is not as it should be.
    """
    if core is not SoftCore.IBEX:
        return found.sources
    return tuple(_assigned(path) if path.stem == "ibex_top" else path for path in found.sources)


def _assigned(path: Path) -> Path:
    def build(folder: Path) -> Path:
        text = path.read_text(encoding="utf-8")
        if _INITIALISED not in text:
            raise ToolError(f"{path}: has no {_INITIALISED!r}; is another version installed?")
        name = _INITIALISED.split()[1]
        copy = folder / path.name
        copy.write_text(text.replace(_INITIALISED, f"logic {name}; assign {name} ="))
        return copy

    facts = {"code": code_key("soft_cores.py")}
    return artefact("soft-core", path.suffix, [path], facts, build, relative_to=path.parent)
